// Package outline moves the bodies of loops out of graphs: each becomes a separate program.
//
// [Loops] (outline.go) is the pass. It leaves nodes that represent the results of a loop, all with one [Call], which describes what
// the body reads and how its outputs are used. use.go drops unused outputs, and determines how a body gets a value from
// outside; masks.go lets bodies compute masks next to scores, which every step would otherwise read. inline.go puts the bodies
// back in place, for pictures and texts.
package outline
