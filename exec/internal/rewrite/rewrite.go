package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Program is a graph on its way through the passes that rewrite it.
type Program struct {
	Graph          *graph.Graph
	UserNodes      int           // the user's nodes when the compilation began
	Roots          []*graph.Node // outputs, then updates
	UserRoots      []*graph.Node // the roots in the user's graph
	NumOutputs     int
	Inputs, Params []SourceNode // of the user's graph, with what stands for them in Graph
	Sequence       []*graph.Node
	Writes         *alias.Writes
	Trace          *Provenance // nil unless the graphs of all passes are wanted
	At             *graph.Node // that a pass is at work on, as far as it says
	// Evaluate returns the elements of nodes that need no input, as slices; nil where that fails.
	Evaluate func(*graph.Graph, []*graph.Node) map[*graph.Node]any
	Body     *graph.Region // the loop's body that the program is; nil of a whole program
	// FastBFloat16 says that products of BFloat16 may be summed in the order that the processor has for them, with other bits then.
	FastBFloat16 bool
	verified     verified
}

// SourceNode pairs an input or a parameter of the user's graph with its copy.
type SourceNode struct{ User, Own *graph.Node }

// Rewrite makes a new graph by visiting nodes in order. f gives the node that takes
// n's place in the graph next, whose operands are in; nil keeps n as it is. What takes
// the place of a value that is written in place has memory that nothing else has.
func (u *Program) Rewrite(f func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node) {
	u.rewriteThose(func(*graph.Node) bool { return true }, f)
}

// rewriteThose is [Program.Rewrite] of some nodes, without the others, which none of them reads.
func (u *Program) rewriteThose(stays func(*graph.Node) bool, f func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node) {
	next := u.Graph.Derive()
	replaced := make([]*graph.Node, len(u.Graph.Nodes()))
	written, operands := analysis.WrittenMemory(u.Graph), u.roomForOperands()
	for _, n := range u.Graph.Nodes() {
		if !stays(n) {
			continue
		}
		u.At = n
		var r *graph.Node
		var in []*graph.Node
		in, operands = replacedOperands(n, replaced, operands)
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
	u.ReplaceGraph(next, func(n *graph.Node) *graph.Node { return replaced[n.ID()] })
}

// roomForOperands makes room for the operands of all nodes at once.
func (u *Program) roomForOperands() []*graph.Node {
	count := 0
	for _, n := range u.Graph.Nodes() {
		count += len(n.Operands())
	}
	return make([]*graph.Node, count)
}

// replacedOperands takes room for the operands of a node, and puts there what has taken their places.
func replacedOperands(n *graph.Node, replaced, room []*graph.Node) (in, left []*graph.Node) {
	count := len(n.Operands())
	in = room[:count:count]
	for i, x := range n.Operands() {
		in[i] = replaced[x.ID()]
	}
	return in, room[count:]
}

// HasScores reports whether there is a product of positions with positions: most programs have none.
func (u *Program) HasScores() bool { return slices.ContainsFunc(u.Graph.Nodes(), scores.IsProduct) }

// madeSince reports whether the memory of a value belongs to a node that was computed
// after the graph had a number of nodes.
func madeSince(n *graph.Node, before int) bool {
	memory := alias.Storage(n)
	return memory.ID() >= before && memory.Op().Class != graph.Source
}

// ReplaceGraph puts another graph in the place of the program's. to says what each node has become there: nil if nothing.
func (u *Program) ReplaceGraph(next *graph.Graph, to func(*graph.Node) *graph.Node) {
	for i, n := range u.Roots {
		u.Roots[i] = to(n)
	}
	for i := range u.Inputs {
		u.Inputs[i].Own = to(u.Inputs[i].Own)
	}
	for i := range u.Params {
		u.Params[i].Own = to(u.Params[i].Own)
	}
	if u.Trace != nil {
		u.Trace.Replacements = append(u.Trace.Replacements, Replacement{u.Graph, next, to})
	}
	u.Graph = next
}

// Import copies what the roots need into a graph of the compiler's own. All
// inputs and parameters come along, so that feeding one that turns out not to be
// needed is no mistake. Ordered operations among them are roots from then on.
func Import(u *Program) error {
	next, copied, operands := u.Graph.Derive(), make([]*graph.Node, len(u.Graph.Nodes())), u.roomForOperands()
	live := Reachable(u.Graph, u.Roots)
	for _, n := range u.Graph.Nodes()[:u.UserNodes] {
		if !live[n.ID()] && !n.IsInput() && !n.IsParam() {
			continue
		}
		var in []*graph.Node
		in, operands = replacedOperands(n, copied, operands)
		c := next.Copy(n, in)
		copied[n.ID()] = c
		switch {
		case n.Op().Ordered && n.Region() == nil && !slices.Contains(u.Roots, n):
			u.Roots, u.UserRoots = append(u.Roots, n), append(u.UserRoots, n)
		case n.IsInput():
			u.Inputs = append(u.Inputs, SourceNode{n, n})
		case n.IsParam():
			u.Params = append(u.Params, SourceNode{n, n})
		}
	}
	u.ReplaceGraph(next, func(n *graph.Node) *graph.Node { return copied[n.ID()] })
	return nil
}

// DCE drops what no root needs, but for inputs and parameters; values that are overwritten unread are such.
func DCE(u *Program) error {
	dropOverwritten(u)
	needed := u.needed()
	switch {
	case !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return !needed(n) }):
	case u.Trace != nil: // which shows the graph with those nodes
		u.rewriteThose(needed, nil)
	default:
		u.Graph.Keep(needed)
		u.verified = verified{}
	}
	return nil
}

