package gemm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
)

// Block sizes follow the caches. They are smaller if these are small, tiles are as high as a set has lines, and they do
// not grow further if caches are large.
func TestSizesFollowCaches(t *testing.T) {
	zen3 := sizesFor(cpu.Cache{Bytes: 32 << 10, Ways: 8}, cpu.Cache{Bytes: 512 << 10, Ways: 8},
		cpu.Cache{Bytes: 32 << 20, Ways: 16})
	sapphireRapids := sizesFor(cpu.Cache{Bytes: 48 << 10, Ways: 12}, cpu.Cache{Bytes: 2 << 20, Ways: 16},
		cpu.Cache{Bytes: 105 << 20, Ways: 15})
	skylake := sizesFor(cpu.Cache{Bytes: 32 << 10, Ways: 8}, cpu.Cache{Bytes: 256 << 10, Ways: 4},
		cpu.Cache{Bytes: 6 << 20, Ways: 12})
	require.Equal(t, cacheSizes{way: 4096, lines: 8, block: 240 << 10, result: 256 << 10, rows: 128 << 10,
		packed: 4 << 20}, zen3)
	require.Equal(t, cacheSizes{way: 4096, lines: 12, bearsConflicts: true, block: 480 << 10, result: 256 << 10,
		rows: 128 << 10, packed: 4 << 20}, sapphireRapids)
	require.Equal(t, cacheSizes{way: 4096, lines: 8, block: 120 << 10, result: 128 << 10, rows: 64 << 10,
		packed: 3 << 20}, skylake)
}

// Products give the same bits with the block sizes of other processors.
func TestSizesDoNotChangeSums(t *testing.T) {
	own := sizes
	defer func() { sizes = own }()
	var results [][]float32
	bearing := own
	bearing.bearsConflicts = !own.bearsConflicts
	for _, s := range []cacheSizes{
		own, {way: 4096, lines: 12, block: 30 << 10, result: 1 << 10, rows: 1 << 10, packed: 64 << 10}, bearing} {
		sizes = s
		const m, n, k = 150, 200, 2048
		p := &Product[float32]{M: m, N: n, K: k, A: Matrix[float32]{Data: thirds[float32](m * k), Row: k, Col: 1},
			B: Matrix[float32]{Data: thirds[float32](k * n), Row: n, Col: 1},
			C: Matrix[float32]{Data: make([]float32, m*n), Row: n, Col: 1}}
		p.Run(new(Scratch[float32]))
		results = append(results, p.C.Data)
	}
	require.Equal(t, results[0], results[1])
	require.Equal(t, results[0], results[2])
}

// thirds are numbers whose products are rounded.
func thirds[T float32 | float64](n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i*7919%101-50) / 3
	}
	return list
}
