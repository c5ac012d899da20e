// Package lower turns groups of nodes into kernels, and assigns memory to the values that they exchange.
//
// A [Kernel] (kernel.go) is one of eight kinds. verify.go checks kernels and buffers.
//
//   - lower.go writes a fused group as a row program: axes.go merges its axes into few and long ones, stages.go decides
//     what is computed when, readers.go finds the readers, emit.go records the meaning of operations, with types.go,
//     and narrow.go computes elements in a different dtype from the one in which they are stored. unbroadcast.go has
//     reductions whose axes depend on the sizes.
//   - assemble.go assembles values from others; matmul.go, gather.go, addrows.go and function.go have the operands of
//     the kernels of these names, and repeat.go has loops, whose bodies are separate programs.
//   - chain.go finds kernels that can run block of rows by block of rows, and chainunite.go those that combine rows by
//     index; touched.go determines which kernels must keep their order.
//   - epilogue.go decides which kernels are fused with the matrix product before them.
//   - buffers.go assigns memory: overwrite.go lets loops overwrite what they read, and keep.go determines what is kept
//     from run to run.
package lower
