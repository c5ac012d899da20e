// Package lower turns row programs into machine code for amd64 with AVX2 and FMA.
//
// Each section of a program becomes a list of micro-operations in static single
// assignment form ([block]), one vector instruction each: functions such as exp are
// expanded there. A section of the row becomes a loop over vectors; a section outside
// of the row is evaluated on vectors too, whose lanes are all equal. A linear scan then
// hands out registers and writes the bytes.
//
// # Vectors
//
// All vectors of a section have the same number of lanes: 8 if its elements have 4
// bytes or are Bools, 4 if there are elements of 8 bytes; so a value always takes one
// register. A Bool is a mask, in lanes of 4 bytes or, next to elements of 8 bytes, of 8.
//
// # Memory
//
// Code takes the address of a block of arguments ([Layout]), which also has room for
// what does not fit into registers. Nothing about sizes and strides is in the code,
// but that elements of a row lie side by side. Values that outlive their section and
// constants have a home in memory, a vector with equal lanes, which instructions take
// as an operand; inner loops hold as many of them in registers as there is room.
//
// Code that is called must obey the rules of package jit. It reads no byte that is not
// an operand's.
package lower
