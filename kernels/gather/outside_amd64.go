package gather

import (
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// anyOutside64 reports whether an index is not in 0..last. The count is a multiple of 16, and not 0.
//
//go:noescape
func anyOutside64(index unsafe.Pointer, count int, last int64) bool

// anyOutside32 reports whether an index is not in 0..last. The count is a multiple of 32, and not 0.
//
//go:noescape
func anyOutside32(index unsafe.Pointer, count int, last int32) bool

// mostChecked is how many indices are checked in one call: the garbage collector waits for its end.
const mostChecked = 1 << 16

// allInside returns how many of the first indices are known to be in 0..size-1.
func allInside[I Index](index []I, size int) (count int) {
	if cpu.Chosen() < cpu.AVX2 || size == 0 {
		return 0
	}
	isLong := unsafe.Sizeof(*new(I)) == 8
	for {
		more := min(len(index)-count, mostChecked) &^ 31
		if more == 0 {
			return count
		}
		first, bad := unsafe.Pointer(&index[count]), false
		if isLong {
			bad = anyOutside64(first, more, int64(size-1))
		} else {
			bad = anyOutside32(first, more, int32(min(size-1, math.MaxInt32)))
		}
		if bad {
			return count
		}
		count += more
	}
}
