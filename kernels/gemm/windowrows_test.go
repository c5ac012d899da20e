package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// strewn returns the offsets of k elements, three side by side, and of n windows that are three apart.
func strewn(k, n int) (rows, cols []int) {
	for i := range k {
		rows = append(rows, i/3*(3*n+2)+i%3)
	}
	for i := range n {
		cols = append(cols, 3*i)
	}
	return rows, cols
}

// windowProduct makes a random batch of products with such windows, with one A or one for each.
func windowProduct[T float32 | float64](r *rand.Rand, m, n, k, batch int, shared, upright bool) *Product[T] {
	rows, cols := strewn(k, n)
	size := slices.Max(rows) + slices.Max(cols) + 1
	from := values[T](r, 0)
	p := &Product[T]{M: m, N: n, K: k, Batch: []int{batch}, StepA: []int{m * k}, StepB: []int{size},
		StepC: []int{m * n}}
	p.A = Matrix[T]{Data: window(r, from, batch*m*k), Row: k, Col: 1}
	if upright {
		p.A.Row, p.A.Col = 1, m
	}
	if shared {
		p.StepA[0] = 0
	}
	p.B = Matrix[T]{Data: window(r, from, batch*size)}
	p.C = Matrix[T]{Data: make([]T, batch*m*n), Row: n, Col: 1}
	p.SetOffsets(rows, cols)
	return p
}

// laidOut is the product with its windows stored as a matrix.
func laidOut[T float32 | float64](p *Product[T]) *Product[T] {
	dense := *p
	dense.Offsets = nil
	dense.B = Matrix[T]{Row: p.N, Col: 1}
	dense.C.Data = make([]T, len(p.C.Data))
	dense.StepB = []int{p.N * p.K}
	for b := range p.Batch[0] {
		for _, row := range p.Offsets.Rows {
			for _, col := range p.Offsets.Cols {
				dense.B.Data = append(dense.B.Data, p.B.Data[b*p.StepB[0]+row+col])
			}
		}
	}
	return &dense
}

// storedSums keeps the sums that it is called with, and takes no tiles.
type storedSums[T float32 | float64] struct {
	t    *testing.T
	p    *Product[T]
	sums []T
}

func (s *storedSums[T]) Tiles(row, col int) Tiles {
	s.t.Errorf("a tile at %d, %d", row, col)
	return Tiles{}
}

func (s *storedSums[T]) Stored(top, bottom, left, right int) {
	for row := top; row < bottom; row++ {
		copy(s.sums[row*s.p.N+left:row*s.p.N+right], s.p.C.Data[row*s.p.N+left:])
	}
}

// TestWindowsAsRows computes products whose windows are rows of a tile, of each height, and compares them with those of
// matrices.
func TestWindowsAsRows(t *testing.T) {
	t.Run("float32", windowsAsRows[float32])
	t.Run("float64", windowsAsRows[float64])
}

func windowsAsRows[T float32 | float64](t *testing.T) {
	v := simdOf[T]()
	if v == nil {
		t.Skip("there are no vectors")
	}
	type size struct {
		m, n, k, batch  int
		shared, upright bool
	}
	sizes := []size{{v.cols, 2 * v.rows, wholeSum + 70, 2, true, false},
		{2*v.cols - 1, 5*v.rows + 3, 2*KC + 3, 3, false, true},
		{3*v.cols - 1, 3000 / v.cols, 3 * v.cols, 2, true, true},
		{2 * v.cols, 40 * v.rows, 70, 1, true, false},
		{turnedWindowRows, 2*turnedPlaces[T](v, turnedWindowRows, 1000, 1, true) + 2, turnedWindowRows / 2, 2, true,
			false}, {v.cols, 8 * v.rows, wholeSum + 1, 1, false, false}}
	for n := v.rows; n <= 3*v.rows; n++ {
		sizes = append(sizes, size{v.cols, n, v.cols + n%5, 2, n%2 == 0, n%3 == 0},
			size{v.cols/2 - 1, n, v.cols + n%4, 2, n%2 == 1, n%3 == 1})
	}
	for _, z := range sizes {
		t.Run(fmt.Sprint(z), func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, 24))
			p := windowProduct[T](r, z.m, z.n, z.k, z.batch, z.shared, z.upright)
			require.NoError(t, p.Check())
			q := p.matrix(0)
			var s Scratch[T]
			require.True(t, q.turnsWindows(region{0, p.M, 0, p.N}, &s, p.packsOnce(v)))
			dense := laidOut(p)
			dense.Run(&s)
			p.Run(&s)
			require.Equal(t, dense.C.Data, p.C.Data)

			clear(p.C.Data)
			lo, left := r.IntN(p.Rows()), r.IntN(p.N)
			p.RunPart(0, lo, 0, p.N, &s)
			p.RunPart(lo, p.Rows(), 0, left, &s)
			p.RunPart(lo, p.Rows(), left, p.N, &s)
			require.Equal(t, dense.C.Data, p.C.Data, "in parts")

			clear(p.C.Data)
			told := storedSums[T]{t, p, make([]T, len(p.C.Data))}
			p.RunTiles(0, p.Rows(), 0, p.N, &s, &told)
			require.Equal(t, dense.C.Data, told.sums, "told of")

			if p, is := any(p).(*Product[float32]); is {
				got := copier{t: t, p: p}
				p.RunRows(0, p.Rows(), any(&s).(*Scratch[float32]), &got)
				require.Equal(t, p.C.Data, slices.Concat(got.rows...), "row by row")
			}
		})
	}
}

// TestWindowsAsRowsAllocateNothing calls the loops themselves, not the emulator, which allocates.
func TestWindowsAsRowsAllocateNothing(t *testing.T) {
	v := simdOf[float32]()
	if v == nil {
		t.Skip("there are no vectors")
	}
	var s Scratch[float32]
	p := windowProduct[float32](rand.New(rand.NewPCG(23, 25)), 2*v.cols, 40*v.rows, 70, 2, true, false)
	require.Zero(t, testing.AllocsPerRun(2, func() { p.Run(&s) }))
}

// Contiguous windows, few places, and rows that do not fill vectors take other loops.
func TestWindowsThatAreNoRows(t *testing.T) {
	v := simdOf[float32]()
	if v == nil {
		t.Skip("there are no vectors")
	}
	var s Scratch[float32]
	turns := func(p *Product[float32]) bool {
		q := p.matrix(0)
		return q.turnsWindows(region{0, p.M, 0, p.N}, &s, p.packsOnce(v))
	}
	r := rand.New(rand.NewPCG(25, 26))
	p := windowProduct[float32](r, v.cols, 2*v.cols, 2*v.cols, 2, true, false)
	require.True(t, turns(p))
	few := *p
	few.N = v.rows - 1
	require.False(t, turns(&few))
	inARow := make([]int, p.N)
	for i := range inARow {
		inARow[i] = i
	}
	p.SetOffsets(p.Offsets.Rows, inARow)
	require.False(t, turns(p))
	require.False(t, turns(windowProduct[float32](r, v.cols/2+1, 2*v.rows, 2*v.cols, 2, true, false)))
	require.False(t, turns(windowProduct[float32](r, v.cols, 2*v.rows, v.cols/4, 2, true, false)))
	none := *p
	none.M = 0
	none.Run(&s)
}
