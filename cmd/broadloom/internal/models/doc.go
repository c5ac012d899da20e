// Package models finds the functions of a user's packages that build graphs, and runs an
// action on each in a program that it builds around the package, as go test does. A
// function is marked by a comment above it:
//
//	//broadloom:model
//	func classifier() *graph.Graph { … }
//
// It takes nothing and gives a *graph.Graph, or that and an error; or it takes a *graph.Graph to fill. It need
// not be exported. For a method, and a function with other arguments, the mark has the call that gives a graph:
//
//	//broadloom:model NewNet(3, 64).Graph()
//	func (n *Net) Graph() *graph.Graph { … }
//
// find.go finds models by the marks of mark.go, in the texts of overlay.go where buffers are not saved;
// call.go writes the call of each; program.go writes and builds the program, with modfile.go where a
// module lacks what it needs; run.go runs it.
//
// builder.go does so again and again while the source changes: warm.go keeps what a build told,
// head.go tells whether it still holds, and toolchain.go calls the compiler and the linker.
package models
