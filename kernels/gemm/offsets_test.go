package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// windows returns the offsets of the windows of an image, as rows of elements and columns of
// places.
func windows(channels, height, width, kernel, stride int) (rows, cols []int) {
	for c := range channels {
		for y := range kernel {
			for x := range kernel {
				rows = append(rows, (c*height+y)*width+x)
			}
		}
	}
	for y := 0; y+kernel <= height; y += stride {
		for x := 0; x+kernel <= width; x += stride {
			cols = append(cols, y*width+x)
		}
	}
	return rows, cols
}

func TestOffsetsAreWindows(t *testing.T) {
	type size struct{ m, channels, height, width, kernel, stride int }
	sizes := []size{{6, 1, 28, 28, 5, 1}, {1, 3, 9, 9, 3, 1}, {64, 30, 17, 23, 3, 1}, {13, 5, 19, 31, 3, 2},
		{7, 2, 8, 8, 1, 3}, {300, 4, 7, 7, 3, 1}}
	for m := range 30 { // places that are contiguous by whole vectors
		sizes = append(sizes, size{m + 1, 3, 4, 34, 3, 1})
	}
	for _, c := range sizes {
		for _, transposed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/%v", c, transposed), func(t *testing.T) {
				rows, cols := windows(c.channels, c.height, c.width, c.kernel, c.stride)
				if transposed {
					rows, cols = cols, rows
				}
				checkOffsets[float32](t, c.m, c.channels*c.height*c.width, rows, cols)
				checkOffsets[float64](t, c.m, c.channels*c.height*c.width, rows, cols)
				checkOffsets[int32](t, c.m, c.channels*c.height*c.width, rows, cols)
			})
		}
	}
}

// Rows in long runs, as the places of several images have, and blocks of them that end within a run.
func TestOffsetsInLongRuns(t *testing.T) {
	for _, c := range []struct{ images, channels, places int }{
		{3, 37, 200}, {5, 70, 333}, {1, 33, 400}, {20, 2, 64}, {2, 1, 700}} {
		var rows, cols []int
		for image := range c.images {
			for place := range c.places {
				rows = append(rows, image*c.channels*c.places+place)
			}
		}
		for channel := range c.channels {
			cols = append(cols, channel*c.places)
		}
		for _, m := range []int{1, 5, 30, 64} {
			t.Run(fmt.Sprint(c, m), func(t *testing.T) {
				checkOffsets[float32](t, m, c.images*c.channels*c.places, rows, cols)
				checkOffsets[float64](t, m, c.images*c.channels*c.places, rows, cols)
				checkOffsets[int32](t, m, c.images*c.channels*c.places, rows, cols)
			})
		}
	}
}

// checkOffsets compares a batch of products whose B has offsets with those of B stored as a matrix.
func checkOffsets[T float32 | float64 | int32](t *testing.T, m, size int, rows, cols []int) {
	r := rand.New(rand.NewPCG(21, 22))
	const batch = 2
	numbers := func(n int) []T {
		data := make([]T, n)
		for i := range data {
			data[i] = T(r.NormFloat64() * 10)
		}
		return data
	}
	n, k := len(cols), len(rows)
	p := &Product[T]{M: m, N: n, K: k, Batch: []int{batch}, StepA: []int{0}, StepB: []int{size}, StepC: []int{m * n}}
	p.A = Matrix[T]{Data: numbers(m * k), Row: k, Col: 1}
	if m%3 == 0 {
		p.A.Row, p.A.Col = 1, m
	}
	p.C = Matrix[T]{Data: make([]T, batch*m*n), Row: n, Col: 1}
	p.B = Matrix[T]{Data: numbers(batch * size)}
	p.SetOffsets(rows, cols)
	require.NoError(t, p.Check())

	dense := *p
	dense.Offsets = nil
	dense.B = Matrix[T]{Data: make([]T, 0, batch*n*k), Row: n, Col: 1}
	dense.C.Data = make([]T, batch*m*n)
	dense.StepB = []int{n * k}
	for b := range batch {
		for _, row := range rows {
			for _, col := range cols {
				dense.B.Data = append(dense.B.Data, p.B.Data[b*size+row+col])
			}
		}
	}
	var s Scratch[T]
	p.Run(&s)
	dense.Run(&s)
	require.Equal(t, dense.C.Data, p.C.Data)
}

func TestOffsetsOutside(t *testing.T) {
	p := &Product[float32]{M: 1, N: 1, K: 2, A: Matrix[float32]{Data: make([]float32, 2), Col: 1},
		C: Matrix[float32]{Data: make([]float32, 1)}}
	p.B.Data = make([]float32, 5)
	p.SetOffsets([]int{0, 4}, []int{1})
	require.Error(t, p.Check())
	p.SetOffsets([]int{0, 4}, []int{0})
	require.NoError(t, p.Check())
	p.SetOffsets([]int{0}, []int{0})
	require.Error(t, p.Check())
}
