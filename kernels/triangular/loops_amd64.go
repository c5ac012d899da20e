package triangular

import "github.com/broadloom/broadloom/kernels/cpu"

//go:generate go run ./gen

// ofMachine has the loops by instruction set.
var ofMachine = map[cpu.ISA]*loops{cpu.Portable: &plain, cpu.AVX2: &loopsAVX2, cpu.AVX512: &loopsAVX512}

// chosen returns the loops of the instruction set that is in use.
func chosen() *loops { return ofMachine[cpu.Chosen()] }
