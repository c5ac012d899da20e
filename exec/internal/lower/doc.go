// Package lower makes kernels of groups of nodes, and gives the values that they exchange memory.
//
// A [Kernel] (kernel.go) is one of eight kinds. verify.go checks kernels and buffers.
//
//   - lower.go writes a fused group as a row program: axes.go merges its axes into few and long ones, stages.go decides what is
//     computed when, readers.go who reads it, emit.go takes down the meaning of operations, with types.go, and narrow.go
//     computes elements in another dtype than they are stored in. unbroadcast.go has reductions whose axes the sizes decide.
//   - assemble.go puts values together of others; matmul.go, gather.go, addrows.go and function.go have the operands of the
//     kernels of these names, and repeat.go loops whose bodies are programs of their own.
//   - chain.go finds kernels that can run block of rows by block of rows, and chainunite.go those that unite rows by index;
//     touched.go says which kernels must keep their order.
//   - epilogue.go decides which kernels are fused with the matrix product before them.
//   - buffers.go assigns memory: overwrite.go lets loops write over what they read, and keep.go says what is kept from run to
//     run.
package lower
