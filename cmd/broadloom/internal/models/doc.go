// Package models finds the functions of a user's packages that build graphs, and runs an
// action on each in a program that it builds around the package, as go test does. A
// function is marked by a comment above it:
//
//	//broadloom:model
//	func classifier() *graph.Graph { … }
//
// It takes nothing and gives a *graph.Graph, or that and an error; it need not be exported.
//
// find.go finds models by the marks of mark.go, in the texts of overlay.go where buffers are not saved; program.go writes
// and builds the program, with modfile.go where a module lacks what it needs; run.go runs it.
//
// builder.go does so again and again while the source changes: warm.go keeps what a build told,
// head.go tells whether it still holds, and toolchain.go calls the compiler and the linker.
package models
