package loops

import "github.com/broadloom/broadloom/kernels/scalar"

// Add is dst = x + y.
func Add[T scalar.Number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// AddScalar is dst = x + y.
func AddScalar[T scalar.Number](dst, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y
	}
}

// Sub is dst = x - y.
func Sub[T scalar.Number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

// SubScalar is dst = x - y.
func SubScalar[T scalar.Number](dst, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y
	}
}

// ScalarSub is dst = x - y.
func ScalarSub[T scalar.Number](dst []T, x T, y []T) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x - y[i]
	}
}

// Mul is dst = x * y.
func Mul[T scalar.Number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// MulScalar is dst = x * y.
func MulScalar[T scalar.Number](dst, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y
	}
}

// Div is dst = x / y of floating point.
func Div[T scalar.Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

// DivScalar is dst = x / y of floating point.
func DivScalar[T scalar.Float](dst, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y
	}
}

// ScalarDiv is dst = x / y of floating point.
func ScalarDiv[T scalar.Float](dst []T, x T, y []T) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x / y[i]
	}
}

// Max is the greater of x and y.
func Max[T scalar.Number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

// MaxScalar is the greater of x and y.
func MaxScalar[T scalar.Number](dst, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y)
	}
}

// Min is the lesser of x and y.
func Min[T scalar.Number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

// MinScalar is the lesser of x and y.
func MinScalar[T scalar.Number](dst, x []T, y T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y)
	}
}

// Map2 applies f, for primitives of two values that are too long to have a loop.
func Map2[T scalar.Number](f func(x, y T) T, dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = f(x[i], y[i])
	}
}
