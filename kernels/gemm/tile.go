package gemm

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// The size of the tile of C that stays in registers.
const (
	tileRows = 3
	tileCols = 2
)

// fma is a*b + c: rounded once in floating point.
func fma[T scalar.Number](a, b, c T) T {
	switch a := any(a).(type) {
	case float32:
		return T(scalar.FMA32(a, float32(b), float32(c)))
	case float64:
		return T(scalar.FMA64(a, float64(b), float64(c)))
	}
	return a*b + c
}

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
// from sums of zero. Pointers take the place of slices, whose lengths would take up
// registers.
func tile[T scalar.Number](k int, a, b []T, sums *[tileRows * tileCols]T) {
	var s00, s01, s10, s11, s20, s21 T
	_, _ = a[k*tileRows-1], b[k*tileCols-1]
	pa, pb := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	for ; k > 0; k-- {
		x, y := (*[tileRows]T)(pa), (*[tileCols]T)(pb)
		y0, y1 := y[0], y[1]
		x0 := x[0]
		s00 = fma(x0, y0, s00)
		s01 = fma(x0, y1, s01)
		x1 := x[1]
		s10 = fma(x1, y0, s10)
		s11 = fma(x1, y1, s11)
		x2 := x[2]
		s20 = fma(x2, y0, s20)
		s21 = fma(x2, y1, s21)
		pa = unsafe.Add(pa, unsafe.Sizeof(*x))
		pb = unsafe.Add(pb, unsafe.Sizeof(*y))
	}
	*sums = [...]T{s00, s01, s10, s11, s20, s21}
}
