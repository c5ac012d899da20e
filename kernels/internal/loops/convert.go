package loops

import "github.com/broadloom/broadloom/kernels/scalar"

// converted is the types between which Go converts as kernels do.
type converted interface {
	scalar.Element | ~int8 | ~uint16 | ~int16 | ~uint32 | ~uint64
}

// Convert is dst = x in another type, for the pairs of types that Go's conversion is right for: not from floating point
// to integers.
func Convert[To, From converted](dst []To, x []From) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = To(x[i])
	}
}

// Truncate32 is dst = x, truncated and saturated.
func Truncate32[T scalar.Float](dst []int32, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.ToInt32(float64(x[i]))
	}
}

// Truncate64 is dst = x, truncated and saturated.
func Truncate64[T scalar.Float](dst []int64, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.ToInt64(float64(x[i]))
	}
}
