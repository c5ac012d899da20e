package shapeinfer_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

const f32 = graph.Float32

// Each program draws a suggestion; written as suggested, it is right.
func TestSuggestionsCure(t *testing.T) {
	type nodes = func(g *graph.Graph) *graph.Node
	for name, c := range map[string]struct {
		wrong nodes
		fix   string
		right nodes
	}{
		"keep the axis behind single elements": {
			func(g *graph.Graph) *graph.Node {
				x := g.Input("x", f32, g.Dim("batch"), 8)
				norm := ops.Sqrt(ops.Sum(ops.Square(x), 1))
				return ops.Div(x, norm)
			}, "keep the axis: Sum(Square(x), 1, KeepDims()) gives [batch, 1]",
			func(g *graph.Graph) *graph.Node {
				x := g.Input("x", f32, g.Dim("batch"), 8)
				return ops.Div(x, ops.Sqrt(ops.Sum(ops.Square(x), 1, ops.KeepDims())))
			}},
		"one axis more": {
			func(g *graph.Graph) *graph.Node {
				return ops.Mul(g.Input("x", f32, g.Dim("n"), 4, 5), g.Input("y", f32, g.Dim("n"), 4))
			}, "Unsqueeze(y, -1) gives [n, 4, 1]",
			func(g *graph.Graph) *graph.Node {
				return ops.Mul(g.Input("x", f32, g.Dim("n"), 4, 5), ops.Unsqueeze(g.Input("y", f32, g.Dim("n"), 4), -1))
			}},
		"transposed": {
			func(g *graph.Graph) *graph.Node {
				return ops.Add(g.Input("x", f32, 2, 3), g.Input("y", f32, 3, 2))
			}, "Add(x, Transpose(y, 0, 1)) gives [2, 3]",
			func(g *graph.Graph) *graph.Node {
				return ops.Add(g.Input("x", f32, 2, 3), ops.Transpose(g.Input("y", f32, 3, 2), 0, 1))
			}},
		"transposed in one of two places": {
			func(g *graph.Graph) *graph.Node {
				x := g.Input("x", f32, g.Dim("b"), 4)
				return ops.MatMul(x, x)
			}, "MatMul(Transpose(x, 0, 1), x) gives [4, 4]",
			func(g *graph.Graph) *graph.Node {
				x := g.Input("x", f32, g.Dim("b"), 4)
				return ops.MatMul(ops.Transpose(x, 0, 1), x)
			}},
		"transposed in two places of a call of several nodes": {
			func(g *graph.Graph) *graph.Node {
				x := g.Input("x", f32, 4, 3)
				return ops.ScaledDotProductAttention(x, g.Input("y", f32, 3, 4), x)
			}, "ScaledDotProductAttention(Transpose(x, 0, 1), y, Transpose(x, 0, 1)) gives [3, 4]",
			func(g *graph.Graph) *graph.Node {
				x := ops.Transpose(g.Input("x", f32, 4, 3), 0, 1)
				return ops.ScaledDotProductAttention(x, g.Input("y", f32, 3, 4), x)
			}},
		"copied in one of two places": {
			func(g *graph.Graph) *graph.Node {
				x := ops.Expand(ops.Slice(g.Param("p", f32, 3, 4), 0, 0, 1, 1), 3, 4)
				return ops.AddInPlace(x, x)
			}, "AddInPlace(Copy(x), x)",
			func(g *graph.Graph) *graph.Node {
				x := ops.Expand(ops.Slice(g.Param("p", f32, 3, 4), 0, 0, 1, 1), 3, 4)
				return ops.AddInPlace(ops.Copy(x), x)
			}},
		"as many elements": {
			func(g *graph.Graph) *graph.Node {
				return ops.Add(g.Input("x", f32, 2, 6), g.Input("y", f32, 3, 4))
			}, "Reshape(y, 2, 6)",
			func(g *graph.Graph) *graph.Node {
				return ops.Add(g.Input("x", f32, 2, 6), ops.Reshape(g.Input("y", f32, 3, 4), 2, 6))
			}},
		"two names for one size": {
			func(g *graph.Graph) *graph.Node {
				return ops.Add(g.Input("x", f32, g.Dim("n")), g.Input("y", f32, g.Dim("m")))
			}, "if they are the same size, declare it: g.Equal(n, m)",
			func(g *graph.Graph) *graph.Node {
				g.Equal(g.Dim("n"), g.Dim("m"))
				return ops.Add(g.Input("x", f32, g.Dim("n")), g.Input("y", f32, g.Dim("m")))
			}},
		"a name and a number": {
			func(g *graph.Graph) *graph.Node {
				return ops.MatMul(g.Input("x", f32, 3, g.Dim("k")), g.Param("w", f32, 7, 2))
			}, "",
			func(g *graph.Graph) *graph.Node {
				return ops.MatMul(g.Input("x", f32, 3, 7), g.Param("w", f32, 7, 2))
			}},
		"an expansion": {
			func(g *graph.Graph) *graph.Node { return ops.Expand(g.Input("x", f32, 2, 1, 3), 2, 5, 4) },
			"Expand(x, 2, 5, 3)",
			func(g *graph.Graph) *graph.Node { return ops.Expand(g.Input("x", f32, 2, 1, 3), 2, 5, 3) }},
		"a mask of keys of an attention": {
			func(g *graph.Graph) *graph.Node {
				q, b, t := g.Input("q", f32, g.Dim("b"), 4, g.Dim("t"), 8), g.Dim("b"), g.Dim("t")
				return ops.ScaledDotProductAttention(q, q, q, ops.AttentionMask(g.Input("m", graph.Bool, b, t)))
			}, "Reshape(m, b, 1, 1, t) lines it up with axes -4 -1 of [b, 4, t, t]",
			func(g *graph.Graph) *graph.Node {
				q, b, t := g.Input("q", f32, g.Dim("b"), 4, g.Dim("t"), 8), g.Dim("b"), g.Dim("t")
				return ops.ScaledDotProductAttention(
					q, q, q, ops.AttentionMask(ops.Reshape(g.Input("m", graph.Bool, b, t), b, 1, 1, t)))
			}},
		"a table before its indices": {
			func(g *graph.Graph) *graph.Node {
				return ops.Embedding(g.Param("table", f32, 10, 3), g.Input("i", graph.Int64, g.Dim("n")))
			}, "with the operands exchanged, Embedding(i, table) gives [n, 3]",
			func(g *graph.Graph) *graph.Node {
				return ops.Embedding(g.Input("i", graph.Int64, g.Dim("n")), g.Param("table", f32, 10, 3))
			}},
		"a weight before what it multiplies": {
			func(g *graph.Graph) *graph.Node {
				return ops.MatMul(g.Param("w", f32, 3, 7), g.Input("x", f32, g.Dim("b"), 3))
			}, "with the operands exchanged, MatMul(x, w) gives [b, 7]",
			func(g *graph.Graph) *graph.Node {
				return ops.MatMul(g.Input("x", f32, g.Dim("b"), 3), g.Param("w", f32, 3, 7))
			}},
		"targets before scores": {
			func(g *graph.Graph) *graph.Node {
				return ops.CrossEntropy(g.Input("y", graph.Int64, g.Dim("b")), g.Input("x", f32, g.Dim("b"), 5))
			}, "with the operands exchanged, CrossEntropy(x, y) gives []",
			func(g *graph.Graph) *graph.Node {
				return ops.CrossEntropy(g.Input("x", f32, g.Dim("b"), 5), g.Input("y", graph.Int64, g.Dim("b")))
			}},
		"a condition behind values": {
			func(g *graph.Graph) *graph.Node {
				return ops.Where(g.Input("x", f32, 3), g.Input("c", graph.Bool, 3), graph.Num(0))
			}, "with the operands exchanged, Where(c, x, 0) gives [3]",
			func(g *graph.Graph) *graph.Node {
				return ops.Where(g.Input("c", graph.Bool, 3), g.Input("x", f32, 3), graph.Num(0))
			}},
		"right-hand sides before a matrix, in a call of several nodes": {
			func(g *graph.Graph) *graph.Node {
				return ops.CholeskySolve(g.Input("b", f32, g.Dim("n"), 1), g.Input("l", f32, g.Dim("n"), g.Dim("n")))
			}, "with the operands exchanged, CholeskySolve(l, b) gives [n, 1]",
			func(g *graph.Graph) *graph.Node {
				return ops.CholeskySolve(g.Input("l", f32, g.Dim("n"), g.Dim("n")), g.Input("b", f32, g.Dim("n"), 1))
			}},
		"dtypes of a product": {
			func(g *graph.Graph) *graph.Node {
				return ops.MatMul(g.Input("x", f32, 2, 3), g.Input("y", graph.Int64, 3, 4))
			}, "MatMul(x, Cast(y, graph.Float32)), which rounds whole numbers beyond ±16777216",
			func(g *graph.Graph) *graph.Node {
				return ops.MatMul(g.Input("x", f32, 2, 3), ops.Cast(g.Input("y", graph.Int64, 3, 4), f32))
			}},
		"the mean of whole numbers": {
			func(g *graph.Graph) *graph.Node { return ops.Mean(g.Input("x", graph.Int64, 3)) },
			"Mean(Cast(x, graph.Float32)), which rounds whole numbers beyond ±16777216",
			func(g *graph.Graph) *graph.Node { return ops.Mean(ops.Cast(g.Input("x", graph.Int64, 3), f32)) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("wrong")
			c.wrong(g)
			r := shapeinfer.Check(g)
			require.Len(t, r.Errors, 1)
			if c.fix != "" {
				require.NotEmpty(t, r.Errors[0].Fixes, r)
				require.Equal(t, c.fix, r.Errors[0].Fixes[0].Text)
			}
			g = graph.New("right")
			c.right(g)
			require.Equal(t, "0 errors, 0 warnings", shapeinfer.Check(g).Summary()[:20])
		})
	}
}

