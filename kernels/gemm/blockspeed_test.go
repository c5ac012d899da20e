package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// BenchmarkRowsByBlocks reports the time of products of some rows by weights of blocks, as a share of that by packed
// weights of float32, which run in turns.
func BenchmarkRowsByBlocks(b *testing.B) {
	const n, block = 4096, 32
	for i, name := range []string{"int8", "int4", "uint8", "uint4"} {
		for _, k := range []int{1024, 4096} {
			for _, rows := range []int{1, 2, 4, 8, 16, 64, 512} {
				b.Run(fmt.Sprintf("%s/%d/%d", name, k, rows), func(b *testing.B) {
					wide := &Product[float32]{M: rows, N: n, K: k, A: layout(rows, k, false), B: layout(k, n, true),
						C: layout(rows, n, false)}
					narrow := *wide
					narrow.FactorB = scaledBlocks(rand.New(rand.NewPCG(1, 2)), &narrow.B, block, typesOfBlocks[i])
					narrow.InLanes = narrow.HasLanes()
					packed := make([]float32, wide.PackedLen())
					var s Scratch[float32]
					if len(packed) > 0 {
						wide.PackB(packed, &s)
						wide.Packed = packed
					}
					var times [2][]time.Duration
					for b.Loop() {
						for i, p := range []*Product[float32]{wide, &narrow} {
							start := time.Now()
							p.Run(&s)
							times[i] = append(times[i], time.Since(start))
						}
					}
					quick := func(times []time.Duration) float64 { // the time that a quarter of the runs take at most
						slices.Sort(times)
						return float64(times[len(times)/4].Microseconds())
					}
					b.ReportMetric(quick(times[1])/quick(times[0]), "of-float32")
					b.ReportMetric(quick(times[1]), "us")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
