package exec_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// listed are fixed arguments that a caller may change later.
type listed struct {
	by    []float64
	names map[string][]float64
	any   any
	two   [2][]float64
}

// Fixed arguments are the node's own: the caller's slices and maps may change.
func TestFixedArgumentsAreKept(t *testing.T) {
	op := ownScale("own")
	op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
		a := n.Attrs().(listed)
		return e.Prim(graph.PrimMul, x[0], e.Const(
			n.DType(), a.by[0]+a.names["more"][0]+a.any.([]float64)[0]+a.two[1][0]))
	}
	a := listed{[]float64{1}, map[string][]float64{"more": {2}}, []float64{4}, [2][]float64{1: {8}}}
	g := graph.New("kept")
	x := g.Input("x", graph.Float64, 2)
	y, same := graph.Apply(op, a, x), graph.Apply(op, a, x)
	require.True(t, graph.SameAttrs(y.Attrs(), same.Attrs()))
	a.by[0], a.names["more"][0], a.any.([]float64)[0], a.two[1][0] = 100, 100, 100, 100
	a.names["other"] = nil
	require.False(t, graph.SameAttrs(y.Attrs(), a))
	require.Equal(t, []float64{15, 30}, numbersOf(t, g, exec.Feed{x: []float64{1, 2}}, y))

	g = graph.New("axes")
	x = g.Input("x", graph.Float64, 2, 3, 1)
	axes, sizes := []int{1, 0, 2}, []graph.Dim{3, 2}
	list := []*graph.Node{ops.Permute(x, axes...), ops.Flip(x, axes[1]), ops.Reshape(x, sizes...),
		ops.Flip(x, axes[:2]...)}
	copy(axes, []int{2, 2, 2})
	copy(sizes, []graph.Dim{100, 100})
	feed := exec.Feed{x: exec.Array{Shape: []int{2, 3, 1}, Data: []float64{1, 2, 3, 4, 5, 6}}}
	for i, want := range [][]float64{{1, 4, 2, 5, 3, 6}, {4, 5, 6, 1, 2, 3}, {1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}} {
		require.Equal(t, want, numbersOf(t, g, feed, list[i]))
	}
}

// numbersOf computes one value.
func numbersOf(t *testing.T, g *graph.Graph, feed exec.Feed, y *graph.Node) []float64 {
	t.Helper()
	got, err := exec.Values[float64](runs(t, g, feed, exec.Outputs(y)), y)
	require.NoError(t, err)
	return got
}

// The functions of an operation must return the same for a node as when it was built.
func TestMeaningsThatChange(t *testing.T) {
	by := 1.0
	for name, c := range map[string]struct {
		of     func(string) *graph.Op
		change func(op *graph.Op)
		says   string
	}{
		"Emit of a variable": {ownScale, func(op *graph.Op) {
			op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
				return e.Prim(graph.PrimMul, x[0], e.Const(n.DType(), by))
			}
		}, "Emit returns something else than when the node was built"},
		"Emit of a pointer": {ownScale, func(op *graph.Op) {
			op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
				return e.Prim(graph.PrimMul, x[0], e.Const(n.DType(), *n.Attrs().(*float64)))
			}
		}, "Emit returns something else than when the node was built"},
		"View": {ownTurn, func(op *graph.Op) {
			of := op.View
			op.View = func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
				if by != 1 {
					return in, true
				}
				return of(n, in)
			}
		}, "View returns something else than"},
		"Assemble": {ownSpread, func(op *graph.Op) {
			of := op.Assemble
			op.Assemble = func(n *graph.Node) graph.Assembly {
				a := of(n)
				a.Value = by
				return a
			}
		}, "Assemble returns something else than"},
		"Axes": {ownFold, func(op *graph.Op) {
			op.Axes = func(*graph.Node) []int { return []int{int(by) - 1} }
		}, "Axes returns something else than"},
		"Core": {func(string) *graph.Op { return ownFunction(graph.Float64, func(*graph.Arrays) error { return nil }) },
			func(op *graph.Op) {
				op.Core = func(*graph.Node) ([]int, int) { return []int{int(by)}, int(by) }
			}, "Core returns something else than"},
		"operands": {ownScale, func(op *graph.Op) {
			op.Emit = func(_ graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
				if by != 1 {
					n.Operands()[0] = nil
				}
				return x[0]
			}
		}, "one of its functions writes the operands or the shape of the node"},
	} {
		by = 1
		op := c.of("own")
		c.change(op)
		g := graph.New("bad")
		x := g.Input("x", graph.Float64, 2, 3)
		y := ops.Apply(op, &by, x)
		require.NoError(t, shapeinfer.Check(g).Err(), name)
		by = 2
		_, err := exec.Compile(g, exec.Outputs(y))
		if name == "operands" && err == nil { // the write is in the last call
			_, err = exec.Compile(g, exec.Outputs(y))
		}
		var report *shapeinfer.Report
		require.True(t, errors.As(err, &report), "%s: %v", name, err)
		require.ErrorContains(t, err, c.says, name)
		require.Regexp(t, `^ownchanges_test\.go:\d+:\d+: error BL005: Own\(x`, err.Error(), name)
	}
}

