package loops

import "github.com/broadloom/broadloom/kernels/scalar"

// Neg is dst = -x.
func Neg[T scalar.Number](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = -x[i]
	}
}

// AbsInt is dst = |x| of integers; the least one is unchanged.
func AbsInt[T scalar.Integer](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], -x[i])
	}
}

// AbsFloat is dst = |x|.
func AbsFloat[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.AbsFloat(x[i])
	}
}

// Sqrt is dst = sqrt(x).
func Sqrt[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Sqrt(x[i])
	}
}

// Rsqrt is dst = 1 / sqrt(x).
func Rsqrt[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = 1 / scalar.Sqrt(x[i])
	}
}

// Recip is dst = 1 / x.
func Recip[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = 1 / x[i]
	}
}

// Floor is the greatest integer not above x.
func Floor[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Floor(x[i])
	}
}

// Ceil is the least integer not below x.
func Ceil[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Ceil(x[i])
	}
}

// Round is the nearest integer; of two, the even one.
func Round[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Round(x[i])
	}
}

// Trunc is x without its fraction.
func Trunc[T scalar.Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = scalar.Trunc(x[i])
	}
}

// Map applies f, for functions that are too long to have a loop.
func Map[To, From any](f func(From) To, dst []To, x []From) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = f(x[i])
	}
}
