package engine

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// TestLargeProductsKeepAllThreadsBusy looks at the tiles: there are some for each thread, none
// has more than its share, and those of many small matrices are whole ones.
func TestLargeProductsKeepAllThreadsBusy(t *testing.T) {
	for _, size := range []gemm.Product[float32]{
		{M: 1024, N: 1024, K: 1024},
		{M: 65536, N: 16, K: 64},
		{M: 48, N: 65536, K: 64},
		{M: 1024, N: 256, K: 1024},
		{Batch: []int{8, 64}, M: 128, N: 64, K: 128},
		{Batch: []int{640}, M: 128, N: 64, K: 128},
	} {
		for _, threads := range []int{2, 3, 8, 16, 64} {
			t.Run(fmt.Sprint(size.Batch, size.M, size.N, size.K, " ", threads), func(t *testing.T) {
				p := MatMulTask[float32]{p: size, threads: threads}
				p.cost = 2 * size.Rows() * size.N * size.K / flopsPerNanosecond
				p.divide()
				down := ceilDiv(size.Rows(), p.rows)
				require.Equal(t, ceilDiv(size.N, p.cols), p.across)
				tiles := down * p.across
				require.GreaterOrEqual(t, tiles, threads)
				share := size.Rows() * size.N / threads
				require.LessOrEqual(t, ceilDiv(tiles, threads)*p.rows*p.cols, share*13/10)
				if len(size.Batch) > 0 {
					require.Zero(t, p.rows%size.M)
				}
			})
		}
	}
}

// TestOneThreadComputesProductsWhole: tiles would pack the same elements again.
func TestOneThreadComputesProductsWhole(t *testing.T) {
	p := MatMulTask[float32]{p: gemm.Product[float32]{M: 1000, N: 1000, K: 1000}, threads: 1, cost: 1 << 30}
	p.divide()
	require.Equal(t, grid{1000, 1000, 1}, p.grid)
	p.divideRows()
	require.Equal(t, grid{1000, 1000, 1}, p.grid)
}
