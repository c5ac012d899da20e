// Package language draws random programs over all functions of package ops, from the examples in their
// references, in all dtypes, and compares their results: bit for bit on one thread and several and, by
// the hash of a verdict, between instruction sets; up to rounding, with every intermediate value stored.
// It does not know the right results: package difftest has an evaluator for that.
//
// draw.go draws a program, values.go its inputs, and check.go runs it.
package language
