package depthwise

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has the loops by instruction set.
var ofMachine = map[cpu.ISA]*loops{
	cpu.Portable: &plain,
	cpu.AVX2:     {8, convAVX2, sumsAVX2, copyInPieces, splitInPieces, joinInPieces, nil},
	cpu.AVX512:   {16, convAVX512, sumsAVX512, copyInPieces, splitInPieces, joinInPieces, directAVX512},
}
