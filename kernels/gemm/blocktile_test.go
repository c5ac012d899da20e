package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Some rows by columns of blocks have the bits of the same product of float32: with panels and tiles of words, in
// blocks of K that begin and end within blocks of a scale, and in parts.
func TestRowsByWords(t *testing.T) {
	for _, k := range []int{32, 160, 1056, 2080} {
		rowsByWords(t, k, 32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33)
	}
	rowsByWords(t, 2*wholeSum, 128, 3, 40)
	rowsByWords(t, 48, 16, 2, 6)
	rowsByWords(t, 24, 8, 2, 6, 20)
}

// rowsByWords multiplies rows by columns of blocks, of all types, a panel wide and more.
func rowsByWords(t *testing.T, k, block int, rows ...int) {
	r := rand.New(rand.NewPCG(7, 8))
	var s Scratch[float32]
	cols := 16
	if v := simdOf[float32](); v != nil {
		cols = v.cols
	}
	for _, m := range rows {
		for i, of := range typesOfBlocks {
			n := []int{cols, 2*cols + 5, 3 * cols, cols + cols/2}[(i+m)%4]
			numbers := func(count int) []float32 {
				data := make([]float32, count)
				for i := range data {
					data[i] = float32(r.NormFloat64())
				}
				return data
			}
			step := k + m%2*block
			wide := &Product[float32]{M: m, N: n, K: k, Add: m%3 == 0,
				A: Matrix[float32]{Data: numbers(m * (k + 3)), Row: k + 3, Col: 1},
				B: Matrix[float32]{Data: make([]float32, (n+1)*step), Start: m % 2 * block, Row: 1, Col: step},
				C: Matrix[float32]{Data: numbers(m * (n + 2)), Row: n + 2, Col: 1}}
			narrow := *wide
			narrow.FactorB, narrow.B.Data = scaledBlocks(r, &wide.B, block, of), nil
			narrow.C.Data = slices.Clone(wide.C.Data)
			require.NoError(t, narrow.Check())
			begun := slices.Clone(wide.C.Data)
			wide.Run(&s)
			narrow.Run(&s)
			about := fmt.Sprintf("%d×%d×%d, type %d, blocks of %d", m, n, k, of, block)
			require.Equal(t, wide.C.Data, narrow.C.Data, about)
			copy(narrow.C.Data, begun)
			row, col := r.IntN(m), r.IntN(n)
			narrow.RunPart(0, row, 0, n, &s)
			narrow.RunPart(row, m, col, n, &s)
			narrow.RunPart(row, m, 0, col, &s)
			require.Equal(t, wide.C.Data, narrow.C.Data, about)
		}
	}
}
