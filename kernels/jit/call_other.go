//go:build !amd64 && !arm64

package jit

import "unsafe"

func call(_, _ unsafe.Pointer) { panic("jit: not on this processor") }

func callEach(*entry, int) { panic("jit: not on this processor") }

func callTimes(*entry, int, *word, int, int, *uint64, *uint64) int {
	panic("jit: not on this processor")
}
