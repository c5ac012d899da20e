package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// dropOverwritten has readers of a write take what was written, where they are all that sees it: the old
// value is then made for other readers only, or not at all. Where further writes go to what it wrote, they
// go to a copy.
func dropOverwritten(u *Program) {
	writers := map[*graph.Node][]*graph.Node{} // by memory
	versions := map[*graph.Node]bool{}         // memory that is seen beside what was written
	for _, n := range u.Graph.Nodes() {
		switch n.Op().Class {
		case graph.Update:
			writers[alias.Storage(n)] = append(writers[alias.Storage(n)], n)
		case graph.Version:
			versions[alias.Storage(n)] = true
		}
	}
	goes := func(n *graph.Node) bool {
		memory := alias.Storage(n)
		return n.Op().Class == graph.Update && n.Op().Fill && !versions[memory] && memory.Region() == n.Region() &&
			memory.Op().Class != graph.Source && memory.Op().Class != graph.Loop &&
			n.In(1).DType() == n.DType() && !slices.Contains(n.Stretch(1), graph.Undecided) &&
			!slices.ContainsFunc(writers[memory], func(w *graph.Node) bool { return !writesInto(w, n) })
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), goes) {
		return
	}
	u.rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if !goes(n) {
			return nil
		}
		y := in[1]
		if !n.In(1).Shape().Equal(n.Shape()) {
			y = ops.Expand(y, n.Shape()...)
		}
		if len(writers[alias.Storage(n)]) > 1 {
			y = ops.Copy(y)
		}
		return y
	})
}

// writesInto reports whether a write goes to what another one wrote, or is that one.
func writesInto(w, first *graph.Node) bool {
	for w != first {
		if w.Op().Class != graph.Update && !alias.IsView(w) {
			return false
		}
		w = w.In(0)
	}
	return true
}