// A change is only suggested if nothing else breaks by it: here another operation needs
// the parameter as it is.
func TestSuggestionsBreakNothingElse(t *testing.T) {
	g := graph.New("g")
	b := g.Param("b", f32, 120)
	ops.Add(g.Input("x", f32, 4, 128), b)
	ops.Add(g.Input("y", f32, 4, 120), b)
	r := shapeinfer.Check(g)
	require.Len(t, r.Errors, 1)
	for _, f := range r.Errors[0].Fixes {
		require.NotContains(t, f.Text, "declare b")
	}
}

// The sizes of a parameter are whole numbers: another shape is refused, and never suggested.
func TestNoNamedSizesOfParameters(t *testing.T) {
	g := graph.New("g")
	n := g.Dim("n")
	g.Param("w", f32, 3, n.Plus(1))
	r := shapeinfer.Check(g)
	require.ErrorContains(t, r, "suggest_test.go:")
	require.ErrorContains(t, r, "error BL003: Param(w): axis 1: n+1 cannot be the size of a parameter")
	require.ErrorContains(
		t, r,
		"help: use a whole number, or a name for one: g.Dim(\"width\", graph.Exactly(64)); or declare an input, with Input, and feed its value")

	g = graph.New("g")
	ops.Add(g.Input("x", f32, 6, g.Dim("n")), g.Param("y", f32, 2, 1))
	r = shapeinfer.Check(g)
	require.Len(t, r.Errors, 1)
	require.Contains(t, r.String(), "declare y as [6, 1]")

	g = graph.New("g")
	ops.Add(g.Input("x", f32, g.Dim("n"), 6), g.Param("y", f32, 2, 6))
	require.NotContains(t, shapeinfer.Check(g).String(), "declare y as [n")
}

