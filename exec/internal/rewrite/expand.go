package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/composite"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// maxExpansions limits how deep composites are nested. Deeper ones are taken to never end.
const maxExpansions = 200

// Expand replaces composite operations by primitive ones, until none is left. An error in a user's Expand is reported
// at the user's line that applies the composite.
func Expand(u *Program) error {
	e := expander{isUsers: usersOperations()}
	for ; ; e.depth++ {
		needed := u.needed()
		if !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return isComposite(n) && needed(n) }) {
			return DCE(u)
		}
		e.written, e.made = writtenParams(u.Graph), e.made[:0]
		u.rewriteThose(needed, e.replace)
		for _, m := range shapeinfer.CheckOperations(e.made, u.Graph.Requirements()) {
			e.wrong = append(e.wrong, expandMistake(m.Node, m.Summary))
		}
		if len(e.wrong) > 0 {
			return (&shapeinfer.Report{Graph: e.wrong[0].Node.Graph(), Errors: e.wrong[:1],
				Nodes: len(u.Graph.Nodes())}).Err()
		}
	}
}

func isComposite(n *graph.Node) bool { return n.Op().Class == graph.Composite }

// expander expands the composites of a graph.
type expander struct {
	written map[*graph.Node]bool // the user's parameters that the program writes
	isUsers func(*graph.Op) bool
	made    []*graph.Node // nodes of users' operations that a call of Expand made
	wrong   []*graph.Mistake
	depth   int // nesting depth of the composite that is being expanded
}

// replace expands n, if it is a composite. It is a function for [Program.Rewrite].
func (e *expander) replace(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if !isComposite(n) || len(e.wrong) > 0 {
		return nil
	}
	return e.expandAll(next.Copy(n, in))
}

// expandAll expands a composite, and if [isPlain] holds also the composites inside. Otherwise those are left to the
// next call of [expander.replace]. The result is nil if an Expand is wrong.
func (e *expander) expandAll(n *graph.Node) *graph.Node {
	g := n.Graph()
	start := len(g.Nodes())
	y, why := expand(n, e.fixedOperands)
	if e.depth >= maxExpansions {
		why = "it is written with itself, without end"
	}
	if why != "" {
		e.wrong = append(e.wrong, expandMistake(n, why))
		return nil
	}
	if roundsTwice(g.Nodes()[start:]) {
		start = len(g.Nodes())
		return e.expandInner(widened(n, n.Operands()), start)
	}
	if !y.Shape().Equal(n.Shape()) { // the operation requires these sizes to be equal, but they have other names
		y = ops.Reshape(y, n.Shape()...)
	}
	for _, x := range g.Nodes()[start:] {
		if e.isUsers(x.Op()) {
			e.made = append(e.made, x)
		}
	}
	return e.expandInner(y, start)
}

// expandInner expands the composites that y needs among the nodes from start on, and returns y's replacement. It copies
// the nodes after the first composite, so that all stay in topological order.
func (e *expander) expandInner(y *graph.Node, start int) *graph.Node {
	g := y.Graph()
	made := slices.Clone(g.Nodes()[start:])
	if y.ID() < start || !slices.ContainsFunc(made, isComposite) || !isPlain(made) {
		return y
	}
	e.depth++
	defer func() { e.depth-- }()
	needed := reachableAmong(made, y, start)
	replaced := make([]*graph.Node, len(made))
	copying := false
	for i, x := range made {
		if !needed[i] {
			continue
		}
		if copying = copying || isComposite(x); copying {
			x = g.Copy(x, replacedAmong(x.Operands(), replaced, start))
		}
		if isComposite(x) {
			if x = e.expandAll(x); x == nil {
				return nil
			}
		}
		replaced[i] = x
	}
	return replaced[y.ID()-start]
}

// isPlain reports whether nodes may be copied: none has side effects, and none belongs to a loop among them.
func isPlain(made []*graph.Node) bool {
	return !slices.ContainsFunc(made, func(n *graph.Node) bool {
		_, isLoop := n.Loop()
		return isLoop || n.Op().Ordered || n.Region() != made[0].Region()
	})
}

