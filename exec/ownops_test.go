package exec_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/rules"
	"github.com/broadloom/broadloom/viz"
)

// This file compiles operations of a user's own. Whatever they are called, they mean what
// their fields say.

// ownAttrs are fixed arguments that no operation of the library has, unexported fields too.
type ownAttrs struct {
	By   float64
	turn func(float64) float64
	deep *ownAttrs
}

// by returns the factor of an operation with ownAttrs, or 3 where it has none.
func by(n *graph.Node) float64 {
	a, ok := n.Attrs().(ownAttrs)
	if !ok {
		return 3
	}
	if a.turn != nil {
		return a.turn(a.By)
	}
	return a.By
}

func likeFirst(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) }

func broadcast(c *graph.Call) (graph.DType, graph.Shape) {
	return c.DType(0), rules.BroadcastOperands(c)
}

// ownScale is by·x.
func ownScale(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "x times a number.", Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Infer: broadcast,
		Emit: func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
			return e.Prim(graph.PrimMul, x[0], e.Const(n.DType(), by(n)))
		},
		Grad: func(n, dy *graph.Node, _ int) *graph.Node { return ops.Mul(dy, graph.Num(by(n))) }}
}

// ownMix is x + by·y.
func ownMix(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "x plus y times a number.", Class: graph.Elementwise, MinIn: 2,
		MaxIn: 2,
		Infer: broadcast,
		Emit: func(e graph.Emitter, n *graph.Node, x []graph.Value) graph.Value {
			return e.Prim(graph.PrimAdd, x[0], e.Prim(graph.PrimMul, x[1], e.Const(n.DType(), by(n))))
		},
		Grad: func(n, dy *graph.Node, i int) *graph.Node {
			if i == 1 {
				return ops.Mul(dy, graph.Num(by(n)))
			}
			return dy
		}}
}

// ownUpdate writes x + by·y into x.
func ownUpdate(name string) *graph.Op {
	op := *ownMix(name)
	op.Class, op.OutOfPlace = graph.Update, ownMix(name)
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		return rules.InPlace(c, c.DType(0), rules.BroadcastOperands(c))
	}
	return &op
}

// ownNumber is one number in three places.
func ownNumber(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "a number.", Class: graph.Elementwise,
		Infer: func(*graph.Call) (graph.DType, graph.Shape) { return graph.Float64, graph.Shape{2, 3} },
		Emit:  func(e graph.Emitter, n *graph.Node, _ []graph.Value) graph.Value { return e.Const(n.DType(), by(n)) }}
}

// ownTurn returns the first axis backwards.
func ownTurn(name string) *graph.Op {
	op := &graph.Op{Name: name, Func: "Own", Doc: "the first axis backwards.", Class: graph.Movement, MinIn: 1,
		MaxIn: 1, Infer: likeFirst,
		View: func(n *graph.Node, in graph.Layout) (graph.Layout, bool) {
			out := graph.Layout{Shape: n.Shape(), Strides: slices.Clone(in.Strides), Offset: in.Offset}
			out.Offset = in.Offset.Plus(in.Strides[0].Times(n.Shape()[0].Minus(1)))
			out.Strides[0] = in.Strides[0].Times(-1)
			return out, true
		}}
	op.Grad = func(n, dy *graph.Node, _ int) *graph.Node { return graph.Apply(op, n.Attrs(), dy) }
	return op
}

// ownSpread returns operands on every second row of a value that is by elsewhere, one behind
// the other.
func ownSpread(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "rows with a number between them.", Class: graph.Movement, MinIn: 1,
		MaxIn: -1,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			s := slices.Clone(c.Shape(0))
			s[0] = s[0].Times(graph.Dim(2 * c.NumIn()))
			return c.DType(0), s
		},
		Assemble: func(n *graph.Node) graph.Assembly {
			a := graph.Assembly{Value: by(n)}
			for i, x := range n.Operands() {
				a.Put(graph.Shape{x.Shape()[0].Times(graph.Dim(2 * i)), 0}, graph.Shape{2, 1})
			}
			return a
		},
		Grad: func(n, dy *graph.Node, i int) *graph.Node {
			rows := n.In(i).Shape()[0]
			start := rows.Times(graph.Dim(2 * i))
			return ops.Slice(dy, 0, start, start.Plus(rows.Times(2)), 2)
		}}
}

