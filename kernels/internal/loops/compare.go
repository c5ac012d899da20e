package loops

import "github.com/broadloom/broadloom/kernels/scalar"

// Lt is dst = x < y.
func Lt[T scalar.Element](dst []uint8, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] < y[i])
	}
}

// LtScalar is dst = x < y.
func LtScalar[T scalar.Element](dst []uint8, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] < y)
	}
}

// Le is dst = x <= y.
func Le[T scalar.Element](dst []uint8, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] <= y[i])
	}
}

// LeScalar is dst = x <= y.
func LeScalar[T scalar.Element](dst []uint8, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] <= y)
	}
}

// GtScalar is dst = x > y.
func GtScalar[T scalar.Element](dst []uint8, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] > y)
	}
}

// GeScalar is dst = x >= y.
func GeScalar[T scalar.Element](dst []uint8, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] >= y)
	}
}

// Eq is dst = x == y.
func Eq[T scalar.Element](dst []uint8, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] == y[i])
	}
}

// EqScalar is dst = x == y.
func EqScalar[T scalar.Element](dst []uint8, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] == y)
	}
}

// Ne is dst = x != y.
func Ne[T scalar.Element](dst []uint8, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] != y[i])
	}
}

// NeScalar is dst = x != y.
func NeScalar[T scalar.Element](dst []uint8, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Truth(x[i] != y)
	}
}
