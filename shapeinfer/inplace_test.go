package shapeinfer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// found returns the codes of the mistakes in a graph.
func found(g *graph.Graph) []graph.Code {
	codes := []graph.Code{}
	for _, m := range shapeinfer.Check(g).Errors {
		codes = append(codes, m.Code)
	}
	return codes
}

// Programs that write in place, and what is wrong with each; nothing where it is legal.
func TestInPlaceRules(t *testing.T) {
	one := graph.Num(1)
	f32 := graph.Float32
	tests := map[string]struct {
		build func(g *graph.Graph)
		want  []graph.Code
	}{
		"the destination may not grow": {func(g *graph.Graph) {
			ops.AddInPlace(g.Param("x", f32, 1, 3, 1), g.Input("y", f32, 3, 1, 7))
		}, []graph.Code{graph.CodeInPlaceShape}},
		"the operand may be repeated": {func(g *graph.Graph) {
			ops.AddInPlace(g.Param("x", f32, 2, 3), g.Input("y", f32, 3))
		}, nil},
		"an expanded destination": {func(g *graph.Graph) {
			ops.AddInPlace(ops.Expand(g.Param("row", f32, 1, 10), 32, 10), one)
		}, []graph.Code{graph.CodeSelfOverlap}},
		"an expanded destination of one row": {func(g *graph.Graph) {
			ops.AddInPlace(ops.Expand(g.Param("row", f32, 1, 10), 1, 10), one)
		}, nil},
		"a destination expanded to a size that may be 1": {func(g *graph.Graph) {
			ops.AddInPlace(ops.Expand(g.Param("row", f32, 1, 10), g.Dim("n"), 10), one)
		}, []graph.Code{graph.CodeSelfOverlap}},
		"a number fills an expanded destination": {func(g *graph.Graph) {
			ops.CopyInPlace(ops.Expand(g.Param("row", f32, 1, 10), 32, 10), one)
		}, nil},
		"overlapping windows": {func(g *graph.Graph) {
			ops.MulInPlace(ops.AsStrided(g.Param("x", f32, 6), graph.Shape{4, 3}, []graph.Dim{1, 1}, 0), one)
		}, []graph.Code{graph.CodeSelfOverlap}},
		"windows side by side": {func(g *graph.Graph) {
			ops.MulInPlace(ops.AsStrided(g.Param("x", f32, 6), graph.Shape{2, 3}, []graph.Dim{3, 1}, 0), one)
		}, nil},
		"interleaved elements": {func(g *graph.Graph) {
			ops.MulInPlace(ops.AsStrided(g.Param("x", f32, 12), graph.Shape{3, 4}, []graph.Dim{1, 3}, 0), one)
		}, nil},
		"an operand that is the destination": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3, 3)
			ops.AddInPlace(x, x)
		}, nil},
		"a column of the destination": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3, 3)
			ops.AddInPlace(x, ops.Slice(x, 1, 0, 1, 1))
		}, []graph.Code{graph.CodeOperandOverlap}},
		"the diagonal of the destination": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3, 3)
			ops.AddInPlace(x, ops.Diagonal(x, 0, 0, 1))
		}, []graph.Code{graph.CodeOperandOverlap}},
		"a copy of a column": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3, 3)
			ops.AddInPlace(x, ops.Copy(ops.Slice(x, 1, 0, 1, 1)))
		}, nil},
		"shifted by one": {func(g *graph.Graph) {
			x := g.Param("x", f32, 9)
			ops.AddInPlace(ops.Slice(x, 0, 1, 9, 1), ops.Slice(x, 0, 0, 8, 1))
		}, []graph.Code{graph.CodeOperandOverlap}},
		"the other half": {func(g *graph.Graph) {
			x := g.Param("x", f32, 8)
			ops.AddInPlace(ops.Slice(x, 0, 4, 8, 1), ops.Slice(x, 0, 0, 4, 1))
		}, nil},
		"the other half of a size known later": {func(g *graph.Graph) {
			n := g.Dim("n")
			x := g.Input("x", f32, n.Times(2), 3).Mutable()
			ops.AddInPlace(ops.Slice(x, 0, n, n.Times(2), 1), ops.Slice(x, 0, 0, n, 1))
		}, nil},
		"the other columns of rows known later": {func(g *graph.Graph) {
			x := g.Input("x", f32, g.Dim("n"), 4).Mutable()
			ops.AddInPlace(ops.Slice(x, 1, 2, 4, 1), ops.Slice(x, 1, 0, 2, 1))
		}, nil},
		"overlapping columns of rows known later": {func(g *graph.Graph) {
			x := g.Input("x", f32, g.Dim("n"), 4).Mutable()
			ops.AddInPlace(ops.Slice(x, 1, 1, 4, 1), ops.Slice(x, 1, 0, 3, 1))
		}, []graph.Code{graph.CodeOperandOverlap}},
		"odd and even elements": {func(g *graph.Graph) {
			x := g.Param("x", f32, 8)
			ops.AddInPlace(ops.Slice(x, 0, 0, 8, 2), ops.Slice(x, 0, 1, 8, 2))
		}, nil},
		"a part that is repeated where its size is 1": {func(g *graph.Graph) {
			n, c := g.Dim("n"), g.Dim("c", graph.MayBeOne())
			x := g.Input("x", f32, n).Mutable()
			ops.AddInPlace(x, ops.Slice(x, 0, 0, c, 1))
		}, []graph.Code{graph.CodeOperandOverlap}},
		"sizes that may be 1 or equal": {func(g *graph.Graph) {
			b, c := g.Dim("b", graph.MayBeOne()), g.Dim("c", graph.MayBeOne())
			ops.AddInPlace(g.Input("x", f32, b).Mutable(), g.Input("y", f32, c))
		}, nil},
		"the first and the last row, which may be one": {func(g *graph.Graph) {
			x := g.Input("x", f32, g.Dim("n"), g.Dim("m")).Mutable()
			w := ops.AddInPlace(ops.Select(x, 0, 0), one)
			ops.Add(ops.Select(x, 0, -1), w)
		}, []graph.Code{graph.CodeOrder}},
		"the first and the last of two rows or more": {func(g *graph.Graph) {
			x := g.Input("x", f32, g.Dim("n", graph.AtLeast(2)), g.Dim("m")).Mutable()
			w := ops.AddInPlace(ops.Select(x, 0, 0), one)
			ops.Add(ops.Select(x, 0, -1), w)
		}, nil},
		"windows with steps known later": {func(g *graph.Graph) {
			x := g.Input("x", f32, 64).Mutable()
			ops.AddInPlace(ops.AsStrided(x, graph.Shape{4, 4}, []graph.Dim{g.Dim("s"), 1}, 0), one)
		}, []graph.Code{graph.CodeSelfOverlap}},
		"windows with steps of 4 or more": {func(g *graph.Graph) {
			x := g.Input("x", f32, 64).Mutable()
			ops.AddInPlace(ops.AsStrided(x, graph.Shape{4, 4}, []graph.Dim{g.Dim("s", graph.AtLeast(4)), 1}, 0), one)
		}, nil},
		"backwards and forwards": {func(g *graph.Graph) {
			x := g.Input("x", f32, g.Dim("n")).Mutable()
			ops.AddInPlace(x, ops.Flip(x, 0))
		}, []graph.Code{graph.CodeOperandOverlap}},
		"a transposed operand": {func(g *graph.Graph) {
			x := g.Param("x", f32, 4, 4)
			ops.AddInPlace(x, ops.Transpose(x, 0, 1))
		}, []graph.Code{graph.CodeOperandOverlap}},
		"a float into an integer": {func(g *graph.Graph) {
			ops.AddInPlace(g.Param("n", graph.Int64, 3), g.Input("x", f32, 3))
		}, []graph.Code{graph.CodeInPlaceDType}},
		"a quotient into an integer": {func(g *graph.Graph) {
			ops.DivInPlace(g.Param("n", graph.Int64, 3), graph.Num(2))
		}, []graph.Code{graph.CodeInPlaceDType}},
		"an integer into a float": {func(g *graph.Graph) {
			ops.AddInPlace(g.Param("x", f32, 3), g.Input("n", graph.Int64, 3))
		}, nil},
		"a parameter before its gradient": {func(g *graph.Graph) {
			w := g.Param("w", f32, 3)
			autodiff.Grad(ops.Sum(ops.Exp(ops.AddInPlace(w, one))), []*graph.Node{w})
		}, []graph.Code{graph.CodeLeaf}},
		"a parameter in its update": {func(g *graph.Graph) {
			w := g.Param("w", f32, 3)
			ops.SubInPlace(w, autodiff.Grad(ops.Sum(ops.Exp(w)), []*graph.Node{w})[0])
		}, nil},
		"an output that backward reads": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3)
			y := ops.Exp(x)
			autodiff.Grad(ops.Sum(ops.Square(ops.AddInPlace(y, one))), []*graph.Node{x})
		}, []graph.Code{graph.CodeOrder}},
		"an output that backward reads in time": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3)
			y := ops.Exp(x)
			autodiff.Grad(ops.Sum(ops.AddInPlace(y, one)), []*graph.Node{x})
		}, nil},
		"an input that backward does not read": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3)
			y := ops.Neg(x)
			z := ops.Add(y, one)
			autodiff.Grad(ops.Sum(ops.Square(ops.Add(z, ops.AddInPlace(y, one)))), []*graph.Node{x})
		}, nil},
		"old and new in one sum": {func(g *graph.Graph) {
			y := ops.Neg(g.Param("x", f32, 3))
			ops.Add(y, ops.AddInPlace(y, one))
		}, []graph.Code{graph.CodeOrder}},
		"two writes that wait for each other": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3)
			a, b := ops.Neg(x), ops.Abs(x)
			wa, wb := ops.AddInPlace(a, one), ops.AddInPlace(b, one)
			ops.Add(a, wb)
			ops.Add(b, wa)
		}, []graph.Code{graph.CodeOrder}},
		"the untouched part of an old value": {func(g *graph.Graph) {
			y := ops.Neg(g.Param("x", f32, 4))
			w := ops.AddInPlace(ops.Slice(y, 0, 0, 2, 1), one)
			ops.Add(ops.Slice(y, 0, 2, 4, 1), w)
		}, nil},
		"two writes of one value": {func(g *graph.Graph) {
			y := ops.Neg(g.Param("x", f32, 3))
			ops.AddInPlace(y, one)
			ops.AddInPlace(y, one)
		}, []graph.Code{graph.CodeWriters}},
		"two writes of two views": {func(g *graph.Graph) {
			y := ops.Neg(g.Param("x", f32, 3, 2))
			w := ops.AddInPlace(ops.Select(y, 0, 0), one)
			ops.AddInPlace(ops.After(ops.Select(y, 0, 1), w), one)
		}, nil},
		"a constant": {func(g *graph.Graph) {
			ops.AddInPlace(graph.Constant(g, []float32{1, 2}, 2), one)
		}, []graph.Code{graph.CodeImmutable}},
		"a view of an input": {func(g *graph.Graph) {
			ops.AddInPlace(ops.Select(g.Input("x", f32, 2, 3), 0, 0), one)
		}, []graph.Code{graph.CodeImmutable}},
		"an input that is declared so": {func(g *graph.Graph) {
			ops.AddInPlace(ops.Select(g.Input("x", f32, 2, 3).Mutable(), 0, 0), one)
		}, nil},
		"After without a write": {func(g *graph.Graph) {
			x := g.Param("x", f32, 3)
			ops.After(x, ops.Add(x, one))
		}, []graph.Code{graph.CodeOperand}},
		"After a write of something else": {func(g *graph.Graph) {
			ops.After(g.Param("x", f32, 3), ops.AddInPlace(g.Param("y", f32, 3), one))
		}, []graph.Code{graph.CodeOperand}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := graph.New("rules")
			test.build(g)
			if test.want == nil {
				test.want = []graph.Code{}
			}
			require.Equal(t, test.want, found(g), "%s", shapeinfer.Check(g))
		})
	}
}

