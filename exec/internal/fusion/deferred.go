package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// What is computed from positions and scalars alone needs no kernel to run before it. It would join the
// first one of its shape, and wait in memory for its user: it is put off until that has a kernel. So is a large
// matrix that is computed from vectors.

// deferNode reports whether a node is put off, and notes it.
func (f *fuser) deferNode(n *graph.Node) bool {
	if n.Op().Class != graph.Elementwise || n.Rank() == 0 || f.kept[n] || len(n.Operands()) == 0 && !analysis.DependsOnPosition(n) {
		return false
	}
	waits := len(n.Operands()) == 0 || rewrite.IsLargeMatrix(n)
	for i, x := range n.Operands() {
		if f.deferred[x] {
			waits = true
		} else if x.Rank() > 0 && !(rewrite.IsLargeMatrix(n) && analysis.RepeatsInMatrix(n, i)) {
			return false
		}
	}
	if waits {
		f.deferred[n] = true
	}
	return waits
}

// placeDeferred gives operands that were put off kernels of their own, but for those that can go with a node
// of an iteration space. It returns these in order. What reads that which the node destroys waits no
// longer either.
func (f *fuser) placeDeferred(n *graph.Node, space graph.Shape) (with []*graph.Node) {
	for _, r := range f.u.Writes.Before(n) {
		f.placeAlone(r)
	}
	if f.picks(n) { // from what must lie in memory
		f.placeAlone(alias.Viewed(n.In(0)))
	}
	var seen []*graph.Node
	var part func(x *graph.Node)
	part = func(x *graph.Node) { // what is also read as a view must lie in memory
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

// placeAlone gives a node a kernel without others, if it was put off.
func (f *fuser) placeAlone(n *graph.Node) {
	if f.deferred[n] {
		delete(f.deferred, n)
		f.join(n, n.Shape())
	}
}

// canTakeAll reports whether nodes that were put off can run in a kernel.
func (f *fuser) canTakeAll(with []*graph.Node, at int) bool {
	k := f.groups[at]
	return len(k.Nodes)+len(with) < maxKernelNodes && !slices.ContainsFunc(with, func(n *graph.Node) bool {
		return k.levelOf(n.Shape()) != PerElement || !k.rowsFit(n, PerElement) ||
			slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return f.maker(x) == at && !k.registersOf(x) })
	})
}

// addAll makes nodes that were put off members of a kernel.
func (f *fuser) addAll(with []*graph.Node, at int) {
	for _, n := range with {
		delete(f.deferred, n)
		f.add(n, n.Shape(), at)
	}
}
