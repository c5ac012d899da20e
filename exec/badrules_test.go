package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// What Infer writes into an operand's shape is put back, so that the operand is what it was.
func TestInferLeavesOperands(t *testing.T) {
	op := ownScale("own")
	op.Infer = func(c *graph.Call) (dtype, shape) { s := c.Shape(0); s[0] = 7; return c.DType(0), s }
	g := graph.New("g")
	x := g.Input("x", graph.Float64, 2, 3)
	y := graph.Apply(op, nil, x)
	require.Error(t, y.Err())
	require.Equal(t, "[2, 3]", x.Shape().String())
}

// A gradient rule, or the writing of a composite, that needs itself would never end.
func TestGradientsWithoutEnd(t *testing.T) {
	rule := ownScale("own")
	rule.Grad = func(n, _ *graph.Node, _ int) *graph.Node {
		return autodiff.Grad(ops.Sum(n), []*graph.Node{n.In(0)})[0]
	}
	written := ownWritten("own")
	written.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return graph.Apply(written, nil, in...) }
	for _, op := range []*graph.Op{rule, written} {
		g, x, y := applied(op)
		autodiff.Grad(ops.Sum(y), []*graph.Node{x})
		require.ErrorContains(t, g.Err(), "requests its own gradient, without end")
		require.Regexp(t, `badops_test\.go:\d+`, g.Err().Error())
	}
}

// The expansion of a composite is checked for its gradient as it is for its value.
func TestGradientsOfWrongExpand(t *testing.T) {
	for says, expand := range map[string]func(x *graph.Node) *graph.Node{
		"gives shape [], but Infer says [2, 3]": func(x *graph.Node) *graph.Node { return ops.Sum(x) },
		"gives shape [3, 2], but Infer says [2, 3]": func(x *graph.Node) *graph.Node {
			return ops.Transpose(x, 0, 1)
		},
		"returns dtype float32, but Infer says float64": func(x *graph.Node) *graph.Node {
			return ops.Cast(x, graph.Float32)
		},
		"returns no node of its graph": func(x *graph.Node) *graph.Node { return nil },
	} {
		op := ownWritten("own")
		op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return expand(in[0]) }
		g, x, y := applied(op)
		autodiff.Grad(ops.Sum(y), []*graph.Node{x})
		require.ErrorContains(t, g.Err(), "BL350")
		require.ErrorContains(t, g.Err(), says)
	}
}
