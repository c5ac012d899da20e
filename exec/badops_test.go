package exec_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// badOp is a mistake in an operation of a user's own: what is changed of a right one, and what
// the error says.
type badOp struct {
	of     func(name string) *graph.Op
	change func(op *graph.Op)
	says   string
}

type (
	dtype = graph.DType
	shape = graph.Shape
)

var badOps = map[string]badOp{
	"no class":      {ownScale, func(op *graph.Op) { op.Class = graph.Source }, "it has class source"},
	"no such class": {ownScale, func(op *graph.Op) { op.Class = 77 }, "its class does not exist: class 77"},
	"no Emit":       {ownScale, func(op *graph.Op) { op.Emit = nil }, "Emit is missing"},
	"Indexed":       {ownScale, func(op *graph.Op) { op.Indexed = true }, "Indexed is set"},
	"no Fold":       {ownFold, func(op *graph.Op) { op.Fold = graph.NoFold }, "Fold is missing"},
	"no Axes":       {ownFold, func(op *graph.Op) { op.Axes = nil }, "Axes is missing"},
	"no View":       {ownTurn, func(op *graph.Op) { op.View = nil }, "one of View and Assemble"},
	"View and Assemble": {ownTurn, func(op *graph.Op) { op.Assemble = ownSpread("").Assemble },
		"one of View and Assemble"},
	"no Expand":          {ownWritten, func(op *graph.Op) { op.Expand = nil }, "Expand is missing"},
	"no axis of indices": {ownPick, func(op *graph.Op) { op.Axes = nil }, "Axes is missing"},

	"Emit panics": {ownScale, func(op *graph.Op) {
		op.Emit = func(graph.Emitter, *graph.Node, []graph.Value) graph.Value { panic("oh") }
	}, "Emit panics at badops_test.go:"},
	"Emit of another dtype": {ownScale, func(op *graph.Op) {
		op.Emit = func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
			return e.Convert(x[0], graph.Int64)
		}
	}, "Emit returns a wrong type: it returns int64, but Infer says float64"},
	"Emit of two dtypes": {ownScale, func(op *graph.Op) {
		op.Emit = func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
			return e.Prim(graph.PrimMul, x[0], e.Const(graph.Float32, 2))
		}
	}, "mul of float64, float32: operands must have the same dtype"},
	"Emit of the logic of floats": {ownScale, func(op *graph.Op) {
		op.Emit = func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
			return e.Prim(graph.PrimNot, x[0])
		}
	}, "not is not defined for float64"},
	"Emit of a size that is not declared": {ownScale, func(op *graph.Op) {
		op.Emit = func(e graph.Emitter, n *graph.Node, _ []graph.Value) graph.Value {
			return e.Convert(e.Size(graph.SymbolicDim("stranger")), n.DType())
		}
	}, "the size stranger is not declared"},
	"Emit with too few operands": {ownScale, func(op *graph.Op) {
		op.Emit = func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
			return e.Prim(graph.PrimAdd, x[0])
		}
	}, "add of 1 operands: it takes 2"},
	"Emit of a value of nowhere": {ownScale, func(op *graph.Op) {
		op.Emit = func(graph.Emitter, *graph.Node, []graph.Value) graph.Value { return 9 }
	}, "value 9 did not come from the emitter"},
	"Emit of an axis that is none": {ownScale, func(op *graph.Op) {
		op.Emit = func(e graph.Emitter, _ *graph.Node, _ []graph.Value) graph.Value {
			return e.Convert(e.Index(5), graph.Float64)
		}
	}, "the index of axis 5"},

	"Infer of no broadcast": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { return c.DType(0), shape{3, 2} }
	}, "Infer gives shape [3, 2], to which [2, 3] is not repeated"},
	"Infer of another rank": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { return c.DType(0), shape{3} }
	}, "Infer gives shape [3], to which [2, 3] is not repeated"},
	"Infer of another dtype for a view": {ownTurn, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { return graph.Float32, c.Shape(0) }
	}, "Infer returns dtype float32, but it moves elements of dtype float64"},
	"Infer of another shape for a fold": {ownFold, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { return c.DType(0), shape{2} }
	}, "Infer returns shape [2], but axes [0] of [2, 3] are reduced"},
	"Axes out of range": {ownFold, func(op *graph.Op) {
		op.Axes = func(*graph.Node) []int { return []int{4} }
	}, "Axes returns [4] for an operand with 2 axes"},

	"Infer panics": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { return c.DType(0), c.Shape(0)[:c.Shape(0)[5]] }
	}, `the operation "own" is incomplete: Infer panics at badops_test.go:`},
	"Infer of a mistake on an axis that is none": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) {
			c.Fail(&graph.Mistake{Code: "BL900", Summary: "no such size",
				Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{-1, 7}}}})
			return c.DType(0), nil
		}
	}, "no such size"},
	"Infer writes into its operand": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { s := c.Shape(0); s[1] = 5; return c.DType(0), s }
	}, "Infer writes into the shape of operand 0"},
	"Infer of an unknown size": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { return c.DType(0), shape{2, graph.UnknownDim} }
	}, "Infer returns shape [2, ?] without a mistake"},
	"Infer of nothing": {ownScale, func(op *graph.Op) {
		op.Infer = func(*graph.Call) (dtype, shape) { return graph.InvalidDType, nil }
	}, "Infer returns neither dtype nor shape"},
	"Infer fails without a mistake": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { c.Fail(nil); return c.DType(0), c.Shape(0) }
	}, "Infer calls Fail with a mistake that has no code"},
	"Infer fails without a sentence": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { c.Fail(&graph.Mistake{}); return c.DType(0), c.Shape(0) }
	}, "Infer calls Fail with a mistake that has no code"},
	"Infer builds nodes": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) { y := ops.Exp(c.In(0)); return y.DType(), y.Shape() }
	}, "Infer builds nodes"},
	"Infer of repetitions of axes that are there": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) {
			c.SetStretch([][]graph.AxisKind{{graph.Missing, graph.Missing}})
			return c.DType(0), c.Shape(0)
		}
	}, "to which [2, 3] is not repeated: it records axis 0 as missing"},
	"Infer of a repetition of 3 elements": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) {
			c.SetStretch([][]graph.AxisKind{{graph.Same, graph.Stretched}})
			return c.DType(0), shape{2, 7}
		}
	}, "to which [2, 3] is not repeated: it records axis 1 as stretched"},
	"Infer of repetitions of no kind": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) {
			c.SetStretch([][]graph.AxisKind{{9, 77}})
			return c.DType(0), c.Shape(0)
		}
	}, "it records axis 0 as axis kind 9"},
	"Infer of repetitions of too few": {ownScale, func(op *graph.Op) {
		op.Infer = func(c *graph.Call) (dtype, shape) {
			c.SetStretch([][]graph.AxisKind{})
			return c.DType(0), c.Shape(0)
		}
	}, "Infer records how 0 operands are repeated, but there are 1"},
	"Emit that changes": {ownScale, func(op *graph.Op) {
		calls := 0
		op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
			calls++
			return e.Prim(graph.PrimMul, x[0], e.Const(n.DType(), float64(calls)))
		}
	}, "Emit returns a different element in each call"},
	"Emit that changes later": {ownScale, func(op *graph.Op) {
		calls := 0
		op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
			if calls++; calls > 2 {
				return e.Convert(x[0], graph.Int64)
			}
			return x[0]
		}
	}, "Emit returns a wrong type: it returns int64"},
	"Emit with a value of another call": {ownScale, func(op *graph.Op) {
		var kept []graph.Value
		op.Emit = func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
			if kept == nil {
				kept = append(kept, e.Prim(graph.PrimMul, x[0], x[0]))
			}
			return kept[0]
		}
	}, "value 1 did not come from the emitter"},
	"Emit builds nodes": {ownScale, func(op *graph.Op) {
		op.Emit = func(_ graph.Emitter, n *graph.Node, x []graph.Value) graph.Value { ops.Exp(n.In(0)); return x[0] }
	}, "Emit builds nodes"},
	"View of another class": {ownScale, func(op *graph.Op) {
		op.View = func(_ *graph.Node, in graph.Layout) (graph.Layout, bool) { return in, true }
	}, "View is set, which is for class movement, but it has class elementwise"},
	"Expand of another class": {ownScale, func(op *graph.Op) { op.Expand = ownWritten("").Expand },
		"Expand is set, which is for class composite"},
	"Emit of another class": {ownTurn, func(op *graph.Op) { op.Emit = ownScale("").Emit },
		"Emit is set, which is for class elementwise"},
	"Fold of another class": {ownScale, func(op *graph.Op) { op.Fold = graph.FoldSum },
		"Fold is set, which is for class reduce"},
	"Promote panics": {ownScale, func(op *graph.Op) {
		op.Promote = func([]dtype, []graph.OperandRank) []dtype { panic("oh") }
	}, "Promote panics at badops_test.go:"},
	"Promote of too few": {ownScale, func(op *graph.Op) {
		op.Promote = func([]dtype, []graph.OperandRank) []dtype { return nil }
	}, "Promote returns 0 dtypes for 1 operands"},
	"Promote of too many": {ownScale, func(op *graph.Op) {
		op.Promote = func([]dtype, []graph.OperandRank) []dtype { return make([]dtype, 3) }
	}, "Promote returns 3 dtypes for 1 operands"},
	"Promote to no dtype": {ownScale, func(op *graph.Op) {
		op.Promote = func([]dtype, []graph.OperandRank) []dtype { return []dtype{77} }
	}, "Promote returns no dtype for operand 0"},
	"Identity panics": {ownScale, func(op *graph.Op) {
		op.Identity = func(dtype, int) (float64, bool) { panic("oh") }
	}, "Identity panics at badops_test.go:"},
	"Axes panics": {ownFold, func(op *graph.Op) {
		op.Axes = func(*graph.Node) []int { panic("oh") }
	}, "Axes panics at badops_test.go:"},
	"Axes of indices panics": {ownPick, func(op *graph.Op) {
		op.Axes = func(*graph.Node) []int { panic("oh") }
	}, "Axes panics at badops_test.go:"},
	"no such Fold": {ownFold, func(op *graph.Op) { op.Fold = 77 }, "there is no reduction: fold 77"},

	"View panics": {ownTurn, func(op *graph.Op) {
		op.View = func(*graph.Node, graph.Layout) (graph.Layout, bool) { panic("oh") }
	}, "View panics at badops_test.go:"},
	"View of nothing": {ownTurn, func(op *graph.Op) {
		op.View = func(*graph.Node, graph.Layout) (l graph.Layout, ok bool) { return l, false }
	}, "View returns no layout"},
	"View of another shape": {ownTurn, func(op *graph.Op) {
		op.View = func(_ *graph.Node, in graph.Layout) (graph.Layout, bool) { return graph.RowMajor(shape{6}), true }
	}, "View returns shape [6] with 1 strides, but Infer says [2, 3]"},
	"View of memory that is not its operand's": {ownTurn, func(op *graph.Op) {
		op.View = func(_ *graph.Node, in graph.Layout) (graph.Layout, bool) {
			in.Offset = in.Offset.Plus(100)
			return in, true
		}
	}, "View reaches elements 100 to 105 of an operand that has 6"},
	"Assemble outside": {ownSpread, func(op *graph.Op) {
		op.Assemble = func(n *graph.Node) (a graph.Assembly) {
			a.Put(shape{3, 0}, shape{1, 1})
			return a
		}
	}, "Assemble places operand 0 at 3 to 4 in steps of 1 along axis 0, whose size is 4"},
	"Assemble panics": {ownSpread, func(op *graph.Op) {
		op.Assemble = func(n *graph.Node) (a graph.Assembly) { panic("oh") }
	}, "Assemble panics at badops_test.go:"},
	"Assemble of too many": {ownSpread, func(op *graph.Op) {
		of := op.Assemble
		op.Assemble = func(n *graph.Node) (a graph.Assembly) {
			a = of(n)
			a.Put(shape{0, 0}, shape{1, 1})
			return a
		}
	}, "Assemble returns 2 positions for 1 operands"},
	"Assemble of fewer steps": {ownSpread, func(op *graph.Op) {
		op.Assemble = func(n *graph.Node) (a graph.Assembly) {
			a.Start = []graph.Shape{{0, 0}}
			return a
		}
	}, "Assemble returns 1 positions and 0 steps for 1 operands"},
	"Assemble of operands that meet": {ownSpread, func(op *graph.Op) {
		op.MinIn = 2
		op.Infer = func(c *graph.Call) (dtype, shape) { return c.DType(0), shape{4, 3} }
		op.Assemble = func(n *graph.Node) (a graph.Assembly) {
			a.Put(shape{0, 0}, shape{2, 1})
			a.Put(shape{2, 2}, shape{1, 1})
			return a
		}
	}, "Assemble places operands 0 and 1 on one element"},
	"Assemble without steps": {ownSpread, func(op *graph.Op) {
		op.Assemble = func(n *graph.Node) (a graph.Assembly) {
			a.Put(shape{0, 0}, nil)
			return a
		}
	}, "Assemble places operand 0 of 2 axes by 2 starts and 0 steps in 2 axes"},
	"Assemble with a step of 0": {ownSpread, func(op *graph.Op) {
		op.Assemble = func(n *graph.Node) (a graph.Assembly) {
			a.Put(shape{0, 0}, shape{0, 1})
			return a
		}
	}, "in steps of 0 along axis 0"},
	"Assemble of sizes that are none": {ownSpread, func(op *graph.Op) {
		op.Assemble = func(n *graph.Node) (a graph.Assembly) {
			a.Put(shape{graph.InvalidDim, graph.UnknownDim}, shape{1, 1})
			return a
		}
	}, "Assemble places operand 0 at invalid"},
	"Assemble of nothing": {ownSpread, func(op *graph.Op) {
		op.Assemble = func(n *graph.Node) (a graph.Assembly) { return a }
	}, "Assemble returns 0 positions for 1 operands"},

	"Expand panics": {ownWritten, func(op *graph.Op) {
		op.Expand = func(*graph.Node, []*graph.Node) *graph.Node { panic("oh") }
	}, "panics at badops_test.go:"},
	"Expand of nothing": {ownWritten, func(op *graph.Op) {
		op.Expand = func(*graph.Node, []*graph.Node) *graph.Node { return nil }
	}, "returns no node"},
	"Expand of another dtype": {ownWritten, func(op *graph.Op) {
		op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Cast(in[0], graph.Float32) }
	}, "its Expand returns dtype float32, but Infer says float64"},
	"Expand of another shape": {ownWritten, func(op *graph.Op) {
		op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Sum(in[0]) }
	}, "its Expand gives shape [], but Infer says [2, 3]"},
	"Expand with a mistake": {ownWritten, func(op *graph.Op) {
		op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Reshape(in[0], 7) }
	}, "its Expand makes a mistake: "},
	"Expand with itself": {ownWritten, func(op *graph.Op) {
		op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return graph.Apply(op, nil, in...) }
	}, "without end"},
	"Expand with an operation that is not whole": {ownWritten, func(op *graph.Op) {
		part := ownScale("part")
		part.Emit = nil
		op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return graph.Apply(part, nil, in...) }
	}, "Emit is missing"},
}