// needed returns which nodes roots need, with all inputs and parameters.
func (u *Program) needed() func(*graph.Node) bool {
	live := Reachable(u.Graph, u.Roots)
	return func(n *graph.Node) bool { return live[n.ID()] || n.IsInput() || n.IsParam() }
}

// Reachable marks the nodes that the roots need, and the ordered operations in the bodies of loops among them.
func Reachable(g *graph.Graph, roots []*graph.Node) []bool {
	live := make([]bool, len(g.Nodes()))
	for _, n := range roots {
		live[n.ID()] = true
	}
	bodies := map[*graph.Region]bool{} // with ordered operations
	for i, n := range slices.Backward(g.Nodes()) {
		if !live[i] && !(n.Op().Ordered && bodies[n.Region()]) {
			continue
		}
		live[i] = true
		if a, isLoop := n.Loop(); isLoop && n.Op().Ordered {
			bodies[a.Body] = true
		}
		for _, x := range n.Operands() {
			live[x.ID()] = true
		}
	}
	return live
}

// usesOf counts how often nodes and roots read each value, by the values' numbers.
func (u *Program) usesOf() []int {
	uses := make([]int, len(u.Graph.Nodes()))
	for _, n := range u.Roots {
		uses[n.ID()]++
	}
	for _, n := range u.Graph.Nodes() {
		for _, x := range n.Operands() {
			uses[x.ID()]++
		}
	}
	return uses
}

// users lists the nodes that read each value, by the values' numbers.
func (u *Program) users() [][]*graph.Node {
	nodes := u.Graph.Nodes()
	counts, all := make([]int32, len(nodes)), 0
	for _, n := range nodes {
		for _, x := range n.Operands() {
			counts[x.ID()]++
			all++
		}
	}
	users, room := make([][]*graph.Node, len(nodes)), make([]*graph.Node, all)
	for i, count := range counts {
		users[i], room = room[:0:count], room[count:]
	}
	for _, n := range nodes {
		for _, x := range n.Operands() {
			users[x.ID()] = append(users[x.ID()], n)
		}
	}
	return users
}

// CSE merges nodes of the same operation, fixed arguments and operands. Equality is
// that of all of them, not of a hash alone. Writes and ordered operations are never merged, nor what they write.
func CSE(u *Program) error {
	first := firstEqual(u.Graph)
	if first == nil {
		return nil
	}
	copied := make([]*graph.Node, len(first))
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if f := first[n.ID()]; f != n {
			return copied[f.ID()]
		}
		c := next.Copy(n, in)
		copied[n.ID()] = c
		return c
	})
	return nil
}
