package exec_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff/gradcheck"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// This file changes one property after the other of an operation that is right, and has those tools judge it that a
// user has: the building of nodes, the compiler, and the check of gradients.

// mutated is an operation that is right, and what can be wrong with it.
type mutated struct {
	right   func() *graph.Op
	changes map[string]func(op *graph.Op)
}

func rule(change func(dx, dy *graph.Node, n *graph.Node, i int) *graph.Node) func(op *graph.Op) {
	return func(op *graph.Op) {
		of := op.Grad
		op.Grad = func(n, dy *graph.Node, i int) *graph.Node { return change(of(n, dy, i), dy, n, i) }
	}
}

func infers(change func(t dtype, s shape) (dtype, shape)) func(op *graph.Op) {
	return func(op *graph.Op) {
		of := op.Infer
		op.Infer = func(c *graph.Call) (dtype, shape) { return change(of(c)) }
	}
}

// ownTimes is the product of elements.
func ownTimes() *graph.Op {
	op := of2(graph.PrimMul)("own")
	op.Promote = ops.ToCommonType
	op.Grad = func(n, dy *graph.Node, i int) *graph.Node { return ops.Mul(dy, n.In(1-i)) }
	identity(1, 0, 1)(op)
	return op
}

// anyRule are changes of the rules that all of these operations have.
var anyRule = map[string]func(op *graph.Op){
	"a gradient of another sign": rule(func(dx, _, _ *graph.Node, _ int) *graph.Node { return ops.Neg(dx) }),
	"a gradient of another factor": rule(func(dx, _, _ *graph.Node, _ int) *graph.Node {
		return ops.Mul(dx, graph.Num(1.001))
	}),
	"a gradient of nothing": rule(func(_, _, _ *graph.Node, _ int) *graph.Node { return nil }),
	"a gradient of another dtype": rule(func(dx, _, _ *graph.Node, _ int) *graph.Node {
		return ops.Cast(dx, graph.Float32)
	}),
	"a gradient of another shape": rule(func(dx, _, _ *graph.Node, _ int) *graph.Node { return ops.Sum(dx) }),
	"a gradient with another way": rule(func(dx, _, n *graph.Node, _ int) *graph.Node {
		return ops.Mul(dx, ops.Exp(ops.Sub(ops.Sum(n), ops.StopGradient(ops.Sum(n)))))
	}),
	"no gradient": func(op *graph.Op) { op.Grad = nil },
	"a shape of another size": infers(func(t dtype, s shape) (dtype, shape) {
		s = slices.Clone(s)
		s[0] = s[0].Plus(1)
		return t, s
	}),
	"a shape of one more axis": infers(func(t dtype, s shape) (dtype, shape) {
		return t, append(shape{1}, s...)
	}),
	"another dtype":                   infers(func(_ dtype, s shape) (dtype, shape) { return graph.Float32, s }),
	"no dtype":                        infers(func(_ dtype, s shape) (dtype, shape) { return graph.InvalidDType, s }),
	"another class":                   func(op *graph.Op) { op.Class = (op.Class + 1) % graph.Version },
	"too many operands":               func(op *graph.Op) { op.MinIn, op.MaxIn = op.MinIn+1, op.MaxIn+1 },
	"no shape rule":                   func(op *graph.Op) { op.Infer = nil },
	"it claims that it undoes itself": func(op *graph.Op) { op.Involution = true },
}

