package gemm

import (
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// The size of the tile of C that stays in registers.
const (
	tileRows = 3
	tileCols = 2
)

// sumsOfTile are the sums of a tile, row by row.
type sumsOfTile[T any] [tileRows * tileCols]T

// plain holds the innermost loops in plain Go.
type plain[T scalar.Number] struct {
	// tile multiplies a panel of A by a panel of B, k ≥ 1 steps:
	//
	//	for p := range k {
	//		for r := range tileRows {
	//			for c := range tileCols {
	//				sums[r*tileCols+c] = fma(a[p*tileRows+r], b[p*tileCols+c], sums[r*tileCols+c])
	//			}
	//		}
	//	}
	//
	// A pointer advances one step past the last one, but is not used there.
	tile func(k int, a, b []T, sums *sumsOfTile[T])
	// addRow adds a row times a factor to sums.
	addRow func(x T, row, sums []T)
}

var (
	plainF32 = choosePlain()
	plainF64 = plain[float64]{tileF64, addRowF64}
	plainI32 = plain[int32]{tile[int32], addRow[int32]}
	plainI64 = plain[int64]{tile[int64], addRow[int64]}
)

// inPlain returns the loops for a type of elements.
func inPlain[T scalar.Number]() *plain[T] {
	for _, p := range []any{&plainF32, &plainF64, &plainI32, &plainI64} {
		if p, ok := p.(*plain[T]); ok {
			return p
		}
	}
	panic("gemm: no loops for a type of elements")
}

// choosePlain returns the loops for float32. Go has no fused multiply-add of that type, but on many processors it fuses
// a product and a sum. If it does so everywhere, the generic loops suffice.
func choosePlain() plain[float32] {
	if p := (plain[float32]{tile[float32], addRow[float32]}); roundsOnce(p) {
		return p
	}
	return plain[float32]{tileF32, addRowF32}
}

// roundsOnce reports whether no product is rounded before it is added to a sum. The test is a product that needs one
// bit more than there are, after products that cancel all the others.
func roundsOnce(p plain[float32]) bool {
	const u = 1.0 / (1 << 12)
	const x, first = 1 + u, -(1 + 2*u)
	a, b := [9]float32{first, first, first, x, x, x}, [6]float32{1, 1, x, x} // and a step more
	var sums sumsOfTile[float32]
	p.tile(2, a[:], b[:], &sums)
	row := []float32{first, first, first}
	p.addRow(x, []float32{x, x, x}, row)
	for _, sum := range append(row, sums[:]...) {
		if sum != u*u {
			return false
		}
	}
	return true
}

// tile is the loop for types or processors with a fused product and sum. Here and below, pointers replace slices, whose
// lengths would take up registers.
func tile[T scalar.Number](k int, a, b []T, sums *sumsOfTile[T]) {
	s00, s01, s10, s11, s20, s21 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
	_, _ = a[k*tileRows-1], b[k*tileCols-1]
	pa, pb := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	for ; k > 0; k-- {
		x, y := (*[tileRows]T)(pa), (*[tileCols]T)(pb)
		x0, x1, x2, y0, y1 := x[0], x[1], x[2], y[0], y[1]
		s00 += x0 * y0
		s01 += x0 * y1
		s10 += x1 * y0
		s11 += x1 * y1
		s20 += x2 * y0
		s21 += x2 * y1
		pa = unsafe.Add(pa, unsafe.Sizeof(*x))
		pb = unsafe.Add(pb, unsafe.Sizeof(*y))
	}
	*sums = sumsOfTile[T]{s00, s01, s10, s11, s20, s21}
}

// addRow is the loop for such types.
func addRow[T scalar.Number](x T, row, sums []T) {
	row = row[:len(sums)]
	for i := range sums {
		sums[i] += x * row[i]
	}
}

// tileF64 is tile with Go's fused multiply-add of float64.
func tileF64(k int, a, b []float64, sums *sumsOfTile[float64]) {
	s00, s01, s10, s11, s20, s21 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
	_, _ = a[k*tileRows-1], b[k*tileCols-1]
	pa, pb := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	for ; k > 0; k-- {
		x, y := (*[tileRows]float64)(pa), (*[tileCols]float64)(pb)
		x0, x1, x2, y0, y1 := x[0], x[1], x[2], y[0], y[1]
		s00 = math.FMA(x0, y0, s00)
		s01 = math.FMA(x0, y1, s01)
		s10 = math.FMA(x1, y0, s10)
		s11 = math.FMA(x1, y1, s11)
		s20 = math.FMA(x2, y0, s20)
		s21 = math.FMA(x2, y1, s21)
		pa = unsafe.Add(pa, unsafe.Sizeof(*x))
		pb = unsafe.Add(pb, unsafe.Sizeof(*y))
	}
	*sums = sumsOfTile[float64]{s00, s01, s10, s11, s20, s21}
}

func addRowF64(x float64, row, sums []float64) {
	row = row[:len(sums)]
	for i := range sums {
		sums[i] = math.FMA(x, row[i], sums[i])
	}
}

// tileF32 is [scalar.FMA32] at each step, with the sums in float64.
func tileF32(k int, a, b []float32, sums *sumsOfTile[float32]) {
	s00, s01, s10 := float64(sums[0]), float64(sums[1]), float64(sums[2])
	s11, s20, s21 := float64(sums[3]), float64(sums[4]), float64(sums[5])
	_, _ = a[k*tileRows-1], b[k*tileCols-1]
	pa, pb := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	for ; k > 0; k-- {
		x, y := (*[tileRows]float32)(pa), (*[tileCols]float32)(pb)
		x0, x1, x2, y0, y1 := float64(x[0]), float64(x[1]), float64(x[2]), float64(y[0]), float64(y[1])
		t00, t01 := x0*y0+s00, x0*y1+s01
		t10, t11 := x1*y0+s10, x1*y1+s11
		t20, t21 := x2*y0+s20, x2*y1+s21
		twice := scalar.RoundsTwiceBit(t00) | scalar.RoundsTwiceBit(t01) | scalar.RoundsTwiceBit(t10) |
			scalar.RoundsTwiceBit(t11) | scalar.RoundsTwiceBit(t20) | scalar.RoundsTwiceBit(t21)
		if twice>>63 != 0 {
			t00, t01 = scalar.SumToOdd(x0*y0, s00), scalar.SumToOdd(x0*y1, s01)
			t10, t11 = scalar.SumToOdd(x1*y0, s10), scalar.SumToOdd(x1*y1, s11)
			t20, t21 = scalar.SumToOdd(x2*y0, s20), scalar.SumToOdd(x2*y1, s21)
		}
		s00, s01 = float64(float32(t00)), float64(float32(t01))
		s10, s11 = float64(float32(t10)), float64(float32(t11))
		s20, s21 = float64(float32(t20)), float64(float32(t21))
		pa = unsafe.Add(pa, unsafe.Sizeof(*x))
		pb = unsafe.Add(pb, unsafe.Sizeof(*y))
	}
	*sums = sumsOfTile[float32]{float32(s00), float32(s01), float32(s10), float32(s11), float32(s20), float32(s21)}
}

// addRowF32 is [scalar.FMA32] for each element, which is too long to be inlined.
func addRowF32(x float32, row, sums []float32) {
	row = row[:len(sums)]
	for i := range sums {
		p, c := float64(x)*float64(row[i]), float64(sums[i])
		s := p + c
		if scalar.RoundsTwice(s) {
			s = scalar.SumToOdd(p, c)
		}
		sums[i] = float32(s)
	}
}
