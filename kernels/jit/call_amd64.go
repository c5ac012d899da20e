package jit

import "unsafe"

// call calls machine code with the address of its arguments in RDI.
//
//go:noescape
func call(code, args unsafe.Pointer)
