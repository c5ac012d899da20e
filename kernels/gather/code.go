package gather

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// Args are the arguments of code that takes or puts slices: see [TakeCode] and [PutCode].
type Args struct {
	// Operands are the addresses of the values, the indices and the slices that are taken; or of the values, the
	// indices, the slices that are put, and the result, which may be the values themselves.
	Operands [4]uintptr
	// Outer, Size and Count are those of [Shape], Slice is the bytes of a slice, and Whole those of all values.
	Outer, Size, Count, Slice, Whole int
	// IndexSize is the bytes of an index, 4 or 8.
	IndexSize int
	// Bad becomes the position of the first index outside 0..Size-1, counted from 1, and the word that Stop points to
	// becomes 1. Nothing is copied then.
	Bad  int
	Stop *uint64
}

// TakeCode is the address of machine code for [Take], which takes the address of [Args] in RDI; nil if there is none.
func TakeCode() unsafe.Pointer { take, _ := code(); return take }

// PutCode is the address of machine code that copies the values, if the result is elsewhere, and then does the work of
// [Put]; nil if there is none. Indices have 8 bytes.
func PutCode() unsafe.Pointer { _, put := code(); return put }

// code returns the addresses of both.
func code() (taking, putting unsafe.Pointer) {
	if cpu.Chosen() == cpu.Portable {
		return nil, nil
	}
	return addresses()
}
