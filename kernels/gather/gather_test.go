package gather_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/gather"
)

func TestTakeLongRows(t *testing.T) {
	src := make([]uint16, 3*20)
	for i := range src {
		src[i] = uint16(i)
	}
	dst := make([]uint16, 2*20)
	require.Equal(t, -1, gather.Take(gather.Shape{Outer: 1, Size: 3, Inner: 20, Count: 2}, dst, src, []int64{2, 0}))
	require.Equal(t, append(append([]uint16{}, src[40:]...), src[:20]...), dst)
}

func TestTakeRows(t *testing.T) {
	src := []float32{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}
	dst := make([]float32, 8)
	bad := gather.Take(gather.Shape{Outer: 2, Size: 3, Inner: 2, Count: 2}, dst, src, []int64{2, 0})
	require.Equal(t, -1, bad)
	require.Equal(t, []float32{20, 21, 0, 1, 120, 121, 100, 101}, dst)
}

func TestPutRows(t *testing.T) {
	dst := []uint16{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}
	src := []uint16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	gather.Put(gather.Shape{Outer: 2, Size: 3, Inner: 2, Count: 3}, dst, src, []int64{2, 0, 2})
	require.Equal(t, []uint16{3, 4, 10, 11, 5, 6, 9, 10, 110, 111, 11, 12}, dst, "the last of several stays")
	single := []bool{false, false, false}
	gather.Put(gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 1}, single, []bool{true}, []int32{1})
	require.Equal(t, []bool{false, true, false}, single)
	require.Equal(t, 1, gather.Outside([]int64{0, 3, -1}, 3))
	require.Equal(t, -1, gather.Outside([]int32{0, 2}, 3))
}

// TestRowsOfAllWidths takes and puts rows of 0 to 70 elements of each size, and checks that nothing is written around
// them.
func TestRowsOfAllWidths(t *testing.T) {
	for inner := range 71 {
		movesRows[uint8](t, inner)
		movesRows[uint16](t, inner)
		movesRows[float32](t, inner)
		movesRows[int64](t, inner)
	}
}

func movesRows[T uint8 | uint16 | float32 | int64](t *testing.T, inner int) {
	const outer, size, beside = 2, 5, 7
	index := []int32{3, 0, 4, 3, 1}
	count := len(index)
	rows := func(n int, from T) []T { // with some elements on both sides
		list := make([]T, n*inner+2*beside)
		for i := range list {
			list[i] = from + T(i)
		}
		return list
	}
	within := func(list []T) []T { return list[beside : len(list)-beside] }
	s := gather.Shape{Outer: outer, Size: size, Inner: inner, Count: count}

	src, dst, want := rows(outer*size, 1), rows(outer*count, 100), rows(outer*count, 100)
	for o := range outer {
		for i, at := range index {
			copy(within(want)[(o*count+i)*inner:][:inner], within(src)[(o*size+int(at))*inner:])
		}
	}
	gather.TakeInside(s, within(dst), within(src), index)
	require.Equal(t, want, dst, "rows of %d of %T are taken", inner, *new(T))

	src, dst, want = rows(outer*count, 1), rows(outer*size, 100), rows(outer*size, 100)
	for o := range outer {
		for i, at := range index {
			copy(within(want)[(o*size+int(at))*inner:][:inner], within(src)[(o*count+i)*inner:])
		}
	}
	gather.Put(s, within(dst), within(src), index)
	require.Equal(t, want, dst, "rows of %d of %T are put", inner, *new(T))
}

