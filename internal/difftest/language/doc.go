// Package language draws random programs over all functions of package ops, from the examples in their
// references, in all dtypes, and compares what comes out of them: bit for bit on one thread and several and, by
// the hash of a verdict, between instruction sets; to rounding, with every value on the way stored.
// What is right it does not know: package difftest has an evaluator for that.
//
// draw.go draws a program, values.go what it is fed, and check.go runs it.
package language
