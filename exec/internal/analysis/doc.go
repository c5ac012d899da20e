// Package analysis tells what single nodes do, from the functions of their operations: no pass asks for a name.
//
// element.go takes down the meaning of an element: of which primitives it is made, what it costs, whether it can fail or
// depends on where it stands; interval.go finds between which integers it is. movement.go tells what a movement shows of its
// operand, reduction.go what a reduction folds, grouping.go which axes the second factor of a product groups, and written.go
// which values are written in place.
package analysis
