package scalar

import "unsafe"

// Number is the arithmetic element types.
type Number interface{ Integer | Float }

// Integer is the integer element types.
type Integer interface{ ~int32 | ~int64 }

// Float is the floating-point element types.
type Float interface{ ~float32 | ~float64 }

// Element is all element types; a Bool is the byte 0 or 1.
type Element interface{ Number | ~uint8 }

// Bits returns an element's bits, zero-extended.
func Bits[T Element](v T) uint64 {
	switch unsafe.Sizeof(v) {
	case 1:
		return uint64(*(*uint8)(unsafe.Pointer(&v)))
	case 4:
		return uint64(*(*uint32)(unsafe.Pointer(&v)))
	}
	return *(*uint64)(unsafe.Pointer(&v))
}

// From makes an element from its bits.
func From[T Element](bits uint64) T {
	var v T
	switch unsafe.Sizeof(v) {
	case 1:
		*(*uint8)(unsafe.Pointer(&v)) = uint8(bits)
	case 4:
		*(*uint32)(unsafe.Pointer(&v)) = uint32(bits)
	default:
		*(*uint64)(unsafe.Pointer(&v)) = bits
	}
	return v
}

// Truth is the element of a Bool.
func Truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
