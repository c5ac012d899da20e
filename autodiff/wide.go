package autodiff

import (
	"math"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The gradient of one operation is rounded once, as PyTorch's is. If a rule would round intermediate values, such as
// those of 16 bits, it is called again with the dtype in which its operands are computed, and its result is rounded at
// the end.

// roundings counts how often a value is rounded on the way from nodes numbered less than first.
func roundings(y *graph.Node, first int, seen map[*graph.Node]bool) (count int) {
	if y == nil || y.ID() < first || seen[y] {
		return 0
	}
	seen[y] = true
	if rounds(y) {
		count++
	}
	for _, x := range y.Operands() {
		count += roundings(x, first, seen)
	}
	return count
}

// rounds reports whether a node rounds to a dtype that is computed in another one.
func rounds(n *graph.Node) bool {
	if !isRounded(n) {
		return false
	}
	switch op := n.Op(); op.Class {
	case graph.Source:
		v, isNumber := n.ScalarValue()
		return isNumber && !isShort(v)
	case graph.Elementwise:
		return len(n.Operands()) > 0
	case graph.Gather:
		return op.Fold != graph.NoFold
	case graph.Composite, graph.Reduce, graph.Contract, graph.Function, graph.Loop:
		return true
	}
	return false
}

// isShort reports whether a number was most likely not rounded: a multiple of a half, and not large.
func isShort(v float64) bool { return v == math.Trunc(2*v)/2 && math.Abs(v) <= 16 || math.IsInf(v, 0) }

func isRounded(n *graph.Node) bool {
	return n.DType().IsFloat() && n.DType().Computed() != n.DType()
}

// ours are the operations of this library.
var ours = sync.OnceValue(func() map[*graph.Op]bool {
	all := map[*graph.Op]bool{}
	for _, op := range ops.Entries() {
		all[op] = true
	}
	return all
})

// roundsOnce reports whether the gradient of n is to be rounded once: n is an operation of this library. Other rules
// are called as they were written, since they may keep the nodes that they make.
func (w *reversePass) roundsOnce(n *graph.Node) bool {
	if w.standIns == nil || n.Op().Class == graph.Loop || !ours()[n.Op()] {
		return false
	}
	return isRounded(n) || slices.ContainsFunc(n.Operands(), isRounded)
}

// backpropOnce propagates n's gradient to its operands, each rounded once.
func (w *reversePass) backpropOnce(n, dy *graph.Node) {
	standIns := w.standIns
	w.standIns = nil // for the rules within
	defer func() { w.standIns = standIns }()
	wanted := make([]bool, len(n.Operands()))
	for i := range wanted {
		wanted[i] = w.takes(n, dy, i)
	}
	var grads []*graph.Node
	asWritten := func() bool {
		first := len(w.g.Nodes())
		grads = w.askAll(n, n, dy, wanted)
		return w.failed == nil && !slices.ContainsFunc(grads, func(dx *graph.Node) bool {
			return roundings(dx, first, map[*graph.Node]bool{}) > 1
		})
	}
	wide := func() bool {
		standIns.Within(func() { grads = w.askAll(n, wideTwin(standIns, n), w.wideCotangent(standIns, n, dy), wanted) })
		for i, dx := range grads {
			if dx = standIns.Value(dx); dx != nil && dx.Judged() {
				grads[i] = w.roundedGradient(n, i, dx)
			}
		}
		return w.failed == nil
	}
	if !w.g.Attempt(asWritten) {
		if w.failed = nil; !w.g.Attempt(wide) {
			w.failed = nil
			asWritten()
		}
	}
	for i, dx := range grads {
		if dx != nil && w.failed == nil {
			w.accumulate(n.In(i), cotangent{dx, w.repetition(n, i, dx)})
		}
	}
}

// askAll calls n's rule, for m in its place, for the gradients of the wanted operands.
func (w *reversePass) askAll(n, m, dy *graph.Node, wanted []bool) []*graph.Node {
	rule, grads := w.rule(n, m, dy), make([]*graph.Node, len(wanted))
	for i := range grads {
		if wanted[i] && w.failed == nil {
			grads[i] = w.ask(rule, m, dy, i)
		}
	}
	return grads
}

// wideTwin is n on operands converted to the dtypes in which they are computed. The expansion of a composite is
// differentiated, which requires them to be nodes of the graph.
func wideTwin(s *graph.StandIns, n *graph.Node) *graph.Node {
	in := make([]*graph.Node, len(n.Operands()))
	for i, x := range n.Operands() {
		switch {
		case !isRounded(x):
			in[i] = x
		case n.Op().Grad == nil:
			in[i] = s.Converted(x, x.DType().Computed())
		default:
			in[i] = s.For(x, x.DType().Computed())
		}
	}
	if !isRounded(n) {
		return s.For(n, n.DType(), in...)
	}
	return s.For(n, n.DType().Computed(), in...)
}

// wideCotangent is the gradient of n in the dtype in which n is computed.
func (w *reversePass) wideCotangent(s *graph.StandIns, n, dy *graph.Node) *graph.Node {
	switch {
	case !isRounded(dy):
		return dy
	case n.Op().Grad == nil:
		return s.Converted(dy, dy.DType().Computed())
	}
	return s.For(dy, dy.DType().Computed())
}

// roundedGradient rounds the result of n's rule for operand i. That of a composite is first summed over the axes along
// which the operand was repeated: it is one operation with the rest.
func (w *reversePass) roundedGradient(n *graph.Node, i int, dx *graph.Node) *graph.Node {
	x := n.In(i)
	if !isRounded(x) {
		return dx
	}
	if kinds := w.repetition(n, i, dx); kinds != nil && n.Op().Class == graph.Composite {
		dx = ops.SumTo(dx, x.Shape(), kinds)
	}
	return dx.Cast(x.DType().Gradient())
}
