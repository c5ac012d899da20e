package exec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A view that turns out to have no elements must not be given the address behind its
// memory: the garbage collector would take it for a pointer to what lies there.
func TestEmptyViewsStayInTheirMemory(t *testing.T) {
	g := graph.New("empty")
	n := g.Dim("n", graph.AtLeast(2))
	x := g.Input("x", graph.Float64, n)
	tail := ops.Neg(ops.Slice(x, 0, 2, ops.End, 1))
	p, err := Compile(g, Outputs(tail))
	require.NoError(t, err)
	s := p.NewSession()
	for _, size := range []int{5, 2, 3} {
		out, err := s.Run(context.Background(), Feed{x: Array{Shape: []int{size}, Data: make([]float64, size)}})
		require.NoError(t, err)
		require.Equal(t, []int{size - 2}, ArrayOf(t, out, tail).Shape)
		for _, l := range s.bindings[0].Launches {
			for _, pl := range l.Operands {
				if pl.Slot < 0 && pl.Buffer.Kind == lower.InInput {
					require.Less(t, pl.Offset, size*8)
				}
			}
		}
	}
}

// The gradient of a slice with a step puts zeros between elements, and that gradient's own one
// takes them out again: also where a named size leaves no element at all.
func TestSecondGradientOfAnEmptySliceWithAStep(t *testing.T) {
	g := graph.New("stepped")
	m := g.Dim("m", graph.AtLeast(2))
	x := g.Input("x", graph.Float64, m)
	cubes := ops.Pow(ops.Slice(x, 0, 0, -2, 2), graph.Num(3))
	dx := autodiff.Grad(ops.Sum(cubes), []*graph.Node{x})[0]
	ddx := autodiff.Grad(ops.Sum(dx), []*graph.Node{x})[0]
	p, err := Compile(g, Outputs(ddx))
	require.NoError(t, err)
	s := p.NewSession()
	for _, data := range [][]float64{{1, 2, 3, 4, 5}, {1, 2}, {1, 2, 3, 4}} {
		out, err := s.Run(context.Background(), Feed{x: Array{Shape: []int{len(data)}, Data: data}})
		require.NoError(t, err)
		want := make([]float64, len(data))
		for i := 0; i < len(data)-2; i += 2 {
			want[i] = 6 * data[i]
		}
		require.Equal(t, want, ArrayOf(t, out, ddx).Data)
	}
}

// TestRepeatedElementsOfNothing reads an operand without elements in steps of 0: the diagonal of a
// column that is flipped. A kernel loads such an element once, before its rows.
func TestRepeatedElementsOfNothing(t *testing.T) {
	g := graph.New("diagonal")
	n := g.Dim("n", graph.AtLeast(0))
	x := g.Input("x", graph.Float64, n)
	column := ops.Flip(ops.Reshape(ops.Copy(x), n, 1), 0)
	first := ops.Diagonal(column, 0, 1, 0)
	rows := ops.Sum(ops.Mul(ops.Unsqueeze(first, 0), g.Scalar(graph.Float64, 2)), 1)
	p, err := Compile(g, Outputs(first, rows))
	require.NoError(t, err)
	s := p.NewSession()
	for _, c := range []struct{ x, first, rows []float64 }{
		{nil, []float64{}, []float64{0}}, {[]float64{7}, []float64{7}, []float64{14}},
		{[]float64{1, 2, 3}, []float64{3}, []float64{6}},
	} {
		out, err := s.Run(context.Background(), Feed{x: Array{Shape: []int{len(c.x)}, Data: c.x}})
		require.NoError(t, err)
		require.Equal(t, c.first, ArrayOf(t, out, first).Data)
		require.Equal(t, c.rows, ArrayOf(t, out, rows).Data)
	}
}
