package loops

import "github.com/broadloom/broadloom/kernels/scalar"

// Logical is the types of bitwise operations; a Bool is the byte 0 or 1.
type Logical interface{ scalar.Integer | ~uint8 }

// And is dst = x & y.
func And[T Logical](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] & y[i]
	}
}

// Or is dst = x | y.
func Or[T Logical](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] | y[i]
	}
}

// Xor is dst = x ^ y.
func Xor[T Logical](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] ^ y[i]
	}
}

// XorScalar is dst = x ^ y.
func XorScalar[T Logical](dst, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] ^ y
	}
}

// Bits is the unsigned types that represent elements of each size.
type Bits interface {
	uint8 | uint16 | uint32 | uint64
}

// Select is x if ok, else y.
func Select[T Bits](dst []T, ok []uint8, x, y []T) {
	ok, x, y = ok[:len(dst)], x[:len(dst)], y[:len(dst)]
	for i := range dst {
		v := y[i]
		if ok[i] != 0 { // compiled without a branch, since v is an integer
			v = x[i]
		}
		dst[i] = v
	}
}
