// Package interp runs row programs on any machine, in plain Go. It is the back end
// where no other is available and what other back ends must agree with bit for bit.
//
// It is a block interpreter. A row is worked on in blocks of [Block] elements that
// stay in the first-level cache; each vector instruction is one loop over a block,
// chosen with its types when the program is compiled. Operands with inner stride 1
// are read and, where nothing read later can be the same memory, written in place.
// Instructions outside of the row are evaluated by package scalar.
//
// compile.go makes steps of instructions, and kernel.go runs them. vector.go chooses a step:
// unary.go, binary.go, primitive.go for those of more arguments or several kinds, memory.go for
// loads and stores, reduce.go for reductions. registers.go hands out blocks, scratch.go is the
// memory of a call, and evaluate.go has what runs once a row.
package interp
