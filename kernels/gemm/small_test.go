package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// Small products have the bits of planned ones, for elements at all places, and write nothing else.
func TestSmallProducts(t *testing.T) {
	t.Run("f32", testSmallProducts[float32])
	t.Run("f64", testSmallProducts[float64])
}

func testSmallProducts[T scalar.Number](t *testing.T) {
	if _, code := new(Small).prepare(4); code == nil || simdOf[T]() == nil {
		t.Skip("there is no machine code")
	}
	r := rand.New(rand.NewPCG(3, 7))
	numbers := values(r, 40, T(math.Inf(1)), T(math.NaN()), 0)
	fit := 0
	for range 6000 {
		m, n, k := 1+r.IntN(10), 1+r.IntN(20), 1+r.IntN(20)
		batch := []int{1, 1, 2, 5}[r.IntN(4)]
		if r.IntN(4) == 0 { // several vectors of columns
			m, n, k, batch = 1+r.IntN(4), 1+r.IntN(100), 1+r.IntN(50), 1
		}
		p := Product[T]{M: m, N: n, K: k}
		p.Batch = []int{batch, 1 + r.IntN(2)}
		count := batch * p.Batch[1]
		extents := [3]int{}
		p.A, extents[0] = lay[T](m, k, r.IntN(len(strides)))
		p.B, extents[1] = lay[T](k, n, r.IntN(len(strides)))
		p.C, extents[2] = lay[T](m, n, r.IntN(apart))
		steps := [3]*[]int{&p.StepA, &p.StepB, &p.StepC}
		for i, each := range extents {
			if i < 2 && r.IntN(4) == 0 {
				each = 0
			}
			*steps[i] = []int{each * p.Batch[1], each}
		}
		p.A.Data, p.B.Data = numbers[:extents[0]*count], numbers[1000:][:extents[1]*count]
		marked := make([]T, extents[2]*count+16)
		for i := range marked {
			marked[i] = 77
		}
		want, got := slices.Clone(marked), slices.Clone(marked)
		p.C.Data = got[:extents[2]*count]
		args, code, _ := p.Small()
		if args == nil {
			continue
		}
		fit++
		args.Operands = [3]uintptr{address(p.A.Data, p.A.Start), address(p.B.Data, p.B.Start),
			address(p.C.Data, p.C.Start)}
		args.Run(code)
		args.Run(code) // nothing of the first run is left
		p.C.Data = want[:extents[2]*count]
		p.Run(&Scratch[T]{})
		for i := range want {
			if bitsOf(want[i]) != bitsOf(got[i]) {
				t.Fatalf("%dx%dx%d %+v: element %d is %v, want %v", m, k, n, p.Batch, i, got[i], want[i])
			}
		}
	}
	require.Greater(t, fit, 1000)
}

// bitsOf returns the bits of a number; they are the same for all NaN.
func bitsOf[T scalar.Number](v T) uint64 {
	if v != v {
		return math.MaxUint64
	}
	return math.Float64bits(float64(v))
}

// Large products, and those that need more than strides, are not small products.
func TestWhatIsNoSmallProduct(t *testing.T) {
	row := func(cols int) Matrix[float32] { return Matrix[float32]{Row: cols, Col: 1} }
	for name, p := range map[string]Product[float32]{
		"large":   {M: 64, N: 64, K: 64, A: row(64), B: row(64), C: row(64)},
		"empty":   {M: 4, N: 0, K: 4, A: row(4), B: row(0), C: row(0)},
		"no sums": {M: 4, N: 4, K: 0, A: row(0), B: row(4), C: row(4)},
		"added":   {M: 4, N: 4, K: 4, A: row(4), B: row(4), C: row(4), Add: true},
		"apart":   {M: 4, N: 4, K: 4, A: row(4), B: row(4), C: Matrix[float32]{Row: 8, Col: 2}},
	} {
		args, _, _ := p.Small()
		require.Nil(t, args, name)
	}
}
