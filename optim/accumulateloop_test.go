package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestGradientsAddUpInALoop takes a step of a batch in one run, part by part in a loop, whose body computes the
// gradients of a part. It is a step of the whole batch, allocates nothing, and its memory is that of one part.
func TestGradientsAddUpInALoop(t *testing.T) {
	const rows, width = 512, 32
	build := func(parts graph.Dim) (*exec.Session, exec.Feed, *graph.Node, []*graph.Node) {
		g := graph.New("parts")
		x, y := g.Input("x", graph.Float32, parts, rows/parts, width), g.Input("y", graph.Float32, parts, rows/parts)
		p, hidden, last := nn.Training(g), nn.NewLinear(g, "hidden", width, 256), nn.NewLinear(g, "last", 256, 1)
		params := g.Params()
		carry := []*graph.Node{g.Scalar(graph.Float32, 0)}
		for _, w := range params {
			carry = append(carry, ops.ZerosLike(w))
		}
		sums, _ := ops.Scan(ops.Loop{Carry: carry, Over: []*graph.Node{x, y}},
			func(sums, part []*graph.Node) (next, out []*graph.Node) {
				guess := last.Apply(p, ops.Tanh(hidden.Apply(p, part[0])))
				loss := ops.Mean(ops.Square(ops.Sub(ops.Squeeze(guess, 1), part[1])))
				next = append(next, ops.Add(sums[0], loss))
				for i, d := range autodiff.Grad(loss, params) {
					next = append(next, ops.Add(sums[1+i], d))
				}
				return next, nil
			})
		for i, sum := range sums {
			sums[i] = ops.Div(sum, ops.Size(g, graph.Float32, parts))
		}
		step := optim.AdamW(0.01).Updates(params, sums[1:])
		require.NoError(t, g.Err())
		prog, err := exec.Compile(g, exec.Outputs(sums[0]), exec.Updates(step...))
		require.NoError(t, err)
		xs, ys := make([]float32, rows*width), make([]float32, rows)
		for i := range xs {
			xs[i] = float32(math.Cos(float64(i * i)))
			ys[i/width] += xs[i]
		}
		feed := exec.Feed{x: exec.Array{Shape: []int{int(parts), rows / int(parts), width}, Data: xs},
			y: exec.Array{Shape: []int{int(parts), rows / int(parts)}, Data: ys}}
		return prog.NewSession(exec.Seed(3), exec.Threads(1)), feed, sums[0], params
	}
	whole, all, loss, params := build(1)
	parted, parts, lossParted, paramsParted := build(16)
	for range 3 {
		a, err := whole.Run(t.Context(), all)
		require.NoError(t, err)
		b, err := parted.Run(t.Context(), parts)
		require.NoError(t, err)
		want, err := a.Scalar(loss)
		require.NoError(t, err)
		got, err := b.Scalar(lossParted)
		require.NoError(t, err)
		require.InEpsilon(t, want, got, 1e-4)
	}
	for i, w := range params {
		want, err := whole.Param(w)
		require.NoError(t, err)
		got, err := parted.Param(paramsParted[i])
		require.NoError(t, err)
		require.InDeltaSlice(t, want.Data, got.Data, 1e-3, w.Name())
	}
	allocs.RequireNone(t, 3, func() {
		if _, err := parted.Run(t.Context(), parts); err != nil {
			t.Fatal(err)
		}
	})
	big, err := whole.Program().Footprint(nil)
	require.NoError(t, err)
	small, err := parted.Program().Footprint(nil)
	require.NoError(t, err)
	require.Less(t, 2*small.Arena, big.Arena)
}
