package jit

import "unsafe"

// call calls machine code with the address of its arguments in RDI.
//
//go:noescape
func call(code, args unsafe.Pointer)

// callEach calls, in order, the code of entries that take up size bytes. There must be one.
//
//go:noescape
func callEach(entries *entry, size int)
