package gather_test

import (
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

func TestIndexOutsideIsReported(t *testing.T) {
	for _, index := range [][]int64{{0, 3}, {0, -1}} {
		require.Equal(t, 1, gather.Take(gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 2}, make([]bool, 2), make([]bool, 3), index))
		require.Equal(t, 1, gather.ScatterAdd(gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 2}, make([]int32, 3), make([]int32, 2), index))
	}
}

func TestNothing(t *testing.T) {
	require.Equal(t, -1, gather.Take(gather.Shape{Outer: 1, Size: 0, Inner: 5, Count: 0}, []int64{}, nil, []int64{}))
}
