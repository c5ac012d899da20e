package autodiff_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestWhatHasNoGradient checks the message for each way to ask for a gradient that does not exist. The gradients are
// nodes all the same, and there is one message, at the call.
func TestWhatHasNoGradient(t *testing.T) {
	type asked struct {
		y   *graph.Node
		wrt []*graph.Node
		opt []autodiff.Option
	}
	cases := map[string]struct {
		ask  func(g *graph.Graph, x, n *graph.Node) asked
		want string
	}{
		"not a scalar": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Square(x), wrt: []*graph.Node{x}}
		}, "grad can be implicitly created only for scalar outputs, but"},
		"its help": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Square(x), wrt: []*graph.Node{x}}
		}, "autodiff.Upstream(dy)"},
		"an integer": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Sum(n), wrt: []*graph.Node{x}}
		}, "of dtype int64, does not exist: only floating-point values have one"},
		"with respect to an integer": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Sum(x), wrt: []*graph.Node{x, n}}
		}, "n has dtype int64: only floating-point values have gradients"},
		"nil": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Sum(x), wrt: []*graph.Node{x, nil}}
		}, "value 1, with respect to which to differentiate, is nil"},
		"of nil": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: nil, wrt: []*graph.Node{x}}
		}, "the value to differentiate is nil"},
		"nothing": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Sum(x)}
		}, "no value was given with respect to which"},
		"another graph": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Sum(x), wrt: []*graph.Node{graph.New("other").Input("stranger", graph.Float32, 3)}}
		}, "stranger belongs to another graph"},
		"no way": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Sum(x), wrt: []*graph.Node{g.Input("apart", graph.Float32, 3)}}
		}, "does not depend on apart"},
		"another shape arrives": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Square(x), wrt: []*graph.Node{x},
				opt: []autodiff.Option{autodiff.Upstream(g.Input("dy", graph.Float32, 4))}}
		}, "the upstream gradient has shape [4], but"},
		"another rank arrives": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Square(x), wrt: []*graph.Node{x},
				opt: []autodiff.Option{autodiff.Upstream(g.Input("dy", graph.Float32, 3, 1))}}
		}, "the upstream gradient has shape [3, 1], but"},
		"sizes that never are those of the value": {func(g *graph.Graph, x, n *graph.Node) asked {
			m := g.Dim("m")
			y, dy := g.Input("y", graph.Float32, m), g.Input("dy", graph.Float32, m.Plus(1))
			return asked{y: y, wrt: []*graph.Node{y}, opt: []autodiff.Option{autodiff.Upstream(dy)}}
		}, "the upstream gradient has shape [m+1], but y has shape [m]"},
		"sizes of other names": {func(g *graph.Graph, x, n *graph.Node) asked {
			y, dy := g.Input("y", graph.Float32, g.Dim("m")), g.Input("dy", graph.Float32, g.Dim("k"))
			return asked{y: y, wrt: []*graph.Node{y}, opt: []autodiff.Option{autodiff.Upstream(dy)}}
		}, `the sizes "k" and "m" meet on axis 0, and nothing says that they are equal`},
		"another dtype arrives": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Square(x), wrt: []*graph.Node{x},
				opt: []autodiff.Option{autodiff.Upstream(g.Input("dy", graph.Float64, 3))}}
		}, "the upstream gradient has dtype float64, but Square(x) has dtype float32"},
		"another graph's gradient arrives": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Square(x), wrt: []*graph.Node{x},
				opt: []autodiff.Option{autodiff.Upstream(graph.New("other").Input("dy", graph.Float32, 3))}}
		}, "the upstream gradient, dy, belongs to another graph"},
		"an operation without a rule": {func(g *graph.Graph, x, n *graph.Node) asked {
			return asked{y: ops.Sum(graph.Apply(opaque, nil, x)), wrt: []*graph.Node{x}}
		}, "no gradient is defined through Opaque, made at mistakes_test.go:"},
		"a fill of repeated elements": {func(g *graph.Graph, x, n *graph.Node) asked {
			s, y := g.Input("s", graph.Float32), ops.Copy(x)
			w := ops.CopyInPlace(ops.AsStrided(y, graph.Shape{4}, []graph.Dim{0}, 1), s)
			return asked{y: ops.Sum(ops.After(y, w)), wrt: []*graph.Node{s}}
		}, "fills a view that contains elements more than once"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := graph.New("asked")
			x, n := g.Input("x", graph.Float32, 3), g.Input("n", graph.Int64, 3)
			a := c.ask(g, x, n)
			require.NoError(t, g.Err())
			grads := autodiff.Grad(a.y, a.wrt, a.opt...)
			require.Len(t, grads, len(a.wrt))
			require.ErrorContains(t, g.Err(), c.want)
			require.ErrorContains(t, g.Err(), "mistakes_test.go:")
			for _, dx := range grads {
				ops.Add(dx, dx) // what follows is silent
			}
			require.Len(t, g.Mistakes(), 1)
		})
	}
}

