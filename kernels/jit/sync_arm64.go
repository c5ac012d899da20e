package jit

import "unsafe"

// synchronize has the caches of instructions forget memory that code was written to.
func synchronize(mem []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	syncCaches(start, start+uintptr(len(mem)))
}

// syncCaches writes what is in the caches of data from start to end back to where those of instructions read it, which it empties of that.
//
//go:noescape
func syncCaches(start, end uintptr)
