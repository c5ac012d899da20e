package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Program is a graph that passes rewrite.
type Program struct {
	Graph          *graph.Graph
	UserNodes      int           // number of the user's nodes when compilation began
	Roots          []*graph.Node // outputs, then updates
	UserRoots      []*graph.Node // the roots in the user's graph
	NumOutputs     int
	Inputs, Params []SourceNode // of the user's graph, with their counterparts in Graph
	Sequence       []*graph.Node
	Writes         *alias.Writes
	Trace          *Provenance // nil unless all passes' graphs are recorded
	At             *graph.Node // the node on which a pass works, if it says so
	// Evaluate returns the elements of nodes that need no input, as slices, or nil if that fails.
	Evaluate func(*graph.Graph, []*graph.Node) map[*graph.Node]any
	Body     *graph.Region // the loop body that the program is; nil for a whole program
	// FastBFloat16 allows products of BFloat16 to be summed in the processor's own order, which changes bits.
	FastBFloat16 bool
	// Stopped, if not nil, reports whether the compilation is to stop: see Visit.
	Stopped  func() bool
	visited  int // nodes since Stopped was asked
	verified verified
}

// Visit says on which node a pass works. It panics with a Stop if the compilation is to stop, for which it asks once in
// some nodes.
func (u *Program) Visit(n *graph.Node) {
	u.At = n
	if u.visited++; u.visited >= visitedTogether && u.Stopped != nil {
		if u.visited = 0; u.Stopped() {
			panic(Stop{})
		}
	}
}

// visitedTogether nodes take about a millisecond in the slowest passes.
const visitedTogether = 64

// Stop is the panic with which a pass ends because the compilation is to stop.
type Stop struct{}

// SourceNode pairs an input or a parameter of the user's graph with its copy.
type SourceNode struct{ User, Own *graph.Node }

// Rewrite makes a new graph by visiting nodes in order. f returns the replacement of n in the graph next, given n's
// operands there; nil keeps n as it is. A replacement of a value that is written in place gets memory of its own.
func (u *Program) Rewrite(f func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node) {
	u.rewriteThose(func(*graph.Node) bool { return true }, f)
}

// rewriteThose is [Program.Rewrite] for some nodes. The others are dropped; none of the kept nodes reads them.
func (u *Program) rewriteThose(stays func(*graph.Node) bool,
	f func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node) {
	next := u.Graph.Derive()
	replaced := make([]*graph.Node, len(u.Graph.Nodes()))
	written, operands := analysis.WrittenMemory(u.Graph), u.roomForOperands()
	for _, n := range u.Graph.Nodes() {
		if !stays(n) {
			continue
		}
		u.Visit(n)
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

// roomForOperands allocates the operands of all nodes at once.
func (u *Program) roomForOperands() []*graph.Node {
	count := 0
	for _, n := range u.Graph.Nodes() {
		count += len(n.Operands())
	}
	return make([]*graph.Node, count)
}

// replacedOperands fills a part of room with the replacements of a node's operands.
func replacedOperands(n *graph.Node, replaced, room []*graph.Node) (in, left []*graph.Node) {
	count := len(n.Operands())
	in = room[:count:count]
	for i, x := range n.Operands() {
		in[i] = replaced[x.ID()]
	}
	return in, room[count:]
}

// HasScores reports whether there is a product of positions with positions. Most programs have none.
func (u *Program) HasScores() bool { return slices.ContainsFunc(u.Graph.Nodes(), scores.IsProduct) }

// madeSince reports whether the memory of a value belongs to a computed node that was made when the graph already had
// before nodes.
func madeSince(n *graph.Node, before int) bool {
	memory := alias.Storage(n)
	return memory.ID() >= before && memory.Op().Class != graph.Source
}

// ReplaceGraph replaces the program's graph. to returns what each node has become: nil if it was dropped.
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

// Import copies the nodes that roots need into the compiler's own graph. It includes all inputs and parameters, so that
// feeding an unneeded one is no mistake. Ordered operations become roots.
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

// DCE drops nodes that no root needs, except inputs and parameters. Values that are overwritten before they are read
// are not needed.
func DCE(u *Program) error {
	dropOverwritten(u)
	needed := u.needed()
	switch {
	case !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return !needed(n) }):
	case u.Trace != nil: // it shows the graph with the dead nodes
		u.rewriteThose(needed, nil)
	default:
		u.Graph.Keep(needed)
		u.verified = verified{}
	}
	return nil
}

// needed reports which nodes roots need, and includes all inputs and parameters.
func (u *Program) needed() func(*graph.Node) bool {
	live := Reachable(u.Graph, u.Roots)
	return func(n *graph.Node) bool { return live[n.ID()] || n.IsInput() || n.IsParam() }
}

// Reachable marks the nodes that roots need, and ordered operations in the bodies of needed loops.
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

// usesOf counts the uses of each value by nodes and roots, by node ID.
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

// users lists the users of each value, by node ID.
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

// CSE merges nodes with the same operation, fixed arguments and operands. It compares these exactly, not just by hash.
// It never merges writes, written values or ordered operations.
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
