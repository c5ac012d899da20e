package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// TestPackedB expects the same bits as from B itself, for all of C and for parts of it, whether or not matrices of a
// batch share B.
func TestPackedB(t *testing.T) {
	t.Run("float32", testPackedB[float32])
	t.Run("float64", testPackedB[float64])
}

func testPackedB[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m, n, k := 1+r.IntN(40), 4+r.IntN(80), r.IntN(700) // fewer columns are those of a transpose, which reads B
		layout := r.IntN(layouts * layouts)                // C lies row by row
		var batch []int
		for range r.IntN(3) {
			batch = append(batch, 1+r.IntN(4))
		}
		p := product[T](r, m, n, k, layout, batch...)
		for axis := range batch { // which matrices share A or B
			p.StepA[axis] *= r.IntN(2)
			p.StepB[axis] *= r.IntN(2)
		}
		lo := r.IntN(p.Rows())
		hi, left := lo+1+r.IntN(p.Rows()-lo), r.IntN(n)
		t.Run(fmt.Sprint(m, n, k, layout, batch, lo, hi, left), func(t *testing.T) {
			var s Scratch[T]
			p.Run(&s)
			want, b := slices.Clone(p.C.Data), slices.Clone(p.B.Data)
			p.Packed = make([]T, p.PackedLen())
			if len(p.Packed) == 0 {
				t.Skip("nothing to pack")
			}
			p.PackB(p.Packed, &s)
			for i := range p.B.Data {
				p.B.Data[i] = T(math.NaN())
			}
			p.Run(&s)
			require.Equal(t, want, p.C.Data, "B itself is not read")
			copy(p.B.Data, b)
			p.RunPart(lo, hi, left, n, &s)
			require.Equal(t, want, p.C.Data, "a part")
		})
	}
}
