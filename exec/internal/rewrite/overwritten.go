package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// dropOverwritten has readers of a write take what was written, where they are all that sees it: the old
// value is then made for other readers only, or not at all.
func dropOverwritten(u *Program) {
	writers := map[*graph.Node]int{} // by memory; those that cannot go count as more than one
	for _, n := range u.Graph.Nodes() {
		switch n.Op().Class {
		case graph.Update:
			writers[alias.Storage(n)]++
		case graph.Version: // shows the rest of the memory beside what was written
			writers[alias.Storage(n)] += 2
		}
	}
	goes := func(n *graph.Node) bool {
		memory := alias.Storage(n)
		return n.Op().Class == graph.Update && n.Op().Fill && writers[memory] == 1 && memory.Region() == n.Region() &&
			memory.Op().Class != graph.Source && memory.Op().Class != graph.Loop &&
			n.In(1).DType() == n.DType() && !slices.Contains(n.Stretch(1), graph.Undecided)
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), goes) {
		return
	}
	u.rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		switch {
		case !goes(n):
			return nil
		case n.In(1).Shape().Equal(n.Shape()):
			return in[1]
		}
		return ops.Expand(in[1], n.Shape()...)
	})
}
