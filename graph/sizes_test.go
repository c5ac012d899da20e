package graph_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

func mistakes(g *graph.Graph) (texts []string) {
	for _, m := range g.Mistakes() {
		texts = append(texts, m.Summary)
	}
	return texts
}

func TestDimKeepsWhatWasSaidOfIt(t *testing.T) {
	g := graph.New("dims")
	assert.Equal(t, g.Dim("n", graph.AtLeast(2), graph.AtMost(64), graph.MultipleOf(2)), g.Dim("n"))
	g.Dim("c", graph.MayBeOne())
	assert.Equal(t, graph.Bounds{Min: 2, Max: 64, Multiple: 2}, g.Bounds("n"))
	assert.Equal(t, graph.Bounds{Min: 1, MayBeOne: true}, g.Bounds("c"))
	assert.Equal(t, graph.Bounds{Min: 1}, g.Bounds("never declared"))
	assert.Equal(t, []string{"n", "c"}, g.DimNames())
	assert.Regexp(t, `sizes_test\.go:\d+`, g.DimPos("n").String())
	assert.Empty(t, g.Mistakes())
}

func TestDimThatNoSizeSatisfiesIsAMistake(t *testing.T) {
	for want, options := range map[string][]graph.DimOption{
		`"n" cannot be a size: at least 4, at most 3`: {graph.AtLeast(4), graph.AtMost(3)},
		`"n" cannot be a size: at least -1`:           {graph.AtLeast(-1)},
		`"n" cannot be a size: at least 1, at most 0`: {graph.AtMost(0)},
		`"n" cannot be a size: at least 5, at most 7, a multiple of 4`: {
			graph.AtLeast(5), graph.AtMost(7), graph.MultipleOf(4)},
		`"n" cannot be a size: at least 1, a multiple of -2`: {graph.MultipleOf(-2)},
	} {
		g := graph.New("dims")
		g.Dim("n", options...)
		assert.Equal(t, []string{want}, mistakes(g))
		assert.Equal(t, graph.DefaultBounds(), g.Bounds("n"), "after a mistake the name goes on with the usual bounds")
	}
	g := graph.New("dims")
	assert.True(t, g.Dim("two words").IsUnknown())
	assert.Equal(
		t, []string{`"two words" cannot name a size: a name must be a letter followed by letters, digits and _`},
		mistakes(g))
}

func TestLaterDeclarationCanOnlySayMore(t *testing.T) {
	g := graph.New("dims")
	g.Dim("n")
	g.Dim("n", graph.AtLeast(3), graph.MultipleOf(2))
	assert.Empty(t, g.Mistakes())
	g.Dim("n", graph.AtLeast(0))
	assert.Equal(
		t,
		[]string{
			`"n" was declared at least 3, a multiple of 2, and nodes built since rely on it: it cannot become at least 0, a multiple of 2`},
		mistakes(g))
	assert.EqualValues(t, 3, g.Bounds("n").Min)
}

func TestSizesAreChecked(t *testing.T) {
	batch := graph.SymbolicDim("batch")
	const operators = "with Go's operators"
	for name, c := range map[string]struct {
		size graph.Dim
		want string
	}{
		"negative":        {-2, "-2 is no size"},
		"not declared":    {graph.SymbolicDim("stranger"), `the size stranger is not declared in graph "dims"`},
		"twice by Go":     {batch * 2, operators},
		"thrice by Go":    {batch * 3, operators},
		"sum by Go":       {batch + batch, operators},
		"one more by Go":  {batch + 1, operators},
		"one less by Go":  {batch - 1, operators},
		"half by Go":      {batch / 2, operators},
		"negated by Go":   {-batch, operators},
		"remainder by Go": {batch % 1_000_000_000_000_000_000, operators},
		"overflow":        {batch.Times(1 << 40).Times(1 << 40), operators},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("dims")
			g.Dim("batch")
			g.Input("x", graph.Float32, c.size)
			if assert.Len(t, g.Mistakes(), 1) {
				assert.Contains(t, g.Mistakes()[0].Summary, "axis 0: ")
				assert.Contains(t, g.Mistakes()[0].Summary, c.want)
			}
		})
	}
}

