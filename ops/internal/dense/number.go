package dense

import (
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// Number is the type of a matrix's elements.
type Number = triangular.Number

// isSingle reports whether T is float32.
func isSingle[T Number]() bool {
	var x T
	return unsafe.Sizeof(x) == 4
}

// roundingOf is the machine epsilon: the distance from 1 to the next number.
func roundingOf[T Number]() float64 {
	if isSingle[T]() {
		return 0x1p-23
	}
	return epsilon
}

func abs[T Number](x T) T { return T(math.Abs(float64(x))) }

// widened returns numbers as float64, without a copy if they are float64.
func widened[T Number](memory Memory, x []T) []float64 {
	y, is := any(x).([]float64)
	if !is {
		y = memory.Floats(len(x))
		for i, v := range x {
			y[i] = float64(v)
		}
	}
	return y
}

// narrowed copies numbers into to, unless they are there already.
func narrowed[T Number](to []T, x []float64) {
	if y, is := any(to).([]float64); is && len(x) > 0 && &y[0] == &x[0] {
		return
	}
	for i, v := range x {
		to[i] = T(v)
	}
}

// isFinite reports whether all numbers are.
func isFinite[T Number](a []T) bool {
	for _, v := range a {
		if v*0 != 0 {
			return false
		}
	}
	return true
}
