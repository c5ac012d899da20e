package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// classifier is a small network with its training step and a batch to run it on.
func classifier(t testing.TB) (s *exec.Session, loss *graph.Node, feed exec.Feed) {
	g := graph.New("classifier")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 64)
	target := g.Input("target", graph.Int64, batch)
	h := ops.Relu(testmodel.Linear(g, "hidden", x, 32))
	loss = ops.CrossEntropy(testmodel.Linear(g, "out", h, 10), target)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.001).Minimize(loss)...))
	require.NoError(t, err)
	xs, ts := make([]float32, 32*64), make([]int64, 32)
	for i := range xs {
		xs[i] = float32(i%17) / 17
	}
	for i := range ts {
		ts[i] = int64(i % 10)
	}
	return prog.NewSession(), loss, exec.Feed{
		x: exec.Array{Shape: []int{32, 64}, Data: xs}, target: exec.Array{Shape: []int{32}, Data: ts}}
}

func TestTrainingAllocatesNothing(t *testing.T) {
	s, _, feed := classifier(t)
	ctx := context.Background()
	steps := func() {
		for range 100 {
			if _, err := s.Run(ctx, feed); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps()
	allocs.RequireNone(t, 1, steps)
}

// TestLayoutOfWeightsDoesNotMatter trains layers of either layout: the same values in the same
// kernels, updates of weights on the tiles of their gradients among them.
func TestLayoutOfWeightsDoesNotMatter(t *testing.T) {
	const batch, in, hidden, out = 64, 150, 200, 90
	type outcome struct {
		losses                []float64
		kernels, tiled, fused int
	}
	train := func(layer func(x, w, b *graph.Node) *graph.Node, weights ...graph.Shape) (o outcome) {
		g := graph.New("layers")
		x := g.Input("x", graph.Float32, g.Dim("batch"), in)
		w1, w2 := g.Param("w1", graph.Float32, weights[0]...), g.Param("w2", graph.Float32, weights[1]...)
		h := ops.Relu(layer(x, w1, g.Param("b1", graph.Float32, hidden)))
		loss := ops.Mean(ops.Square(layer(h, w2, g.Param("b2", graph.Float32, out))))
		prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.1).Minimize(loss)...))
		require.NoError(t, err)
		s := prog.NewSession(exec.Threads(1))
		for _, p := range []struct {
			w          *graph.Node
			rows, cols int
		}{{w1, in, hidden}, {w2, hidden, out}} {
			data := make([]float32, p.rows*p.cols)
			shape, _ := p.w.Shape().Ints()
			for i := range data {
				row, col := i/shape[1], i%shape[1]
				if shape[0] != p.rows {
					row, col = col, row
				}
				data[i] = float32((row*7+col*3)%13-6) / 20
			}
			require.NoError(t, s.SetParam(p.w, exec.Array{Shape: shape, Data: data}))
		}
		xs := make([]float32, batch*in)
		for i := range xs {
			xs[i] = float32(i%17) / 17
		}
		for range 5 {
			result, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{batch, in}, Data: xs}})
			require.NoError(t, err)
			v, err := result.Scalar(loss)
			require.NoError(t, err)
			o.losses = append(o.losses, v)
		}
		o.kernels, o.tiled, o.fused = prog.Kernels(), s.Tiled(), s.FusedWithMatMul()
		return o
	}
	want := train(func(x, w, b *graph.Node) *graph.Node { return ops.Add(ops.MatMul(x, w), b) },
		graph.MakeShape(in, hidden), graph.MakeShape(hidden, out))
	require.Equal(t, want, train(ops.Linear, graph.MakeShape(hidden, in), graph.MakeShape(out, hidden)))
	if hasTiles() {
		require.GreaterOrEqual(t, want.tiled, 3)
	}
}

func BenchmarkTrainingStep(b *testing.B) {
	s, _, feed := classifier(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Run(ctx, feed); err != nil {
			b.Fatal(err)
		}
	}
}