// ownFold is the sum over the first axis.
func ownFold(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "the sum over the first axis.", Class: graph.Reduce,
		Fold: graph.FoldSum, MinIn: 1, MaxIn: 1,
		Axes:  func(*graph.Node) []int { return []int{0} },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0)[1:] },
		Grad:  func(n, dy *graph.Node, _ int) *graph.Node { return ops.Expand(dy, n.In(0).Shape()...) }}
}

// ownPick picks rows by index; ownDrop adds rows up by index, in two rows.
func ownPick(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "rows picked.", Class: graph.Gather, MinIn: 2, MaxIn: 2,
		Axes: func(*graph.Node) []int { return []int{0} },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), append(slices.Clone(c.Shape(1)), c.Shape(0)[1:]...)
		},
		Grad: func(n, dy *graph.Node, i int) *graph.Node { return graph.Apply(ownDrop(name), n.Attrs(), dy, n.In(1)) }}
}

func ownDrop(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "rows added up.", Class: graph.Gather, Fold: graph.FoldSum, MinIn: 2,
		MaxIn: 2,
		Axes:  func(*graph.Node) []int { return []int{0} },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), graph.Shape{2, 3} }}
}

// ownProduct is the product of matrices; ownWritten is written with others.
func ownProduct(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "the product of matrices.", Class: graph.Contract, MinIn: 2,
		MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return rules.MatMul(c) },
		Grad: func(n, dy *graph.Node, i int) *graph.Node {
			if i == 0 {
				return ops.MatMul(dy, ops.Transpose(n.In(1), 0, 1))
			}
			return ops.MatMul(ops.Transpose(n.In(0), 0, 1), dy)
		}}
}

func ownWritten(name string) *graph.Op {
	return &graph.Op{Name: name, Func: "Own", Doc: "x squared, times a number.", Class: graph.Composite, MinIn: 1,
		MaxIn: 1, Infer: likeFirst,
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Mul(ops.Square(in[0]), graph.Num(by(n)))
		}}
}

// ownProgram uses all of these, in the places where a rewrite of an operation of the name would go
// wrong, and gives the values to compute.
func ownProgram(name string, attrs any) (*graph.Graph, []*graph.Node) {
	g := graph.New(name)
	x, rows := g.Input("x", graph.Float64, 2, 3), g.Input("rows", graph.Int64, 4)
	whole := g.Input("whole", graph.Int64, 2, 3)
	var out []*graph.Node
	add := func(n *graph.Node) *graph.Node {
		out = append(out, n)
		return n
	}
	scale, mix, turn, spread := ownScale(name), ownMix(name), ownTurn(name), ownSpread(name)
	for _, number := range []float64{0, 1, 2} {
		c := g.Scalar(graph.Float64, number)
		add(graph.Apply(mix, attrs, x, c))
		add(graph.Apply(mix, attrs, c, x))
		add(graph.Apply(mix, attrs, ops.Expand(c, 2, 3), x))
	}
	add(graph.Apply(mix, attrs, whole, g.Scalar(graph.Int64, 1)))
	add(graph.Apply(scale, attrs, graph.Apply(scale, attrs, x)))
	add(graph.Apply(scale, attrs, graph.Apply(scale, ownAttrs{By: 7}, x)))
	add(ops.Add(graph.ApplyIn(g, ownNumber(name), attrs), x))
	once := add(graph.Apply(turn, attrs, x))
	add(ops.Exp(graph.Apply(turn, attrs, once)))
	add(ops.Reshape(graph.Apply(turn, attrs, ops.Reshape(once, 3, 2)), 6))
	add(graph.Apply(spread, attrs, ops.Exp(x), once))
	add(graph.Apply(spread, attrs, graph.Apply(spread, attrs, x)))
	add(graph.Apply(mix, attrs, graph.Apply(spread, nil, x), graph.Apply(spread, attrs, once)))
	add(graph.Apply(ownFold(name), attrs, ops.Exp(x)))
	add(graph.Apply(ownPick(name), attrs, x, rows))
	add(graph.Apply(ownProduct(name), attrs, ops.Exp(x), ops.Transpose(x, 0, 1)))
	add(graph.Apply(ownWritten(name), attrs, x))
	add(graph.Apply(ownUpdate(name), attrs, ops.Copy(x), once))
	loss := g.Scalar(graph.Float64, 0)
	for _, n := range out {
		if n.DType().IsFloat() {
			loss = ops.Add(loss, ops.Sum(ops.Mul(n, ops.Sin(n))))
		}
	}
	return g, append(out, autodiff.Grad(loss, []*graph.Node{x})...)
}

