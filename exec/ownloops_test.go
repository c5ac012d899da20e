package exec_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff/gradcheck"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/ops"
)

// This file puts operations of a user's own into the bodies of loops and branches.

// ownStep is what a step computes of what it is given, of its part, and of a value of outside, all [3, 3].
type ownStep struct {
	of    func(c, x, w *graph.Node) *graph.Node
	other bool // the rule gives another gradient than that of differences
	once  bool // the gradient of a loop within a loop is refused, since it would call a function again
}

// ownMatrices is a product that takes matrices alone, with a rule that knows of no batch.
func ownMatrices(slope float64) *graph.Op {
	op := ownProduct("own")
	op.Infer = func(c *graph.Call) (dtype, shape) {
		if len(c.Shape(0)) != 2 || len(c.Shape(1)) != 2 {
			c.Fail(&graph.Mistake{Code: graph.CodeRank, Summary: "matrices are wanted"})
			return c.DType(0), c.Shape(0)
		}
		return c.DType(0), shape{c.Shape(0)[0], c.Shape(1)[1]}
	}
	of := op.Grad
	op.Grad = func(n, dy *graph.Node, i int) *graph.Node { return ops.Mul(of(n, dy, i), graph.Num(slope)) }
	return op
}

// ownRows is the product of matrices, whose rule for the second one adds up rows.
func ownRows() *graph.Op {
	op := ownProduct("own")
	op.Grad = func(n, dy *graph.Node, i int) *graph.Node {
		if i == 0 {
			return ops.MatMul(dy, ops.Transpose(n.In(1), -1, -2))
		}
		return ops.Sum(ops.Mul(ops.Unsqueeze(n.In(0), 2), ops.Unsqueeze(dy, 1)), 0)
	}
	return op
}

// ownRowSums adds up the squares of rows by a Go function.
func ownRowSums() *graph.Op {
	op := ownFunction(graph.Float64, func(a *graph.Arrays) error {
		in, out := graph.Elements[float64](a.In[0]), graph.Elements[float64](a.Out)
		sum := 0.
		for i, v := range in {
			sum += v * v
			out[i] = sum
		}
		return nil
	})
	op.Grad = func(n, dy *graph.Node, _ int) *graph.Node {
		return ops.Mul(ops.Mul(ops.Flip(ops.CumSum(ops.Flip(dy, -1), -1), -1), n.In(0)), graph.Num(2))
	}
	return op
}

// ownCube is a composite with a rule of its own.
func ownCube() *graph.Op {
	op := ownWritten("own")
	op.Expand = func(_ *graph.Node, in []*graph.Node) *graph.Node { return ops.Mul(ops.Square(in[0]), in[0]) }
	op.Grad = func(n, dy *graph.Node, _ int) *graph.Node {
		return ops.Mul(dy, ops.Mul(ops.Square(n.In(0)), graph.Num(3)))
	}
	return op
}

// ownCall calls a Go function that squares.
func ownCall(call func(string, nodes, []ops.CallbackResult, func(*graph.Arrays) error,
	func(y, dy, in []*graph.Node) []*graph.Node) nodes, x *graph.Node) *graph.Node {
	return call("Own", nodes{x}, []ops.CallbackResult{{DType: graph.Float64, Shape: x.Shape()}},
		func(a *graph.Arrays) error {
			for i, v := range graph.Elements[float64](a.In[0]) {
				graph.Elements[float64](a.Outs[0])[i] = v * v
			}
			return nil
		}, func(_, dy, in []*graph.Node) []*graph.Node {
			return nodes{ops.Mul(ops.Mul(dy[0], in[0]), graph.Num(2))}
		})[0]
}

// ownMatMul is a product with a gradient by [ops.WithGradient].
func ownMatMul(x, w *graph.Node) *graph.Node {
	return ops.WithGradient("Own", nodes{x, w}, func(in []*graph.Node) *graph.Node { return ops.MatMul(in[0], in[1]) },
		func(_, dy *graph.Node, in []*graph.Node) []*graph.Node {
			return nodes{ops.MatMul(dy, ops.Transpose(in[1], 0, 1)), ops.MatMul(ops.Transpose(in[0], 0, 1), dy)}
		})
}

