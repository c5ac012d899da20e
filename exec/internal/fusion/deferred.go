package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Values computed only from positions and scalars depend on no kernel. They would join the first kernel of their shape
// and wait in memory for their users. So they are deferred until a user has a kernel, and so are large matrices
// computed from vectors, and parameters in a wider dtype.

// deferNode reports whether a node is deferred, and records it.
func (f *fuser) deferNode(n *graph.Node) bool {
	if n.Op().Class != graph.Elementwise || n.Rank() == 0 || f.kept[n] ||
		len(n.Operands()) == 0 && !analysis.DependsOnPosition(n) {
		return false
	}
	waits := len(n.Operands()) == 0 || rewrite.IsLargeMatrix(n)
	for i, x := range n.Operands() {
		if f.deferred[x] || f.widensParam(n, x) {
			waits = true
		} else if x.Rank() > 0 && !repeatsParam(n, x) && !(rewrite.IsLargeMatrix(n) && analysis.RepeatsInMatrix(n, i)) {
			return false
		}
	}
	if waits {
		f.deferred[n] = true
	}
	return waits
}

// widensParam reports whether a node reads a parameter in a wider dtype, such as the integers of quantised weights, or
// what the session keeps of one in a smaller dtype.
func (f *fuser) widensParam(n, x *graph.Node) bool {
	return (alias.Storage(x).IsParam() || f.narrowsParam(alias.Viewed(x))) && x.DType().Size() < n.DType().Size() &&
		x.Shape().Equal(n.Shape())
}

// narrowsParam reports whether a node converts a parameter, which the program does not write, to a smaller dtype. It
// gets a kernel of its own: the session keeps the result.
func (f *fuser) narrowsParam(n *graph.Node) bool {
	return n.Op() == graph.CastOp && n.Shape().IsStatic() && alias.Storage(n.In(0)).IsParam() &&
		n.DType().Size() < n.In(0).DType().Size() && !f.u.Writes.IsWritten(n.In(0))
}

// repeatsParam reports whether a node repeats elements of a parameter, such as the scales of blocks.
func repeatsParam(n, x *graph.Node) bool {
	return alias.Storage(x).IsParam() && !x.Shape().Equal(n.Shape())
}

// placeDeferred gives deferred operands of n separate kernels, except those that can join n's kernel, which has the
// given iteration space. It returns the latter in topological order. Deferred readers of what n overwrites get kernels,
// too.
func (f *fuser) placeDeferred(n *graph.Node, space graph.Shape) (with []*graph.Node) {
	for _, r := range f.u.Writes.Before(n) {
		f.placeAlone(r)
	}
	if f.picks(n) { // the operand must be in memory
		f.placeAlone(alias.Viewed(n.In(0)))
	}
	var seen []*graph.Node
	var part func(x *graph.Node)
	part = func(x *graph.Node) { // a value that is also read as a view must be in memory
		switch v := alias.Viewed(x); {
		case !f.deferred[v]:
		case v != x || !v.Shape().Equal(space):
			f.placeAlone(v)
		case !slices.Contains(seen, x):
			seen = append(seen, x)
			for _, y := range x.Operands() {
				part(y)
			}
		}
	}
	for _, x := range n.Operands() {
		part(x)
	}
	var collect func(x *graph.Node)
	collect = func(x *graph.Node) {
		if !f.deferred[x] || slices.Contains(with, x) {
			return
		}
		for _, y := range x.Operands() {
			collect(y)
		}
		with = append(with, x)
	}
	for _, x := range n.Operands() {
		collect(x)
	}
	return with
}

// placeAlone gives a deferred node a kernel.
func (f *fuser) placeAlone(n *graph.Node) {
	if f.deferred[n] {
		delete(f.deferred, n)
		f.join(n, n.Shape())
	}
}

// canTakeAll reports whether deferred nodes can join a kernel.
func (f *fuser) canTakeAll(with []*graph.Node, at int) bool {
	k := f.groups[at]
	return len(k.Nodes)+len(with) < maxKernelNodes && !slices.ContainsFunc(with, func(n *graph.Node) bool {
		return k.levelOf(n.Shape()) != PerElement || !k.rowsFit(n, PerElement) ||
			slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return f.maker(x) == at && !k.registersOf(x) })
	})
}

// addAll adds deferred nodes to a kernel.
func (f *fuser) addAll(with []*graph.Node, at int) {
	for _, n := range with {
		delete(f.deferred, n)
		f.add(n, n.Shape(), at)
	}
}
