package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// strides lists layouts of a matrix of some rows and columns.
var strides = []struct {
	name string
	of   func(rows, cols int) (row, col int)
}{
	{"by rows", func(_, cols int) (int, int) { return cols, 1 }},
	{"by columns", func(rows, _ int) (int, int) { return 1, rows }},
	{"columns of a larger matrix", func(_, cols int) (int, int) { return cols + 3, 1 }},
	{"rows of a larger transposed matrix", func(rows, _ int) (int, int) { return 1, rows + 5 }},
	{"rows 1024 bytes apart", func(_, cols int) (int, int) { return roundUp(cols, 256), 1 }},
	{"every other element", func(_, cols int) (int, int) { return 2 * cols, 2 }},
	{"backwards", func(_, cols int) (int, int) { return -cols, -1 }},
	{"rows upside down", func(_, cols int) (int, int) { return -cols - 1, 1 }},
	{"rows from right to left", func(_, cols int) (int, int) { return cols, -1 }},
	{"columns from bottom to top", func(rows, _ int) (int, int) { return -1, rows }},
	// From here on, elements are used more than once: not for results.
	{"one row", func(int, int) (int, int) { return 0, 1 }},
	{"one column", func(int, int) (int, int) { return 1, 0 }},
	{"one element", func(int, int) (int, int) { return 0, 0 }},
	{"rows that overlap", func(int, int) (int, int) { return 1, 1 }},
}

// apart is the number of layouts whose elements do not overlap.
const apart = 10

// lay returns a matrix with a layout, without memory, and the number of elements from its first to its last.
func lay[T scalar.Number](rows, cols, how int) (m Matrix[T], extent int) {
	m.Row, m.Col = strides[how].of(rows, cols)
	low, high := 0, 0
	for _, reach := range []int{(rows - 1) * m.Row, (cols - 1) * m.Col} {
		low, high = low+min(0, reach), high+max(0, reach)
	}
	m.Start = -low
	return m, high - low + 1
}

// values makes numbers for operands; some of them are special.
func values[T scalar.Number](r *rand.Rand, odds int, special ...T) []T {
	list := make([]T, 1<<16)
	for i := range list {
		if list[i] = T(r.NormFloat64() * 100); len(special) > 0 && r.IntN(odds) == 0 {
			list[i] = special[r.IntN(len(special))]
		}
	}
	return list
}

// window copies some of the values.
func window[T scalar.Number](r *rand.Rand, from []T, n int) []T {
	list := make([]T, 0, n)
	for len(list) < n {
		at := r.IntN(len(from))
		list = append(list, from[at:min(len(from), at+n-len(list))]...)
	}
	return list
}

// draw makes a random product of these sizes, whose operands have no memory to spare.
func draw[T scalar.Number](r *rand.Rand, m, n, k int, from []T) *Product[T] {
	p := &Product[T]{M: m, N: n, K: k, Add: r.IntN(2) == 0}
	place := func(rows, cols, ways int) Matrix[T] {
		x, extent := lay[T](rows, cols, r.IntN(ways))
		x.Data = window(r, from, extent)
		return x
	}
	p.A, p.B, p.C = place(m, k, len(strides)), place(k, n, len(strides)), place(m, n, apart)
	return p
}

// TestEverySize multiplies matrices of all sizes up to 40, with random layouts.
func TestEverySize(t *testing.T) {
	t.Run("float32", func(t *testing.T) { everySize[float32](t, 3) })
	t.Run("float64", func(t *testing.T) { everySize[float64](t, 7) })
	t.Run("int32", func(t *testing.T) { everySize[int32](t, 31) })
	t.Run("int64", func(t *testing.T) { everySize[int64](t, 31) })
}

// everySize tests one in some of all sizes; some must have no divisor in common with the number of sizes per axis.
func everySize[T scalar.Number](t *testing.T, some int) {
	const most = 40
	if testing.Short() {
		some *= 23
	}
	r := rand.New(rand.NewPCG(1, 2))
	from := values[T](r, 0)
	var s Scratch[T]
	for i := 0; i < most*most*most; i += some {
		requireSame(t, draw(r, 1+i%most, 1+i/most%most, 1+i/most/most, from), &s)
	}
}

// TestRandomSizes multiplies larger matrices and vectors, part by part.
func TestRandomSizes(t *testing.T) {
	t.Run("float32", randomSizes[float32])
	t.Run("float64", randomSizes[float64])
	t.Run("int64", randomSizes[int64])
}

func randomSizes[T scalar.Number](t *testing.T) {
	const most = 2e6 // products of elements in a product of matrices
	r := rand.New(rand.NewPCG(3, 4))
	size := func(limit float64) int { return int(math.Exp(r.Float64() * math.Log(limit))) }
	from := values[T](r, 0)
	var s Scratch[T]
	count := 60
	if testing.Short() {
		count = 12
	}
	for i := range count {
		m, n, k := size(300), size(600), size(3000)
		switch i % 4 {
		case 0:
			m = 1
		case 1:
			n = 1
		}
		k = max(1, min(k, most/(m*n)))
		p := draw(r, m, n, k, from)
		want := expected(t, p)
		for lo, hi := 0, 0; lo < m; lo = hi {
			hi = min(m, lo+1+r.IntN(m))
			for left, right := 0, 0; left < n; left = right {
				right = min(n, left+1+r.IntN(n))
				p.RunPart(lo, hi, left, right, &s)
			}
		}
		requireBits(t, want, p)
	}
}

