package prefetch

import "unsafe"

// lines asks for the lines of 64 bytes that some bytes lie in.
//
//go:noescape
func lines(p unsafe.Pointer, bytes uintptr)
