//go:build !amd64

package gather

import "unsafe"

// uniting is rows that are added to others.
type uniting struct {
	to, from, index unsafe.Pointer
	count           int
	pitch, width    uintptr
	ahead           int
}

// addRows reports that there is no code that adds rows.
func addRows[T Number, I Index](*uniting) bool { return false }