// applied uses an operation on as many operands as it takes.
func applied(op *graph.Op) (g *graph.Graph, x, y *graph.Node) {
	g = graph.New("bad")
	x = g.Input("x", graph.Float64, 2, 3)
	in := []*graph.Node{x, g.Input("at", graph.Int64, 4)}[:max(op.MinIn, 1)]
	if op.Class == graph.Movement && op.MinIn > 1 {
		in[1] = g.Input("z", graph.Float64, 2, 1)
	}
	return g, x, ops.Apply(op, nil, in...)
}

var here = regexp.MustCompile(`(?s)^badops_test\.go:\d+:\d+: error BL\d+: .*Own\(x`)

func TestMistakesInOperations(t *testing.T) {
	for name, c := range badOps {
		op := c.of("own")
		c.change(op)
		g, _, y := applied(op)
		_, err := exec.Compile(g, exec.Outputs(y))
		require.Error(t, err, name)
		var bug *exec.BugError
		require.False(t, errors.As(err, &bug), "%s: %v", name, err)
		var report *shapeinfer.Report
		require.ErrorAs(t, err, &report, name)
		require.Regexp(t, here, err.Error(), name)
		require.ErrorContains(t, err, c.says, name)
	}
}

func TestMistakesInGradientRules(t *testing.T) {
	other := graph.New("other")
	for name, c := range map[string]struct {
		rule func(n, dy *graph.Node, i int) *graph.Node
		says string
	}{
		"panics": {func(_, _ *graph.Node, _ int) *graph.Node { panic("oh") }, "panics at badops_test.go:"},
		"of another graph": {func(_, _ *graph.Node, _ int) *graph.Node { return other.Scalar(graph.Float64, 1) },
			"a value that is not a node of its graph"},
		"of no graph": {func(_, _ *graph.Node, _ int) *graph.Node { return graph.Num(1) },
			"a value that is not a node of its graph"},
		"of another dtype": {func(_, dy *graph.Node, _ int) *graph.Node { return ops.Cast(dy, graph.Float32) },
			"dtype float32 of an operand of dtype float64"},
		"of another shape": {func(_, dy *graph.Node, _ int) *graph.Node { return ops.Transpose(dy, 0, 1) },
			"shape [3, 2] of an operand of shape [2, 3]"},
		"of lower rank": {func(_, dy *graph.Node, _ int) *graph.Node { return ops.Sum(dy) },
			"shape [] of an operand of shape [2, 3]"},
	} {
		op := ownScale("own")
		op.Grad = c.rule
		g, x, y := applied(op)
		autodiff.Grad(ops.Sum(y), []*graph.Node{x})
		err := shapeinfer.Check(g).Err()
		require.Error(t, err, name)
		require.ErrorContains(t, err, c.says, name)
		require.Regexp(t, `badops_test\.go:\d+`, err.Error(), name)
	}
}