func TestGoArithmeticInAnOperationIsAMistake(t *testing.T) {
	g := graph.New("dims")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 4)
	ops.Expand(ops.Unsqueeze(x, 0), batch*2, -1, -1)
	if assert.Len(t, g.Mistakes(), 1) {
		assert.Contains(t, g.Mistakes()[0].Error(), "with Go's operators")
		assert.Contains(t, g.Mistakes()[0].Error(), "batch.Plus(1), batch.Times(2)")
	}
}

// Operands that are no sizes are reported although the result could be one: half of a size may be negative, and a slice
// or a loop of it would be empty.
func TestGoArithmeticInArgumentsIsAMistake(t *testing.T) {
	type list = []*graph.Node
	stay := func(_ *graph.Node, c list) list { return c }
	goesOn := func(c list) *graph.Node { return ops.Any(c[0], ops.AllAxes()) }
	for name, build := range map[string]func(g *graph.Graph, x *graph.Node, d graph.Dim){
		"slice to":   func(_ *graph.Graph, x *graph.Node, d graph.Dim) { ops.Slice(x, 0, 0, d, 1) },
		"slice from": func(_ *graph.Graph, x *graph.Node, d graph.Dim) { ops.Slice(x, 0, d, ops.End, 1) },
		"fori":       func(_ *graph.Graph, x *graph.Node, d graph.Dim) { ops.Fori(d, list{x}, stay) },
		"while":      func(_ *graph.Graph, x *graph.Node, d graph.Dim) { ops.While(d, list{x}, goesOn, stay) },
		"size":       func(g *graph.Graph, _ *graph.Node, d graph.Dim) { ops.Size(g, graph.Float32, d) },
		"split":      func(_ *graph.Graph, x *graph.Node, d graph.Dim) { ops.SplitAt(x, 0, d) },
		"a call": func(_ *graph.Graph, x *graph.Node, d graph.Dim) {
			ops.DynamicSlice(x, list{graph.Num(0), graph.Num(0)}, d, 4)
		},
		"as strided": func(_ *graph.Graph, x *graph.Node, d graph.Dim) {
			ops.AsStrided(x, graph.Shape{2}, []graph.Dim{d}, 0)
		},
		"scan length": func(_ *graph.Graph, x *graph.Node, d graph.Dim) {
			ops.Scan(ops.Loop{Carry: list{x}, Length: d}, func(c, _ list) (next, out list) { return c, nil })
		},
	} {
		for _, by := range []func(graph.Dim) graph.Dim{
			func(d graph.Dim) graph.Dim { return d * 2 }, func(d graph.Dim) graph.Dim { return d / 2 },
			func(d graph.Dim) graph.Dim { return d - 1 },
			func(d graph.Dim) graph.Dim { return d + 1 }, func(d graph.Dim) graph.Dim { return -d },
			func(d graph.Dim) graph.Dim { return d / 100 },
		} {
			g := graph.New("dims")
			batch := g.Dim("batch")
			build(g, g.Input("x", graph.Float32, batch, 4), by(batch))
			if assert.NotEmpty(t, g.Mistakes(), name) {
				assert.Contains(t, g.Mistakes()[0].Error(), "with Go's operators", name)
			}
		}
		g := graph.New("dims")
		build(g, g.Input("x", graph.Float32, g.Dim("batch"), 4), 3)
		assert.Empty(t, g.Mistakes(), name)
	}
	g := graph.New("dims")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	for _, all := range []graph.Dim{ops.End, math.MaxInt64, 1 << 50, 1_000_000_000_000_000_000} {
		// as many steps as it takes
		ops.While(all, list{x}, goesOn, stay)
	}
	assert.Equal(t, x.Shape(), ops.Slice(x, 0, 0, math.MaxInt64, 1).Shape())
	assert.Empty(t, g.Mistakes())
}

// Handles must be recognised as wrong after Go's arithmetic for nearly every name.
func TestGoArithmeticIsRecognisedForAllNames(t *testing.T) {
	g := graph.New("dims")
	for i := range 500 {
		d := g.Dim(fmt.Sprintf("name%d", i))
		for k := graph.Dim(2); k < 9; k++ {
			g.Input(fmt.Sprintf("x%d_%d", i, k), graph.Float32, d*k, d+k, d-k, d/k)
		}
	}
	assert.Len(t, g.Mistakes(), 500*7)
	for _, n := range g.Inputs() {
		assert.Equal(t, "[?, ?, ?, ?]", n.Shape().String())
	}
}

