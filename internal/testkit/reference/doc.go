// Package reference defines what a graph means: it evaluates nodes one element at a time, in
// plain Go, from the meaning that each operation defines for its elements. It is slow and
// simple, shares nothing with the compiler, and tests compare every faster way
// of running a graph with it.
//
// A float32 result is rounded to float32 after each primitive; sums are taken in
// float64. Integers wrap around. An in-place write returns its functional result: the
// value that it writes, while the old value stays readable.
//
// eval.go evaluates a graph, again.go reevaluates it if elements have changed, and composite.go evaluates composite
// operations. reader.go reads operands that broadcasting repeats, and value.go has arrays of elements. elementwise.go,
// with primitive.go for the meaning of each primitive, reduce.go, matmul.go, gather.go, function.go and move.go are the
// classes of operations; loop.go runs loops, whose bodies it evaluates for each step.
package reference
