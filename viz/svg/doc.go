// Package svg draws Graphviz's language without the program dot: it carries Graphviz
// itself, compiled to WebAssembly, and runs it with wazero, without cgo. It is a package
// of its own because of what that costs: a binary grows by some nine megabytes, and the
// first use compiles the code, which takes about half a second and leaves a cache of six
// megabytes in the directory for temporary files.
//
//	viz.SVG(ctx, file, viz.Graph(g), viz.RenderWith(svg.Render))
//
// Graphviz runs in a process of its own, which is the program itself, started again: it
// goes no further than this package's init. Whatever happens there, a crash or an endless
// loop, is an error here and no more.
//
// svg.go starts the process and talks to it, worker.go is what runs there.
package svg
