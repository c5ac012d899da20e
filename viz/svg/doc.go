// Package svg draws Graphviz's language without the program dot: it contains Graphviz, compiled to WebAssembly, and
// runs it with wazero, without cgo. It is a separate package because of its cost: a binary grows by about nine
// megabytes, and the first use compiles the code, which takes about half a second and leaves a cache of six megabytes
// in the directory for temporary files.
//
//	viz.SVG(ctx, file, viz.Graph(g), viz.RenderWith(svg.Render))
//
// Graphviz runs in a separate process: the program itself is started again, and stops in this package's init. A crash
// or an endless loop in it is only an error here.
//
// svg.go starts the process and communicates with it, and worker.go runs in it.
package svg
