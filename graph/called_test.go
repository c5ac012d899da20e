package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

const f32 = graph.Float32

// Messages call a value as the user's program does.
func TestValuesAreCalledAsTheUserCallsThem(t *testing.T) {
	g := graph.New("g")
	batch := g.Dim("batch")
	x := g.Input("x", f32, batch, 4)
	h := ops.Relu(x)
	var shifted = ops.Add(h, graph.Num(0.5))
	require.Equal(t, "x", x.Called(), "an input has a name")
	require.Equal(t, "h", h.Called())
	require.Equal(t, "shifted", shifted.Called())
	require.Equal(t, "top", ops.Exp(h).Named("top").Called())
	require.Equal(t, "Exp(h)", ops.Exp(h).Called())
	require.Equal(t, "Exp(Neg(…))", ops.Exp(ops.Neg(ops.Abs(h))).Called(), "calls within calls are cut short")
	require.Equal(t, "0.5", shifted.In(1).Called())
	require.Equal(t, "Add(h, 0.5)", graph.Describe(shifted))
	twice := ops.Square(ops.Square(x))
	require.Equal(t, "twice", twice.Called())
	require.Equal(t, "Square(x)", twice.In(0).Called(), "the same line made two squares")
}

// A node is printed in a few words, in whatever it stands, and not with the whole graph that hangs on it.
func TestPrintedNodes(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, g.Dim("batch"), 3)
	y := ops.Exp(x)
	wrong := ops.Add(x, g.Input("k", f32, 4))
	missing := ops.Add(x, nil)
	var none *graph.Node
	for want, v := range map[string]any{
		"x float32[batch, 3]":                            x,
		"y float32[batch, 3]":                            y,
		"[x float32[batch, 3] Neg(y) float32[batch, 3]]": []*graph.Node{x, ops.Neg(y)},
		"map[out:y float32[batch, 3]]":                   map[string]*graph.Node{"out": y},
		"wrong, which has mistake BL101":                 wrong,
		"Exp(wrong) float32[batch, ?]":                   ops.Exp(wrong),
		"missing, which has mistake BL001":               missing,
		"Exp(missing), the shape of which is not known":  ops.Exp(missing),
		"nil":         none,
		"{3 int64[]}": struct{ N *graph.Node }{graph.Num(3)},
	} {
		require.Equal(t, want, fmt.Sprint(v))
		require.Less(t, len(fmt.Sprintf("%+v", v)), 80)
	}
	require.Equal(t, "nil", (&graph.Node{}).String())
}

// The fixed arguments of a call stand where the user writes them.
func TestCallsAreWrittenAsInTheProgram(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, g.Dim("n"), 4, 6)
	i := g.Input("i", graph.Int64, 2)
	for want, n := range map[string]*graph.Node{
		"Sum(x)":                    ops.Sum(x),
		"Sum(x, 1, -1, KeepDims())": ops.Sum(x, 1, -1, ops.KeepDims()),
		"Var(x, 1, 0)":              ops.Var(x, 1, 0),
		"Concat(1, x, x)":           ops.Concat(1, x, x),
		"IndexSelect(x, 1, i)":      ops.IndexSelect(x, 1, i),
		"Slice(x, 2, 1, End, 2)":    ops.Slice(x, 2, 1, ops.End, 2),
		"Cast(x, graph.Float64)":    ops.Cast(x, graph.Float64),
		"ClampMin(x, 0)":            ops.ClampMin(x, 0),
		"Reshape(x, n, 24)":         ops.Reshape(x, g.Dim("n"), 24),
		"Transpose(x, 1, 2)":        ops.Transpose(x, 1, 2),
		"Softmax(x, -1)":            ops.Softmax(x, -1),
		"Unsqueeze(x, 0)":           ops.Unsqueeze(x, 0),
		"Squeeze(x)":                ops.Squeeze(x),
	} {
		require.Equal(t, want, graph.Describe(n))
	}
}

