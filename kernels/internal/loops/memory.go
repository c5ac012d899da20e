package loops

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Fill sets all elements to v.
func Fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// Gather copies elements that are stride apart, from src on.
func Gather[T any](dst []T, src unsafe.Pointer, stride int) {
	step := stride * int(unsafe.Sizeof(dst[0]))
	for i := range dst {
		dst[i] = *(*T)(unsafe.Add(src, i*step))
	}
}

// Scatter copies elements to places that are stride apart, from dst on.
func Scatter[T any](dst unsafe.Pointer, stride int, src []T) {
	step := stride * int(unsafe.Sizeof(src[0]))
	for i, v := range src {
		*(*T)(unsafe.Add(dst, i*step)) = v
	}
}

// Pick copies the elements from src on at the indices, and the first one for indices that are not in 0..limit-1.
func Pick[T Bits, I int32 | int64](dst []T, src unsafe.Pointer, index []I, limit I) {
	size := unsafe.Sizeof(T(0))
	index = index[:len(dst)]
	for i, at := range index {
		if at < 0 || at >= limit {
			at = 0
		}
		dst[i] = *(*T)(unsafe.Add(src, uintptr(at)*size))
	}
}

// Count sets the elements to first, first+1, ….
func Count(dst []int64, first int64) {
	for i := range dst {
		dst[i] = first + int64(i)
	}
}

// FillStrided sets n elements that are stride apart, from dst on, to v.
func FillStrided[T any](dst unsafe.Pointer, stride, n int, v T) {
	step := stride * int(unsafe.Sizeof(v))
	for i := range n {
		*(*T)(unsafe.Add(dst, i*step)) = v
	}
}

// Load reads the bits of an element.
func Load(t rowprog.Type, p unsafe.Pointer) uint64 {
	switch t.Size() {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// Store writes the bits of an element.
func Store(t rowprog.Type, p unsafe.Pointer, bits uint64) {
	switch t.Size() {
	case 1:
		*(*uint8)(p) = uint8(bits)
	case 2:
		*(*uint16)(p) = uint16(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
}
