package codegen

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Quotients of bytes by the numbers that scale images need no division, nor do those by nearly all other
// positive numbers.
func TestQuotientsOfBytesNeedNoDivision(t *testing.T) {
	for _, number := range []float32{255, 256, 127.5, 128, 127, 1, 2, 3, 0.5} {
		for _, typ := range []rowprog.Type{rowprog.U8, rowprog.I8} {
			_, _, ok := byteReciprocal(typ, number)
			require.True(t, ok, "%v by %g", typ, number)
		}
	}
	for _, number := range []float32{0, float32(math.Inf(1)), float32(math.NaN()), 1e-30, 1e30} {
		_, _, ok := byteReciprocal(rowprog.U8, number)
		require.False(t, ok, "%g", number)
	}
	r := rand.New(rand.NewPCG(1, 2))
	const tries = 1000
	found := 0
	for range tries {
		if _, _, ok := byteReciprocal(rowprog.U8, float32(math.Abs(r.NormFloat64())*100)); ok {
			found++
		}
	}
	require.Greater(t, found, tries*9/10)
}