// An Emit that changes between calls of one compilation is found when it is over.
func TestMeaningsThatChangeInCompilation(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "1")
	for _, at := range []int{1, 2, 3, 4, 7, 1000} {
		calls := 0
		op := ownScale("own")
		op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
			by := 1.0
			if calls++; calls > at {
				by = 2
			}
			return e.Prim(graph.PrimMul, x[0], e.Const(n.DType(), by))
		}
		g, x, y := applied(op)
		p, err := exec.Compile(g, exec.Outputs(y))
		if err != nil {
			require.ErrorContains(t, err, "Emit returns", at)
			continue
		}
		require.Equal(t, 1000, at)
		_, err = p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: make([]float64, 6)}})
		require.NoError(t, err)
	}
}

// What is recorded after a rule has returned, or without a text, is a mistake of the operation.
func TestMistakesOfRecords(t *testing.T) {
	var kept *graph.Call
	for says, infer := range map[string]func(c *graph.Call){
		"Infer calls Warn with a mistake that has no code": func(c *graph.Call) { c.Warn(&graph.Mistake{}) },
		"Infer calls Warn with a mistake that has no":      func(c *graph.Call) { c.Warn(nil) },
		"Infer calls Require without a reason": func(c *graph.Call) {
			c.Require(graph.Requirement{A: 2, B: 2})
		},
		"SetStretch is called after Infer has returned": func(c *graph.Call) {
			c.SetStretch([][]graph.AxisKind{{graph.Same, graph.Same}})
			kept = c
		},
	} {
		kept = nil
		op := ownScale("own")
		op.Infer = func(c *graph.Call) (dtype, shape) { infer(c); return c.DType(0), c.Shape(0) }
		g, _, y := applied(op)
		if kept != nil {
			kept.SetStretch(nil)
		}
		_, err := exec.Compile(g, exec.Outputs(y))
		require.ErrorContains(t, err, says)
		require.Regexp(t, here, err.Error())
	}
}

// An Expand is given values of the graph that is written, and may use no others.
func TestExpandOfOtherValues(t *testing.T) {
	op := ownWritten("own")
	var foreign *graph.Node
	op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Add(in[0], foreign) }
	g, x, y := applied(op)
	foreign = x
	_, err := exec.Compile(g, exec.Outputs(y))
	require.ErrorContains(
		t, err,
		"operand 1, x, is a value of the program, but another operand is one of the copy that is being compiled")
	require.Regexp(t, here, err.Error())

	for name, expand := range map[string]func(n *graph.Node, in []*graph.Node) *graph.Node{
		"operands": func(n *graph.Node, in []*graph.Node) *graph.Node {
			n.Operands()[0] = ops.Neg(in[0])
			return ops.Exp(in[0])
		},
		"": func(_ *graph.Node, in []*graph.Node) *graph.Node { in[0] = ops.Neg(in[0]); return ops.Exp(in[0]) },
	} {
		op := ownWritten("own")
		op.Expand = expand
		g, x, y := applied(op)
		dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
		_, err := exec.Compile(g, exec.Outputs(y, dx))
		if name == "" {
			require.NoError(t, err)
			require.True(t, slices.Contains(y.Operands(), x))
			continue
		}
		require.ErrorContains(t, err, "writes the operands of its node")
		require.Regexp(t, `badops_test\.go:\d+`, err.Error())
	}
	other := graph.New(g.Name())
	require.ErrorContains(t, ops.Add(x, other.Scalar(graph.Float64, 1)).Err(),
		"another operand to another graph of the same name")
}
