package loops

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVecf32InPlace lets the destination be either operand.
func TestVecf32InPlace(t *testing.T) {
	x, y := []float32{1, 2, 3}, []float32{10, 20, 40}
	for name, c := range map[string]struct {
		f    func(dst, x, y []float32)
		want []float32
	}{
		"add": {AddF32, []float32{11, 22, 43}},
		"sub": {SubF32, []float32{-9, -18, -37}},
		"mul": {MulF32, []float32{10, 40, 120}},
	} {
		a, b := append([]float32(nil), x...), append([]float32(nil), y...)
		dst := make([]float32, 3)
		c.f(dst, a, b)
		require.Equal(t, c.want, dst, name)
		c.f(a, a, b)
		require.Equal(t, c.want, a, name)
		c.f(b, x, b)
		require.Equal(t, c.want, b, name)
		c.f(nil, nil, nil)
	}
	a := append([]float32(nil), x...)
	AddF32(a, a, a)
	require.Equal(t, []float32{2, 4, 6}, a)
	SubF32(a, a, a)
	require.Equal(t, []float32{0, 0, 0}, a)
}

func TestVecf32Scalars(t *testing.T) {
	x, dst := []float32{1, 2}, make([]float32, 2)
	AddScalarF32(dst, x, 0.5)
	require.Equal(t, []float32{1.5, 2.5}, dst)
	SubScalarF32(dst, x, 0.5)
	require.Equal(t, []float32{0.5, 1.5}, dst)
	MulScalarF32(dst, x, -2)
	require.Equal(t, []float32{-2, -4}, dst)
	require.Equal(t, []float32{1, 2}, x)
	MulScalarF32(nil, nil, 1)
}

// TestLanes compares with the definition: lane l takes the elements l, l+n, l+2n, ….
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, lanes := range []int{8, 16, 32, 64} {
		for n := range 200 {
			x := make([]float32, n)
			sum, prod := make([]float32, lanes), make([]float32, lanes)
			wantSum, wantProd := make([]float32, lanes), make([]float32, lanes)
			Fill(prod, 1)
			Fill(wantProd, 1)
			for i := range x {
				x[i] = r.Float32() + 0.5
				wantSum[i%lanes] += x[i]
				wantProd[i%lanes] *= x[i]
			}
			SumLanes(sum, x)
			ProdLanes(prod, x)
			require.Equal(t, wantSum, sum)
			require.Equal(t, wantProd, prod)
		}
	}
	lanes := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	require.Equal(t, float32(36), FoldSum(append([]float32(nil), lanes...)))
	require.Equal(t, float32(40320), FoldProd(lanes))
	// The first halves are added first: (1 + 2^-24) + 2^-24 is 1, 1 + (2^-24 + 2^-24) is not.
	require.Equal(t, float32(1+0x1p-23), FoldSum([]float32{1, 0x1p-24, 0, 0x1p-24}))
	require.Equal(t, float32(1), FoldSum([]float32{1, 0x1p-24, 0x1p-24, 0}))
}

func TestExtremes(t *testing.T) {
	inf, nan, negZero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	bits := math.Float32bits
	for _, c := range []struct {
		x        []float32
		max, min float32
	}{
		{[]float32{1, 3, 2}, 3, 1},
		{[]float32{negZero, 0, negZero}, 0, negZero},
		{[]float32{0, negZero}, 0, negZero},
		{[]float32{negZero, -1}, negZero, -1},
		{[]float32{negZero, 1}, 1, negZero},
		{nil, -inf, inf},
	} {
		require.Equal(t, bits(c.max), bits(MaxOf(-inf, c.x)), c.x)
		require.Equal(t, bits(c.min), bits(MinOf(inf, c.x)), c.x)
	}
	for _, x := range [][]float32{{nan, 1}, {1, nan}, {1, nan, 2}} {
		require.NotEqual(t, MaxOf(-inf, x), MaxOf(-inf, x))
		require.NotEqual(t, MinOf(inf, x), MinOf(inf, x))
	}
	require.Equal(t, bits(0), bits(MaxOf(negZero, []float32{-1, 0})), "a block that begins at -0")
	require.Equal(t, uint8(1), MaxOf(uint8(0), []uint8{0, 1}))
}

func TestIndices(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		x        []float64
		max, min int64
	}{
		{[]float64{1, 3, 3, 0, 0}, 1, 3},
		{[]float64{1, nan, 5, nan}, 1, 1},
		{[]float64{nan}, 0, 0},
		{[]float64{math.Inf(-1)}, 0, 0},
		{nil, -1, -1},
	} {
		// All at once and in two blocks.
		for cut := range len(c.x) + 1 {
			best, at := ArgMax(0, -1, c.x[:cut], 0)
			_, at = ArgMax(best, at, c.x[cut:], int64(cut))
			require.Equal(t, c.max, at, c.x)
			best, at = ArgMin(0, -1, c.x[:cut], 0)
			_, at = ArgMin(best, at, c.x[cut:], int64(cut))
			require.Equal(t, c.min, at, c.x)
		}
	}
}
