// Package analysis finds out what single nodes do, from the functions of their operations. No pass branches on a name.
//
// element.go records what an operation computes per element: its primitives, its cost, whether it can fail or depends
// on its position. interval.go finds integer bounds of it. movement.go finds which part of its operand a movement
// shows, reduction.go what a reduction folds, grouping.go which axes the second factor of a product groups, and
// written.go which values are written in place.
package analysis
