package jit

import "unsafe"

// synchronize makes the instruction caches see memory that code was written to.
func synchronize(mem []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	syncCaches(start, start+uintptr(len(mem)))
}

// syncCaches writes the data caches from start to end back to where the instruction caches read, and invalidates these.
//
//go:noescape
func syncCaches(start, end uintptr)
