// Package outline takes the bodies of loops out of graphs: each becomes a program of its own.
//
// [Loops] (outline.go) is the pass. It leaves nodes that stand for what comes out of a loop, all with one [Call], which says what
// the body reads and what becomes of its outputs. use.go drops the outputs that nothing reads, and says how a body is given a
// value of outside; masks.go has bodies compute the masks beside scores that every step would read. inline.go shows the bodies
// in place again, for pictures and texts.
package outline
