package autodiff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// computed runs a program with one feed.
func computed(t *testing.T, feed exec.Feed, outputs ...*graph.Node) [][]float64 {
	t.Helper()
	prog, err := exec.Compile(outputs[0].Graph(), exec.Outputs(outputs...))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), feed)
	require.NoError(t, err)
	values := make([][]float64, len(outputs))
	for i, y := range outputs {
		values[i], err = exec.Values[float64](r, y)
		require.NoError(t, err)
	}
	return values
}

// TestDerivativesOfAFunctionOfThree compares Jacobian and Hessian with ones derived by hand, also by columns: y has
// more elements than x.
func TestDerivativesOfAFunctionOfThree(t *testing.T) {
	g := graph.New("three")
	x, v := g.Input("x", graph.Float64, 3), g.Input("v", graph.Float64, 3)
	a, b, c := ops.Select(x, 0, 0), ops.Select(x, 0, 1), ops.Select(x, 0, 2)
	y := ops.Stack(0, ops.Mul(a, b), ops.Square(c), ops.Mul(a, c), ops.Square(b))
	few := ops.Slice(y, 0, 0, 2, 1)
	loss := ops.Add(ops.Mul(ops.Square(a), b), ops.Mul(b, c)) // a²b + bc
	wrt := []*graph.Node{x}
	got := computed(t, exec.Feed{x: []float64{2, 3, 5}, v: []float64{1, 10, 100}},
		autodiff.Jacobian(y, wrt)[0], autodiff.Jacobian(few, wrt)[0], autodiff.Hessian(loss, wrt)[0][0],
		autodiff.JVP([]*graph.Node{y}, wrt, []*graph.Node{v})[0],
		autodiff.JVP(autodiff.Grad(loss, wrt), wrt, []*graph.Node{v})[0])
	require.Equal(t, []float64{3, 2, 0, 0, 0, 10, 5, 0, 2, 0, 6, 0}, got[0])
	require.Equal(t, []float64{3, 2, 0, 0, 0, 10}, got[1])
	require.Equal(t, []float64{6, 4, 0, 4, 0, 1, 0, 1, 0}, got[2])
	require.Equal(t, []float64{23, 1000, 205, 60}, got[3])
	require.Equal(t, []float64{46, 104, 10}, got[4])
}

// TestTangentsThatAreNotLikeTheirValues expects one message about the tangent, whatever the number of results.
func TestTangentsThatAreNotLikeTheirValues(t *testing.T) {
	for want, v := range map[string]func(g *graph.Graph) []*graph.Node{
		"the tangent of x is float32 of shape [4], but the value is float32 of shape [3]": func(g *graph.Graph) []*graph.Node {
			return []*graph.Node{g.Input("v", graph.Float32, 4)}
		},
		"the tangent of x is float32 of shape [3, 1], but the value is float32 of shape [3]": func(g *graph.Graph) []*graph.Node {
			return []*graph.Node{g.Input("v", graph.Float32, 3, 1)}
		},
		"the tangent of x is float64 of shape [3], but the value is float32 of shape [3]": func(g *graph.Graph) []*graph.Node {
			return []*graph.Node{g.Input("v", graph.Float64, 3)}
		},
		"got 0 tangents for 1 values": func(*graph.Graph) []*graph.Node { return nil },
		"the tangent of x is the number 1, but must be a tensor": func(*graph.Graph) []*graph.Node {
			return []*graph.Node{graph.Num(1.0)}
		},
		"tangent 0 is nil": func(*graph.Graph) []*graph.Node { return []*graph.Node{nil} },
	} {
		g := graph.New("tangents")
		x := g.Input("x", graph.Float32, 3)
		directions := autodiff.JVP([]*graph.Node{ops.Exp(x), ops.Sin(x)}, []*graph.Node{x}, v(g))
		require.NotContains(t, directions, (*graph.Node)(nil))
		require.ErrorContains(t, g.Err(), want)
		require.Len(t, g.Mistakes(), 1, want)
	}
}

// TestDerivativesOfStoredValues differentiates values of a storage-only dtype: their derivatives are Float32.
func TestDerivativesOfStoredValues(t *testing.T) {
	g := graph.New("stored")
	x, v := g.Input("x", graph.Float8E4M3FN, 2), g.Input("v", graph.Float32, 2)
	y := ops.Cast(ops.Square(ops.Cast(x, graph.Float32)), graph.Float8E4M3FN)
	jacobian, direction := autodiff.Jacobian(y, []*graph.Node{x})[0],
		autodiff.JVP([]*graph.Node{y}, []*graph.Node{x}, []*graph.Node{v})[0]
	require.NoError(t, g.Err())
	got := computed(t, exec.Feed{x: half.ToFloat8E4M3FN([]float32{1, 2}), v: []float32{3, 5}},
		ops.Cast(jacobian, graph.Float64), ops.Cast(direction, graph.Float64))
	require.Equal(t, [][]float64{{2, 0, 0, 4}, {6, 20}}, got)
}
