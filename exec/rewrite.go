package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// rewriting is a graph on its way through the passes that rewrite it.
type rewriting struct {
	g        *graph.Graph
	built    int           // the user's nodes when the compilation began
	roots    []*graph.Node // outputs, then updates
	asked    []*graph.Node // the roots in the user's graph
	nOutputs int
	// source maps the roots and sources of the user's graph to those of g.
	inputs, params []sourceNode
	order          []*graph.Node
	writes         *shapeinfer.Writes
	trace          *trace      // nil unless the graphs of all passes are wanted
	at             *graph.Node // that a pass is at work on, as far as it says
	// evaluate gives the elements of nodes that need no input, as slices; nil where that fails.
	evaluate func(*graph.Graph, []*graph.Node) map[*graph.Node]any
}

// sourceNode pairs an input or a parameter of the user's graph with its copy.
type sourceNode struct{ user, own *graph.Node }

// rewrite makes a new graph by visiting nodes in order. f gives the node that takes
// n's place in the graph next, whose operands are in; nil keeps n as it is. What takes
// the place of a value that is written in place has memory that nothing else has.
func (u *rewriting) rewrite(f func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node) {
	next := u.g.Derive()
	replaced := make([]*graph.Node, len(u.g.Nodes()))
	written := writtenMemory(u.g)
	for _, n := range u.g.Nodes() {
		u.at = n
		in := make([]*graph.Node, len(n.Operands()))
		for i, x := range n.Operands() {
			in[i] = replaced[x.ID()]
		}
		var r *graph.Node
		before := len(next.Nodes())
		if f != nil {
			next.At(n, func() {
				if r = f(next, n, in); r != nil && written[n] && !madeSince(r, before) {
					r = ops.Copy(r)
				}
			})
		}
		if r == nil {
			r = next.Copy(n, in)
		}
		replaced[n.ID()] = r
	}
	u.moveTo(next, func(n *graph.Node) *graph.Node { return replaced[n.ID()] })
}

// writtenMemory finds the computed values that in-place operations write.
func writtenMemory(g *graph.Graph) map[*graph.Node]bool {
	written := map[*graph.Node]bool{}
	for _, n := range g.Nodes() {
		if n.Op().Class == graph.Update {
			if memory := shapeinfer.Storage(n); memory.Op().Class != graph.Source {
				written[memory] = true
			}
		}
	}
	return written
}

// madeSince reports whether the memory of a value belongs to a node that was computed
// after the graph had a number of nodes.
func madeSince(n *graph.Node, before int) bool {
	memory := shapeinfer.Storage(n)
	return memory.ID() >= before && memory.Op().Class != graph.Source
}

// moveTo replaces the unit's graph.
func (u *rewriting) moveTo(next *graph.Graph, to func(*graph.Node) *graph.Node) {
	for i, n := range u.roots {
		u.roots[i] = to(n)
	}
	for i := range u.inputs {
		u.inputs[i].own = to(u.inputs[i].own)
	}
	for i := range u.params {
		u.params[i].own = to(u.params[i].own)
	}
	if u.trace != nil {
		u.trace.moves = append(u.trace.moves, move{u.g, next, to})
	}
	u.g = next
}

// importPass copies what the roots need into a graph of the compiler's own. All
// inputs and parameters come along, so that feeding one that turns out not to be
// needed is no mistake.
func importPass(u *rewriting) error {
	next, copied := u.g.Derive(), make([]*graph.Node, len(u.g.Nodes()))
	live := reachable(u.g, u.roots)
	for _, n := range u.g.Nodes()[:u.built] {
		if !live[n.ID()] && !n.IsInput() && !n.IsParam() {
			continue
		}
		in := make([]*graph.Node, len(n.Operands()))
		for i, x := range n.Operands() {
			in[i] = copied[x.ID()]
		}
		c := next.Copy(n, in)
		copied[n.ID()] = c
		switch {
		case n.IsInput():
			u.inputs = append(u.inputs, sourceNode{n, n})
		case n.IsParam():
			u.params = append(u.params, sourceNode{n, n})
		}
	}
	u.moveTo(next, func(n *graph.Node) *graph.Node { return copied[n.ID()] })
	return nil
}

// dcePass drops what no root needs, but for inputs and parameters.
func dcePass(u *rewriting) error {
	live := reachable(u.g, u.roots)
	needed := func(n *graph.Node) bool { return live[n.ID()] || n.IsInput() || n.IsParam() }
	if !slices.ContainsFunc(u.g.Nodes(), func(n *graph.Node) bool { return !needed(n) }) {
		return nil
	}
	next, copied := u.g.Derive(), make([]*graph.Node, len(u.g.Nodes()))
	for _, n := range u.g.Nodes() {
		if needed(n) {
			in := make([]*graph.Node, len(n.Operands()))
			for i, x := range n.Operands() {
				in[i] = copied[x.ID()]
			}
			copied[n.ID()] = next.Copy(n, in)
		}
	}
	u.moveTo(next, func(n *graph.Node) *graph.Node { return copied[n.ID()] })
	return nil
}

// reachable marks the nodes that the roots need.
func reachable(g *graph.Graph, roots []*graph.Node) []bool {
	live := make([]bool, len(g.Nodes()))
	for _, n := range roots {
		live[n.ID()] = true
	}
	nodes := g.Nodes()
	for i := len(nodes) - 1; i >= 0; i-- {
		if live[i] {
			for _, x := range nodes[i].Operands() {
				live[x.ID()] = true
			}
		}
	}
	return live
}

// usesOf counts how often nodes and roots read each value, by the values' numbers.
func (u *rewriting) usesOf() []int {
	uses := make([]int, len(u.g.Nodes()))
	for _, n := range u.roots {
		uses[n.ID()]++
	}
	for _, n := range u.g.Nodes() {
		for _, x := range n.Operands() {
			uses[x.ID()]++
		}
	}
	return uses
}

// csePass merges nodes of the same operation, fixed arguments and operands. Equality is
// that of all of them, not of a hash alone. Writes are never merged, nor what they write.
func csePass(u *rewriting) error {
	first := firstEqual(u.g)
	if first == nil {
		return nil
	}
	copied := make([]*graph.Node, len(first))
	u.rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if f := first[n.ID()]; f != n {
			return copied[f.ID()]
		}
		c := next.Copy(n, in)
		copied[n.ID()] = c
		return c
	})
	return nil
}
