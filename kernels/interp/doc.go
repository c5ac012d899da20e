// Package interp runs row programs on any machine, in plain Go. It is the back end
// that is used if no other is available, and other back ends must agree with it bit for bit.
//
// It is a block interpreter. A row is processed in blocks of [Block] elements that stay in the first-level cache. Each
// vector instruction is one loop over a block, specialized for its types when the program is compiled. Operands with
// inner stride 1 are read in place, and written in place unless the same memory can be read later. Package scalar
// evaluates instructions outside of the row.
//
// compile.go turns instructions into steps, and kernel.go runs them. vector.go chooses vector code for a step:
// unary.go, binary.go, primitive.go for those with more arguments or several kinds, memory.go for loads and stores,
// reduce.go for reductions. registers.go allocates blocks, scratch.go is the memory of a call, and evaluate.go runs
// instructions that are evaluated once per row.
package interp
