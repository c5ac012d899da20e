// Package viz makes pictures and text of programs. They show types, broadcast axes, the axes over which gradients are
// summed, and mistakes with their positions. Pictures of compiled programs also show the kernels, what they write to
// memory, and what stays in registers.
//
// [DOT] writes Graphviz's language. [SVG], [PNG] and [PDF] run Graphviz. [HTML] writes a self-contained page,
// [ModelExplorer] the format of Google's Model Explorer, and [Text] the text form, which [ParseText] reads.
//
//	viz.SVG(ctx, file, viz.Graph(g), viz.Fold("block*"))
//	viz.HTML(file, viz.Program(prog))
//
// A picture is made in steps, with a file for each. A source fills a model of values (fromgraph.go, fromprogram.go,
// fromtext.go), and a view leaves some out (view.go). Small values move into their users (absorb.go). Scopes fold into
// cards, and identical cards into stacks (fold.go, stack.go, repeat.go, calls.go, aside.go). Distant operands become
// chips (rank.go). The rest is composed into boxes, edges and clusters (compose.go) and written (dot.go). The same
// program gives the same bytes. The page is made by package internal/page, which lays out its pictures in the browser.
//
// Other files support these steps. given.go and options.go process the caller's arguments, and source.go has the
// sources. model.go, unit.go and drawing.go are the data passed between steps, with attrs.go, gradients.go, scope.go,
// loops.go, frames.go and kernels.go. boxes.go, cards.go, chips.go, label.go, legend.go and sample.go fill boxes, in
// the colours of theme.go. layout.go and hang.go order them, and divided.go colours what is divided over the devices of
// a mesh. dotstmt.go and quote.go write Graphviz's statements, render.go runs it, and titles.go names the parts of its
// drawing. plain.go, layered.go, plaintext.go, plainsvg.go and textwidth.go draw if it cannot. html.go,
// modelexplorer.go, text.go and parsetext.go are the other formats.
package viz
