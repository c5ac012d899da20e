package gemm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// TestProductsOfLongIntegers multiplies integers of 64 bits, whose sums overflow, in sizes around those of tiles, in
// all orders of B, with what was in C before and without, and in parts of C. Nothing is written beside C.
func TestProductsOfLongIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = int64(rng.Uint64())
		}
		return list
	}
	for _, m := range []int{3, 4, 6} {
		for _, n := range []int{1, 7, 8, 9, 16, 33} {
			for _, k := range []int{1, 5, 1100} {
				for kind := range 4 {
					isTurned, adds := kind&1 != 0, kind&2 != 0
					pitch := n + 3
					a, b, c := numbers(m*k), numbers(k*n), numbers(m*pitch)
					p := gemm.Product[int64]{M: m, N: n, K: k, Add: adds,
						A: gemm.Matrix[int64]{Data: a, Row: k, Col: 1}, B: gemm.Matrix[int64]{Data: b, Row: n, Col: 1},
						C: gemm.Matrix[int64]{Data: c, Row: pitch, Col: 1}}
					if isTurned {
						p.B.Row, p.B.Col = 1, k
					}
					want := append([]int64{}, c...)
					for i := range m {
						for j := range n {
							sum := int64(0)
							for x := range k {
								sum += a[i*k+x] * b[x*p.B.Row+j*p.B.Col]
							}
							if adds {
								sum += c[i*pitch+j]
							}
							want[i*pitch+j] = sum
						}
					}
					require.NoError(t, p.Check())
					var s gemm.Scratch[int64]
					p.RunPart(0, m, 0, n/2, &s)
					p.RunPart(0, m, n/2, n, &s)
					require.Equal(t, want, c, fmt.Sprintf("%d×%d×%d, turned %v, adds %v", m, n, k, isTurned, adds))
				}
			}
		}
	}
}