// opaque is a user's operation that does not say what its gradient is.
var opaque = &graph.Op{Name: "opaque", Func: "Opaque", Doc: "x", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) }}

func TestAMistakeBeforeIsNotToldTwice(t *testing.T) {
	g := graph.New("wrong before")
	x := g.Input("x", graph.Float32, 3)
	wrong := ops.Add(x, g.Input("y", graph.Float32, 4))
	grads := autodiff.Grad(ops.Sum(wrong), []*graph.Node{x})
	require.NotNil(t, grads[0])
	require.Len(t, g.Mistakes(), 1)
}

func TestZeroForUnused(t *testing.T) {
	g := graph.New("unused")
	x, apart := g.Input("x", graph.Float64, 2), g.Input("apart", graph.Float64, 3)
	grads := autodiff.Grad(ops.Sum(x), []*graph.Node{x, apart}, autodiff.ZeroForUnused())
	out, err := reference.Eval(
		grads, map[*graph.Node]reference.Value{
			x: reference.Of([]float64{1, 2}, 2), apart: reference.Of([]float64{1, 2, 3}, 3)})
	require.NoError(t, err)
	require.Equal(t, []float64{1, 1}, out[0].Data)
	require.Equal(t, []float64{0, 0, 0}, out[1].Data)
}

// TestNaNFlows checks where a NaN in x = (NaN, 2) arrives in values and gradients; PyTorch 2.6 gives the same.
func TestNaNFlows(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		f           func(x *graph.Node) *graph.Node
		value, grad []float64
	}{
		"mul": {func(x *graph.Node) *graph.Node { return ops.Mul(x, graph.Num(3)) }, []float64{nan, 6},
			[]float64{3, 3}},
		"square": {ops.Square, []float64{nan, 4}, []float64{nan, 4}},
		"relu":   {ops.Relu, []float64{nan, 2}, []float64{1, 1}},
		"abs":    {ops.Abs, []float64{nan, 2}, []float64{0, 1}},
		"maximum": {func(x *graph.Node) *graph.Node { return ops.Maximum(x, graph.Num(1.0)) }, []float64{nan, 2},
			[]float64{1, 1}},
		"where unchosen": {func(x *graph.Node) *graph.Node {
			return ops.Where(ops.Equal(x, x), x, graph.Num(0.0))
		}, []float64{0, 2}, []float64{0, 1}},
		"max of all": {func(x *graph.Node) *graph.Node { return ops.Max(x, 0, ops.KeepDims()) }, []float64{nan}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("nan")
			x := g.Input("x", graph.Float64, 2)
			y := c.f(x)
			dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
			require.NoError(t, g.Err())
			out, err := reference.Eval([]*graph.Node{y, dx},
				map[*graph.Node]reference.Value{x: reference.Of([]float64{nan, 2}, 2)})
			require.NoError(t, err)
			requireNumbers(t, c.value, out[0].Data.([]float64))
			if c.grad != nil {
				requireNumbers(t, c.grad, out[1].Data.([]float64))
			}
		})
	}
}

// requireNumbers compares numbers; NaN equals NaN.
func requireNumbers(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if math.IsNaN(want[i]) {
			require.True(t, math.IsNaN(got[i]), "element %d of %v", i, got)
			continue
		}
		require.Equal(t, want[i], got[i], "element %d of %v", i, got)
	}
}
