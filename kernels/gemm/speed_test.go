package gemm

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/broadloom/broadloom/kernels/hugepage"
)

// BenchmarkProduct reports the rate of products in GFLOP/s, and its share of the rate of a
// tile whose operands stay in the first-level cache.
func BenchmarkProduct(b *testing.B) {
	sizes := [][3]int{{1, 64, 1024}, {1, 8000, 64}, {4, 8000, 64}, {24, 256, 1024}, {64, 512, 784}, {240, 64, 256},
		{256, 256, 256}, {1024, 1024, 1024},
		{1024, 768, 256}, {1024, 256, 1024}, {256, 1024, 1024}, {16, 64, 150}, {128, 128, 32}, {128, 32, 128}}
	for _, size := range sizes {
		for _, kind := range []string{"NN", "NT", "TN", "TT"} {
			m, n, k := size[0], size[1], size[2]
			p := Product[float32]{M: m, N: n, K: k}
			p.A = layout(m, k, kind[0] == 'T')
			p.B = layout(k, n, kind[1] == 'T')
			p.C = layout(m, n, false)
			b.Run(fmt.Sprintf("%dx%dx%d/%s", m, n, k, kind), func(b *testing.B) { report(b, &p) })
		}
	}
}

func layout(rows, cols int, transposed bool) Matrix[float32] {
	m := Matrix[float32]{Data: hugepage.Make[float32](rows * cols), Row: cols, Col: 1}
	for i := range m.Data {
		m.Data[i] = float32(i%13) - 6
	}
	if transposed {
		m.Row, m.Col = 1, rows
	}
	return m
}

// report reports the greatest rate, and shares of the rate of a tile. The tile is measured right before and after, for
// about as long. The shares are the median, and the one that a tenth of the quiet moments exceed, in which the tile had
// its full speed both times.
func report(b *testing.B, p *Product[float32]) {
	var s Scratch[float32]
	p.Run(&s)
	type sample struct{ rate, before, after float64 }
	var samples []sample
	var tiles, shares, quiet []float64
	best := 0.0
	flops := p.M * p.N * p.K
	for b.Loop() {
		before := tileRate(flops / 2)
		start := time.Now()
		p.Run(&s)
		rate := 2 * float64(flops) / float64(time.Since(start).Nanoseconds())
		samples = append(samples, sample{rate, before, tileRate(flops / 2)})
	}
	for _, m := range samples {
		best = max(best, m.rate)
		tiles = append(tiles, m.before, m.after)
		shares = append(shares, 2*m.rate/(m.before+m.after))
	}
	slices.Sort(tiles)
	full := tiles[len(tiles)-1-len(tiles)/100]
	for _, m := range samples {
		if min(m.before, m.after) > 0.99*full {
			quiet = append(quiet, m.rate/full)
		}
	}
	slices.Sort(shares)
	slices.Sort(quiet)
	b.ReportMetric(best, "GFLOP/s")
	b.ReportMetric(100*shares[len(shares)/2], "%peak")
	if len(quiet) > 0 {
		b.ReportMetric(100*quiet[len(quiet)*9/10], "%quiet")
	}
	b.ReportMetric(0, "ns/op")
}

// tileRate is the rate of the largest tile on operands that stay in the first-level cache,
// in GFLOP/s.
func tileRate(products int) float64 {
	v := simdOf[float32]()
	if v == nil {
		return 1
	}
	const k = 256
	tiles := max(products/(v.rows*v.cols*k), 1)
	var a [(k + 16) * 16]float32
	var b [(k + 1) * 32]float32
	var c [16 * 32]float32
	args := tileArgs{k: k, a: address(a[:], 0), aRow: 4 * (k + 16), aCol: 4, b: address(b[:], 0), bRow: 4 * v.cols,
		c: address(c[:], 0), cRow: 4 * v.cols, tiles: tiles, stretch: 4 * v.rows}
	start := time.Now()
	v.full[v.rows](&args)
	elapsed := time.Since(start)
	runtime.KeepAlive(&a)
	runtime.KeepAlive(&b)
	runtime.KeepAlive(&c)
	return 2 * float64(v.rows*v.cols*k*tiles) / float64(elapsed.Nanoseconds())
}
