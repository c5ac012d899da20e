//go:build !darwin

package jit

// cacheLines returns the smallest lines of data and instruction caches, in bytes, which the processor reports.
func cacheLines() (data, code uintptr)
