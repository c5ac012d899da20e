//go:build !amd64 && !arm64

package depthwise

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has only the loops in plain Go.
var ofMachine = map[cpu.ISA]*loops{cpu.Portable: &plain}
