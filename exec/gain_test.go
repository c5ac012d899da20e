package exec

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// benchmarkRun measures runs of an output on one thread, fed with ones, after three runs and
// a change to the session.
func benchmarkRun(b *testing.B, name string, g *graph.Graph, y *graph.Node, change func(*Session)) {
	b.Run(name, func(b *testing.B) {
		run, s := prepared(b, g, y)
		change(s)
		for b.Loop() {
			run()
		}
	})
}

// prepared returns what computes outputs on one thread, fed with ones, and has done so three
// times.
func prepared(b *testing.B, g *graph.Graph, y ...*graph.Node) (run func(), s *Session) {
	prog, err := Compile(g, Outputs(y...))
	require.NoError(b, err)
	feed := Feed{}
	for _, x := range g.Inputs() {
		shape, _ := x.Shape().Ints()
		data := make([]float32, shape[0]*shape[len(shape)-1])
		for i := range data {
			data[i] = 1
		}
		feed[x] = Array{Shape: shape, Data: data}
	}
	s = prog.NewSession(Threads(1))
	run = func() {
		if _, err := s.Run(context.Background(), feed); err != nil {
			b.Fatal(err)
		}
	}
	for range 3 {
		run()
	}
	return run, s
}

// BenchmarkEpilogues has kernels run on a product's tiles, on its rows, and after
// it, by turns. It gives the medians of how many times as fast the first two are as the last.
func BenchmarkEpilogues(b *testing.B) {
	kinds := []struct {
		name string
		of   func(g *graph.Graph, p *graph.Node) []*graph.Node
	}{
		{"bias and ReLU", func(g *graph.Graph, p *graph.Node) []*graph.Node {
			return []*graph.Node{ops.Relu(ops.Add(p, g.Input("b", graph.Float32, 1, p.Shape()[1])))}
		}},
		{"scale and residual", func(g *graph.Graph, p *graph.Node) []*graph.Node {
			return []*graph.Node{ops.Add(ops.Mul(p, graph.Num(0.5)), g.Input("r", graph.Float32, p.Shape()...))}
		}},
		{"gradient of ReLU", func(g *graph.Graph, p *graph.Node) []*graph.Node {
			return []*graph.Node{gradientOfRelu(g, p)}
		}},
		{"gradients of ReLU and bias", func(g *graph.Graph, p *graph.Node) []*graph.Node {
			dz := gradientOfRelu(g, p)
			return []*graph.Node{dz, ops.Sum(dz, 0)}
		}},
		{"gradient of bias", func(g *graph.Graph, p *graph.Node) []*graph.Node {
			return []*graph.Node{p, ops.Sum(p, 0)}
		}},
		{"GELU", func(g *graph.Graph, p *graph.Node) []*graph.Node {
			return []*graph.Node{ops.Gelu(ops.Add(p, g.Input("b", graph.Float32, 1, p.Shape()[1])))}
		}},
	}
	for _, size := range [][3]graph.Dim{{65536, 64, 64}, {4096, 1024, 64}, {1024, 1000, 64}, {1000, 112, 20},
		{256, 256, 64}, {64, 512, 784}, {1024, 1024, 256}} {
		for _, kind := range kinds {
			g := graph.New("epilogue")
			x, w := g.Input("x", graph.Float32, size[0], size[2]), g.Input("w", graph.Float32, size[2], size[1])
			y := kind.of(g, ops.MatMul(x, w))
			b.Run(fmt.Sprint(size, " ", kind.name), func(b *testing.B) { benchmarkEpilogue(b, g, y...) })
		}
	}
}

// gradientOfRelu passes on what belongs to elements of an input that are greater than 0.
func gradientOfRelu(g *graph.Graph, p *graph.Node) *graph.Node {
	return ops.Where(ops.Greater(g.Input("y", graph.Float32, p.Shape()...), graph.Num(0)), p, graph.Num(0))
}

