package triangular

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has the loops by instruction set.
var ofMachine = map[cpu.ISA]*both{cpu.Portable: &plain, cpu.AVX2: {loopsAVX2of32, loopsAVX2},
	cpu.AVX512: {loopsAVX512of32, loopsAVX512}}
