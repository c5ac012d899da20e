// Package asm encodes the instructions that kernels are made of: AVX2, FMA and BMI2
// in the VEX form, AVX-512 (F, DQ, BW, VL) in the EVEX form, and the few instructions
// on general registers that loops need. For arm64 it writes those of AVX2 and the general ones as
// instructions of arm64 that do the same. It knows nothing of programs; package codegen
// decides what to encode.
//
// Bytes depend only on the calls made, so that equal programs give equal code.
//
// asm.go has operands and the [Asm], which is a buffer with labels and constants (buffer.go) and the [Instructions] of a machine
// (instructions.go), chosen once. vector.go has what instructions on vectors take, of which optable.go is the table.
//
// amd64.go encodes instructions of amd64 on general registers, amd64vector.go those on vectors. arm64.go has registers, addresses and
// distances of arm64, arm64general.go its instructions on general registers, and neon.go those on vectors. neonforms.go says what stands for which of amd64: neonarith.go what computes, neonlanes.go what moves lanes.
package asm
