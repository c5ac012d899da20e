// Package contract states what functions of a program take and give, and proves it: a shape is
// promised once, in a word for each axis, and the check of the graph proves it for all sizes, or
// says what is missing.
//
//	func Attention(g *graph.Graph, q, k, v *graph.Node) *graph.Node {
//		c := contract.New(g, "Attention")
//		q = c.Takes("q", q, "b t d")
//		k = c.Takes("k", k, "b s d")
//		v = c.Takes("v", v, "b s dv")
//		…
//		return c.Gives(y, "b t dv")
//	}
//
// The words of a form:
//
//	t        a size; the same one wherever the contract says t
//	64       that size
//	h*dh     an expression, with + - * // % and brackets; t+1 tells t as well as t does
//	d/2      an exact half: that d is even is proved too; d//2 rounds down
//	h=8      the size 8, called h
//	#c       c, or 1, which is repeated where it meets c
//	_ or _x  any size
//	...      any number of axes
//	*batch   several axes with one name; *#batch may be broadcast to them
//
// What is promised is proved, and what is declared (graph.MultipleOf, Graph.Equal) is assumed: a
// promise that rests on something that the graph does not know is a mistake, whose help names the
// declaration.
//
// The command in examples/transformer has contracts in every function of a model, and what is said
// of wrong ones.
//
// contract.go is what users call, sizes.go the same for a shape of sizes. form.go reads forms and
// expr.go makes sizes of their expressions; match.go lines them up with axes (crossed.go finds
// exchanged ones), solve.go finds what the names stand for. judge.go proves, mistake.go says what
// is wrong and fix.go what to do.
package contract