var mutations = map[string]mutated{
	"elementwise": {ownTimes, map[string]func(op *graph.Op){
		"no Promote": func(op *graph.Op) { op.Promote = nil },
		"Promote to float32": func(op *graph.Op) {
			op.Promote = func([]dtype, []graph.OperandRank) []dtype { return []dtype{graph.Float32, graph.Float32} }
		},
		"Promote of one operand": func(op *graph.Op) {
			op.Promote = func(t []dtype, _ []graph.OperandRank) []dtype { return t[:1] }
		},
		"no repetition":       func(op *graph.Op) { op.Infer = likeFirst },
		"another element":     func(op *graph.Op) { op.Emit = of2(graph.PrimAdd)("").Emit },
		"an element turned":   func(op *graph.Op) { op.Emit = of2(graph.PrimPow)("").Emit },
		"another identity":    identity(0, 1),
		"an identity of NaN":  identity(-1, 0),
		"gradients exchanged": rule(func(_, dy, n *graph.Node, i int) *graph.Node { return ops.Mul(dy, n.In(i)) }),
	}},
	"reduction": {func() *graph.Op { return ownFold("own") }, map[string]func(op *graph.Op){
		"another fold": func(op *graph.Op) { op.Fold = graph.FoldMax },
		"another axis": func(op *graph.Op) { op.Axes = func(*graph.Node) []int { return []int{1} } },
	}},
	"view": {func() *graph.Op { return ownTurn("own") }, map[string]func(op *graph.Op){
		"another offset": func(op *graph.Op) { view(op, func(l *graph.Layout) { l.Offset = l.Offset.Plus(1) }) },
		"another step": func(op *graph.Op) {
			view(op, func(l *graph.Layout) { l.Strides[0] = l.Strides[0].Times(2) })
		},
		"no turn": func(op *graph.Op) {
			view(op, func(l *graph.Layout) { l.Strides[0], l.Offset = l.Strides[0].Times(-1), 0 })
		},
		"shown twice": func(op *graph.Op) { op.Once = true; view(op, func(l *graph.Layout) { l.Strides[0] = 0 }) },
	}},
	"function": {func() *graph.Op { return ownRowSums() }, map[string]func(op *graph.Op){
		"a core of other axes": func(op *graph.Op) { op.Core = func(*graph.Node) ([]int, int) { return []int{0}, 1 } },
		"a write": func(op *graph.Op) {
			function(op, func(a *graph.Arrays) { graph.Elements[float64](a.In[0])[0]++ })
		},
		"a gap": func(op *graph.Op) { op.Function = func(*graph.Arrays) error { return nil } },
		"another value": func(op *graph.Op) {
			function(op, func(a *graph.Arrays) {
				graph.Elements[float64](a.Out)[0] = math.Sin(graph.Elements[float64](a.In[0])[0])
			})
		},
	}},
	"composite": {ownCube, map[string]func(op *graph.Op){
		"written otherwise": func(op *graph.Op) {
			op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Square(in[0]) }
		},
		"written of another shape": func(op *graph.Op) {
			op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Sum(in[0]) }
		},
		"axes that are not aligned": func(op *graph.Op) {
			op.Aligned = func(*graph.Node, int) []int { return []int{0, 0} }
			of := op.Expand
			op.Expand = func(n *graph.Node, in []*graph.Node) *graph.Node {
				return ops.Add(of(n, in), ops.Mul(ops.Sum(in[0]), graph.Num(0)))
			}
		},
	}},
}

// view changes the arrangement that a view makes.
func view(op *graph.Op, change func(l *graph.Layout)) {
	of := op.View
	op.View = func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
		out, ok := of(n, in)
		change(&out)
		return out, ok
	}
}

// function does something after a Go function.
func function(op *graph.Op, then func(a *graph.Arrays)) {
	of := op.Function
	op.Function = func(a *graph.Arrays) error { defer then(a); return of(a) }
}

// rightAsWell are the changes that give an operation that is right too: turning does undo itself, a reduction may keep
// its axis, and what is written with other operations has their gradients.
var rightAsWell = map[string][]string{
	"view":      {"it claims that it undoes itself"},
	"reduction": {"a shape of one more axis"},
	"composite": {"no gradient"},
}

// judged builds, compiles and checks an operation, and returns what is found wrong.
func judged(t *testing.T, op *graph.Op) error {
	g := graph.New("judged")
	x, rows, whole := g.Input("x", graph.Float64, 2, 3), g.Input("rows", graph.Float64, 3),
		g.Input("whole", graph.Int32, 2, 3)
	feed := exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: []float64{0.25, -1, 1.5, 0.5, 2, -0.75}},
		rows:  exec.Array{Shape: []int{3}, Data: []float64{0.5, -1.5, 2}},
		whole: exec.Array{Shape: []int{2, 3}, Data: []int32{1, 2, 3, -1, -2, -3}}}
	all := nodes{graph.Apply(op, nil, nodes{x, rows}[:min(op.MaxIn, 2)]...)}
	if op.MaxIn == 2 {
		all = append(all, graph.Apply(op, nil, x, whole))
	}
	for _, y := range all {
		if _, err := exec.Compile(g, exec.Outputs(y)); err != nil {
			return err
		}
		if err := gradcheck.Check(t.Context(), y, feed, nodes{x, rows}, gradcheck.SecondOrder()); err != nil {
			return err
		}
	}
	return nil
}

// TestMutatedOperations has each change found, as the user's mistake.
func TestMutatedOperations(t *testing.T) {
	for of, m := range mutations {
		require.NoError(t, judged(t, m.right()), of)
		for _, changes := range []map[string]func(op *graph.Op){anyRule, m.changes} {
			for name, change := range changes {
				op := m.right()
				change(op)
				err := judged(t, op)
				if slices.Contains(rightAsWell[of], name) {
					require.NoError(t, err, "%s: %s", of, name)
					continue
				}
				require.Error(t, err, "%s: %s", of, name)
				var bug *exec.BugError
				require.False(t, errors.As(err, &bug), "%s: %s: %v", of, name, err)
				require.NotContains(t, err.Error(), "please report", "%s: %s", of, name)
				require.Regexp(t, `ownmutations_test\.go:\d+|gradcheck: `, err.Error(), "%s: %s", of, name)
			}
		}
	}
}
