// Package page writes a program as one self-contained HTML file: a column for
// each pass of the compiler with the same value highlighted in all of them, a picture, the
// kernels, the memory over time, and the mistakes. It depends on graphs but not on the compiler, so
// that both the compiler and package viz can write one.
//
// page.go has the document and its pieces, and writes it, with the scripts and styles in assets;
// column.go makes a column from a graph, with loops as scopes (loops.go).
package page
