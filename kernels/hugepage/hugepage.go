package hugepage

import "unsafe"

// Line is the size of a cache line, in bytes.
const Line = 64

// huge is the size of large pages, in bytes. Streaming through small pages takes 1.1 times as long, in some virtual
// machines 2 times, and there are 512 times as many page faults at first.
const huge = 2 << 20

// Make makes n elements of a type without pointers, all zero. The garbage collector owns the memory: a reference to a
// part of it keeps it alive. From a megabyte on it requests large pages from the system.
func Make[T any](n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes(n*int(unsafe.Sizeof(*new(T))))))), n)
}

func bytes(n int) []byte {
	memory, paged := room(n)
	if len(paged) > 0 {
		advise(paged)
	}
	return memory
}

// room returns n bytes, and the whole large pages that contain them; a small number of bytes has none.
func room(n int) (memory, paged []byte) {
	unit, size := Line, n
	if n >= huge/2 {
		unit, size = huge, (n+huge/2)/huge*huge // the nearest number of large pages
	}
	raw := make([]byte, max(n, size)+unit)
	skip := (unit - int(uintptr(unsafe.Pointer(&raw[0]))%uintptr(unit))) % unit
	if n >= huge/2 {
		paged = raw[skip : skip+size]
	}
	return raw[skip : skip+n : skip+n], paged
}
