package fourier

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has the loops for float32 and float64 by instruction set. Numbers are copied in vectors of 32 bytes.
var ofMachine = map[cpu.ISA][2]*loops{
	cpu.Portable: {&plain32, &plain64},
	cpu.AVX2: {
		{stepsAVX2Float32, transposeFloat32, partFloat32, partBackFloat32, joinFloat32, joinBackFloat32},
		{stepsAVX2Float64, transposeFloat64, partFloat64, partBackFloat64, joinFloat64, joinBackFloat64},
	},
	cpu.AVX512: {
		{stepsAVX512Float32, transposeFloat32, partFloat32, partBackFloat32, joinFloat32, joinBackFloat32},
		{stepsAVX512Float64, transposeFloat64, partFloat64, partBackFloat64, joinFloat64, joinBackFloat64},
	},
}