// Where the user called a function that is made of several operations, they bear its name.
func TestFunctionsOfSeveralOperations(t *testing.T) {
	g := graph.New("g")
	x, y := g.Input("x", f32, 3), g.Input("y", f32, 3)
	loss := ops.MSE(x, y)
	require.Equal(t, "loss", loss.Called())
	require.Equal(t, "MSE(x, y)", graph.Describe(loss.In(0).In(0)))
	pred := testmodel.Linear(g, "layer", x, 2)
	require.Equal(t, "pred", pred.Called())
}

// A conversion that promotion put in is called by its operand.
func TestConversionsAreInvisible(t *testing.T) {
	g := graph.New("g")
	sum := ops.Add(g.Input("x", f32, 3), g.Input("i", graph.Int64, 3))
	require.Equal(t, "cast", sum.In(1).Op().Name)
	require.Equal(t, "Add(x, i)", graph.Describe(sum))
}

// Lines that assign several values, loops and functions of the user's own are understood.
func TestVariablesOfTheUsersProgram(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, 3)
	mean, spread := ops.Mean(x), ops.Std(x, 0)
	require.Equal(t, "mean, spread", mean.Called()+", "+spread.Called())
	a, b, c := ops.Exp(x), ops.Exp(x), ops.Clamp(x, 0, 1)
	require.Equal(t, "a, b, c", a.Called()+", "+b.Called()+", "+c.Called())
	layer := func(name string) *graph.Node {
		h := ops.Mul(x, g.Param(name, f32, 3))
		return ops.Relu(h)
	}
	q, k := layer("wq"), layer("wk")
	require.Equal(t, "q, k", q.Called()+", "+k.Called())
	var h *graph.Node
	for h = x; h.ID() < 20; {
		h = ops.Tanh(h)
	}
	require.Equal(t, "h, h", h.Called()+", "+h.In(0).Called())
	dx := autodiff.Grad(ops.Sum(ops.Square(h)), []*graph.Node{x})[0]
	require.Equal(t, "gradient of x", dx.Called())
	require.NotContains(t, graph.Describe(ops.Neg(dx)), "Mul")
}

// Assignments of several lines name the values that begin on each of these.
func TestVariablesOfSeveralLines(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, 3)
	first, second, third := ops.Exp(x), ops.Exp(ops.Neg(x)),
		ops.Exp(ops.Relu(
			x))
	require.Equal(t, "first, second, third", first.Called()+", "+second.Called()+", "+third.Called())
	require.Equal(t, "Neg(x), Relu(x)", second.In(0).Called()+", "+third.In(0).Called())
	below :=
		ops.Tanh(x)
	require.Equal(t, "below", below.Called())
	var left, right = ops.Sin(
		ops.Sin(x)), ops.Cos(
		x)
	require.Equal(t, "left, right", left.Called()+", "+right.Called())
	require.Equal(t, "Sin(x)", left.In(0).Called())
	of := map[string]*graph.Node{}
	of["a"], below = ops.Sum(x),
		ops.Mean(x)
	require.Equal(t, "Sum(x), below", of["a"].Called()+", "+below.Called())
	inner := func() (*graph.Node, *graph.Node) {
		up, down := ops.Ceil(x),
			ops.Floor(x)
		return up, down
	}
	_, down := inner()
	require.Equal(t, "down", down.Called())
}