// Promote is what brings operands to one dtype: without it, Emit meets two. The mistake is there as soon as the node
// is, once however often the operation is used.
func TestForgottenPromote(t *testing.T) {
	mix := ownMix("mix")
	g := graph.New("g")
	x, y := g.Input("x", graph.Int64, 3), g.Input("y", graph.Float32, 3)
	z := ops.Exp(graph.Apply(mix, nil, x, y))
	require.False(t, z.Judged())
	graph.Apply(mix, nil, y, x)
	require.Len(t, g.Mistakes(), 1)
	_, err := exec.Compile(g, exec.Outputs(z))
	for _, err := range []error{g.Err(), err} {
		require.ErrorContains(
			t, err, `Own(x, y): the operation "mix" is incomplete: Emit returns a wrong type: mul of float32, int64`)
		require.ErrorContains(t, err, "with Promote (such as ops.ToCommonType)")
		require.Regexp(t, `badops_test\.go:\d+:\d+: error BL005`, err.Error())
	}

	mix.Promote = ops.ToCommonType
	for _, apply := range []func(*graph.Op, any, ...*graph.Node) *graph.Node{graph.Apply, ops.Apply} {
		g = graph.New("g")
		x, y = g.Input("x", graph.Int64, 3), g.Input("y", graph.Float32, 3)
		z = apply(mix, nil, x, y)
		require.Equal(t, "cast", z.In(0).Op().Name)
		require.Equal(t, graph.Float32, apply(mix, nil, y, graph.Num(2)).DType())
		_, err = exec.Compile(g, exec.Outputs(z))
		require.NoError(t, err)
	}
}

// The writing twin computes the operation's own element, so a mistake in that is reported for both.
func TestForgottenPromoteInPlace(t *testing.T) {
	g := graph.New("g")
	x, y := g.Input("x", graph.Float64, 3).Mutable(), g.Input("y", graph.Float32, 3)
	ops.InPlace(ownMix("mix"), nil, x, y)
	require.ErrorContains(t, g.Err(), "Emit returns a wrong type: mul of float32, float64")
}
