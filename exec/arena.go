package exec

import "unsafe"

// hugePage is the size of the large pages that processors map at once, in bytes. Memory of
// at least this size begins at one, and the system is asked for them: small pages are a
// tenth slower to stream through, and there are 512 times as many to be touched first.
const hugePage = 2 << 20

// alignedBytes gives memory whose first byte has an even address. It is the garbage
// collector's: results that a caller keeps keep it alive.
func alignedBytes(n int) []byte {
	unit, size := alignment, n
	if n >= hugePage {
		unit, size = hugePage, (n+hugePage/2)/hugePage*hugePage // the nearest number of large pages
	}
	raw := make([]byte, max(n, size)+unit)
	skip := (unit - int(uintptr(unsafe.Pointer(&raw[0]))%uintptr(unit))) % unit
	if n >= hugePage {
		adviseHugePages(raw[skip : skip+size])
	}
	return raw[skip : skip+n : skip+n]
}
