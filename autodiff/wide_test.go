package autodiff_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// madeFor returns the operations and dtypes of the nodes that a gradient adds.
func madeFor(t *testing.T, f func(x *graph.Node) *graph.Node) (g *graph.Graph, x, dx *graph.Node, made []string) {
	g = graph.New("wide")
	x = g.Input("x", graph.BFloat16, 4)
	y := f(x)
	dy := g.Input("dy", graph.BFloat16, y.Shape()...)
	first := len(g.Nodes())
	dx = autodiff.Grad(y, []*graph.Node{x}, autodiff.Upstream(dy))[0]
	require.NoError(t, g.Err())
	require.NoError(t, shapeinfer.Check(g).Err())
	for i, n := range g.Nodes()[first:] {
		require.Equal(t, first+i, n.ID())
		made = append(made, n.Op().Name+" "+n.DType().Short())
	}
	require.Equal(t, graph.BFloat16, dx.DType())
	return g, x, dx, made
}

// Gradients that round once are built as the rule says, without conversions.
func TestGradientsThatRoundOnceStayAsTheyAre(t *testing.T) {
	_, _, _, made := madeFor(t, func(x *graph.Node) *graph.Node { return ops.Exp(x) })
	assert.Equal(t, []string{"mul bf16"}, made)
	_, _, _, made = madeFor(t, func(x *graph.Node) *graph.Node {
		return ops.MatMul(x, ops.Transpose(ops.Reshape(x, 1, 4), 0, 1))
	})
	for _, name := range made {
		assert.NotContains(t, name, "f32")
	}
}

// Gradients that would round several times are computed in Float32, with one conversion of each operand and one of the
// result.
func TestGradientsOfSeveralStepsRoundOnce(t *testing.T) {
	g, x, dx, made := madeFor(t, func(x *graph.Node) *graph.Node { return ops.Gelu(x) })
	assert.Equal(t, 2, len(slices.DeleteFunc(slices.Clone(made), func(s string) bool { return s != "cast f32" })),
		"of x and dy: %v", made)
	assert.Equal(t, "cast bf16", made[len(made)-1])
	assert.Equal(t, 1, len(slices.DeleteFunc(slices.Clone(made), func(s string) bool { return s != "cast bf16" })),
		"%v", made)

	p, err := exec.Compile(g, exec.Outputs(dx))
	require.NoError(t, err)
	stats, err := p.Stats(nil)
	require.NoError(t, err)
	assert.Equal(t, 1, stats.Kernels, "conversions share the kernel")

	again := autodiff.Grad(ops.Sum(dx), []*graph.Node{x})[0]
	require.NoError(t, g.Err())
	p, err = exec.Compile(g, exec.Outputs(again))
	require.NoError(t, err)
	one := half.ToBFloat16([]float32{1, 1, 1, 1})
	r, err := p.NewSession().Run(t.Context(), exec.Feed{x: half.ToBFloat16([]float32{0, 0, 0, 0}), g.ByName("dy"): one})
	require.NoError(t, err)
	second, err := exec.Values[half.BFloat16](r, again)
	require.NoError(t, err)
	assert.InDelta(t, 0.7979, second[0].Float32(), 0.004, "the second derivative of gelu at 0 is 2/sqrt(2*pi)")
}

// A value whose shape alone a rule needs is not converted. The rounded result of the forward pass is used as the
// result.
func TestGradientsReadRoundedResults(t *testing.T) {
	_, _, _, made := madeFor(t, func(x *graph.Node) *graph.Node { return ops.Tanh(x) })
	assert.Equal(t, 2, len(slices.DeleteFunc(slices.Clone(made), func(s string) bool { return s != "cast f32" })),
		"of y and dy, and not of x: %v", made)
}

// A rule of the user's own is asked once, as it was written.
func TestRulesOfUsersAreAskedOnce(t *testing.T) {
	asked := 0
	_, _, _, made := madeFor(t, func(x *graph.Node) *graph.Node {
		return ops.WithGradient("Own", []*graph.Node{x}, func(in []*graph.Node) *graph.Node { return ops.Exp(in[0]) },
			func(y, dy *graph.Node, in []*graph.Node) []*graph.Node {
				asked++
				return []*graph.Node{ops.Mul(ops.Mul(dy, y), ops.Add(in[0], graph.Num(0.3)))}
			})
	})
	assert.Equal(t, 1, asked)
	assert.NotContains(t, made, "cast f32")
}
