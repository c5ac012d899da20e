package exec

import "unsafe"

// hugePage is the size of the large pages that processors map at once, in bytes. An arena
// of at least this size begins at one, and asks the system for them: memory in small
// pages is a tenth slower to stream through.
const hugePage = 2 << 20

// alignedBytes gives memory whose first byte has an even address. It is the garbage
// collector's: results that a caller keeps keep it alive.
func alignedBytes(n int) []byte {
	unit := alignment
	if n >= hugePage {
		unit = hugePage
	}
	raw := make([]byte, n+unit)
	skip := (unit - int(uintptr(unsafe.Pointer(&raw[0]))%uintptr(unit))) % unit
	b := raw[skip : skip+n : skip+n]
	if n >= hugePage {
		adviseHugePages(b[:n/hugePage*hugePage])
	}
	return b
}
