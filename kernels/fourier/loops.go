package fourier

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/fourier/internal/butterfly"
)

// The sizes of an element in bytes: its real parts, its imaginary ones, both.
const (
	partBytes    = 64
	elementBytes = 2 * partBytes
)

// float is the types of numbers.
type float interface{ float32 | float64 }

// lanesOf is the number of lanes of an element.
func lanesOf[T float]() int { return partBytes / int(unsafe.Sizeof(T(0))) }

const (
	factorKinds = 3 // of butterfly.Factors
	mostRadix   = 13
)

// loops are the innermost loops of a processor, for one type of numbers.
type loops struct {
	machineSteps
	transpose, part, partBack, join, joinBack func(*moveArgs)
}

// machineSteps are the steps of transforms.
type machineSteps struct {
	transforms [mostRadix + 1][factorKinds]func(*stepArgs) // by radix and butterfly.Factors
	// Steps of transforms of real numbers: with one factor for all lanes, or one for each.
	ofReal, toReal [2]func(*stepArgs)
}

// stepArgs are the elements that a step reads and writes. Distances are in bytes.
type stepArgs struct {
	x, y, factors unsafe.Pointer
	xStep, yStep  int // between operands, and between results
	inner, outer  int // how many steps follow each other, and how often, with other factors
	ySkip         int // to the results after the inner steps
	xMirror       unsafe.Pointer
	yMirror       unsafe.Pointer
	//lint:ignore U1000 machine code keeps values here
	spill [2 * mostRadix * partBytes]byte
}

// moveArgs are rows of numbers to copy. Distances are in bytes.
//
// If a matrix is transposed, even and odd rows have separate pointers, which advance by two rows; so do even and odd
// columns of the result. There are groups of vectorBytes, and a number of pieces of pieceBytes in each row.
//
// If complex numbers are separated into parts, or joined, a row is the numbers of an element, and two pointers are
// those of their parts.
type moveArgs struct {
	from, fromOther unsafe.Pointer
	fromStep        int
	to, toOther     unsafe.Pointer
	toStep          int
	rows, groups    int // for transposing, the pieces are rows
}

const (
	vectorBytes = 32
	pieceBytes  = 16
)

// stepKind says in what order a step visits elements.
type stepKind struct {
	factors         butterfly.Factors
	lanes, mirrored bool
}