// A value is named wherever a statement assigns the result of the call that made it, and nowhere else.
func TestVariablesOfAllKindsOfStatements(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, 3)
	if root := ops.Sqrt(x); true {
		require.Equal(t, "root", root.Called())
	}
	for turn := ops.Sin(x); turn != nil; turn = nil {
		require.Equal(t, "turn", turn.Called())
	}
	var (
		up   = ops.Ceil(x) // a comment, with "down" = ops.Floor(x)
		down = (ops.Floor(x))
	)
	require.Equal(t, "up, down", up.Called()+", "+down.Called())
	quiet := ops.Mean(x).Silence(graph.CodeWholeBatch)
	require.Equal(t, "quiet", quiet.Called())
	held := struct{ y *graph.Node }{ops.Exp(x)}
	held.y = ops.Neg(held.y)
	require.Equal(t, "Neg(Exp(…))", held.y.Called(), "a field is no variable")
	half := func(x *graph.Node) *graph.Node { return ops.Mul(x, graph.Num(0.5)) }
	small := ops.Relu(half(x))
	layer := struct{ Apply func(*graph.Node) *graph.Node }{half}
	applied := layer.Apply(x)
	require.Equal(t, "applied", applied.Called())
	require.Equal(t, "small, Mul(x, 0.5)", small.Called()+", "+small.In(0).Called(), "Relu's operand is not small")
	first, second := ops.Abs(ops.Abs(x)), ops.Abs(x)
	require.Equal(t, "first, second", first.Called()+", "+second.Called())
	require.Equal(t, "Abs(x)", first.In(0).Called())
	losses := []*graph.Node{ops.MSE(x, x), ops.MSE(x, second)}
	low, high := ops.MSE(x, losses[0]), ops.MSE(x, losses[1])
	require.Equal(t, "low, high", low.Called()+", "+high.Called())
}

func addTo(x, y *graph.Node) *graph.Node { return ops.Add(x, y) }

func addInBlock(x, y *graph.Node) *graph.Node {
	x = addTo(x, x)
	return addTo(x, y)
}

// A message tells the calls that led to its line, as far as these tell one value from another.
func TestCallsThatLedToALine(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, 3)
	addInBlock(x, x)
	wrong := addInBlock(x, g.Input("y", f32, 4))
	require.Regexp(
		t,
		`^called_test.go:\d+:\d+: .*\n      in addTo, called at called_test.go:\d+:\d+\n      in addInBlock, called at called_test.go:\d+:\d+\n      x   \[ 3 \]   Add\(x, x\) `,
		wrong.Err().Error())
	require.Len(t, wrong.CalledFrom(), 2)
	a, b := ops.Exp(x), ops.Exp(x)
	require.Empty(t, a.CalledFrom(), "%s and %s were made on one line by one call of this function", a.Called(),
		b.Called())
	square := func(x *graph.Node) *graph.Node { return ops.Square(x) }
	c := square(x)
	require.Empty(t, c.CalledFrom())
	g.Attempt(func() bool {
		d := square(x)
		require.Len(t, c.CalledFrom(), 1)
		require.Len(t, d.CalledFrom(), 1)
		return false
	})
	require.Empty(t, c.CalledFrom(), "what was tried is taken away again")
	square(x)
	require.Len(t, c.CalledFrom(), 1, "nodes that come later count")
}

// A message about very many operands shows those that matter.
func TestManyOperands(t *testing.T) {
	g := graph.New("g")
	x, odd := g.Input("x", f32, 2, 3), g.Input("odd", f32, 2, 4)
	in := slices.Repeat([]*graph.Node{x}, 5000)
	in[3000] = odd
	all := ops.Concat(0, in...)
	text := shapeinfer.Check(g).Error()
	require.Error(t, all.Err())
	require.Contains(t, text, "Concat(0, x, x, x, x, x, …, x)")
	require.Contains(t, text, "      odd   [ 2, 4 ]")
	require.Contains(t, text, "and 4992 more operands")
}

// block is a part of a model that is built in a scope of its own.
func block(g *graph.Graph, name string, x *graph.Node, rows graph.Dim) (y *graph.Node) {
	g.Scope(name, func() {
		y = ops.Relu(ops.Add(x, g.Param("w", f32, rows, 3)))
	})
	return y
}

// The calls that led to a line are told for what is built inside a Scope too, whether or not
// the compiler writes the function into its callers.
func TestCallsThatLedIntoAScope(t *testing.T) {
	g := graph.New("g")
	x := block(g, "a", g.Input("x", f32, 2, 3), 2)
	x = block(g, "b", x, 5)
	block(g, "c", x, 2)
	require.Regexp(
		t,
		`^called_test.go:\d+:\d+: error BL101: Add\(.*\n      in block, called at called_test.go:\d+:\d+\n      \w+ `,
		g.Err().Error())
}
