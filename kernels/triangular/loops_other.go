//go:build !amd64 && !arm64

package triangular

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has no loops but those in plain Go.
var ofMachine = map[cpu.ISA]*both{cpu.Portable: &plain}