// reachableAmong marks which of the nodes made, whose IDs begin at start, y needs.
func reachableAmong(made []*graph.Node, y *graph.Node, start int) []bool {
	needed := make([]bool, len(made))
	needed[y.ID()-start] = true
	for i, n := range slices.Backward(made) {
		if !needed[i] {
			continue
		}
		for _, x := range n.Operands() {
			if x.ID() >= start {
				needed[x.ID()-start] = true
			}
		}
	}
	return needed
}

// replacedAmong returns the operands, with replacements for those whose IDs begin at start.
func replacedAmong(operands, replaced []*graph.Node, start int) []*graph.Node {
	in := slices.Clone(operands)
	for i, x := range in {
		if x.ID() >= start {
			in[i] = replaced[x.ID()-start]
		}
	}
	return in
}

// usersOperations returns [graph.Op.IsUsers] with a cache. Tests check what the library's operations state about
// themselves.
func usersOperations() func(*graph.Op) bool {
	known := map[*graph.Op]bool{}
	return func(op *graph.Op) bool {
		is, has := known[op]
		if !has {
			is = op.IsUsers()
			known[op] = is
		}
		return is
	}
}

// roundsTwice reports whether the expansion of a composite of a 16-bit dtype rounds intermediate results. PyTorch
// computes such operations in Float32 and rounds once.
func roundsTwice(made []*graph.Node) bool {
	rounding := 0
	for _, n := range made {
		switch {
		case n.Op().Ordered:
			return false // its operands keep the user's dtypes
		case !isNarrow(n) || !n.DType().IsFloat():
		case n.Op().Class == graph.Elementwise && len(n.Operands()) > 0, n.Op().Class == graph.Composite,
			n.Op().Class != graph.Elementwise && computesNarrow(n):
			rounding++
		}
	}
	return rounding > 1
}

// expand expands one composite, or says why that fails.
func expand(n *graph.Node, fixed func(*graph.Node) []bool) (*graph.Node, string) {
	g := n.Graph()
	before := len(g.Mistakes())
	y, wrong := composite.Write(func(n *graph.Node, in []*graph.Node) *graph.Node {
		if faster := n.Op().Faster; faster != nil {
			if y := faster(n, slices.Clone(in), fixed(n)); y != nil {
				return y
			}
		}
		return n.Op().Expand(n, in)
	}, n)
	switch {
	case wrong != "":
	case len(g.Mistakes()) > before:
		wrong = "makes a mistake: " + g.Mistakes()[before].Summary
	default:
		wrong = composite.Mismatch(y, n)
	}
	switch {
	case wrong != "":
		return nil, "its Expand " + wrong
	case !y.Judged():
		return nil, "its Expand gives a value that cannot be judged"
	}
	return y, ""
}

// fixedOperands reports which operands of a node outside of loops are parameters that the program does not write, or
// views of them, converted or not.
func (e *expander) fixedOperands(n *graph.Node) []bool {
	fixed := make([]bool, len(n.Operands()))
	for i, x := range n.Operands() {
		memory := alias.Storage(x)
		for memory.Op() == graph.CastOp {
			memory = alias.Storage(memory.In(0))
		}
		fixed[i] = memory.IsParam() && n.Region() == nil && !e.written[memory.Source()]
	}
	return fixed
}

// writtenParams lists the user's parameters that a graph writes.
func writtenParams(g *graph.Graph) map[*graph.Node]bool {
	written := map[*graph.Node]bool{}
	for _, n := range g.Nodes() {
		if n.Op().Class == graph.Update {
			written[alias.Storage(n).Source()] = true
		}
	}
	return written
}

// expandMistake reports at the user's line what is wrong with a node's expansion.
func expandMistake(n *graph.Node, why string) *graph.Mistake {
	n = n.Source()
	m := n.Op().NotWhole(why)
	m.Node = n
	return m
}
