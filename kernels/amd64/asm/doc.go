// Package asm encodes the instructions that kernels are made of: AVX2, FMA and BMI2
// in the VEX form, AVX-512 (F, DQ, BW, VL) in the EVEX form, and the few instructions
// on general registers that loops need. It knows nothing of programs; package codegen
// decides what to encode.
//
// Bytes depend only on the calls made, so that equal programs give equal code.
//
// asm.go is the buffer with labels and constants; general.go encodes instructions on general
// registers, vector.go those on vectors, of which optable.go is the table.
package asm
