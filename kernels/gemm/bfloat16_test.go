package gemm

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// bfloat16s makes some numbers, as their bits and as float32.
func bfloat16s(r *rand.Rand, n int) (f Factor, values []float32) {
	bits := make([]uint16, n+8)
	values = make([]float32, n)
	for i := range values {
		bits[i] = uint16(math.Float32bits(float32(r.NormFloat64())) >> 16)
		if r.IntN(500) == 0 {
			bits[i] = 0x7f80 // infinity
		}
		values[i] = math.Float32frombits(uint32(bits[i]) << 16)
	}
	return Factor{Type: FastBFloat16, Data: unsafe.Pointer(&bits[0]), Len: n}, values
}

// sumBFloat16 is the sum of products as MultipliesBFloat16 describes it.
func sumBFloat16(a, b []float32) (sum float32) {
	for len(a) > 0 {
		n := min(32, len(a))
		var halves [2]float32
		for k := range n {
			halves[k%2] = scalar.FMA32(a[k], b[k], halves[k%2])
		}
		sum += halves[0] + halves[1]
		a, b = a[n:], b[n:]
	}
	return sum
}

// Products of BFloat16 in tile registers have the sums that MultipliesBFloat16 describes, for elements at all places.
func TestProductsOfBFloat16(t *testing.T) {
	if !MultipliesBFloat16() {
		t.Skip("the processor has no such products")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][3]int{{1, 1, 1}, {5, 7, 3}, {33, 34, 70}, {64, 64, 64}, {70, 31, 1100}, {32, 40, 2048},
		{2, 70, 31}, {40, 1, 33}} {
		for layout := range 4 {
			m, n, k := c[0], c[1], c[2]
			a, x := bfloat16s(r, m*k)
			b, y := bfloat16s(r, k*n)
			p := Product[float32]{M: m, N: n, K: k, A: Matrix[float32]{Row: k, Col: 1},
				B: Matrix[float32]{Row: n, Col: 1}, FactorA: a, FactorB: b,
				C: Matrix[float32]{Data: make([]float32, m*n), Row: n, Col: 1}}
			if layout%2 == 1 {
				p.A.Row, p.A.Col = 1, m
			}
			if layout >= 2 {
				p.B.Row, p.B.Col = 1, k
			}
			require.NoError(t, p.Check())
			var s Scratch[float32]
			p.RunPart(0, m/2, 0, n, &s)
			p.RunPart(m/2, m, 0, n/3, &s)
			p.RunPart(m/2, m, n/3, n, &s)
			row, col := make([]float32, k), make([]float32, k)
			for i := range m {
				for j := range n {
					for l := range k {
						row[l], col[l] = x[i*p.A.Row+l*p.A.Col], y[l*p.B.Row+j*p.B.Col]
					}
					want, got := sumBFloat16(row, col), p.C.Data[i*n+j]
					if want != want && got != got {
						continue
					}
					require.Equal(t, want, got, "%v, layout %d: element %d, %d", c, layout, i, j)
				}
			}
		}
	}
}
