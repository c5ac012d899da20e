package triangular

import (
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Number is what matrices are of.
type Number interface{ float32 | float64 }

const lineBytes = 64 // of a cache line, and of a strip of a row

// bytesOf is the size of a number.
func bytesOf[T Number]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// sideOf is how many numbers are in a cache line: matrices have a multiple of so many rows and columns.
func sideOf[T Number]() int { return lineBytes / bytesOf[T]() }

// Room returns memory for n numbers that lasts as long as a call.
func Room[T Number](memory Memory, n int) []T {
	words := memory.Floats((n*bytesOf[T]() + 7) / 8)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// fma is x*y + z, rounded once.
func fma[T Number](x, y, z T) T {
	if bytesOf[T]() == 4 {
		return T(scalar.FMA32(float32(x), float32(y), float32(z)))
	}
	return T(scalar.FMA64(float64(x), float64(y), float64(z)))
}

func abs[T Number](x T) T { return T(math.Abs(float64(x))) }

// sqrt is rounded once: a root that is rounded to float64 before has digits enough.
func sqrt[T Number](x T) T { return T(math.Sqrt(float64(x))) }

func isNaN[T Number](x T) bool { return math.IsNaN(float64(x)) }
