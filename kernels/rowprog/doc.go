// Package rowprog is the intermediate representation of a fused kernel: the row
// program. Fusion passes it to a back end, which knows nothing else.
// The package computes nothing; package scalar defines the meaning of one element,
// package interp interprets programs and other back ends compile them.
//
// # Shape of a program
//
// A program iterates over a space of Outer outer axes and one inner axis, the
// row. Sizes, strides and addresses are not part of it: they are arguments
// of a call (package launch), so that one compiled program serves every shape.
//
// A program is a list of instructions in static single assignment form. A [Value]
// is the index of the instruction that computes it. Its [Domain] determines how often it is
// computed: [Const] and [Uniform] once per call, [Row] once for each outer index, [Vec]
// once for each element of a row.
//
// Instructions are grouped in sections that run in this order:
//
//	call                 once, at the start of the call
//	for each outer index, in lexicographic order:
//		row 0            once
//		vec 0            for each element of the row
//		row 1
//		vec 1
//		…
//		row S            after the last of the S stages
//
// A reduction over the row runs in a vec section and its result can be used from
// the next row section on. A Vec value lives only in its own section: a later
// stage loads it again from where an earlier stage has stored it, or recomputes it.
//
// # Reading and writing
//
// Within a section all loads come before all stores, element by element; between sections memory is read and written in
// the order of the sections. So an operand that is written may be exactly the memory of one that is read, with the same
// pointer and the same strides. The program then updates it in place, whatever the length of the pieces that a back end
// processes. Any other overlap of a written operand with another operand is forbidden. Back ends may rely on these
// rules; launch.Check verifies them.
//
// A pick reads an element, or a row, of an operand at a computed position, within bounds that are part of the pick.
// Such operands must not be written in the same call.
//
// # Reductions
//
// The order of every floating-point reduction is part of a program's meaning, so
// that all back ends and all numbers of threads give the same bits.
//
// Reduce over a row, Sum and Prod: there are [Lanes] partial results, each
// starting at the identity. Lane l combines the elements l, l+Lanes, l+2·Lanes, …
// of the row in this order, as lane = lane ⊕ element. Then the lanes are folded in
// halves: lane l = lane l ⊕ lane l+h for all l < h, with h = Lanes/2, Lanes/4, …, 1.
// (Lanes that get no element change nothing, and a short row may leave them out.)
// A row of more than [RowChunk] elements is divided into chunks of that size; each chunk is reduced separately in this
// manner and the results of the chunks are combined in order, as row = row ⊕ chunk. So several threads can share the
// chunks of a row.
//
// Accumulate into an operand over outer axes: the indices of the reduced axes are
// visited in lexicographic order. The first visit stores the value, a later one
// combines, as memory = memory ⊕ value. If outer axis 0 is among the reduced
// axes, its indices are divided into chunks of [ChunkRows]; each chunk is accumulated
// separately in this manner and the results of the chunks are combined in order,
// as memory = memory ⊕ chunk. Axis 0 is therefore the axis to split over threads.
//
// Max and Min are IEEE 754-2019 maximum and minimum: NaN wins and -0 < +0. They are associative, so their order does
// not matter. Nor does order matter for integers, whose arithmetic wraps around; for ArgMax and ArgMin, where the first
// of equal elements wins and a NaN wins over all numbers; and for MaxNumber, the greatest element that is a number,
// whose zero is +0.
//
// A reduction of no elements gives the identity: 0, 1, the least or the greatest
// value of the type (infinite for floating point); ArgMax and ArgMin give -1. When
// an outer axis has size zero, accumulated operands that have elements are set to
// the identity.
//
// # Exactness
//
// Arithmetic, comparisons, conversions and square roots of floating-point values
// are rounded to their type, once each: no back end may contract, reassociate or
// keep excess precision. The sign and payload of a NaN are not specified.
//
// # Faults
//
// A guard that finds a false element stops the call, which reports the guard's code, a position and the culprit's value
// there. The position is the linear index of the element in the iteration space; for a Row guard, of the row's first
// element. If several guards fail, the one in the first row counts, then the one in the first section, then the one
// with the least index, then the first guard in the program. After a fault the contents of written operands are
// unspecified.
//
// # Files
//
// program.go has programs and their instructions, type.go their types, op.go and reduction.go the operations,
// operand.go operands and domains. builder.go and build.go make programs, verify.go checks them, text.go prints them.
package rowprog