func apply(op *graph.Op, in ...*graph.Node) *graph.Node { return graph.Apply(op, nil, in...) }

var ownSteps = map[string]ownStep{
	"elementwise": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Mul(apply(ownScale("own"), c), apply(ownMix("own"), x, w)))
	}},
	"repeated": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(apply(ownMix("own"), ops.Mul(c, x), ops.Select(w, 0, 1)))
	}},
	"product": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownProduct("own"), c, w), x))
	}},
	"product by left": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownProduct("own"), w, c), x))
	}},
	"product of matrices": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownMatrices(1), c, w), apply(ownMatrices(1), w, x)))
	}},
	"product of another gradient": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownMatrices(2), c, w), x))
	}, other: true},
	"product of rows": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownRows(), c, w), x))
	}},
	"product of parts": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownMatrices(1), x, w), c))
	}},
	"product by WithGradient": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(ownMatMul(c, w), x))
	}},
	"reduction": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(ops.Mul(apply(ownFold("own"), ops.Mul(c, w)), c), apply(ownFold("own"), x)))
	}},
	"view": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Mul(apply(ownTurn("own"), c), apply(ownTurn("own"), ops.Add(x, w))))
	}},
	"assembly": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Slice(apply(ownSpread("own"), c, ops.Mul(x, w)), 0, 3, 9, 2))
	}},
	"function": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownRowSums(), ops.Mul(c, w)), apply(ownRowSums(), x)))
	}},
	"composite": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownWritten("own"), ops.Mul(c, w)), x))
	}},
	"composite rule": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(apply(ownCube(), ops.Mul(c, w)), x))
	}},
	"callback": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(ownCall(ops.CallbackResults, ops.Mul(c, w)), x))
	}, once: true},
	"pure callback": {of: func(c, x, w *graph.Node) *graph.Node {
		return ops.Sin(ops.Add(ownCall(ops.PureCallback, ops.Mul(c, w)), ownCall(ops.PureCallback, x)))
	}},
}

// ownBody is the body of three steps: step i is given whether it is even, what was computed before, and part i of x.
type ownBody func(even, c, x *graph.Node) *graph.Node

// ownForms are the ways in which three steps are written.
var ownForms = map[string]func(c, x *graph.Node, body ownBody) *graph.Node{
	"unrolled": func(c, x *graph.Node, body ownBody) *graph.Node {
		for i := range 3 {
			c = body(x.Graph().Scalar(graph.Bool, float64(1-i%2)), c, ops.Select(x, 0, graph.Dim(i)))
		}
		return c
	},
	"Scan": func(c, x *graph.Node, body ownBody) *graph.Node {
		even := graph.Constant(x.Graph(), []bool{true, false, true}, 3)
		last, all := ops.Scan(ops.Loop{Carry: nodes{c}, Over: nodes{x, even}}, func(carry, x nodes) (next, out nodes) {
			y := body(x[1], carry[0], x[0])
			return nodes{y}, nodes{y}
		})
		return ops.Add(last[0], ops.Mul(ops.Select(all[0], 0, 0), graph.Num(0)))
	},
	"Fori": func(c, x *graph.Node, body ownBody) *graph.Node {
		return ops.Fori(3, nodes{c}, func(i *graph.Node, carry nodes) nodes {
			return nodes{body(isEven(i), carry[0], part(x, i))}
		})[0]
	},
	"While": func(c, x *graph.Node, body ownBody) *graph.Node {
		last, _ := ops.While(7, nodes{c, x.Graph().Scalar(graph.Int64, 0)}, func(carry nodes) *graph.Node {
			return ops.Less(carry[1], graph.Num(3))
		},
			func(i *graph.Node, carry nodes) nodes {
				return nodes{body(isEven(i), carry[0], part(x, i)), ops.Add(carry[1], graph.Num(1))}
			})
		return last[0]
	},
}

