package depthwise

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/scalar"
)

//go:generate go run ./gen

// loops are the innermost loops of a processor. Steps are in bytes.
type loops struct {
	width int // elements of a vector of conv
	// conv computes vectors of sums: y[i] = Σ w[k]·x[offsets[k]+i].
	conv func(*convArgs)
	// sums computes, by their number, sums of products of the elements of y with those of x, if masks are set.
	sums [mostSums + 1]func(*sumsArgs)
	// copyRows copies rows, splitRows separates even and odd elements into two rows, and joinRows interleaves them.
	// They may write up to slack elements past the end of a row: zeros if they come from there.
	copyRows, splitRows, joinRows func(*moveArgs)
	// direct has loops that read planes in place, by the numbers of the filter along each axis and the stride.
	direct map[[2]int]func(*directArgs)
}

// mostSums is the number of sums that have registers at a time.
const mostSums = 5

type convArgs struct {
	planes, vectors int
	x               unsafe.Pointer
	xPlane          int
	y               *float32
	yPlane          int
	//lint:ignore U1000 machine code keeps it here
	xNow, yNow uintptr // of the plane at hand
	offsets    *int
	w          *float32
	wPlane     int
	taps       int
}

type sumsArgs struct {
	planes, vectors int // of lanes elements
	x               unsafe.Pointer
	xPlane          int
	y               *float32
	yPlane          int
	//lint:ignore U1000 machine code keeps it here
	xNow, yNow uintptr // of the plane at hand
	offsets    *int
	sums       *float32
	sumsPlane  int
	masks      unsafe.Pointer // a word for each element, of bits that are all set or all clear
	//lint:ignore U1000 machine code keeps it here
	buffer [mostSums * lanes]float32
}

type moveArgs struct {
	planes, rows, n int            // n elements of a row, of both phases together
	from, next      unsafe.Pointer // of the first two rows
	fromRows        int            // to the row after the next
	fromPlane       int
	to              unsafe.Pointer
	toRow, toPlane  int
	other           int            // to elements of the other phase
	pieces          int            // of a row, but for the last
	mask            unsafe.Pointer // of the last piece
	// Of the current plane.
	//lint:ignore U1000 machine code keeps it here
	fromNow, nextNow, toNow uintptr
}

// current are the loops in use.
var current = ofMachine[cpu.Chosen()]

// plain has the loops in Go.
var plain = loops{width: lanes, conv: convPlain, sums: plainSums(), copyRows: copyRowsPlain, splitRows: splitRowsPlain,
	joinRows: joinRowsPlain}

// word is the float32 that is some bytes from another.
func word(from unsafe.Pointer, bytes int) *float32 { return (*float32)(unsafe.Add(from, bytes)) }

func convPlain(a *convArgs) {
	for p := range a.planes {
		y := unsafe.Slice(word(unsafe.Pointer(a.y), p*a.yPlane), a.vectors*lanes)
		w, offsets := unsafe.Slice(word(unsafe.Pointer(a.w), p*a.wPlane), a.taps), unsafe.Slice(a.offsets, a.taps)
		clear(y)
		for k, factor := range w {
			x := unsafe.Slice(word(a.x, p*a.xPlane+offsets[k]), len(y))
			for i := range y {
				y[i] = scalar.FMA32(x[i], factor, y[i])
			}
		}
	}
}

func plainSums() (f [mostSums + 1]func(*sumsArgs)) {
	for n := 1; n <= mostSums; n++ {
		f[n] = func(a *sumsArgs) { sumsPlain(a, n) }
	}
	return f
}

func sumsPlain(a *sumsArgs, n int) {
	offsets, masks := unsafe.Slice(a.offsets, n), unsafe.Slice((*uint32)(a.masks), a.vectors*lanes)
	for p := range a.planes {
		y, sums := unsafe.Slice(word(unsafe.Pointer(a.y), p*a.yPlane), len(masks)),
			unsafe.Slice(word(unsafe.Pointer(a.sums), p*a.sumsPlane), n)
		for k := range sums {
			x := unsafe.Slice(word(a.x, p*a.xPlane+offsets[k]), len(y))
			var s [lanes]float32
			for i, v := range y {
				factor := float32(0)
				if masks[i] != 0 {
					factor = x[i]
				}
				s[i%lanes] = scalar.FMA32(factor, v, s[i%lanes])
			}
			for half := lanes / 2; half > 0; half /= 2 {
				for i := range half {
					s[i] += s[i+half]
				}
			}
			sums[k] = s[0]
		}
	}
}

// eachRow calls a function with the source and the destination of each row.
func (a *moveArgs) eachRow(f func(from, to unsafe.Pointer)) {
	for p := range a.planes {
		for r := range a.rows {
			from := a.from
			if r%2 == 1 {
				from = a.next
			}
			f(unsafe.Add(from, p*a.fromPlane+r/2*a.fromRows), unsafe.Add(a.to, p*a.toPlane+r*a.toRow))
		}
	}
}

func copyRowsPlain(a *moveArgs) {
	a.eachRow(func(from, to unsafe.Pointer) {
		copy(unsafe.Slice((*float32)(to), a.n), unsafe.Slice((*float32)(from), a.n))
	})
}

func splitRowsPlain(a *moveArgs) {
	a.eachRow(func(from, to unsafe.Pointer) {
		for i := range a.n {
			*word(to, i%2*a.other+i/2*4) = *word(from, 4*i)
		}
	})
}

func joinRowsPlain(a *moveArgs) {
	a.eachRow(func(from, to unsafe.Pointer) {
		for i := range a.n {
			*word(to, 4*i) = *word(from, i%2*a.other+i/2*4)
		}
	})
}