// TestOutside has an index that is out of range at each place of lists of several lengths, and at two.
func TestOutside(t *testing.T) {
	for _, length := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 31, 32, 33, 96, 105} {
		index := make([]int32, length)
		for i := range index {
			index[i] = int32(i % 3)
		}
		require.Equal(t, -1, gather.Outside(index, 3), "%d indices", length)
		for i := range index {
			for _, wrong := range []int32{-1, 3, math.MinInt32, math.MaxInt32} {
				wrongs := append([]int32{}, index...)
				wrongs[i], wrongs[length-1] = wrong, wrong
				longs := make([]int64, length)
				for k, at := range wrongs {
					longs[k] = int64(at)
				}
				require.Equal(t, i, gather.Outside(wrongs, 3), "%d", wrongs)
				require.Equal(t, i, gather.Outside(longs, 3), "%d", longs)
			}
		}
		require.Equal(t, min(length, 1)-1, gather.Outside(index, 0), "%d indices of nothing", length)
	}
}

// TestScatterRepeatedIndex combines short and long rows, whose zeros have signs and some of which are NaN.
func TestScatterRepeatedIndex(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, inner := range []int{1, 2, 3, 4, 5, 11, 16, 37} {
		s, index := gather.Shape{Outer: 2, Size: 5, Inner: inner, Count: 7}, []int64{2, 0, 2, 0, 3, 4, 4}
		src, dst := make([]float32, 2*7*inner), make([]float32, 2*5*inner)
		for i := range src {
			src[i] = float32([]float64{3, nan, 5, 4, 2, zero, 0}[i/inner%7])
		}
		for by, want := range map[gather.Fold][5]float64{
			gather.Sum:  {nan, 0, 8, 2, 0},
			gather.Prod: {nan, 1, 15, 2, zero},
			gather.Max:  {nan, -inf, 5, 2, 0},
			gather.Min:  {nan, inf, 3, 2, zero},
		} {
			var m gather.Scratch
			require.Equal(t, -1, gather.Scatter(by, s, dst, src, index, &m))
			for i, v := range dst {
				w := want[i/inner%5]
				same := float64(v) == w && math.Signbit(float64(v)) == math.Signbit(w) || v != v && w != w
				require.True(t, same, "fold %d of rows of %d: element %d is %v, want %v", by, inner, i, v, w)
			}
			require.Equal(t, 0, gather.Scatter(by, s, dst, src, []int64{5, 0, 0, 0, 0, 0, 0}, &m), "an index outside")
		}
	}
}

func TestIndexOutsideIsReported(t *testing.T) {
	for _, index := range [][]int64{{0, 3}, {0, -1}} {
		require.Equal(t, 1, gather.Take(gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 2}, make([]bool, 2),
			make([]bool, 3), index))
		require.Equal(t, 1, gather.Scatter(gather.Max, gather.Shape{Outer: 1, Size: 3, Inner: 1, Count: 2},
			make([]int32, 3), make([]int32, 2), index, nil))
	}
}

func TestNothing(t *testing.T) {
	require.Equal(t, -1, gather.Take(gather.Shape{Outer: 1, Size: 0, Inner: 5, Count: 0}, []int64{}, nil, []int64{}))
}

// TestShortBlocksOfSingleElements takes and sums single elements of several blocks, of few elements or none.
func TestShortBlocksOfSingleElements(t *testing.T) {
	s := gather.Shape{Outer: 3, Size: 2, Inner: 1, Count: 4}
	taken := make([]int32, 12)
	require.Equal(t, -1, gather.Take(s, taken, []int32{1, 2, 3, 4, 5, 6}, []int64{1, 0, 1, 1}))
	require.Equal(t, []int32{2, 1, 2, 2, 4, 3, 4, 4, 6, 5, 6, 6}, taken)
	sums := []float32{9, 9, 9, 9, 9, 9}
	require.Equal(t, -1, gather.Scatter(gather.Sum, s, sums, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
		[]int32{0, 1, 0, 0}, &gather.Scratch{}))
	require.Equal(t, []float32{8, 2, 20, 6, 32, 10}, sums)
	s.Count = 0
	require.Equal(t, -1, gather.Take(s, nil, taken, []int64{}))
	require.Equal(t, -1, gather.Scatter(gather.Sum, s, sums, nil, []int64{}, &gather.Scratch{}))
	require.Equal(t, make([]float32, 6), sums)
}
