package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Two views of one memory with the same strides are two operands where the size of each
// decides in the run whether it is repeated.
func TestViewsWhoseRepetitionIsDecidedInTheRun(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
	n, m := g.Dim("n"), g.Dim("m")
	x := g.Input("x", graph.Float32, m)
	v := ops.AsStrided(x, graph.Shape{2, n}, []graph.Dim{0, 1}, 0)
	y := ops.Add(v, x)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	feed := exec.Feed{x: exec.Array{Shape: []int{2}, Data: []float32{1, 10}}}
	for size, want := range map[int][]float32{1: {2, 11, 2, 11}, 2: {2, 20, 2, 20}} {
		r, err := p.NewSession(exec.Size("n", size)).Run(context.Background(), feed)
		require.NoError(t, err)
		require.Equal(t, want, arrayOf(t, r, y).Data)
	}
}

// What a loss requires to be equal is equal in its kernels: two names of one size do not broadcast.
func TestRequiredSizesDoNotBroadcast(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	type of = func(x, target, weights *graph.Node) *graph.Node
	for name, loss := range map[string]of{
		"cross entropy": func(x, t, w *graph.Node) *graph.Node { return ops.CrossEntropy(x, t, ops.ClassWeights(w)) },
		"without weights": func(x, t, _ *graph.Node) *graph.Node {
			return ops.CrossEntropy(x, t, ops.EachLoss())
		},
		"likelihood": func(x, t, w *graph.Node) *graph.Node {
			return ops.NLL(x, t, ops.ClassWeights(w), ops.EachLoss())
		},
	} {
		g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Numpy}))
		n, m := g.Dim("n"), g.Dim("m")
		x, target, weights := g.Input("x", graph.Float32, m, m, 2), g.Input("t", graph.Int64, n, 2),
			g.Input("w", graph.Float32, n)
		p, err := exec.Compile(g, exec.Outputs(loss(x, target, weights)))
		require.NoError(t, err, name)
		require.NotContains(t, p.String(), "broadcast(m, n)", name)
	}
}

// A user's composite may find a shape whose sizes have other names than those that its rule infers.
func TestCompositesOfOtherNames(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	op := &graph.Op{Name: "plus", Func: "Own", Doc: "x plus y, of one shape.", Class: graph.Composite, MinIn: 2,
		MaxIn:  2,
		Infer:  func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Expand: func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Add(in[0], in[1]) }}
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
	x, z := g.Input("x", graph.Float32, g.Dim("n")), g.Input("z", graph.Float32, g.Dim("m"))
	y := ops.Tanh(ops.Apply(op, nil, x, z))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(), exec.Feed{x: vec[float32](1, 2), z: vec[float32](-1, -2)})
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0}, arrayOf(t, r, y).Data)
}
