package autodiff

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/composite"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/internal/prove"
)

// ask calls a rule with the gradient of n for operand i. Mistakes of a user's rule are reported at the line of n.
func (w *reversePass) ask(rule func(n, dy *graph.Node, i int) *graph.Node, n, dy *graph.Node, i int) (dx *graph.Node) {
	if w.endless(n, "Grad") {
		return nil
	}
	defer w.guard(n)
	dx = rule(n, dy, i)
	if dx == nil || dx.Err() != nil || dx.Graph() == w.g && !dx.Judged() {
		return dx
	}
	x := n.In(i)
	why := ""
	switch {
	case dx.Graph() != w.g:
		why = "a value that is not a node of its graph"
	case dx.DType() != x.DType().Gradient():
		why = fmt.Sprintf("dtype %s of an operand of dtype %s", dx.DType(), x.DType())
	case !w.fits(dx, n, i):
		why = fmt.Sprintf("shape %s of an operand of shape %s and a result of shape %s", dx.Shape(), x.Shape(),
			n.Shape())
	}
	if why == "" {
		return dx
	}
	w.failed = refuse(
		problem{Summary: fmt.Sprintf("the gradient rule of %q, at %s, returns for operand %d %s", n.Op().Name, n.Pos(),
			i, why),
			Help: "a rule must return a gradient of the operand's dtype, and of the operand's shape or that of the result, as if nothing were broadcast"},
		n)
	return nil
}

// fits reports whether a gradient may have the shape of operand i, or the shape to which
// the operand was repeated.
func (w *reversePass) fits(dx, n *graph.Node, i int) bool {
	p, x := prove.NewProver(w.g.Bounds), n.In(i)
	if !p.Differ(dx.Shape(), x.Shape()) {
		return true
	}
	kinds := w.repetition(n, i, dx)
	lead := dx.Rank() - x.Rank()
	if lead < 0 || len(kinds) != dx.Rank() {
		return false
	}
	for axis, kind := range kinds[lead:] {
		if kind == graph.Same && p.NotEqual(dx.Shape()[lead+axis], x.Shape()[axis]) {
			return false
		}
	}
	return true
}

// expand expands a composite; nil if that fails.
func (w *reversePass) expand(n *graph.Node) *graph.Node {
	if w.endless(n, "Expand") {
		return nil
	}
	if n.Op().Expand == nil {
		w.failed = refuse(
			problem{
				Summary: fmt.Sprintf(
					"the operation %q, at %s, has neither Grad nor Expand, but a composite needs Expand", n.Op().Name,
					n.Pos())}, n)
		return nil
	}
	y, wrong := composite.Write(n.Op().Expand, n)
	if wrong == "" {
		wrong = composite.Mismatch(y, n)
	}
	if wrong != "" {
		w.refuseRule(n, "Expand", wrong)
		return nil
	}
	return y
}

// maxNested bounds how deep gradients are nested within the rules of gradients, and maxWithin how often the rule of one
// node is: deeper nesting never ends.
const (
	maxNested = 200
	maxWithin = 4
)

// endless records a mistake for a rule that asks for its own gradient.
func (w *reversePass) endless(n *graph.Node, field string) bool {
	origins, within := w.g.Origins(), 0
	for _, x := range origins {
		if x == n {
			within++
		}
	}
	if len(origins) < maxNested && within < maxWithin {
		return false
	}
	p := problem{Summary: fmt.Sprintf("the %s of %q, at %s, requests its own gradient, without end", field, n.Op().Name,
		n.Pos())}
	if within >= maxWithin {
		p.Help = "its result is computed from its operands, so that a gradient with respect to these requests its own: differentiate with respect to copies, ops.Copy(in[0]), that only the rule reads"
	}
	w.failed = refuse(p, n)
	return true
}

// guard, deferred, records a mistake for the panic of a gradient rule.
func (w *reversePass) guard(n *graph.Node) {
	if p := recover(); p != nil {
		w.refuseRule(n, "Grad", panicked.Text(p))
	}
}

// refuseRule reports what a function of an operation does wrong.
func (w *reversePass) refuseRule(n *graph.Node, field, wrong string) {
	w.failed = refuse(problem{Summary: fmt.Sprintf("the %s of %q, at %s, %s", field, n.Op().Name, n.Pos(), wrong)}, n)
}
