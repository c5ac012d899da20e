package gather

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sums of rows of all widths are those of a loop over elements, in its order, however they are divided into parts.
func TestUniteRowsOfAllWidths(t *testing.T) {
	for inner := 1; inner <= 100; inner++ {
		uniteRowsOf[float32, int32](t, inner)
		uniteRowsOf[float32, int64](t, inner)
		uniteRowsOf[float64, int32](t, inner)
		uniteRowsOf[float64, int64](t, inner)
		uniteRowsOf[int64, int64](t, inner)
	}
	uniteRowsOf[float32, int64](t, 70_000) // of more bytes than are added in a call
}

func uniteRowsOf[T Number, I Index](t *testing.T, inner int) {
	r := rand.New(rand.NewPCG(uint64(inner), 1))
	s := Shape{Outer: 1, Size: 1 + r.IntN(9), Inner: inner, Count: r.IntN(40)}
	src, index := make([]T, s.Count*inner), make([]I, s.Count)
	for i := range src {
		src[i] = T(100 * r.NormFloat64())
	}
	for i := range index {
		index[i] = I(r.IntN(s.Size))
	}
	want := make([]T, s.Size*inner)
	for i, at := range index {
		for j := range inner {
			want[int(at)*inner+j] += src[i*inner+j]
		}
	}
	var m Scratch
	got := make([]T, s.Size*inner)
	for i := range got {
		got[i] = 7
	}
	require.Equal(t, -1, Scatter(Sum, s, got, src, index, &m))
	require.Equal(t, want, got, "%d columns", inner)
	cut, middle := r.IntN(s.Count+1), inner/2
	if inner < 2*shortRow {
		middle = 0 // short rows are united as a whole
	}
	for _, part := range [][2]int{{0, middle}, {middle, inner}} {
		if part[0] == part[1] {
			continue
		}
		Clear(Sum, s, got, part[0], part[1])
		Unite(Sum, s, got, src, index[:cut], part[0], part[1], &m)
		Unite(Sum, s, got, src[cut*inner:], index[cut:], part[0], part[1], &m)
	}
	require.Equal(t, want, got, "%d columns in parts", inner)
}
