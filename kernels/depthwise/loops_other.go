//go:build !amd64 && !arm64

package depthwise

import "github.com/broadloom/broadloom/kernels/cpu"

// ofMachine has no loops but those in plain Go.
var ofMachine = map[cpu.ISA]*loops{cpu.Portable: &plain}
