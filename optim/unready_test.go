package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestStepsOfScaledLosses refuses gradients of a loss that was scaled, wherever they went since, unless they were
// divided by the factor.
func TestStepsOfScaledLosses(t *testing.T) {
	type given struct {
		scale  *optim.LossScale
		loss   *graph.Node
		params []*graph.Node
	}
	scaled := func(c given) []*graph.Node { return autodiff.Grad(c.scale.Apply(c.loss), c.params) }
	for name, c := range map[string]struct {
		step  func(c given) []*graph.Node
		wrong bool
	}{
		"minimised": {func(c given) []*graph.Node {
			return optim.SGD(0.1).Minimize(c.scale.Apply(c.loss), c.params...)
		}, true},
		"a sum of losses": {func(c given) []*graph.Node {
			return optim.Adam(0.1).Minimize(ops.Add(c.scale.Apply(c.loss), ops.Sum(c.params[0])), c.params...)
		}, true},
		"gradients": {func(c given) []*graph.Node {
			return optim.SGD(0.1).Updates(c.params, scaled(c))
		}, true},
		"clipped": {func(c given) []*graph.Node {
			grads, _ := optim.ClipNorm(scaled(c), 1)
			return optim.SGD(0.1).Updates(c.params, grads)
		}, true},
		"accumulated": {func(c given) []*graph.Node {
			grads, full := optim.Accumulate(c.params, scaled(c), 2)
			return optim.SGD(0.1, optim.When(full)).Updates(c.params, grads)
		}, true},
		"unscaled": {func(c given) []*graph.Node {
			grads, finite := c.scale.Unscale(scaled(c))
			return optim.SGD(0.1, optim.When(finite)).Updates(c.params, grads)
		}, false},
		"unscaled and clipped": {func(c given) []*graph.Node {
			grads, finite := c.scale.Unscale(scaled(c))
			grads, _ = optim.ClipNorm(grads, 1)
			return optim.SGD(0.1, optim.When(finite)).Updates(c.params, grads)
		}, false},
		"divided by hand": {func(c given) []*graph.Node {
			grads := scaled(c)
			for i, dw := range grads {
				grads[i] = ops.Div(dw, ops.Cast(c.scale.Scale(), dw.DType()))
			}
			return optim.SGD(0.1).Updates(c.params, grads)
		}, false},
		"another loss": {func(c given) []*graph.Node {
			c.scale.Apply(c.loss)
			return optim.SGD(0.1).Minimize(c.loss, c.params...)
		}, false},
	} {
		for _, dtype := range []graph.DType{graph.Float16, graph.Float32, graph.Float64} {
			t.Run(name+" "+dtype.String(), func(t *testing.T) {
				g := graph.New("scaled")
				w := g.Param("w", dtype, 3)
				scale := optim.NewLossScale(g, "scale", optim.LossScaleRule{})
				loss := ops.Mean(ops.Square(ops.Mul(w, g.Input("x", dtype, 3))))
				c.step(given{scale, loss, []*graph.Node{w}})
				if !c.wrong {
					require.NoError(t, g.Err())
					return
				}
				require.Len(t, g.Mistakes(), 1)
				require.ErrorContains(t, g.Err(), "the gradients are those of a loss that scale.scale multiplies")
				require.ErrorContains(t, g.Err(), "grads, finite := scale.Unscale(")
				require.ErrorContains(t, g.Err(), "unready_test.go")
			})
		}
	}
}

// TestStepsOfIncompleteBatches refuses accumulated gradients in a step that does not wait for all of them.
func TestStepsOfIncompleteBatches(t *testing.T) {
	for name, c := range map[string]struct {
		step func(params, grads []*graph.Node) []*graph.Node
		want string
	}{
		"ignored": {func(params, grads []*graph.Node) []*graph.Node {
			grads, _ = optim.Accumulate(params, grads, 4)
			return optim.SGD(0.1).Updates(params, grads)
		}, "the gradients are complete in every 4th run only: pass the second result of Accumulate, optim.When(full)"},
		"ignored and clipped": {func(params, grads []*graph.Node) []*graph.Node {
			grads, _ = optim.Accumulate(params, grads, 22)
			grads, _ = optim.ClipNorm(grads, 1)
			return optim.Adam(0.1).Updates(params, grads)
		}, "complete in every 22nd run"},
		"waiting": {func(params, grads []*graph.Node) []*graph.Node {
			grads, full := optim.Accumulate(params, grads, 4)
			return optim.SGD(0.1, optim.When(full)).Updates(params, grads)
		}, ""},
		"always complete": {func(params, grads []*graph.Node) []*graph.Node {
			grads, _ = optim.Accumulate(params, grads, 1)
			return optim.SGD(0.1).Updates(params, grads)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("parts")
			params := []*graph.Node{g.Param("w", graph.Float32, 3)}
			c.step(params, autodiff.Grad(ops.Sum(ops.Square(params[0])), params))
			if c.want == "" {
				require.NoError(t, g.Err())
				return
			}
			require.Len(t, g.Mistakes(), 1)
			require.ErrorContains(t, g.Err(), c.want)
			require.ErrorContains(t, g.Err(), "unready_test.go")
		})
	}
}
