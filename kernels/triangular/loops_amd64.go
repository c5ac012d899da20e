package triangular

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has the loops by instruction set.
var ofMachine = map[cpu.ISA]*loops{cpu.Portable: &plain, cpu.AVX2: &loopsAVX2, cpu.AVX512: &loopsAVX512}
