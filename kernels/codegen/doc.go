// Package codegen turns row programs into machine code for amd64, with AVX2, FMA and BMI2
// or with AVX-512, and for arm64. Code for arm64 is that for AVX2, with fewer registers and some additional
// instructions ([NEON]): package asm writes it as arm64 instructions.
//
// Each section of a program becomes a list of micro-operations in static single
// assignment form ([block]), one vector instruction each: functions such as exp are
// expanded there. A section of the row becomes a loop over vectors; a section outside
// of the row is evaluated on vectors too, whose lanes are all equal. A linear scan then
// allocates registers and writes the bytes.
//
// # Vectors
//
// All vectors of a section have the same number of lanes: 8 if its elements have 4
// bytes or are Bools, 4 if there are elements of 8 bytes, and twice as many with AVX-512;
// so a value always takes one register. A Bool is a mask, in lanes of 4 bytes or, next to
// elements of 8 bytes, of 8. With AVX-512, comparisons give mask registers, which are
// expanded to vectors unless they are only used for blends.
//
// # Memory
//
// Code takes the address of a block of arguments ([Layout]), which also has room for
// values that do not fit into registers. The code does not depend on sizes and strides,
// except that elements of a row are contiguous. Values that outlive their section and
// constants have a slot in memory, a vector with equal lanes, which instructions take
// as an operand; inner loops hold as many of them in registers as there is room, and vectors
// that are processed side by side share the others for an operation.
//
// # Loops
//
// A section of the row is written three times: for several vectors at a time (in two
// forms if results can be written past the caches), for one vector, and for the lanes
// that are left. How many vectors are processed at a time, and which slots stay in
// registers, is determined by writing the body and counting the registers that it uses.
// A reduction keeps its partial results in registers if it is the only one and the body
// is small, otherwise in memory; either way lane l combines the elements specified by package
// rowprog, whatever the width of vectors.
//
// Operations without a vector instruction are composed of others; if the number of
// steps depends on the elements, as in remainders of floats, a routine ([routine]) is one
// micro-operation that contains a loop.
//
// Calls can end after a stage of a row and continue there with another chunk of it ([Stage]),
// so that long rows take many short calls, on several threads.
//
// Short rows are processed together in blocks: values that belong to a row are computed in lanes, one lane per row.
//
// The called code must obey the rules of package jit. It reads no bytes outside of
// operands.
//
// # Files
//
// compile.go is the entry point, target.go has the available instructions, and layout.go is the block of arguments.
// section.go turns the instructions of a section into micro-operations (micro.go). The expansions of single
// instructions are in files by kind: arith.go, integer.go, divide.go, remainder.go, convert.go, packed.go for types for
// memory alone and float8.go for those of 8 bits, narrow.go for indices, pick.go for elements and rows at computed
// places, reduce.go and argreduce.go for reductions. bound.go finds values that cannot be positive. function.go and
// function64.go have functions such as exp, with trig32.go and trig64.go; via64.go has those of float32 that are
// computed in float64.
//
// alloc.go allocates registers, emit.go writes instructions, effect.go loads, stores and guards, routine.go those with
// a loop inside.
//
// loop.go writes loops over a row, bytes.go those on vectors of bytes, narrower.go the remainders of rows that are
// rewritten, columns.go loops over rows that are accumulated. rowblock.go writes loops over blocks of short rows:
// rowphase.go the values per row, rowstage.go the elements, rowfold.go the ends of reductions, rowflat.go the elements
// of all rows in order. held.go keeps accumulators in registers. ahead.go writes loops that prefetch an operand,
// chunk.go those that end after a stage.
//
// tile.go has code for tiles of matrix products: tilerows.go if they are in memory, tilesums.go if they are
// accumulated. stepped.go loads elements that are apart. transpose.go, interleave.go and apart.go make code for copies,
// without a program.
package codegen
