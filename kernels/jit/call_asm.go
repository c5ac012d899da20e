//go:build amd64 || arm64

package jit

import "unsafe"

// call calls machine code with the address of its arguments in RDI, or what stands for it.
//
//go:noescape
func call(code, args unsafe.Pointer)

// callEach calls, in order, the code of entries that take up size bytes. There must be one.
//
//go:noescape
func callEach(entries *entry, size int)

// callTimes calls, most times, the code of entries that take up size bytes, and after each time changes words that take up wordsSize
// bytes. Where the Bool at the address in goesOn is false after a time it ends, and where stop is not 0 after an entry, before words are changed. It
// returns how many times are left, of which it gives the complement where the Bool has ended it. There must be an entry and a time.
//
//go:noescape
func callTimes(entries *entry, size int, words *word, wordsSize, most int, goesOn, stop *uint64) (left int)
