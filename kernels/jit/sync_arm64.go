package jit

import "unsafe"

// synchronize makes the instruction caches see memory that code was written to.
func synchronize(mem []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	dataLine, codeLine := cacheLines()
	syncCaches(start, start+uintptr(len(mem)), dataLine, codeLine)
}

// syncCaches writes the data caches from start to end back to where the instruction caches read, and invalidates these.
// The lines of the caches have dataLine and codeLine bytes, powers of 2.
//
//go:noescape
func syncCaches(start, end, dataLine, codeLine uintptr)
