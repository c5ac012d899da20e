package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Each write draws a suggestion, or none where every change that is tried is wrong for
// another reason; written as suggested, the program is right.
func TestSuggestionsForWrites(t *testing.T) {
	one := graph.Num(1)
	for name, c := range map[string]struct {
		wrong func(g *graph.Graph)
		code  graph.Code
		fixes []string
		right func(g *graph.Graph)
	}{
		"a gradient needs the output": {
			func(g *graph.Graph) {
				x := g.Param("x", f32, 3)
				y := ops.Exp(x)
				autodiff.Grad(ops.Sum(ops.Square(ops.AddInPlace(y, one))), []*graph.Node{x})
			}, graph.CodeOrder, []string{"Add(y, 1) gives a new value (one more buffer of [3])"},
			func(g *graph.Graph) {
				x := g.Param("x", f32, 3)
				y := ops.Exp(x)
				autodiff.Grad(ops.Sum(ops.Square(ops.Add(y, one))), []*graph.Node{x})
			}},
		"a write that others name cannot be a new value": {
			func(g *graph.Graph) {
				x := g.Param("x", f32, 2, 3)
				y := ops.Exp(x)
				z := ops.After(y, ops.AddInPlace(ops.Select(y, 0, 0), one))
				autodiff.Grad(ops.Sum(ops.Square(z)), []*graph.Node{x})
			}, graph.CodeOrder, nil, nil},
		"a gradient needs a parameter that is written": {
			func(g *graph.Graph) {
				x, w := g.Input("x", f32, 3), g.Param("w", f32, 3)
				y := ops.Mul(x, w)
				autodiff.Grad(ops.Sum(ops.Mul(y, ops.AddInPlace(w, one))), []*graph.Node{x})
			}, graph.CodeOrder, []string{"Mul(x, Copy(w)) reads a copy of the old value"},
			func(g *graph.Graph) {
				x, w := g.Input("x", f32, 3), g.Param("w", f32, 3)
				y := ops.Mul(x, ops.Copy(w))
				autodiff.Grad(ops.Sum(ops.Mul(y, ops.AddInPlace(w, one))), []*graph.Node{x})
			}},
		"how far a parameter moved": {
			func(g *graph.Graph) {
				w := g.Param("w", f32, 3)
				ops.Sub(ops.AddInPlace(w, one), w)
			}, graph.CodeOrder, []string{"Sub(AddInPlace(w, 1), Copy(w)) reads a copy of the old value"},
			func(g *graph.Graph) {
				w := g.Param("w", f32, 3)
				before := ops.Copy(w)
				ops.Sub(ops.AddInPlace(w, one), before)
			}},
		"filled while the old value is read": {
			func(g *graph.Graph) {
				y := ops.Exp(g.Input("x", f32, 3))
				ops.Add(ops.CopyInPlace(y, graph.Num(0)), y)
			}, graph.CodeOrder, []string{"Add(CopyInPlace(y, 0), Copy(y)) reads a copy of the old value"},
			func(g *graph.Graph) {
				y := ops.Exp(g.Input("x", f32, 3))
				before := ops.Copy(y)
				ops.Add(ops.CopyInPlace(y, graph.Num(0)), before)
			}},
		"one value is written twice": {
			func(g *graph.Graph) {
				y := ops.Exp(g.Input("x", f32, 3))
				a := ops.AddInPlace(y, one)
				b := ops.MulInPlace(y, one)
				ops.Add(a, b)
			}, graph.CodeWriters, nil, nil}, // the sum then needs the first one after the second
		"one value is written twice in order": {
			func(g *graph.Graph) {
				y := ops.Exp(g.Input("x", f32, 3))
				a := ops.AddInPlace(y, one)
				ops.Abs(a)
				b := ops.MulInPlace(y, one)
				ops.Neg(b)
			}, graph.CodeWriters, []string{"write what the first write gives: MulInPlace(a, 1)"},
			func(g *graph.Graph) {
				y := ops.Exp(g.Input("x", f32, 3))
				a := ops.AddInPlace(y, one)
				ops.Abs(a)
				ops.Neg(ops.MulInPlace(a, one))
			}},
		"two rows": {
			func(g *graph.Graph) {
				y := ops.Exp(g.Input("x", f32, 2, 3))
				first := ops.AddInPlace(ops.Select(y, 0, 0), one)
				ops.AddInPlace(ops.Select(y, 0, 1), first)
			}, graph.CodeWriters,
			[]string{"write what the first write gives: AddInPlace(After(Select(y, 0, 1), first), first)"},
			func(g *graph.Graph) {
				y := ops.Exp(g.Input("x", f32, 2, 3))
				first := ops.AddInPlace(ops.Select(y, 0, 0), one)
				ops.AddInPlace(ops.After(ops.Select(y, 0, 1), first), first)
			}},
		"a column that is read later by its gradient": {
			func(g *graph.Graph) {
				x := g.Param("x", f32, 3, 3)
				y := ops.Exp(x)
				c := ops.Slice(y, 1, 0, 1, 1)
				autodiff.Grad(ops.Sum(ops.AddInPlace(y, c)), []*graph.Node{x})
			}, graph.CodeOperandOverlap, []string{"AddInPlace(y, Copy(c))"},
			func(g *graph.Graph) {
				x := g.Param("x", f32, 3, 3)
				y := ops.Exp(x)
				c := ops.Slice(y, 1, 0, 1, 1)
				autodiff.Grad(ops.Sum(ops.AddInPlace(y, ops.Copy(c))), []*graph.Node{x})
			}},
		"a column, with the old value read later": {
			func(g *graph.Graph) {
				x := g.Param("x", f32, 3, 3)
				ops.Add(ops.AddInPlace(x, ops.Slice(x, 1, 0, 1, 1)), x)
			}, graph.CodeOperandOverlap, nil, nil}, // with a copy of the column, the sum still has no order
		"a row that is repeated": {
			func(g *graph.Graph) {
				row := g.Param("row", f32, 1, 10)
				ops.AddInPlace(ops.Expand(row, 32, 10), one)
			}, graph.CodeSelfOverlap,
			[]string{"AddInPlace(Copy(Expand(row, 32, 10)), 1)", "or write to row before Expand"},
			func(g *graph.Graph) {
				row := g.Param("row", f32, 1, 10)
				ops.Expand(ops.AddInPlace(row, one), 32, 10)
			}},
		"a row that is repeated takes no table": {
			func(g *graph.Graph) {
				row := g.Param("row", f32, 1, 10)
				ops.AddInPlace(ops.Expand(row, 32, 10), g.Input("x", f32, 32, 10))
			}, graph.CodeSelfOverlap, []string{"AddInPlace(Copy(Expand(row, 32, 10)), x)"},
			func(g *graph.Graph) {
				row := g.Param("row", f32, 1, 10)
				ops.AddInPlace(ops.Copy(ops.Expand(row, 32, 10)), g.Input("x", f32, 32, 10))
			}},
		"an input": {
			func(g *graph.Graph) { ops.AddInPlace(g.Input("x", f32, 3), one) },
			graph.CodeImmutable, []string{"declare that the caller's memory may change: x.Mutable()"},
			func(g *graph.Graph) { ops.AddInPlace(g.Input("x", f32, 3).Mutable(), one) }},
		"an input that is repeated": {
			func(g *graph.Graph) { ops.AddInPlace(ops.Expand(g.Input("x", f32, 1), 3), one) },
			graph.CodeImmutable, nil, nil},
		"a result that grows": {
			func(g *graph.Graph) { ops.MulInPlace(g.Param("b", f32, 10), g.Input("h", f32, g.Dim("n"), 10)) },
			graph.CodeInPlaceShape,
			[]string{"Mul(b, h) gives a new value of shape [n, 10]", "or reduce first: MulInPlace(b, Sum(h, 0))"},
			func(g *graph.Graph) { ops.Mul(g.Param("b", f32, 10), g.Input("h", f32, g.Dim("n"), 10)) }},
		"a result that grows without bounds": {
			func(g *graph.Graph) {
				ops.AddInPlace(g.Param("x", f32, 1<<40, 1), g.Input("y", f32, 1, 1<<40))
			}, graph.CodeInPlaceShape, nil, nil}, // no new value can hold it either
		"a quotient of whole numbers": {
			func(g *graph.Graph) { ops.DivInPlace(g.Param("n", graph.Int64, 3), g.Input("m", graph.Int32, 3)) },
			graph.CodeInPlaceDType, []string{"Div(n, m) gives a new value, which is float32"},
			func(g *graph.Graph) { ops.Div(g.Param("n", graph.Int64, 3), g.Input("m", graph.Int32, 3)) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("wrong")
			c.wrong(g)
			r := shapeinfer.Check(g)
			require.Len(t, r.Errors, 1, r)
			m := r.Errors[0]
			require.Equal(t, c.code, m.Code)
			var texts []string
			for _, f := range m.Fixes {
				texts = append(texts, f.Text)
			}
			require.Equal(t, c.fixes, texts, r)
			if c.right != nil {
				g = graph.New("right")
				c.right(g)
				require.NoError(t, shapeinfer.Check(g).Err())
			}
		})
	}
}

// A second write of a parameter is a warning for a graph, which may hold two programs; for
// a program that carries out both it is an error, and told once.
func TestSecondWriteIsToldOnce(t *testing.T) {
	g := graph.New("g")
	w := g.Param("w", f32, 3)
	a, b := ops.AddInPlace(w, graph.Num(1)), ops.AddInPlace(w, graph.Num(2))
	r := shapeinfer.Check(g)
	require.Empty(t, r.Errors)
	require.Len(t, r.Warnings, 1)
	r = shapeinfer.CheckProgram(g, a)
	require.Empty(t, r.Errors)
	r = shapeinfer.CheckProgram(g, a, b)
	require.Len(t, r.Errors, 1)
	require.Empty(t, r.Warnings)
	require.Equal(t, "write what the first write gives: AddInPlace(a, 2)", r.Errors[0].Fixes[0].Text)
}
