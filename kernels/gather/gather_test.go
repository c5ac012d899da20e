package gather_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/gather"
)

func TestTakeRows(t *testing.T) {
	src := []float32{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}
	dst := make([]float32, 8)
	bad := gather.Take(gather.Shape{Outer: 2, Size: 3, Inner: 2, Count: 2}, dst, src, []int64{2, 0})
	require.Equal(t, -1, bad)
	require.Equal(t, []float32{20, 21, 0, 1, 120, 121, 100, 101}, dst)
}

func TestScatterAddRepeatedIndex(t *testing.T) {
	dst := []float64{9, 9, 9}
	bad := gather.ScatterAdd(gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 4}, dst, []float64{1, 2, 3, 4}, []int32{2, 0, 2, 2})
	require.Equal(t, -1, bad)
	require.Equal(t, []float64{2, 0, 8}, dst)
}

func TestUniteRepeatedIndex(t *testing.T) {
	nan := float32(math.NaN())
	s, src, index := gather.Shape{Outer: 1, Size: 4, Inner: 1, Count: 5}, []float32{3, nan, 5, 4, 2}, []int64{2, 0, 2, 0, 3}
	dst := make([]float32, 4)
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		unite func(gather.Shape, []float32, []float32, []int64) int
		want  [4]float32
	}{
		{gather.ScatterMul[float32, int64], [4]float32{nan, 1, 15, 2}},
		{gather.ScatterMax[float32, int64], [4]float32{nan, -inf, 5, 2}},
		{gather.ScatterMin[float32, int64], [4]float32{nan, inf, 3, 2}},
	} {
		require.Equal(t, -1, c.unite(s, dst, src, index))
		require.True(t, math.IsNaN(float64(dst[0])), "NaN wins")
		require.Equal(t, c.want[1:], dst[1:])
		require.Equal(t, 0, c.unite(s, dst, src, []int64{4, 0, 0, 0, 0}), "an index outside")
	}
}

func TestIndexOutsideIsReported(t *testing.T) {
	for _, index := range [][]int64{{0, 3}, {0, -1}} {
		require.Equal(t, 1, gather.Take(gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 2}, make([]bool, 2), make([]bool, 3), index))
		require.Equal(t, 1, gather.ScatterAdd(gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 2}, make([]int32, 3), make([]int32, 2), index))
	}
}

func TestNothing(t *testing.T) {
	require.Equal(t, -1, gather.Take(gather.Shape{Outer: 1, Size: 0, Inner: 5, Count: 0}, []int64{}, nil, []int64{}))
}
