// Package asm encodes the instructions that kernels use: AVX2, FMA and BMI2
// in the VEX form, AVX-512 (F, DQ, BW, VL) in the EVEX form, and the few instructions
// on general registers that loops need. For arm64 it writes AVX2 and general instructions as
// equivalent arm64 instructions. It knows nothing about programs; package codegen
// decides what to encode.
//
// The bytes depend only on the calls made, so equal programs give equal code.
//
// asm.go has operands and the [Asm], which is a buffer with labels and constants (buffer.go) and the [Instructions] of
// a machine (instructions.go), chosen once. vector.go has the operands of vector instructions, and optable.go the table
// of these.
//
// amd64.go encodes instructions of amd64 on general registers, amd64vector.go those on vectors. arm64.go has registers,
// addresses and distances of arm64, arm64general.go its instructions on general registers, and neon.go those on
// vectors. neonforms.go maps amd64 instructions to them: neonarith.go has arithmetic, and neonlanes.go has moves of
// lanes.
package asm
