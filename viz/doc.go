// Package viz makes pictures and text of programs: typed values, where broadcasting
// repeats them and where their gradients sum it back, what was wrong and where; and of
// compiled programs the kernels, what they write to memory and what stays in registers.
//
// [DOT] writes Graphviz's language, [SVG], [PNG] and [PDF] run Graphviz on it, [HTML] writes a
// page that works by itself, [ModelExplorer] writes what Google's Model Explorer reads,
// and [Text] the text form, which [ParseText] reads.
//
//	viz.SVG(ctx, file, viz.Graph(g), viz.Fold("block*"))
//	viz.HTML(file, viz.Program(prog))
//
// A picture is made in steps, a file each: a source fills a model of values
// (fromgraph.go, fromprogram.go, fromtext.go), a view leaves some out (view.go), small
// values move into their users (absorb.go), scopes fold into cards and identical cards
// into stacks (fold.go, stack.go, repeat.go, calls.go), operands that are far away become chips
// (rank.go), and what is left is composed into boxes, edges and clusters (compose.go) and
// written (dot.go). The same program gives the same bytes. The page is package
// internal/page's, which lays its pictures out in the browser.
//
// The others serve these steps. given.go and options.go take what the caller gives, source.go is
// where programs come from; model.go, unit.go and drawing.go are what the steps pass on, with
// attrs.go, gradients.go, scope.go, loops.go, frames.go and kernels.go. boxes.go, cards.go, chips.go,
// label.go, legend.go and sample.go fill boxes, in the colours of theme.go; layout.go orders
// them, and divided.go colours what is divided over the devices of a mesh. dotstmt.go and quote.go write Graphviz's statements, render.go runs it, titles.go names what it draws, and plain.go,
// layered.go, plaintext.go, plainsvg.go and textwidth.go draw where it cannot. html.go,
// modelexplorer.go, text.go and parsetext.go are the other forms.
package viz
