package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/half"
)

// halves rounds the elements of a matrix to a type of 16 bits, and returns them as a factor. A few are the smallest,
// the largest and the special values of the type.
func halves(r *rand.Rand, m *Matrix[float32], t Type, odd bool) Factor {
	bits := make([]uint16, len(m.Data))
	for i := range bits {
		switch {
		case odd && r.IntN(300) == 0:
			bits[i] = uint16(r.Uint32())
		case t == Float16:
			bits[i] = uint16(half.NewFloat16(m.Data[i]))
		default:
			bits[i] = uint16(half.NewBFloat16(m.Data[i]))
		}
	}
	f := Factor{Type: t, Data: unsafe.Pointer(&bits[0]), Len: len(bits)}
	for i := range m.Data {
		m.Data[i] = f.float32At(i)
	}
	return f
}

// withHalves makes a product with some factors of 16 bits, and one with the same numbers in float32.
func withHalves(r *rand.Rand, p *Product[float32], which int, odd bool) (narrow, wide *Product[float32]) {
	types := []Type{Float16, BFloat16}
	q := *p
	q.C.Data = slices.Clone(p.C.Data)
	if which%3 != 1 {
		q.FactorA = halves(r, &p.A, types[r.IntN(2)], odd)
		q.A.Data = nil
	}
	if which%3 != 2 {
		t := types[r.IntN(2)]
		if which%3 == 0 {
			t = q.FactorA.Type
		}
		q.FactorB = halves(r, &p.B, t, odd)
		q.B.Data = nil
	}
	return &q, p
}

// Factors of 16 bits have the sums of the same factors in float32, in all layouts, in parts and packed in advance.
func TestFactorsOfHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Scratch[float32]
	for i, size := range [][3]int{{1, 1, 1}, {1, 40, 9}, {1, 33, 1100}, {3, 2, 33}, {5, 70, 31}, {17, 70, 130},
		{40, 33, 1024}, {70, 1, 1030}, {9, 41, 1100}, {30, 64, 2050}, {130, 97, 65}, {300, 40, 1200}} {
		for layout := range layouts * layouts * 2 {
			for which := range 3 {
				p := product[float32](r, size[0], size[1], size[2], layout, []int{2}[:layout/3%2]...)
				p.Add = i%2 == 1 && layout%5 == 0
				narrow, wide := withHalves(r, p, which, layout%2 == 0)
				require.NoError(t, narrow.Check())
				want := whole(t, wide, &s)
				begun := slices.Clone(narrow.C.Data)
				narrow.Run(&s)
				requireBits(t, want, narrow)
				if narrow.Add {
					continue
				}
				copy(narrow.C.Data, begun)
				lo, left := r.IntN(narrow.Rows()), r.IntN(narrow.N)
				narrow.RunPart(0, lo, 0, narrow.N, &s)
				narrow.RunPart(lo, narrow.Rows(), left, narrow.N, &s)
				narrow.RunPart(lo, narrow.Rows(), 0, left, &s)
				requireBits(t, want, narrow)
				if n := narrow.PackedLen(); n > 0 {
					narrow.Packed = make([]float32, n)
					narrow.PackB(narrow.Packed, &s)
					copy(narrow.C.Data, begun)
					narrow.Run(&s)
					requireBits(t, want, narrow)
					narrow.Packed = nil
				}
			}
		}
	}
}

// So do those whose sums are computed in parts.
func TestPartsOfHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s Scratch[float32]
	for _, size := range [][3]int{{1, 40, 9}, {3, 2, 33}, {17, 70, 130}, {9, 41, 1100}, {30, 64, 2050}} {
		for layout := range layouts * layouts {
			p, wide := withHalves(r, product[float32](r, size[0], size[1], size[2], layout), layout, layout%2 == 1)
			want := whole(t, wide, &s)
			runInParts(r, p, &s)
			for i := range p.M {
				for j := range p.N {
					at := p.C.Start + i*p.C.Row + j*p.C.Col
					if want[at] != p.C.Data[at] && (want[at] == want[at] || p.C.Data[at] == p.C.Data[at]) {
						require.Equal(t, want[at], p.C.Data[at], "%v, layout %d, element %d, %d", size, layout, i, j)
					}
				}
			}
		}
	}
}

// And windows of an image of 16 bits.
func TestWindowsOfHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s Scratch[float32]
	for i, c := range [][6]int{{6, 1, 28, 28, 5, 1}, {1, 3, 9, 9, 3, 1}, {64, 30, 17, 23, 3, 1}, {13, 5, 19, 31, 3, 2},
		{7, 2, 8, 8, 1, 3}, {300, 4, 7, 7, 3, 1}} {
		for which := range 6 {
			rows, cols := windows(c[1], c[2], c[3], c[4], c[5])
			if which >= 3 {
				rows, cols = cols, rows
			}
			p := product[float32](r, c[0], len(cols), len(rows), i%2)
			p.B = Matrix[float32]{Data: make([]float32, c[1]*c[2]*c[3])}
			for k := range p.B.Data {
				p.B.Data[k] = float32(r.NormFloat64())
			}
			p.SetOffsets(rows, cols)
			narrow, wide := withHalves(r, p, which, which%2 == 0)
			narrow.Run(&s)
			wide.Run(&s)
			requireBits(t, wide.C.Data, narrow)
		}
	}
}

// Products of bfloat16 have the sums of float32, even if instructions for pairs would treat subnormal numbers as zeros,
// and if numbers are just too large for subnormal products. Infinities and NaN are right too.
func TestPairsOfBFloat16(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var s Scratch[float32]
	for i, size := range [][3]int{{1, 40, 9}, {5, 70, 31}, {17, 70, 130}, {4, 33, 1024}, {300, 37, 15},
		{20, 70, 1100}} {
		for _, scale := range []float64{-133, -120, -74, -66, -62, -60, -58, -57, -56, -55, -54, -50, 0, 60, 63, 120} {
			for layout := range layouts {
				p := product[float32](r, size[0], size[1], size[2], layout*5+i)
				odd := layout == 0
				spread := func(m *Matrix[float32]) {
					for k := range m.Data {
						m.Data[k] = float32(math.Ldexp(float64(m.Data[k]), int(scale)-6-r.IntN(5*(i%3)+1)))
						switch {
						case r.IntN(50) == 0:
							m.Data[k] = 0
						case odd && r.IntN(200) == 0:
							m.Data[k] = float32(math.Inf(1 - r.IntN(2)*2))
						}
					}
				}
				spread(&p.A)
				spread(&p.B)
				q := *p
				q.FactorA, q.FactorB = halves(r, &p.A, BFloat16, false), halves(r, &p.B, BFloat16, false)
				want := expected(t, p)
				q.C.Data = slices.Clone(p.C.Data)
				q.Run(&s)
				requireBits(t, want, &q)
			}
		}
	}
}