func benchmarkEpilogue(b *testing.B, g *graph.Graph, y ...*graph.Node) {
	var runs []func()
	for _, manner := range []func(t *engine.MatMulTask[float32], k *engine.LoopTask) bool{
		func(*engine.MatMulTask[float32], *engine.LoopTask) bool { return false },
		func(t *engine.MatMulTask[float32], k *engine.LoopTask) bool {
			return t.FuseRows(&engine.Specialization{Thresholds: &lower.UsualThresholds}, k)
		},
		func(t *engine.MatMulTask[float32], k *engine.LoopTask) bool { return t.Tiles != nil },
	} {
		run, s := prepared(b, g, y...)
		binding := s.bindings[0]
		product, l := binding.Launches[0].Task.(*engine.MatMulTask[float32]), &binding.Launches[1]
		k := l.Task.(*engine.LoopTask)
		if l.Fused = manner(product, k); !l.Fused || product.RowConsumer != nil {
			product.Tiles = nil
		}
		if !l.Fused {
			product.RowConsumer = nil
			if len(runs) > 0 { // it is no way for this program
				run = nil
			}
		}
		runs = append(runs, run)
	}
	gains := make([][]float64, len(runs))
	for b.Loop() {
		apart := timeOf(runs[0])
		for i, run := range runs[1:] {
			if run != nil {
				gains[i+1] = append(gains[i+1], apart/timeOf(run))
			}
		}
	}
	for i, name := range []string{1: "rows", 2: "tiles"} {
		if n := len(gains[i]); n > 0 {
			slices.Sort(gains[i])
			b.ReportMetric(gains[i][n/2], name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSumsOfFactors has a kernel sum the columns of a product's second matrix with it,
// and after it, by turns: a bias's gradient and its weights'. It gives the median of how many
// times as fast both are together, and of the share of the time that sums after it take.
func BenchmarkSumsOfFactors(b *testing.B) {
	for _, size := range [][3]graph.Dim{{64, 512, 784}, {1024, 768, 256}, {1024, 1024, 1024}, {4096, 1024, 512},
		{4096, 1024, 64}, {65536, 64, 64}} {
		g := graph.New("fused")
		x, dz := g.Input("x", graph.Float32, size[0], size[2]), g.Input("dz", graph.Float32, size[0], size[1])
		dw, db := ops.MatMul(ops.Transpose(x, 0, 1), dz), ops.Sum(dz, 0)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			fused, _ := prepared(b, g, dw, db)
			apart, s := prepared(b, g, dw, db)
			if !s.bindings[0].Launches[1].Fused {
				b.Skip("it is small enough for a cache")
			}
			launches := s.bindings[0].Launches
			launches[0].Task.(*engine.MatMulTask[float32]).Reduction, launches[1].Fused = nil, false
			alone, _ := prepared(b, g, dw)
			var gains, shares []float64
			for b.Loop() {
				after := timeOf(apart)
				gains, shares = append(gains, after/timeOf(fused)), append(shares, 1-timeOf(alone)/after)
			}
			slices.Sort(gains)
			slices.Sort(shares)
			b.ReportMetric(gains[len(gains)/2], "fused")
			b.ReportMetric(shares[len(shares)/2], "share")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// timeOf measures a run.
func timeOf(run func()) float64 {
	start := time.Now()
	run()
	return float64(time.Since(start))
}

// BenchmarkPackedWeights multiplies by a parameter, which is packed, and by an input.
func BenchmarkPackedWeights(b *testing.B) {
	for _, rows := range []graph.Dim{2, 4, 8, 32, 64, 128, 256} {
		for _, transposed := range []bool{false, true} {
			for _, packed := range []bool{true, false} {
				g := graph.New("packed")
				shape := []graph.Dim{512, 2048}
				if transposed {
					shape = []graph.Dim{2048, 512}
				}
				declare := g.Input
				if packed {
					declare = g.Param
				}
				w := declare("w", graph.Float32, shape...)
				if transposed {
					w = ops.Transpose(w, 0, 1)
				}
				y := ops.MatMul(g.Input("x", graph.Float32, rows, 512), w)
				benchmarkRun(b, fmt.Sprint(rows, " transposed=", transposed, " packed=", packed), g, y,
					func(*Session) {})
			}
		}
	}
}