// What follows from a mistake is silent, and an independent mistake behind it still shows.
func TestMistakesAreIndependent(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, 4, 3)
	wrong := ops.Add(x, g.Input("y", f32, 4, 5))
	ops.Mul(wrong, g.Input("z", f32, 4, 7)) // axis -1 is unknown, and fits
	ops.Mul(wrong, g.Input("u", f32, 9, 7)) // axis -2 is 4
	r := shapeinfer.Check(g)
	require.Len(t, r.Errors, 2)
	require.Equal(t, []int{0}, r.Errors[1].Operands[0].Bad)
}

// Conversions that the library puts in are called by what they convert.
func TestImpliedConversionsStayHidden(t *testing.T) {
	g := graph.New("g")
	i := g.Input("i", graph.Int64, 4)
	ops.Add(g.Input("x", f32, 4, 3), i)
	text := shapeinfer.Check(g).Error()
	require.Contains(t, text, "Add(x, i)")
	require.NotContains(t, text, "Cast")
}

// Thousands of mistakes take no longer than their number.
func TestManyMistakes(t *testing.T) {
	g := graph.New("g")
	x, y := g.Input("x", f32, 4, 3), g.Input("y", f32, 4, 5)
	for range 20_000 {
		ops.Add(x, y)
	}
	r := shapeinfer.Check(g)
	require.Len(t, r.Errors, 20_000)
	require.Contains(t, r.Error(), "\nand 19900 errors more\n20000 errors, 0 warnings")
}

