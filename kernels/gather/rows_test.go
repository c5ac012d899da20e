package gather

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// dense is the step on all rows, after a sum by index.
func dense(s *Rows[float32, int64], x, src []float32, index []int64) []float32 {
	sums := make([]float32, len(x))
	Scatter(Sum, s.Shape, sums, src, index, &Scratch{})
	result := make([]float32, len(x))
	for i, v := range sums {
		for _, f := range s.Factors {
			v = float32(v * f)
		}
		if s.Subtract {
			result[i] = x[i] - v
		} else {
			result[i] = x[i] + v
		}
	}
	return result
}

func sameBits(t *testing.T, want, got []float32) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		if math.Float32bits(w) != math.Float32bits(got[i]) && (w == w || got[i] == got[i]) {
			t.Fatalf("element %d: %v, want %v", i, got[i], w)
		}
	}
}

func TestAddRowsHasTheBitsOfAllRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some := []float32{0, float32(math.Copysign(0, -1)), 1, -1.5, float32(math.Inf(1)), float32(math.NaN()), 1e-40}
	number := func() float32 {
		if rng.IntN(3) == 0 {
			return some[rng.IntN(len(some))]
		}
		return float32(rng.NormFloat64())
	}
	var m Scratch
	for range 3000 {
		s := Shape{Outer: rng.IntN(3), Size: 1 + rng.IntN(6), Inner: rng.IntN(20), Count: rng.IntN(12)}
		x, src, index := make([]float32, s.Outer*s.Size*s.Inner), make([]float32, s.Outer*s.Count*s.Inner),
			make([]int64, s.Count)
		for i := range x {
			x[i] = number()
		}
		for i := range src {
			src[i] = number()
		}
		for i := range index {
			index[i] = int64(rng.IntN(s.Size))
		}
		rows := NewRows[float32, int64](s, rng.IntN(3), rng.IntN(2) == 0)
		for i := range rows.Factors {
			rows.Factors[i] = number()
		}
		want := dense(rows, x, src, index)
		require.Equal(t, -1, rows.Group(index))
		rows.AddNothing(x)
		half := s.Count / 2
		rows.Add(x, src, index, half, s.Count, &m)
		rows.Add(x, src, index, 0, half, &m)
		rows.Forget(index)
		sameBits(t, want, x)
		for _, first := range rows.first {
			require.Zero(t, first)
		}
	}
}

func TestGroupTellsWhichIndexIsOutside(t *testing.T) {
	for _, tt := range []struct {
		size  int
		index []int32
		bad   int
	}{{3, []int32{2, 3, -1}, 1}, {0, []int32{0}, 0}, {0, nil, -1}} {
		rows := NewRows[float64, int32](Shape{Outer: 1, Size: tt.size, Inner: 1, Count: len(tt.index)}, 0, false)
		require.Equal(t, tt.bad, rows.Group(tt.index))
		require.NotContains(t, rows.first, 1, "nothing is noted of indices that are refused")
	}
}
