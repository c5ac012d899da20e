package triangular

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
)

//go:generate go run ./gen

// mode is what rows of a block become.
type mode int

const (
	less   mode = iota // less the products of rows of l with columns of x
	solved             // that, and the solution of the system of the triangle behind those rows of l
	unit               // that, where the diagonal counts as ones
	modes
)

const (
	mostStrips = 3 // of side columns, of a block
)

// loops are the innermost loops of a processor for one type of numbers. A block has so many rows, which divide side,
// and up to strips times side columns.
type loops struct {
	rows, strips int
	blocks       [modes][mostStrips]func(*blockArgs) // by strips, from 1 on
	// Along together rows, dots adds up their products with a vector, adds adds their multiples to another one, and
	// both does both.
	dots, adds, both func(*rowsArgs)
}

// blockArgs are matrices, by their first elements and how far rows and columns are apart, in bytes. Of x and c, columns
// are neighbours. A system wants x to be what is before c.
type blockArgs struct {
	l             unsafe.Pointer
	lRow, lColumn int
	x             unsafe.Pointer
	xRow          int
	c             unsafe.Pointer
	cRow          int
	inner         int // columns of l, and rows of x
}

// both are the loops for float32 and for float64.
type both struct{ of32, of64 loops }

// current has the loops that are in use.
var current = ofMachine[cpu.Chosen()]

// loopsOf are those in use for a type.
func loopsOf[T Number]() *loops {
	if bytesOf[T]() == 4 {
		return &current.of32
	}
	return &current.of64
}

// plain has the loops in Go.
var plain = both{plainLoops[float32](), plainLoops[float64]()}

func plainLoops[T Number]() loops {
	l := loops{rows: sideOf[T](), strips: 1, dots: dotsPlain[T], adds: addsPlain[T], both: func(a *rowsArgs) {
		dotsPlain[T](a)
		addsPlain[T](a)
	}}
	for m := range modes {
		l.blocks[m][0] = func(a *blockArgs) { blockPlain[T](a, m) }
	}
	return l
}

func number[T Number](from unsafe.Pointer, bytes int) *T { return (*T)(unsafe.Add(from, bytes)) }

func rowAt[T Number](from unsafe.Pointer, bytes int) []T {
	return unsafe.Slice(number[T](from, bytes), sideOf[T]())
}

func blockPlain[T Number](a *blockArgs, m mode) {
	for r := range sideOf[T]() {
		c := rowAt[T](a.c, r*a.cRow)
		count := a.inner
		if m != less {
			count += r
		}
		for k := range count {
			factor := -*number[T](a.l, r*a.lRow+k*a.lColumn)
			from := a.x
			at := k * a.xRow
			if k >= a.inner {
				from, at = a.c, (k-a.inner)*a.cRow
			}
			for i, v := range rowAt[T](from, at) {
				c[i] = fma(factor, v, c[i])
			}
		}
		if m == solved {
			by := *number[T](a.l, r*a.lRow+(a.inner+r)*a.lColumn)
			for i := range c {
				c[i] /= by
			}
		}
	}
}
