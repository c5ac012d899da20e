package triangular

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/scalar"
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
	side        = 8 // matrices have a multiple of so many rows and columns
	mostStrips  = 3 // of side columns, of a block
	numberBytes = 8
)

// loops are the innermost loops of a processor. A block has so many rows, which divide side, and up to strips times side columns.
type loops struct {
	rows, strips int
	blocks       [modes][mostStrips]func(*blockArgs) // by strips, from 1 on
	// Along together rows, dots adds up their products with a vector, adds adds their multiples to another one, and both does both.
	dots, adds, both func(*rowsArgs)
}

// blockArgs are matrices, by their first elements and how far rows and columns are apart, in bytes. Of x and c, columns are neighbours. A system wants x to be what is before c.
type blockArgs struct {
	l             unsafe.Pointer
	lRow, lColumn int
	x             unsafe.Pointer
	xRow          int
	c             unsafe.Pointer
	cRow          int
	inner         int // columns of l, and rows of x
}

// current has the loops that are in use.
var current = ofMachine[cpu.Chosen()]

// plain has the loops in Go.
var plain = func() loops {
	l := loops{rows: side, strips: 1, dots: dotsPlain, adds: addsPlain, both: func(a *rowsArgs) { dotsPlain(a); addsPlain(a) }}
	for m := range modes {
		l.blocks[m][0] = func(a *blockArgs) { blockPlain(a, m) }
	}
	return l
}()

func number(from unsafe.Pointer, bytes int) *float64 { return (*float64)(unsafe.Add(from, bytes)) }

func rowAt(from unsafe.Pointer, bytes int) []float64 {
	return unsafe.Slice(number(from, bytes), side)
}

func blockPlain(a *blockArgs, m mode) {
	for r := range side {
		c := rowAt(a.c, r*a.cRow)
		count := a.inner
		if m != less {
			count += r
		}
		for k := range count {
			factor := -*number(a.l, r*a.lRow+k*a.lColumn)
			from := a.x
			at := k * a.xRow
			if k >= a.inner {
				from, at = a.c, (k-a.inner)*a.cRow
			}
			for i, v := range rowAt(from, at) {
				c[i] = scalar.FMA64(factor, v, c[i])
			}
		}
		if m == solved {
			by := *number(a.l, r*a.lRow+(a.inner+r)*a.lColumn)
			for i := range c {
				c[i] /= by
			}
		}
	}
}
