package gemm

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/clock"
	"github.com/broadloom/broadloom/kernels/cpu"
)

// named makes loops that can be told apart by how many they are.
func named(n int) wholeTiles { return wholeTiles{full: make([]func(*tileArgs), n)} }

// The fastest loops are chosen by their least times; the first ones stay if others gain too little.
func TestFastest(t *testing.T) {
	for name, c := range map[string]struct {
		times [][]float64 // of the loops, by turns
		want  int
	}{
		"the second is faster":      {[][]float64{{1, 1}, {0.9, 0.8}}, 1},
		"the first is faster":       {[][]float64{{1, 0.5}, {0.9, 0.8}}, 0},
		"a hundredth is no gain":    {[][]float64{{1, 1}, {0.99, 2}}, 0},
		"the third is the fastest":  {[][]float64{{1, 1}, {0.7, 0.7}, {2, 0.6}}, 2},
		"one is not even measured":  {[][]float64{nil}, 0},
		"other programs take turns": {[][]float64{{9, 1}, {0.97, 9}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			choices, calls := make([]wholeTiles, len(c.times)), make([]int, len(c.times))
			for i := range choices {
				choices[i] = named(i)
			}
			got := fastest(choices, func(w *wholeTiles) float64 {
				i := len(w.full)
				calls[i]++
				return c.times[i][calls[i]%len(c.times[i])]
			})
			require.Len(t, got.full, c.want)
		})
	}
}

// All loops of an instruction set give the same bits.
func TestVariantsAgree(t *testing.T) {
	if cpu.Chosen() < cpu.AVX512 {
		t.Skip("there is no choice")
	}
	autotune()
	for _, size := range [][3]int{{14, 32, 1}, {28, 64, 70}, {61, 97, 513}, {200, 130, wholeSum + 3}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			variantsAgree[float32](t, simd32, size)
			variantsAgree[float64](t, simd64, size)
		})
	}
}

func variantsAgree[T float32 | float64](t *testing.T, v *simdTiles, size [3]int) {
	chosen := v.wholeTiles
	defer func() { v.wholeTiles = chosen }()
	base, _ := choose(cpu.AVX512)
	if sizeOf[T]() == 8 {
		_, base = choose(cpu.AVX512)
	}
	var results [][]T
	for _, w := range append([]wholeTiles{base.wholeTiles}, v.variants...) {
		v.wholeTiles = w
		m, n, k := size[0], size[1], size[2]
		p := &Product[T]{M: m, N: n, K: k, A: Matrix[T]{Data: thirds[T](m * k), Row: k, Col: 1},
			B: Matrix[T]{Data: thirds[T](k * n), Row: n, Col: 1}, C: Matrix[T]{Data: make([]T, m*n), Row: n, Col: 1}}
		var s Scratch[T]
		p.Run(&s)
		results = append(results, p.C.Data)
	}
	require.Greater(t, len(results), 1)
	for _, r := range results[1:] {
		require.Equal(t, results[0], r)
	}
}

// BenchmarkTiles reports the least times of all loops, with operands in the first-level cache, as rates.
func BenchmarkTiles(b *testing.B) {
	const k, tiles = 128, 4 // of a trial
	for _, v := range []*simdTiles{simd32, simd64} {
		if v == nil {
			b.Skip("no loops for this processor")
		}
		base, _ := choose(cpu.Chosen())
		if v == simd64 {
			_, base = choose(cpu.Chosen())
		}
		for i, w := range append([]wholeTiles{base.wholeTiles}, v.variants...) {
			b.Run(fmt.Sprintf("columns=%d/loops=%d", v.cols, i), func(b *testing.B) {
				trial, least := v.trial(clock.Now), math.Inf(1)
				for b.Loop() {
					least = min(least, trial(&w))
				}
				b.ReportMetric(2*float64(v.rows*v.cols*k*tiles)/least/1e9, "GFLOP/s")
			})
		}
	}
}
