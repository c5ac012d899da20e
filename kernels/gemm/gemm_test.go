package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// addProducts adds x times each of y to sums, each rounded once.
func addProducts[T scalar.Number](sums []T, x T, y []T) {
	switch s := any(sums).(type) {
	case []float32:
		x, y := float32(x), any(y).([]float32)
		for j, v := range y {
			s[j] = scalar.FMA32(x, v, s[j])
		}
	case []float64:
		x, y := float64(x), any(y).([]float64)
		for j, v := range y {
			s[j] = math.FMA(x, v, s[j])
		}
	default:
		for j, v := range y {
			sums[j] += x * v
		}
	}
}

// naive is the product by the rule of the package's documentation. It computes the sums of a row side by side, since
// each step of a sum waits for the one before.
func naive[T scalar.Number](p *Product[T], index []int, axis int) {
	if axis < len(p.Batch) {
		for i := range p.Batch[axis] {
			index[axis] = i
			naive(p, index, axis+1)
		}
		return
	}
	a, b, c := p.A.Start, p.B.Start, p.C.Start
	for k, i := range index {
		a, b, c = a+i*p.StepA[k], b+i*p.StepB[k], c+i*p.StepC[k]
	}
	each := p.K
	if p.K > 1024 { // equal ones, in whole sixteens
		blocks := (p.K + 511) / 512
		each = ((p.K+blocks-1)/blocks + 15) / 16 * 16
	}
	rows := make([]T, p.K*p.N) // of B
	for k := range p.K {
		for j := range p.N {
			rows[k*p.N+j] = p.B.Data[b+k*p.B.Row+j*p.B.Col]
		}
	}
	sums := make([]T, p.N)
	for i := range p.M {
		store := func(first int) {
			for j, sum := range sums {
				if dst := &p.C.Data[c+i*p.C.Row+j*p.C.Col]; first == 0 && !p.Add {
					*dst = sum
				} else {
					*dst += sum
				}
			}
		}
		if p.K == 0 && !p.Add {
			clear(sums)
			store(0)
		}
		for first := 0; first < p.K; first += each {
			clear(sums)
			for k := first; k < min(first+each, p.K); k++ {
				addProducts(sums, p.A.Data[a+i*p.A.Row+k*p.A.Col], rows[k*p.N:][:p.N])
			}
			store(first)
		}
	}
}

// layouts of a matrix: row-major, transposed, with gaps, backwards.
const layouts = 4

func matrix[T scalar.Number](r *rand.Rand, rows, cols, layout, count int) (m Matrix[T], step int) {
	size := rows*cols + 5 // with a gap
	if layout == 2 {
		size += rows * cols
	}
	m.Data = make([]T, max(1, size*count))
	for i := range m.Data {
		m.Data[i] = T(r.NormFloat64() * 100)
	}
	switch layout {
	case 0:
		m.Row, m.Col = cols, 1
	case 1:
		m.Row, m.Col = 1, rows
	case 2:
		m.Start, m.Row, m.Col = 3, 2*cols, 2
	case 3:
		m.Start, m.Row, m.Col = max(0, rows*cols-1), -cols, -1
	}
	return m, size
}

// product makes a random product; the layouts are digits of layout.
func product[T scalar.Number](r *rand.Rand, m, n, k, layout int, batch ...int) *Product[T] {
	p := &Product[T]{M: m, N: n, K: k, Batch: batch}
	count := 1
	for _, b := range batch {
		count *= b
	}
	a, b, c := layout%layouts, layout/layouts%layouts, layout/layouts/layouts%layouts
	var sa, sb, sc int
	p.A, sa = matrix[T](r, m, k, a, count)
	p.B, sb = matrix[T](r, k, n, b, count)
	p.C, sc = matrix[T](r, m, n, c, count)
	for range batch {
		p.StepA, p.StepB, p.StepC = append(p.StepA, 0), append(p.StepB, 0), append(p.StepC, 0)
	}
	for axis := len(batch) - 1; axis >= 0; axis-- {
		p.StepA[axis], p.StepB[axis], p.StepC[axis] = sa, sb, sc
		sa, sb, sc = sa*batch[axis], sb*batch[axis], sc*batch[axis]
	}
	return p
}

// requireSame runs the product and the naive one and compares all bits of C's data.
func requireSame[T scalar.Number](t *testing.T, p *Product[T], s *Scratch[T]) {
	t.Helper()
	want := expected(t, p)
	p.Run(s)
	requireBits(t, want, p)
}

// expected returns C's data as the naive product leaves them.
func expected[T scalar.Number](t *testing.T, p *Product[T]) []T {
	t.Helper()
	require.NoError(t, p.Check())
	want := *p
	want.C.Data = append([]T(nil), p.C.Data...)
	naive(&want, make([]int, len(p.Batch)), 0)
	return want.C.Data
}

// whole returns C's data after the product: the naive one or, if that would take long, the one that other tests compare
// with it. It is for products that are computed in another way.
func whole[T scalar.Number](t *testing.T, p *Product[T], s *Scratch[T]) []T {
	t.Helper()
	if p.M*p.N*p.K < 5e5 {
		return expected(t, p)
	}
	run := *p
	run.C.Data = slices.Clone(p.C.Data)
	run.Run(s)
	return run.C.Data
}

// requireBits compares all bits of C's data, except those of NaN.
func requireBits[T scalar.Number](t *testing.T, want []T, p *Product[T]) {
	t.Helper()
	for i, v := range p.C.Data {
		if w := want[i]; scalar.Bits(v) != scalar.Bits(w) && (v == v || w == w) {
			t.Fatalf("%d×%d×%d, A %d %d, B %d %d, C %d %d, add %v, batch %v: element %d is %v, want %v", p.M, p.N, p.K,
				p.A.Row, p.A.Col, p.B.Row, p.B.Col, p.C.Row, p.C.Col, p.Add, p.Batch, i, v, w)
		}
	}
}

