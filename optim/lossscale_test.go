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

// TestLossScaleOfPyTorch has numbers that torch._amp_update_scale_ gives, for a growth of 2 after 2 steps and a backoff
// of a half.
func TestLossScaleOfPyTorch(t *testing.T) {
	g := graph.New("scale")
	x, w := g.Input("x", graph.Float32), g.Param("w", graph.Float32)
	scale := optim.NewLossScale(g, "scale", optim.LossScaleRule{Initial: 8, Steps: 2})
	params := []*graph.Node{w}
	grads, finite := scale.Unscale(autodiff.Grad(scale.Apply(ops.Mul(w, x)), params))
	sess := session(t, g, exec.Outputs(finite, grads[0]),
		exec.Updates(optim.SGD(1., optim.When(finite)).Updates(params, grads)...),
		exec.Updates(scale.Updates(finite)...))
	inf, sum := float32(math.Inf(1)), 0.
	for i, c := range []struct {
		x     float32
		scale float64
	}{{1, 8}, {inf, 4}, {2, 4}, {3, 8}, {1, 8}, {1, 16}, {-inf, 8}, {float32(math.NaN()), 4}, {1, 4}, {1, 8}, {1, 8}} {
		r, err := sess.Run(t.Context(), exec.Feed{x: c.x})
		require.NoError(t, err)
		assert.Equal(t, c.scale, values(t, sess, scale.Scale())[0], "step %d", i)
		if !math.IsInf(float64(c.x), 0) && c.x == c.x {
			sum -= float64(c.x)
			got, err := r.Scalar(grads[0])
			require.NoError(t, err)
			assert.Equal(t, float64(c.x), got)
		}
		assert.Equal(t, sum, values(t, sess, w)[0], "step %d", i)
	}
}

// A gradient of 1e-9 is 0 in Float16, and is not if the loss is scaled. A loss in Float16 does not overflow by that.
func TestLossScaleOfFloat16(t *testing.T) {
	g := graph.New("scale")
	w := g.Param("w", graph.Float32)
	half := ops.Cast(w, graph.Float16)
	scale := optim.NewLossScale(g, "scale", optim.LossScaleRule{})
	loss := ops.Mul(ops.Cast(half, graph.Float32), graph.Num(1e-9))
	lost := autodiff.Grad(loss, []*graph.Node{w})
	kept, finite := scale.Unscale(autodiff.Grad(scale.Apply(loss), []*graph.Node{w}))
	large := scale.Apply(ops.Add(half, graph.Num(100.)))
	sess := session(t, g, exec.Outputs(lost[0], kept[0], finite, large))
	r, err := sess.Run(t.Context(), nil)
	require.NoError(t, err)
	for n, want := range map[*graph.Node]float64{lost[0]: 0, kept[0]: 1e-9, finite: 1, large: 6553600} {
		got, err := r.Scalar(n)
		require.NoError(t, err)
		assert.InDelta(t, want, got, want*1e-3)
	}
}

func TestMistakesOfLossScales(t *testing.T) {
	for says, build := range map[string]func(g *graph.Graph, x *graph.Node){
		"the backoff of the loss scale is 2; it must be greater than 0 and less than 1": func(g *graph.Graph,
			x *graph.Node) {
			optim.NewLossScale(g, "scale", optim.LossScaleRule{Backoff: 2}).Apply(ops.Sum(x))
		},
		"there are no gradients": func(g *graph.Graph, x *graph.Node) {
			optim.NewLossScale(g, "scale", optim.LossScaleRule{}).Unscale(nil)
		},
		"gradient 0 is ArgMax(x, 0); it": func(g *graph.Graph, x *graph.Node) {
			optim.NewLossScale(g, "scale", optim.LossScaleRule{}).Unscale([]*graph.Node{ops.ArgMax(x, 0)})
		},
		"finite must be a Bool scalar": func(g *graph.Graph, x *graph.Node) {
			optim.NewLossScale(g, "scale", optim.LossScaleRule{}).Updates(ops.IsFinite(x))
		},
	} {
		g := graph.New("scale")
		build(g, g.Input("x", graph.Float32, 3))
		require.ErrorContains(t, g.Err(), says)
	}
}
