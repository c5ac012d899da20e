// Package outline moves the bodies of loops out of graphs: each becomes a separate program.
//
// [Loops] (outline.go) is the pass. The results of a loop become nodes with one common [Call], which describes what the
// body reads and how its outputs are used. use.go drops unused outputs, and determines how a value from outside gets
// into a body. masks.go lets bodies recompute masks added to scores, which every step would otherwise read. inline.go
// puts bodies back in place, for pictures and texts.
package outline
