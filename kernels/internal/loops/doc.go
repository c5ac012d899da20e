// Package loops has the inner loops of the portable kernels: one loop over slices for
// each primitive, with the meaning defined by package scalar. All slices of a
// call have at least the length of dst. Unless noted otherwise, dst may be one of the
// operands, but must not overlap one in any other way.
//
// The loops on float32 of Add, Sub and Mul, by a slice or a scalar, are vecf32's, which are plain Go loops without
// build tags. vecf32's Div, Max, Min and Sum differ from IEEE 754 and are not used. Its build tags avx and sse must not
// be used either, since their assembly slows down or crashes later code.
//
// arithmetic.go, unary.go, fma.go, compare.go, logic.go and convert.go have the primitives,
// vecf32.go those of the library; reduce.go and accumulate.go reductions; memory.go reads and
// writes operands.
package loops