// With the policy AutoCopy, what shares memory is copied, and a note says so.
func TestAutoCopy(t *testing.T) {
	g := graph.New("copy", graph.WithPolicy(graph.Policy{Alias: graph.AutoCopy}))
	x := g.Param("x", graph.Float32, 3, 3)
	w := ops.AddInPlace(x, ops.Slice(x, 1, 0, 1, 1))
	r := shapeinfer.Check(g)
	require.NoError(t, r.Err())
	require.Equal(t, "clone", w.In(1).Op().Name)
	require.Len(t, r.Notes, 1)
}

// The verdict on two random views agrees with a comparison of all their cells.
func TestViewsMeet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := prove.NewProver(graph.New("none").Bounds)
	layout := func(shape graph.Shape) graph.Layout {
		l := graph.Layout{Shape: shape, Offset: graph.Dim(rng.IntN(8))}
		for range shape {
			l.Strides = append(l.Strides, graph.Dim(rng.IntN(9)-2))
		}
		return l
	}
	for range 3000 {
		shape := graph.Shape{}
		for range rng.IntN(4) {
			shape = append(shape, graph.Dim(rng.IntN(4)))
		}
		a, b := layout(shape), layout(shape)
		if !overlaps(a) {
			require.Equal(t, meets(a, b), alias.Meet(p, a, b), "%v %v", a, b)
		}
		require.Equal(t, meets(a, b) == alias.SharesNothing, alias.Disjoint(p, a, b))
		require.Equal(t, overlaps(a), alias.Overlaps(p, a) == prove.Proved, "%v", a)
	}
}

func cells(l graph.Layout) (list []int64) {
	list = []int64{int64(l.Offset)}
	for i, d := range l.Shape {
		var next []int64
		for _, c := range list {
			for j := range int64(d) {
				next = append(next, c+j*int64(l.Strides[i]))
			}
		}
		list = next
	}
	return list
}

func meets(a, b graph.Layout) alias.Sharing {
	how := alias.SharesNothing
	for i, x := range cells(a) {
		for j, y := range cells(b) {
			if x == y && i != j {
				return alias.SharesOther
			} else if x == y {
				how = alias.SharesSame
			}
		}
	}
	return how
}

func overlaps(l graph.Layout) bool {
	seen := map[int64]bool{}
	for _, c := range cells(l) {
		if seen[c] {
			return true
		}
		seen[c] = true
	}
	return false
}
