package stablehlo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/internal/testkit/xla"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/stablehlo"
)

// convolutions are calls whose values and gradients are convolutions.
var convolutions = []struct {
	name  string
	x, w  []int
	build func(x, w *graph.Node) *graph.Node
}{
	{"one axis", []int{2, 3, 9}, []int{4, 3, 3}, func(x, w *graph.Node) *graph.Node {
		return ops.Conv1D(x, w, nil, ops.Padding(1))
	}},
	{"stride and dilation", []int{2, 3, 11, 12}, []int{4, 3, 3, 2}, func(x, w *graph.Node) *graph.Node {
		return ops.Conv2D(x, w, nil, ops.Stride(2, 3), ops.Dilation(2, 1), ops.Padding(1, 2))
	}},
	{"groups", []int{2, 4, 7, 6}, []int{6, 2, 3, 3}, func(x, w *graph.Node) *graph.Node {
		return ops.Conv2D(x, w, nil, ops.Groups(2))
	}},
	{"each channel alone", []int{2, 3, 7, 6}, []int{3, 1, 3, 3}, func(x, w *graph.Node) *graph.Node {
		return ops.Conv2D(x, w, nil, ops.Groups(3), ops.Stride(2))
	}},
	{"one example", []int{3, 7, 6}, []int{5, 3, 3, 3}, func(x, w *graph.Node) *graph.Node {
		return ops.Conv2D(x, w, nil)
	}},
	{"three axes", []int{1, 2, 4, 5, 6}, []int{3, 2, 2, 3, 2}, func(x, w *graph.Node) *graph.Node {
		return ops.Conv3D(x, w, nil, ops.Stride(1, 2, 1))
	}},
	{"one column", []int{2, 3, 8, 5}, []int{4, 3, 3, 1}, func(x, w *graph.Node) *graph.Node {
		return ops.Conv2D(x, w, nil, ops.Padding(1, 0), ops.Stride(2))
	}},
	{"transposed", []int{2, 3, 5, 4}, []int{3, 4, 3, 3}, func(x, w *graph.Node) *graph.Node {
		return ops.ConvTranspose2D(x, w, nil, ops.Stride(2), ops.Padding(1))
	}},
}

// Convolutions and their gradients are convolutions in the module, without gathers, and have the values of the
// reference.
func TestConvolutions(t *testing.T) {
	var programs []xla.Program
	var want [][]reference.Value
	for _, c := range convolutions {
		g := graph.New(c.name)
		x, w := g.Input("x", graph.Float32, graph.MakeShape(c.x...)...),
			g.Input("w", graph.Float32, graph.MakeShape(c.w...)...)
		y := c.build(x, w)
		weights := ops.Sin(ops.Reshape(ops.Cast(ops.Iota(g, 0, y.Shape().NumElements()), graph.Float32), y.Shape()...))
		grads := autodiff.Grad(ops.Sum(ops.Mul(ops.Mul(y, y), weights)), []*graph.Node{x, w})
		roots := append([]*graph.Node{y}, grads...)
		fed := map[*graph.Node]reference.Value{x: waves(graph.Float32, c.x...), w: waves(graph.Float32, c.w...)}
		values, err := reference.Eval(roots, fed)
		require.NoError(t, err)
		m, err := stablehlo.Export(g, stablehlo.Outputs(roots...))
		require.NoError(t, err)
		assert.Equal(t, 3, strings.Count(m.String(), `"stablehlo.convolution"`), c.name)
		assert.NotContains(t, m.String(), "stablehlo.gather", c.name)
		programs = append(programs, xla.Program{
			Name: c.name, Text: m.String(), Runs: []xla.Run{{{Value: fed[x]}, {Value: fed[w]}}}})
		want = append(want, values)
	}
	for i, o := range xla.Do(t, programs) {
		require.Empty(t, o.Error, convolutions[i].name)
		for k, v := range want[i] {
			assert.InDeltaSlice(t, v.Floats(), o.Results[0][k].Floats(), 2e-4, fmt.Sprint(convolutions[i].name, k))
		}
	}
}

// waves are numbers between -1 and 1, of a dtype and a shape.
func waves(t graph.DType, shape ...int) reference.Value {
	count := 1
	for _, d := range shape {
		count *= d
	}
	list := make([]float64, count)
	for i := range list {
		list[i] = float64((i*7919)%101)/50 - 1
	}
	return reference.FromFloats(t, list, shape...)
}