func TestEqualSizesMeet(t *testing.T) {
	g := graph.New("equal")
	b, c, k := g.Dim("b"), g.Dim("c"), g.Dim("k")
	x, y := g.Input("x", graph.Float32, b), g.Input("y", graph.Float32, c)
	g.Equal(b, c)
	g.Equal(k, b.Plus(1))
	z := g.Input("z", graph.Float32, k)
	ops.Add(x, y)
	ops.Add(ops.Concat(0, y, g.Input("one", graph.Float32, 1)), z)
	report := shapeinfer.Check(g)
	assert.NoError(t, report.Err())
	assert.Empty(t, report.Requirements)
}

func TestEqualIsTransitive(t *testing.T) {
	g := graph.New("equal")
	a, b, c := g.Dim("a"), g.Dim("b"), g.Dim("c")
	g.Equal(a, b)
	g.Equal(b, c)
	g.Equal(c, a) // says nothing new
	g.Equal(c, 4)
	ops.Add(g.Input("x", graph.Float32, a), g.Input("y", graph.Float32, 4))
	assert.NoError(t, shapeinfer.Check(g).Err())
}

// TestEqualSizesHaveBothBounds: the bounds of a size are also those of sizes equal to it.
func TestEqualSizesHaveBothBounds(t *testing.T) {
	for _, c := range []struct {
		m     []graph.DimOption
		is    func(n graph.Dim) graph.Dim
		bound graph.Bounds // of n, which is at least 1 and a multiple of 4
	}{
		{[]graph.DimOption{graph.AtLeast(6), graph.AtMost(90)}, func(n graph.Dim) graph.Dim { return n },
			graph.Bounds{Min: 6, Max: 90, Multiple: 4}},
		{[]graph.DimOption{graph.MultipleOf(6)}, func(n graph.Dim) graph.Dim { return n },
			graph.Bounds{Min: 1, Multiple: 12}},
		{[]graph.DimOption{graph.AtLeast(8), graph.AtMost(21)}, func(n graph.Dim) graph.Dim {
			return n.Times(2).Plus(1)
		}, graph.Bounds{Min: 4, Max: 10, Multiple: 4}},
		// no size is both
		{[]graph.DimOption{graph.AtMost(3)}, func(n graph.Dim) graph.Dim { return n },
			graph.Bounds{Min: 1, Multiple: 4}},
		{[]graph.DimOption{graph.AtLeast(1 << 60)}, func(n graph.Dim) graph.Dim { return n },
			graph.Bounds{Min: 1, Multiple: 4}},
	} {
		g := graph.New("g")
		n := g.Dim("n", graph.MultipleOf(4))
		m := g.Dim("m", c.m...)
		g.Equal(c.is(n), m)
		assert.Equal(t, c.bound, g.Bounds("n"))
	}
	g := graph.New("g")
	n, m := g.Dim("n", graph.AtLeast(0)), g.Dim("m", graph.AtLeast(0))
	g.Equal(n, m)
	g.Dim("m", graph.AtLeast(2)) // said later
	assert.Equal(t, int64(2), g.Bounds("n").Min)
}

func TestEqualRefusesWhatItCannotUse(t *testing.T) {
	g := graph.New("equal")
	n, m := g.Dim("n"), g.Dim("m")
	g.Equal(n, n.Plus(1))
	g.Equal(n.Times(2), m.Times(3))
	g.Equal(n, graph.SymbolicDim("stranger"))
	g.Equal(n, m+1)
	assert.Equal(t, []string{
		"n cannot be equal to n+1: they always differ by 1",
		"Equal(2*n, 3*m) cannot be solved for a name",
		`Equal: the size stranger is not declared in graph "equal"`,
		"Equal: the size is too large for an int64, was computed from a named size with Go's operators, or belongs to a graph that no longer exists",
	}, mistakes(g))
}

// TestTableDoesNotGrowWithGraphs builds one model again and again: the sizes of all graphs
// are the same entries, so their handles are.
func TestTableDoesNotGrowWithGraphs(t *testing.T) {
	build := func() graph.Dim {
		g := graph.New("again")
		n, h := g.Dim("n"), g.Dim("h")
		x := g.Input("x", graph.Float32, n, h)
		y := ops.Reshape(ops.Concat(1, x, x), -1)
		return y.Shape()[0]
	}
	first := build()
	for range 100 {
		assert.Equal(t, first, build())
	}
}
