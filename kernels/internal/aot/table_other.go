//go:build !amd64 && !arm64

package aot

import "github.com/broadloom/broadloom/kernels/cpu"

var tables map[cpu.ISA]map[Key]Func