func isEven(i *graph.Node) *graph.Node {
	return ops.Equal(ops.Remainder(i, graph.Num(2)), graph.Num(0))
}

func part(x, i *graph.Node) *graph.Node {
	return ops.Squeeze(ops.IndexSelect(x, 0, ops.Unsqueeze(i, 0)), 0)
}

// ownLoop is three steps in one of the forms, within branches too, and what they are given.
func ownLoop(name, form string, branches bool) (y *graph.Node, in nodes, feed exec.Feed) {
	g := graph.New(name)
	c, x, w := g.Input("c", graph.Float64, 3, 3), g.Input("x", graph.Float64, 3, 3, 3),
		g.Input("w", graph.Float64, 3, 3)
	step := ownSteps[name].of
	y = ownForms[form](c, x, func(even, c, x *graph.Node) *graph.Node {
		if !branches {
			return step(c, x, w)
		}
		return ops.Cond(even, func() []*graph.Node { return nodes{step(c, x, w)} }, func() []*graph.Node {
			return nodes{ops.Mul(c, x)}
		})[0]
	})
	rng := rand.New(rand.NewPCG(1, 2))
	feed = exec.Feed{}
	in = nodes{c, x, w}
	for _, n := range in {
		shape, _ := n.Shape().Ints()
		data := someNumbers(rng, graph.Float64, shape).([]float64)
		for i := range data {
			data[i] *= 0.4 // what is steep has no differences
		}
		feed[n] = exec.Array{Shape: shape, Data: data}
	}
	return y, in, feed
}

// TestOwnOperationsInLoops compares loops of a user's operations bit for bit with their steps one by one, and first and
// second gradients with those of these and with differences.
func TestOwnOperationsInLoops(t *testing.T) {
	forms, branches := []string{"Scan", "Fori", "While"}, []bool{false, true}
	if testing.Short() {
		forms, branches = forms[:1], branches[:1]
	}
	for _, name := range slices.Sorted(maps.Keys(ownSteps)) {
		for _, branches := range branches {
			if branches && ownSteps[name].once {
				continue
			}
			want := ownResults(t, name, "unrolled", branches)
			for _, form := range forms {
				about := fmt.Sprintf("%s in %s, branches %v", name, form, branches)
				got := ownResults(t, name, form, branches)
				require.Equal(t, want[0], got[0], about)
				for i := range got {
					require.InDeltaSlice(t, want[i], got[i], 1e-9, "%s: result %d", about, i)
				}
				if !ownSteps[name].other {
					y, in, feed := ownLoop(name, form, branches)
					require.NoError(t, gradcheck.Check(t.Context(), y, feed, in, gradcheck.SecondOrder()), about)
				}
			}
		}
	}
}

// TestOwnOperationsInLoopsOnEverySetting gives the same bits, of gradients too.
func TestOwnOperationsInLoopsOnEverySetting(t *testing.T) {
	settings.Same(t, func() string {
		var all strings.Builder
		for _, name := range slices.Sorted(maps.Keys(ownSteps)) {
			fmt.Fprintf(&all, "%s: %x\n", name, ownResults(t, name, "Scan", !ownSteps[name].once))
		}
		return all.String()
	})
}

// ownResults are the value of steps, and their first and second gradients.
func ownResults(t *testing.T, name, form string, branches bool) (list [][]float64) {
	y, in, feed := ownLoop(name, form, branches)
	roots := withGradients(nodes{y}, in)
	require.NoError(t, y.Graph().Err(), "%s in %s", name, form)
	r := runs(t, y.Graph(), feed, exec.Outputs(roots...))
	for _, n := range roots {
		v, err := exec.Values[float64](r, n)
		require.NoError(t, err)
		list = append(list, v)
	}
	return list
}
