// Package lower makes kernels of groups of nodes, and gives the values that they exchange memory.
//
// A [Kernel] (kernel.go) is one of eight kinds. lower.go writes a fused group as a row program: axes.go merges its
// axes into few and long ones, stages.go decides what is computed when, readers.go who reads it, and emit.go takes down the meaning of
// operations, with types.go, and narrow.go where elements are computed in another dtype than they are stored in. unbroadcast.go has reductions whose axes the sizes decide, assemble.go values put
// together of others, matmul.go, gather.go, addrows.go and function.go the operands of those, repeat.go loops whose bodies are programs
// of their own. chain.go finds kernels that can run block of rows by block of rows, and chainunite.go those that unite rows by index; touched.go says which kernels must keep their order. epilogue.go decides which
// kernels are fused with the matrix product before them. buffers.go assigns memory, of which overwrite.go lets loops write what they take apart, and keep.go says what is kept from run to run. verify.go checks kernels and
// buffers.
package lower
