package exec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// newton is the square root of x by Newton's method, and how many steps it took.
func newton(x *graph.Node, bound graph.Dim) (root, steps *graph.Node) {
	final, steps := ops.While(bound, nodes{ops.Add(ops.Mul(x, graph.Num(0)), graph.Num(1))},
		func(c nodes) *graph.Node {
			return ops.Greater(ops.Abs(ops.Sub(ops.Square(c[0]), x)), graph.Num(1e-12))
		},
		func(_ *graph.Node, c nodes) nodes {
			return nodes{ops.Mul(ops.Add(c[0], ops.Div(x, c[0])), graph.Num(0.5))}
		})
	return final[0], steps
}

// TestWhileStops at the step before which the condition is false, or at the bound.
func TestWhileStops(t *testing.T) {
	g := graph.New("roots")
	x, bound := g.Input("x", graph.Float64), g.Dim("bound", graph.AtLeast(0))
	root, steps := newton(x, bound)
	slope := autodiff.Grad(root, nodes{x})[0]
	curve := autodiff.Grad(slope, nodes{x})[0]
	prog, err := exec.Compile(g, exec.Outputs(root, steps, slope, curve))
	require.NoError(t, err)
	for _, c := range []struct {
		x     float64
		bound int
		steps float64
		want  []float64 // the root, and its derivatives
	}{
		{2, 50, 5, []float64{math.Sqrt2, 0.5 / math.Sqrt2, -0.25 * math.Pow(2, -1.5)}},
		{1, 50, 0, []float64{1, 0, 0}}, // of what was carried in
		{2, 1, 1, []float64{1.5, 0.5, 0}},
		{2, 0, 0, []float64{1, 0, 0}},
	} {
		s := prog.NewSession(exec.Size("bound", c.bound))
		r, err := s.Run(t.Context(), exec.Feed{x: c.x})
		require.NoError(t, err)
		got, err := r.Scalar(steps)
		require.NoError(t, err)
		require.Equal(t, c.steps, got, "of %v", c.x)
		for i, n := range (nodes{root, slope, curve}) {
			got, err := r.Scalar(n)
			require.NoError(t, err)
			require.InDelta(t, c.want[i], got, 1e-9, "%v in at most %d steps: derivative %d", c.x, c.bound, i)
		}
	}
}

// TestCondComputesOneBranch: a check of the other one stops no run, and no NaN comes from it.
func TestCondComputesOneBranch(t *testing.T) {
	g := graph.New("branches")
	n := g.Dim("n")
	x, index, first := g.Input("x", graph.Float64, n), g.Input("index", graph.Int64, 2), g.Input("first", graph.Bool)
	y := ops.Cond(first,
		func() []*graph.Node { return nodes{ops.Take(x, 0, index), ops.Sum(ops.Sqrt(x))} },
		func() []*graph.Node { return nodes{ops.Mul(ops.Slice(x, 0, 0, 2, 1), graph.Num(3)), graph.Num(7)} })
	loss := ops.Add(ops.Sum(ops.Square(y[0])), y[1])
	dx := autodiff.Grad(loss, nodes{x})[0]
	ddx := autodiff.Grad(ops.Sum(ops.Square(dx)), nodes{x})[0]
	prog, err := exec.Compile(g, exec.Outputs(y[0], y[1], dx, ddx))
	require.NoError(t, err)
	s := prog.NewSession()
	run := func(at []int64, is bool, data []float64) (*exec.Results, error) {
		return s.Run(t.Context(),
			exec.Feed{first: is, x: exec.Array{Shape: []int{3}, Data: data},
				index: exec.Array{Shape: []int{2}, Data: at}})
	}
	want := func(r *exec.Results, lists ...[]float64) {
		t.Helper()
		for i, n := range (nodes{y[0], y[1], dx, ddx}) {
			got, err := exec.Values[float64](r, n)
			require.NoError(t, err)
			require.InDeltaSlice(t, lists[i], got, 1e-12, "result %d", i)
		}
	}
	r, err := run([]int64{2, 0}, true, []float64{1, 4, 9})
	require.NoError(t, err)
	want(r, []float64{9, 1}, []float64{6}, []float64{2.5, 0.25, 18 + 1./6},
		[]float64{2 * 2.5 * (2 - 0.25), 2 * 0.25 * -0.25 / 8, 2 * (18 + 1./6) * (2 - 0.25/27)})

	_, err = run([]int64{2, 3}, true, []float64{1, 4, 9})
	require.ErrorContains(t, err, "index[1] is 3")
	require.NotContains(t, err.Error(), "step")
	r, err = run([]int64{2, 3}, false, []float64{-1, 4, 9}) // neither the index nor the root of -1 is computed
	require.NoError(t, err)
	want(r, []float64{-3, 12}, []float64{7}, []float64{-18, 72, 0}, []float64{-648, 2592, 0})
	feed := exec.Feed{x: exec.Array{Shape: []int{3}, Data: []float64{1, 4, 9}}, first: true,
		index: exec.Array{Shape: []int{2}, Data: []int64{0, 1}}}
	allocs.RequireNone(t, 5, func() {
		if _, err := s.Run(t.Context(), feed); err != nil {
			t.Error(err)
		}
	})
}
