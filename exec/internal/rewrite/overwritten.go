package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// dropOverwritten lets readers of a write read the stored value directly, if they are all that sees the memory. The old
// value is then computed only for other readers, or not at all. Later writes to that memory go to a copy. It also drops
// a write that only another write sees, which overwrites it.
func dropOverwritten(u *Program) {
	uses := u.usesOf()
	unseen := func(n *graph.Node) bool {
		return n.Op().Class == graph.Update && n.Op().Fill && n.In(0).Op().Class == graph.Update &&
			uses[n.In(0).ID()] == 1
	}
	writers := map[*graph.Node][]*graph.Node{} // by memory
	versions := map[*graph.Node]bool{}         // memory of which a version is read
	for _, n := range u.Graph.Nodes() {
		switch n.Op().Class {
		case graph.Update:
			writers[alias.Storage(n)] = append(writers[alias.Storage(n)], n)
		case graph.Version:
			versions[alias.Storage(n)] = true
		}
	}
	goes := func(n *graph.Node) bool {
		if n.Op().Class != graph.Update || !n.Op().Fill {
			return false
		}
		memory := alias.Storage(n)
		return !versions[memory] && memory.Region() == n.Region() &&
			memory.Op().Class != graph.Source && memory.Op().Class != graph.Loop &&
			n.In(1).DType() == n.DType() && !slices.Contains(n.Stretch(1), graph.Undecided) &&
			!slices.ContainsFunc(writers[memory], func(w *graph.Node) bool {
				return !writesInto(w, n) && !writesInto(n, w)
			})
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return goes(n) || unseen(n) }) {
		return
	}
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		switch {
		case goes(n):
		case unseen(n) && in[0].Op().Class == graph.Update:
			return next.Copy(n, []*graph.Node{in[0].In(0), in[1]})
		default:
			return nil
		}
		y := in[1]
		if !n.In(1).Shape().Equal(n.Shape()) {
			y = ops.Expand(y, n.Shape()...)
		}
		if slices.ContainsFunc(writers[alias.Storage(n)], func(w *graph.Node) bool {
			return w != n && writesInto(w, n)
		}) {
			y = ops.Copy(y)
		}
		return y
	})
}

// writesInto reports whether a write is first, or writes to what first wrote.
func writesInto(w, first *graph.Node) bool {
	for w != first {
		if w.Op().Class != graph.Update && !alias.IsView(w) {
			return false
		}
		w = w.In(0)
	}
	return true
}
