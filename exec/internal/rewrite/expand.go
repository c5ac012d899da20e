package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/composite"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// maxExpansions bounds how deep composites are written with composites: one that is deeper
// never ends.
const maxExpansions = 200

// Expand writes composite operations with primitive ones, until none is left. What a
// user's Expand does wrong is the user's mistake, at the line where the composite stands.
func Expand(u *Program) error {
	users := usersOperations()
	for depth := 0; ; depth++ {
		needed := u.needed()
		composite := func(n *graph.Node) bool { return n.Op().Class == graph.Composite && needed(n) }
		if !slices.ContainsFunc(u.Graph.Nodes(), composite) {
			return DCE(u) // those of the last time
		}
		var wrong []*graph.Mistake
		var made []*graph.Node
		u.rewriteThose(needed, func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
			if !composite(n) || len(wrong) > 0 {
				return nil
			}
			self := next.Copy(n, in)
			y, why := expand(self, func() []bool { return fixedOperands(n) })
			if depth >= maxExpansions {
				why = "it is written with itself, without end"
			}
			if why != "" {
				wrong = append(wrong, expandMistake(n, why))
				return nil
			}
			if roundsTwice(next.Nodes()[self.ID()+1:]) {
				return widened(n, in) // to be expanded next
			}
			if !y.Shape().Equal(n.Shape()) { // sizes that the operation requires to be equal, under other names
				y = ops.Reshape(y, n.Shape()...)
			}
			for _, x := range next.Nodes()[self.ID()+1:] {
				if users(x.Op()) {
					made = append(made, x)
				}
			}
			return y
		})
		for _, m := range shapeinfer.CheckOperations(made, u.Graph.Requirements()) {
			wrong = append(wrong, expandMistake(m.Node, m.Summary))
		}
		if len(wrong) > 0 {
			return (&shapeinfer.Report{Graph: wrong[0].Node.Graph(), Errors: wrong[:1], Nodes: len(u.Graph.Nodes())}).Err()
		}
	}
}

// usersOperations returns [graph.Op.IsUsers], which is asked of each operation once: what the library's say of themselves its tests look at.
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

// roundsTwice reports whether what a composite of a dtype of 16 bits is written with rounds on the way: PyTorch computes it in
// Float32, and rounds the result.
func roundsTwice(made []*graph.Node) bool {
	rounding := 0
	for _, n := range made {
		switch {
		case n.Op().Ordered:
			return false // its operands have the dtypes that the user gave them
		case !isNarrow(n) || !n.DType().IsFloat():
		case n.Op().Class == graph.Elementwise && len(n.Operands()) > 0, n.Op().Class == graph.Composite,
			n.Op().Class != graph.Elementwise && computesNarrow(n):
			rounding++
		}
	}
	return rounding > 1
}

// expand writes a composite with other operations, or says why that fails.
func expand(n *graph.Node, fixed func() []bool) (*graph.Node, string) {
	g := n.Graph()
	before := len(g.Mistakes())
	y, wrong := composite.Write(func(n *graph.Node, in []*graph.Node) *graph.Node {
		if faster := n.Op().Faster; faster != nil {
			if y := faster(n, slices.Clone(in), fixed()); y != nil {
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

// fixedOperands reports which operands of a node outside of loops are parameters that the program does not write, or views of such.
func fixedOperands(n *graph.Node) []bool {
	fixed := make([]bool, len(n.Operands()))
	for i, x := range n.Operands() {
		memory := alias.Storage(x)
		fixed[i] = memory.IsParam() && n.Region() == nil && !slices.ContainsFunc(n.Graph().Nodes(), func(u *graph.Node) bool {
			return u.Op().Class == graph.Update && alias.Storage(u) == memory
		})
	}
	return fixed
}

// expandMistake says at the user's line what is wrong with how a node is written.
func expandMistake(n *graph.Node, why string) *graph.Mistake {
	n = n.Source()
	m := n.Op().NotWhole(why)
	m.Node = n
	return m
}
