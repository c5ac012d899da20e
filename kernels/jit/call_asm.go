//go:build amd64 || arm64

package jit

import "unsafe"

// call calls machine code with the address of its arguments in RDI, or the register that replaces it.
//
//go:noescape
func call(code, args unsafe.Pointer)

// callEach calls, in order, the code of entries that take up size bytes. There must be at least one.
//
//go:noescape
func callEach(entries *entry, size int)

// callTimes calls the code of entries that take up size bytes most times, and after each time changes words that take
// up wordsSize bytes. It ends early if the Bool at the address in goesOn is false after a time, or if stop is not 0
// after an entry, before words are changed. It returns how many times are left, or the complement if the Bool has ended
// it. There must be at least one entry and one time.
//
//go:noescape
func callTimes(entries *entry, size int, words *word, wordsSize, most int, goesOn, stop *uint64) (left int)