// A graph that is complete can be checked by several goroutines.
func TestCheckConcurrently(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", f32, g.Dim("n"), 8)
	ops.Sub(x, ops.Mean(x, 1))
	ops.Sub(g.Input("p", f32, g.Dim("n"), 1), g.Input("y", f32, g.Dim("n")))
	want := shapeinfer.Check(g).String()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { assert.Equal(t, want, shapeinfer.Check(g).String()) })
	}
	all.Wait()
}

// TestEqualIsSuggestedOfTheLastName: a name that equals another is replaced by it, and no name is suggested to equal
// itself.
func TestEqualIsSuggestedOfTheLastName(t *testing.T) {
	build := func(meet func(g *graph.Graph, n, m, k graph.Dim) (a, b graph.Dim)) error {
		g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Strict}))
		n, m, k := g.Dim("n"), g.Dim("m"), g.Dim("k")
		g.Equal(n, m)
		a, b := meet(g, n, m, k)
		ops.Add(g.Input("x", f32, 2, a), g.Input("y", f32, 2, b))
		return shapeinfer.Check(g).Err()
	}
	for _, c := range []struct {
		meet func(g *graph.Graph, n, m, k graph.Dim) (a, b graph.Dim)
		want string
	}{
		{func(_ *graph.Graph, n, m, k graph.Dim) (a, b graph.Dim) { return m, k }, "g.Equal("},
		{func(_ *graph.Graph, n, m, k graph.Dim) (a, b graph.Dim) { return m, 4 }, ""}, // 4 is one size of many
		{func(_ *graph.Graph, n, m, k graph.Dim) (a, b graph.Dim) { return n, graph.MinDim(m, 16) }, ""},
		{func(_ *graph.Graph, n, m, k graph.Dim) (a, b graph.Dim) { return m, graph.MinDim(n, 16) }, ""},
		{func(_ *graph.Graph, n, m, k graph.Dim) (a, b graph.Dim) { return n, m.Times(2) }, ""},
	} {
		err := build(c.meet)
		require.Error(t, err)
		if assert.Contains(t, err.Error(), c.want); c.want == "" {
			assert.NotContains(t, err.Error(), "g.Equal(", err.Error())
		}
	}
}

// TestEqualOfTwoAxesIsNoCircle suggests both statements, or none, where two names meet crosswise.
func TestEqualOfTwoAxesIsNoCircle(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Strict}))
	n, m := g.Dim("n"), g.Dim("m")
	ops.Add(g.Input("x", f32, n, m), g.Input("y", f32, m, n))
	ops.Add(g.Input("a", f32, n, m), g.Input("b", f32, graph.MinDim(m, 8), graph.MinDim(n, 8)))
	require.Error(t, shapeinfer.Check(g).Err())
}

// A loss that refuses a target of another shape suggests what the losses do that only warn of it.
func TestTargetsOfLossesThatRefuse(t *testing.T) {
	for _, loss := range []func(x, target *graph.Node, opts ...ops.LossOption) *graph.Node{ops.BCE, ops.BCEWithLogits} {
		g := graph.New("g")
		batch := g.Dim("batch")
		loss(g.Input("x", graph.Float32, batch, 1), g.Input("y", graph.Float32, batch))
		text := shapeinfer.Check(g).String()
		require.Contains(t, text, "BL210")
		require.Contains(t, text, "help: Squeeze(x, -1) gives [batch]")
		require.Contains(t, text, "help: declare y as [batch, 1]")
	}
}
