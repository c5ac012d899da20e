package triangular

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has the loops by instruction set.
var ofMachine = map[cpu.ISA]*both{cpu.Portable: &plain, cpu.NEON: {loopsNEONof32, loopsNEON}}
