package prefetch

import "unsafe"

// lines prefetches the lines of 64 bytes that contain some bytes.
//
//go:noescape
func lines(p unsafe.Pointer, bytes uintptr)
