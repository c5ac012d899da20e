// Package page writes a program as one HTML file that needs nothing else: a column for
// each pass of the compiler with the same value lit up in all of them, a picture, the
// kernels, the memory over time, and what was wrong. It knows graphs but no compiler, so
// that both the compiler and package viz can write one.
//
// page.go is the document and its pieces, and writes it, with the scripts and styles in assets;
// column.go makes a column of a graph, with loops as scopes (loops.go).
package page
