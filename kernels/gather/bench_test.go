package gather_test

import (
	"fmt"
	"testing"

	"github.com/broadloom/broadloom/kernels/gather"
)

// BenchmarkShortRows takes half a million rows of a few elements, and sums as many. The indices are near each other,
// like those of a rotated image.
func BenchmarkShortRows(b *testing.B) {
	const count, most = 1 << 19, 15
	src, dst, index := make([]float32, most*count), make([]float32, most*count), make([]int32, count)
	for i := range index {
		index[i] = int32((i/256*257 + i%256*9/10) % count)
	}
	var m gather.Scratch
	for _, inner := range []int{1, 2, 3, 4, 6, 8, 15} {
		s := gather.Shape{Outer: 1, Size: count, Inner: inner, Count: count}
		for name, run := range map[string]func(){
			"taken": func() { gather.TakeInside(s, dst, src, index) },
			"added": func() { gather.Scatter(gather.Sum, s, dst, src, index, &m) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, inner), func(b *testing.B) {
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/row")
			})
		}
	}
}
