// Package reference says what a graph means: it evaluates nodes one element at a time, in
// plain Go, from the meaning that each operation gives of its elements. It is slow and
// simple, shares nothing with the compiler, and is what tests compare every faster way
// of running a graph with.
//
// A float32 result is rounded to float32 after each primitive; sums are taken in
// float64. Integers wrap around. An in-place write gives its functional result: the
// value that it writes, while the old value stays readable.
//
// eval.go goes through a graph, again.go does so once more where elements have changed, composite.go goes through composite operations. reader.go reads
// operands where broadcasting repeats them, and value.go is arrays of elements. elementwise.go,
// with primitive.go for the meaning of each primitive, reduce.go, matmul.go, gather.go, function.go and
// move.go are the classes of operations;
// loop.go runs loops, whose bodies it evaluates for each step.
package reference
