package gemm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows become columns for all sizes: those of the blocks, slightly larger ones, and smaller ones. Nothing around them
// is written.
func TestTransposition(t *testing.T) {
	t.Run("float32", checkTransposes[float32])
	t.Run("float64", checkTransposes[float64])
}

func checkTransposes[T float32 | float64](t *testing.T) {
	v := simdOf[T]()
	if v == nil {
		t.Skip("no loops for this processor")
	}
	sizes := []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 46, 67}
	const pitch, from, to = 70, 5, 3
	src, s := thirds[T](pitch*pitch+from), &Scratch[T]{}
	for _, rows := range sizes {
		for _, cols := range sizes {
			got, want := make([]T, pitch*pitch+to), make([]T, pitch*pitch+to)
			f := (&problem[T]{}).begin(v, region{}, s)
			f.transpose(transposition[T]{src: src, dst: got, from: from, to: to, srcRow: pitch, dstRow: pitch,
				rows: rows, cols: cols}, v.transposers)
			for r := range rows {
				for c := range cols {
					want[to+c*pitch+r] = src[from+r*pitch+c]
				}
			}
			require.Equal(t, want, got, "%d rows of %d", rows, cols)
		}
	}
}