// TestEveryPairOfStrides tests all layouts of both operands, for a few sizes.
func TestEveryPairOfStrides(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	from := values[float32](r, 0)
	var s Scratch[float32]
	for _, size := range [][3]int{{1, 70, 90}, {70, 1, 90}, {5, 33, 40}, {61, 35, 33}, {50, 40, 40}} {
		for a := range strides {
			for b := range strides {
				if testing.Short() && (a+b)%5 > 0 {
					continue
				}
				p := draw(r, size[0], size[1], size[2], from)
				var extent int
				p.A, extent = lay[float32](p.M, p.K, a)
				p.A.Data = window(r, from, extent)
				p.B, extent = lay[float32](p.K, p.N, b)
				p.B.Data = window(r, from, extent)
				requireSame(t, p, &s)
			}
		}
	}
}

// TestRandomBatches multiplies batches. Some operands are one matrix for all, or follow each other backwards.
func TestRandomBatches(t *testing.T) {
	t.Run("float32", randomBatches[float32])
	t.Run("float64", randomBatches[float64])
}

func randomBatches[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	from := values[T](r, 0)
	var s Scratch[T]
	for range 200 {
		m, n, k := 1+r.IntN(60), 1+r.IntN(60), 1+r.IntN(50)
		batch := make([]int, r.IntN(4))
		for i := range batch {
			batch[i] = 1 + r.IntN(4)
		}
		p := &Product[T]{M: m, N: n, K: k, Add: r.IntN(2) == 0, Batch: batch}
		p.A, p.StepA = stack[T](r, m, k, len(strides), batch, true, from)
		p.B, p.StepB = stack[T](r, k, n, len(strides), batch, true, from)
		p.C, p.StepC = stack[T](r, m, n, apart, batch, false, from)
		requireSame(t, p, &s)
	}
}

// stack lays out a batch of matrices one after the other, in a random layout and order.
func stack[T scalar.Number](r *rand.Rand, rows, cols, ways int, batch []int, repeat bool, from []T) (m Matrix[T],
	steps []int) {
	m, extent := lay[T](rows, cols, r.IntN(ways))
	steps = make([]int, len(batch))
	for axis := len(batch) - 1; axis >= 0; axis-- {
		switch {
		case repeat && r.IntN(3) == 0:
			continue // one for all
		case r.IntN(3) == 0:
			steps[axis] = -extent
			m.Start += extent * (batch[axis] - 1)
		default:
			steps[axis] = extent
		}
		extent *= batch[axis]
	}
	m.Data = window(r, from, extent)
	return m, steps
}

// TestSpecialValues expects NaN, infinities, zeros of both signs and numbers at the ends of the range to have the sums
// of the plain loop.
func TestSpecialValues(t *testing.T) {
	t.Run("float32", func(t *testing.T) { specialValues[float32](t, math.MaxFloat32, math.SmallestNonzeroFloat32) })
	t.Run("float64", func(t *testing.T) { specialValues[float64](t, math.MaxFloat64, math.SmallestNonzeroFloat64) })
}

func specialValues[T scalar.Float](t *testing.T, greatest, smallest T) {
	inf := T(math.Inf(1))
	special := []T{T(math.NaN()), inf, -inf, 0, T(math.Copysign(0, -1)), greatest, -greatest, smallest,
		-smallest * 12345}
	r := rand.New(rand.NewPCG(9, 10))
	count := 10
	if testing.Short() {
		count = 2
	}
	var s Scratch[T]
	for _, odds := range []int{1, 3, 30, 300} { // one in so many elements is special
		from := values(r, odds, special...)
		for _, size := range [][3]int{{1, 40, 9}, {40, 1, 9}, {7, 20, 5}, {30, 35, 40}, {20, 33, 600}} {
			for range count {
				requireSame(t, draw(r, size[0], size[1], size[2], from), &s)
			}
		}
	}
}

// TestOneSpecialValueStaysInItsRow puts NaN into one element of A, and then of B: all of
// a row, or of a column, of the product becomes NaN and nothing else.
func TestOneSpecialValueStaysInItsRow(t *testing.T) {
	var s Scratch[float32]
	r := rand.New(rand.NewPCG(11, 12))
	for _, size := range [][3]int{{1, 50, 30}, {50, 1, 30}, {33, 50, 30}, {3, 5, 2}} {
		m, n, k := size[0], size[1], size[2]
		for range 20 {
			p := product[float32](r, m, n, k, 0)
			i, j, inA := r.IntN(m), r.IntN(n), r.IntN(2) == 0
			if inA {
				p.A.Data[i*k+r.IntN(k)] = float32(math.NaN())
			} else {
				p.B.Data[r.IntN(k)*n+j] = float32(math.NaN())
			}
			p.Run(&s)
			for at, v := range p.C.Data[:m*n] {
				want := inA && at/n == i || !inA && at%n == j
				require.Equal(t, want, v != v, fmt.Sprintf("%v: element (%d, %d)", size, at/n, at%n))
			}
		}
	}
}

// FuzzProduct multiplies matrices of random sizes, strides and elements.
func FuzzProduct(f *testing.F) {
	f.Add(uint64(1), 14, 33, 70)
	fixed := rand.New(rand.NewPCG(17, 18))
	single, double := values[float32](fixed, 0), values[float64](fixed, 0)
	f.Fuzz(func(t *testing.T, seed uint64, m, n, k int) {
		r := rand.New(rand.NewPCG(seed, 19))
		size := func(v int) int { return 1 + int(uint(v)%100) }
		requireSame(t, draw(r, size(m), size(n), size(k)*7, single), new(Scratch[float32]))
		requireSame(t, draw(r, size(m), size(n), size(k), double), new(Scratch[float64]))
	})
}