func TestBlockBoundaries(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s Scratch[float32]
	for i, size := range [][3]int{
		{2, 3, KC - 1}, {2, 3, KC}, {7, 3, KC + 1}, {3, 2, 2*KC + 7},
		{2, 3, wholeSum}, {9, 3, wholeSum + 1}, {1, 40, 3*KC + 63}, {40, 1, 3*KC + 64},
		{1, 1, 8 * KC}, {1, 1, 8*KC + 63}, {1, 1, 8*KC + 64}, {1, 1, 9*KC + 5}, {1, 1, 17 * KC},
		{MC - 1, 5, 9}, {MC, 5, 9}, {MC + 1, 5, 9}, {2*MC + 2, 2, 3},
		{4, NC - 1, 5}, {4, NC, 5}, {4, NC + 1, 5}, {2, NC + 1, KC + 1},
		{MC + 1, NC + 3, KC + 2}, {300, 100, wholeSum + 70},
		{30, packedCols + 100, 7}, {1, 2, 3}, {24, packedCols + 24, wholeSum + 64}, {1, 2, 3},
		{300, packedCols + 100, 3},
	} {
		for _, add := range []bool{false, true} {
			p := product[float32](r, size[0], size[1], size[2], i%2)
			p.Add = add
			requireSame(t, p, &s)
		}
	}
}

func TestBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var s Scratch[float64]
	for _, batch := range [][]int{{1}, {3}, {2, 3}, {0}, {2, 0}, {2, 1, 2}} {
		p := product[float64](r, 4, 5, 6, 0, batch...)
		requireSame(t, p, &s)
		p.StepA[0], p.StepB[len(batch)-1] = 0, 0 // broadcast
		requireSame(t, p, &s)
	}
}

func TestEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var s Scratch[float32]
	for _, size := range [][3]int{{0, 3, 3}, {3, 0, 3}, {3, 3, 0}, {0, 0, 0}} {
		for _, add := range []bool{false, true} {
			p := product[float32](r, size[0], size[1], size[2], 0)
			p.Add = add
			requireSame(t, p, &s)
		}
	}
	p := product[float32](r, 2, 2, 0, 0)
	p.Run(&s)
	require.Equal(t, []float32{0, 0, 0, 0}, p.C.Data[:4])
}

func TestNonFinitePropagates(t *testing.T) {
	var s Scratch[float32]
	inf := float32(math.Inf(1))
	for _, m := range []int{1, 4} {
		p := &Product[float32]{M: m, N: 2, K: 2,
			A: Matrix[float32]{make([]float32, 2*m), 0, 2, 1},
			B: Matrix[float32]{[]float32{inf, 1, 0, 0}, 0, 2, 1},
			C: Matrix[float32]{make([]float32, 2*m), 0, 2, 1}}
		p.Run(&s)
		require.NotEqual(t, p.C.Data[0], p.C.Data[0], "0·∞ is NaN")
		require.Zero(t, p.C.Data[1])
	}
}

// TestRanges computes rows in several calls and expects the same bits.
func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	p := product[float32](r, 10, 7, wholeSum+9, 0, 3)
	var s Scratch[float32]
	p.Run(&s)
	want := append([]float32(nil), p.C.Data...)
	for range 20 {
		for lo := 0; lo < p.Rows(); {
			hi := min(p.Rows(), lo+1+r.IntN(12))
			p.RunPart(lo, hi, 0, p.N, &s)
			lo = hi
		}
		require.Equal(t, want, p.C.Data)
	}
}

func TestCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for name, spoil := range map[string]func(p *Product[float32]){
		"negative size": func(p *Product[float32]) { p.K = -1 },
		"batch steps":   func(p *Product[float32]) { p.StepB = nil },
		"short A":       func(p *Product[float32]) { p.A.Data = p.A.Data[:5*6*2-1]; p.StepA[0] = 5 * 6 },
		"before B":      func(p *Product[float32]) { p.B.Row = -1 },
		"C step":        func(p *Product[float32]) { p.StepC[0] = -1 },
		"batch":         func(p *Product[float32]) { p.Batch[0] = -2 },
	} {
		p := product[float32](r, 5, 4, 6, 0, 2)
		require.NoError(t, p.Check())
		spoil(p)
		require.Error(t, p.Check(), name)
	}
}

// TestPlainGoRoundsOnce checks the loops that are chosen for this processor with products that are wrong if they are
// rounded before the sum, or twice.
func TestPlainGoRoundsOnce(t *testing.T) {
	require.True(t, roundsOnce(plainF32))
	const x, y = 0x1p-12, 0x1p-12 + 0x1p-35 // a little more than half the last bit of one
	var sums sumsOfTile[float32]
	a, b := [9]float32{1, 1, 1, x, x, x}, [6]float32{1, 1, y, y} // and a step more
	plainF32.tile(2, a[:], b[:], &sums)
	row := []float32{1, -1}
	plainF32.addRow(x, []float32{y, -y}, row)
	for _, sum := range sums {
		require.Equal(t, float32(1+0x1p-23), sum)
	}
	require.Equal(t, []float32{1 + 0x1p-23, -1 - 0x1p-23}, row)
}

func TestNoAllocations(t *testing.T) {
	p := product[float32](rand.New(rand.NewPCG(15, 16)), 20, 20, 600, 0, 2)
	var s Scratch[float32]
	s.Reserve(p.M, p.N, p.K)
	require.Zero(t, testing.AllocsPerRun(5, func() { p.Run(&s) }))
}
