// Package viz makes pictures and text of programs: typed values, where broadcasting
// repeats them and where their gradients sum it back, what was wrong and where.
//
// [DOT] writes Graphviz's language, [SVG] and [PNG] run Graphviz's own program on it,
// [ModelExplorer] writes what Google's Model Explorer reads, and [Text] the text form.
//
//	viz.SVG(ctx, file, viz.Graph(g), viz.Fold("block*"))
//
// A picture is made in steps, a file each: a source fills a model of values
// (fromgraph.go), a view leaves some out (view.go), small values move into their users
// (absorb.go), scopes fold into cards and identical cards into stacks (fold.go,
// stack.go), operands that are far away become chips (rank.go), and what is left is
// composed into boxes, edges and clusters (compose.go) and written (dot.go). The same
// program gives the same bytes.
package viz
