package ops_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestGradientsOfProducts compares the first three derivatives of Prod and CumProd with those
// of a product that is written element by element, for every number of zeros.
func TestGradientsOfProducts(t *testing.T) {
	flat := func(f func(x node) node) func(x node) node {
		return func(x node) node { return f(ops.Reshape(x, -1)) }
	}
	for _, c := range []struct {
		name       string
		call, want func(x node) node
	}{
		{"one axis", func(x node) node { return ops.Prod(x, 2) }, func(x node) node { return factors(x, 2) }},
		{"first axis", func(x node) node { return ops.Prod(x, 0, ops.KeepDims()) }, func(x node) node {
			return ops.Unsqueeze(factors(x, 0), 0)
		}},
		{"two axes", func(x node) node { return ops.Prod(x, 0, 2) }, func(x node) node {
			return factors(factors(x, 2), 0)
		}},
		{"no axes", func(x node) node { return ops.Prod(x, ops.NoAxes()) }, func(x node) node { return x }},
		{"all", func(x node) node { return ops.Prod(x) }, func(x node) node { return factors(ops.Reshape(x, 12), 0) }},
		{"rank 0", func(x node) node { return ops.Prod(ops.Select(ops.Reshape(x, -1), 0, 0)) }, func(x node) node {
			return ops.Select(ops.Reshape(x, 12), 0, 0)
		}},
		{"cumprod", func(x node) node { return ops.CumProd(x, 2) }, func(x node) node { return products(x, 2) }},
		{"cumprod of many", flat(func(x node) node { return ops.CumProd(x, 0) }),
			flat(func(x node) node { return products(x, 0) })},
	} {
		want, static, named := derivatives(t, c.want, false), derivatives(t, c.call, false),
			derivatives(t, c.call, true)
		for zeros := range 5 {
			data := make([]float64, 12)
			for i := range data {
				data[i] = 0.5 + float64(i*7%11)/8
			}
			for i := range zeros {
				data[[]int{4, 5, 3, 11}[i]] = 0
			}
			for order, wanted := range want(data) {
				about := fmt.Sprintf("%s, %d zeros: derivative %d", c.name, zeros, order)
				require.InDeltaSlice(t, wanted, static(data)[order], 1e-9, about)
				require.InDeltaSlice(t, wanted, named(data)[order], 1e-9, "%s, named sizes", about)
			}
		}
	}
}

// factors multiplies the elements of an axis of known size one by one.
func factors(x node, axis int) node {
	all := products(x, axis)
	return ops.Select(all, axis, -1)
}

func products(x node, axis int) node {
	list := ops.Unbind(x, axis)
	for i := range list[1:] {
		list[i+1] = ops.Mul(list[i], list[i+1])
	}
	return ops.Stack(axis, list...)
}

// derivatives returns the value, and the derivatives along directions that differ from order
// to order, of a function of a value of shape [2 2 3].
func derivatives(t *testing.T, f func(x node) node, named bool) func(data []float64) [][]float64 {
	t.Helper()
	g := graph.New("derivatives")
	shape := graph.Shape{2, 2, 3}
	if named {
		shape = graph.Shape{g.Dim("a"), g.Dim("b"), g.Dim("c")}
	}
	x := g.Input("x", graph.Float64, shape...)
	y := f(x)
	outputs := []node{y}
	for order := range 3 {
		weights := ops.FullLike(y, 0.7)
		if y.Rank() > 0 {
			weights = ops.Sin(ops.Add(ops.Cast(ops.Iota(g, y.Rank()-1, y.Shape()...), graph.Float64),
				graph.Num(float64(order))))
		}
		y = autodiff.Grad(ops.Sum(ops.Mul(y, weights)), []node{x}, autodiff.ZeroForUnused())[0]
		outputs = append(outputs, y)
	}
	p, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	s := p.NewSession()
	return func(data []float64) (list [][]float64) {
		result, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{2, 2, 3}, Data: data}})
		require.NoError(t, err)
		for _, n := range outputs {
			a, err := result.Array(n)
			require.NoError(t, err)
			list = append(list, a.Data.([]float64))
		}
		return list
	}
}
