// Package analysis determines what single nodes do, from the functions of their operations: no pass looks at a name.
//
// element.go records the meaning of an element: its primitives, its cost, whether it can fail or
// depends on its position; interval.go finds integer bounds for it. movement.go determines which part of its operand a movement
// shows, reduction.go what a reduction folds, grouping.go which axes the second factor of a product groups, and written.go
// which values are written in place.
package analysis
