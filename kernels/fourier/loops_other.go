//go:build !amd64 && !arm64

package fourier

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has only the loops in plain Go.
var ofMachine = map[cpu.ISA][2]*loops{cpu.Portable: {&plain32, &plain64}}
