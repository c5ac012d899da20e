package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestGradientsThroughVmap has gradients of what comes out of a Vmap, and gradients of these, of functions whose own
// gradient is another than that of what they are written with, or the only one.
func TestGradientsThroughVmap(t *testing.T) {
	straight := func(name string, f func(x []node) node, in ...node) node {
		return ops.WithGradient(name, in, f, func(_, dy node, in []node) []node {
			list := make([]node, len(in))
			for i := range in {
				list[i] = ops.Mul(dy, ops.Square(in[(i+1)%len(in)]))
			}
			return list
		})
	}
	cases := map[string]func(x, shared node) node{
		"rounded, with a gradient": func(x, _ node) node {
			return straight("Round", func(in []node) node { return ops.Round(ops.Mul(in[0], graph.Num(3))) }, x)
		},
		"what is the same for all has the sum": func(x, shared node) node {
			return straight("Steps", func(in []node) node { return ops.Sign(ops.Add(in[0], in[1])) }, x, shared)
		},
		"a checkpoint": func(x, shared node) node {
			return autodiff.Checkpoint(x, func(x node) node { return ops.Tanh(ops.Mul(ops.MatMul(x, shared), x)) })
		},
		"a system": func(x, shared node) node {
			return ops.Solve(ops.Add(ops.MatMul(x, ops.Transpose(x, 0, 1)), ops.Eye(x.Graph(), graph.Float64, 3, 3)),
				shared)
		},
		"a loop without bounds in it": func(x, shared node) node {
			boxes := ops.Reshape(ops.Cast(ops.Iota(x.Graph(), 0, 8), graph.Float64), 2, 4)
			return ops.RoiAlign(ops.Reshape(ops.Mul(x, shared), 1, 1, 3, 3), boxes,
				ops.Zeros(x.Graph(), graph.Int64, 2), 2, 2)
		},
	}
	for name, call := range cases {
		t.Run(name, func(t *testing.T) {
			g := graph.New("gradients")
			x, shared := g.Input("x", graph.Float64, 2, 3, 3, 3), g.Input("shared", graph.Float64, 3, 3)
			f := func(e []node) []node { return []node{call(e[0], shared)} }
			var all []node
			for _, y := range []node{ops.Vmap([]node{x}, func(e []node) []node { return ops.Vmap(e, f) })[0],
				oneAfterOther([]node{x}, f)} {
				first := autodiff.Grad(ops.Sum(ops.Sin(y)), []node{x, shared}, autodiff.ZeroForUnused())
				second := autodiff.Grad(ops.Add(ops.Sum(ops.Square(first[0])), ops.Sum(ops.Square(first[1]))),
					[]node{x, shared}, autodiff.ZeroForUnused())
				all = append(all, y, first[0], first[1], second[0], second[1])
			}
			prog, err := exec.Compile(g, exec.Outputs(all...), exec.OnWarning(nil))
			require.NoError(t, err)
			r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: ramp(54, 1), shared: ramp(9, 2)})
			require.NoError(t, err)
			for i := range 5 {
				got, err := exec.Values[float64](r, all[i])
				require.NoError(t, err)
				want, err := exec.Values[float64](r, all[5+i])
				require.NoError(t, err)
				require.InDeltaSlice(t, want, got, 1e-9, "value %d", i)
			}
		})
	}
}