func TestNamesOfOperationsAreFree(t *testing.T) {
	var names []string
	for _, op := range ops.Entries() {
		names = append(names, op.Name)
	}
	names = append(names, "", "two words", "insert_slices", "expand_copy", "grad", "const", "input", "param", "literal",
		"other", "later")
	kinds := []any{nil, ownAttrs{By: 2, turn: func(v float64) float64 { return v + 0.5 }, deep: &ownAttrs{}}, "text", 7}
	for i, name := range names {
		attrs := kinds[i%len(kinds)]
		g, nodes := ownProgram(name, attrs)
		requireAsReference(t, g, nodes)
		requireTextIsRead(t, g)
	}
}

// requireTextIsRead requires that the text form of a graph can be read again.
func requireTextIsRead(t *testing.T, g *graph.Graph) {
	t.Helper()
	read, err := viz.ParseText(strings.NewReader(g.String()))
	require.NoError(t, err, g.String())
	var again strings.Builder
	require.NoError(t, viz.Text(&again, read))
	require.Equal(t, strings.TrimSpace(g.String()), strings.TrimSpace(again.String()))
}

// requireAsReference requires that a compiled program gives what the reference does.
func requireAsReference(t *testing.T, g *graph.Graph, nodes []*graph.Node) {
	t.Helper()
	in := map[*graph.Node]reference.Value{}
	for _, x := range g.Inputs() {
		if in[x] = reference.FromFloats(x.DType(), []float64{0.25, -1, 2, 0.5, 3, -0.75}, 2, 3); x.Rank() == 1 {
			in[x] = reference.Of([]int64{1, 0, 0, 1}, 4)
		}
	}
	requireReference(t, nodes, in, 1e-9)
}

// Two operations of one name are two operations, and fixed arguments that print alike
// are not alike.
func TestEqualNamesAreNotMerged(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float64, 2, 3)
	plus := func(v float64) func(float64) float64 { return func(w float64) float64 { return v + w } }
	other := ownScale("mul")
	other.Emit = func(e graph.Emitter, _ *graph.Node, x []graph.Value) graph.Value {
		return e.Prim(graph.PrimNeg, x[0])
	}
	nodes := []*graph.Node{ops.Mul(x, x), graph.Apply(ownMix("mul"), nil, x, x), graph.Apply(ownScale("mul"), nil, x),
		graph.Apply(other, nil, x),
		graph.Apply(ownScale("own"), ownAttrs{turn: plus(1)}, x),
		graph.Apply(ownScale("own"), ownAttrs{turn: plus(2)}, x)}
	requireAsReference(t, g, nodes)
}

// What a user's operation states is used as that of the library's own is.
func TestStatedFactsAreUsed(t *testing.T) {
	mix, scale := ownMix("mix"), ownScale("turn")
	mix.Identity = func(_ graph.DType, i int) (float64, bool) { return math.Copysign(0, -1), i == 1 } // x + 3·-0
	scale.Involution = true
	minus := ownAttrs{By: -1}
	for name, build := range map[string]func(x *graph.Node) *graph.Node{
		"identity": func(x *graph.Node) *graph.Node {
			return ops.Exp(graph.Apply(mix, nil, x, x.Graph().Scalar(graph.Float64, math.Copysign(0, -1))))
		},
		"involution": func(x *graph.Node) *graph.Node {
			return ops.Exp(graph.Apply(scale, minus, graph.Apply(scale, minus, x)))
		},
		"two views that undo each other": func(x *graph.Node) *graph.Node {
			return ops.Exp(graph.Apply(ownTurn("a"), nil, graph.Apply(ownTurn("b"), nil, x)))
		},
		"a generated number": func(x *graph.Node) *graph.Node {
			return ops.Exp(ops.Mul(x, graph.ApplyIn(x.Graph(), ownNumber("one"), ownAttrs{By: 1})))
		},
	} {
		g := graph.New(name)
		y := build(g.Input("x", graph.Float64, 2, 3))
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		last := p.Snapshots()[len(p.Snapshots())-1]
		require.Equal(t, []string{"input", "exp"}, opNames(last.Graph()), name)
	}
}

func opNames(g *graph.Graph) (names []string) {
	for _, n := range g.Nodes() {
		if n.Op().Class != graph.Source || n.IsInput() {
			names = append(names, n.Op().Name)
		}
	}
	return names
}
