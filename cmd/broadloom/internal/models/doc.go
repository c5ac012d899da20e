// Package models finds the functions of a user's packages that build graphs, and runs an action on each in a program
// that it builds around the package, as go test does. A comment above a function marks it:
//
//	//broadloom:model
//	func classifier() *graph.Graph { … }
//
// The function takes nothing and returns a *graph.Graph, or that and an error; or it takes a *graph.Graph to fill. It
// need not be exported. For a method, or a function with other arguments, the mark contains a call that returns a
// graph:
//
//	//broadloom:model NewNet(3, 64).Graph()
//	func (n *Net) Graph() *graph.Graph { … }
//
// find.go finds models by their marks (mark.go), in the texts of overlay.go if editor buffers are not saved. call.go
// writes the call of each model. program.go writes and builds the program, with modfile.go if a module lacks
// requirements, and run.go runs it.
//
// builder.go rebuilds the program while the source changes: warm.go keeps the results of a build, head.go checks
// whether they are still valid, and toolchain.go calls the compiler and the linker.
package models
