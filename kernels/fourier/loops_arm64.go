package fourier

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has the loops for float32 and float64 by instruction set.
var ofMachine = map[cpu.ISA][2]*loops{
	cpu.Portable: {&plain32, &plain64},
	cpu.NEON: {
		{stepsNEONFloat32, transposeFloat32, partFloat32, partBackFloat32, joinFloat32, joinBackFloat32},
		{stepsNEONFloat64, transposeFloat64, partFloat64, partBackFloat64, joinFloat64, joinBackFloat64},
	},
}
