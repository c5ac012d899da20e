package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// The norm is that of all gradients together, also of empty ones; those within the limit stay.
func TestClipNorm(t *testing.T) {
	g := graph.New("clip")
	x, y, none := g.Input("x", graph.Float64, 2), g.Input("y", graph.Float32), g.Input("none", graph.Float32, 0)
	clipped, norm := optim.ClipNorm([]*graph.Node{x, y, none}, 1)
	sess := session(t, g, exec.Outputs(append(clipped, norm)...))
	for scale, factor := range map[float64]float64{1: 1 / (13 + 1e-6), 0.01: 1} {
		r, err := sess.Run(t.Context(), exec.Feed{
			x: array(graph.Float64, []float64{3 * scale, 4 * scale}, 2), y: float32(12 * scale),
			none: array(graph.Float32, nil, 0)})
		require.NoError(t, err)
		n, err := r.Scalar(norm)
		require.NoError(t, err)
		assert.InDelta(t, 13*scale, n, 1e-6)
		got, err := exec.Values[float64](r, clipped[0])
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float64{3 * scale * factor, 4 * scale * factor}, got, 1e-7)
		last, err := r.Scalar(clipped[1])
		require.NoError(t, err)
		assert.InDelta(t, 12*scale*factor, last, 1e-6)
	}
}

// The squares of gradients in Float16 need not fit into it.
func TestClipNormOfHalves(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Float16, graph.BFloat16} {
		g := graph.New("clip")
		x := g.Input("x", dtype, 2)
		clipped, norm := optim.ClipNorm([]*graph.Node{x}, 1)
		r, err := session(t, g, exec.Outputs(clipped[0], norm)).Run(
			t.Context(), exec.Feed{x: array(dtype, []float64{3 * 4096, 4 * 4096}, 2)})
		require.NoError(t, err)
		n, err := r.Scalar(norm)
		require.NoError(t, err)
		assert.InEpsilon(t, 5*4096, n, 1e-6)
		got, err := r.Array(clipped[0])
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float32{0.6, 0.8}, got.Widened().Data, 2e-3)
	}
}

func TestClipValue(t *testing.T) {
	g := graph.New("clip")
	x := g.Input("x", graph.Float64, 4)
	clipped := optim.ClipValue([]*graph.Node{x}, 0.5)
	r, err := session(t, g, exec.Outputs(clipped...)).Run(
		t.Context(), exec.Feed{x: array(graph.Float64, []float64{-2, -0.25, 0.5, math.Inf(1)}, 4)})
	require.NoError(t, err)
	got, err := exec.Values[float64](r, clipped[0])
	require.NoError(t, err)
	assert.Equal(t, []float64{-0.5, -0.25, 0.5, 0.5}, got)
}

// Four micro-batches are a step of the whole batch, clipped as a whole; between full ones
// nothing changes, and the schedule counts full ones only.
func TestAccumulate(t *testing.T) {
	build := func(rows graph.Dim, runs int) (*exec.Session, *graph.Node, *graph.Node) {
		g := graph.New("accumulate")
		x := g.Input("x", graph.Float64, rows, 2)
		params := []*graph.Node{g.ParamInit("w", graph.Float64, ramp(1), 2), g.ParamInit("b", graph.Float64, ramp(1))}
		loss := ops.Mean(ops.Square(ops.Add(ops.MatMul(x, params[0]), params[1])))
		grads, full := optim.Accumulate(params, autodiff.Grad(loss, params), runs)
		grads, _ = optim.ClipNorm(grads, 1)
		step := optim.AdamW(optim.Exponential(0.1, 0.5), optim.When(full)).Updates(params, grads)
		require.NoError(t, g.Err())
		return session(t, g, exec.Outputs(loss), exec.Updates(step...)), x, params[0]
	}
	whole, all, w := build(8, 1)
	parts, part, v := build(2, 4)
	for round := range 3 {
		rows := make([]float64, 16)
		for i := range rows {
			rows[i] = math.Cos(float64(i + 16*round))
		}
		before := values(t, parts, v)
		for i := range 4 {
			require.Equal(t, before, values(t, parts, v))
			_, err := parts.Run(t.Context(), exec.Feed{part: array(graph.Float64, rows[4*i:4*i+4], 2, 2)})
			require.NoError(t, err)
		}
		_, err := whole.Run(t.Context(), exec.Feed{all: array(graph.Float64, rows, 8, 2)})
		require.NoError(t, err)
		require.InDeltaSlice(t, values(t, whole, w), values(t, parts, v), 1e-12)
		require.NotEqual(t, before, values(t, parts, v))
	}
}
