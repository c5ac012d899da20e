package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Operations take sizes and places that are expressions. Where n-3 stands, an n of 1 must be
// refused when sizes are bound: nothing else keeps a kernel from memory that is not its own.
func TestExpressionsThatAreNegativeForSomeSizes(t *testing.T) {
	for name, build := range map[string]func(g *graph.Graph, x *graph.Node, n, less graph.Dim) *graph.Node{
		"expand": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.Expand(x, less, 4)
		},
		"full": func(g *graph.Graph, _ *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.Full(g, f32, 1, less)
		},
		"iota": func(g *graph.Graph, _ *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.Iota(g, 0, less)
		},
		"tile": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.Tile(x, less)
		},
		"pad in front": func(_ *graph.Graph, x *graph.Node, n, less graph.Dim) *graph.Node {
			return ops.Pad(x, 0, less, n, 0)
		},
		"pad behind": func(_ *graph.Graph, x *graph.Node, n, less graph.Dim) *graph.Node {
			return ops.Pad(x, 0, n, less, 0)
		},
		"start of slice": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.Slice(x, 0, less, 4, 1)
		},
		"end of slice": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.Slice(x, 0, 0, less, 1)
		},
		"select": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node { return ops.Select(x, 0, less) },
		"window": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.Window(x, 0, less, 1, 1)
		},
		"strided size": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return strided(x, less, 1, 0)
		},
		"strided step": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return strided(x, 2, less, 0)
		},
		"strided offset": func(_ *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return strided(x, 2, 1, less)
		},
		"product": func(g *graph.Graph, _ *graph.Node, n, less graph.Dim) *graph.Node {
			return ops.Reshape(ops.Full(g, f32, 1, less.Times(less)), less, less)
		},
		"places to add to": func(g *graph.Graph, x *graph.Node, _, less graph.Dim) *graph.Node {
			return ops.SegmentSum(x, 0, ops.Iota(g, 0, 4), less)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("g")
			n := g.Dim("n")
			y := build(g, g.Input("x", f32, 4), n, n.Minus(3))
			r := shapeinfer.Check(g)
			require.NoError(t, r.Err())
			require.NotEmpty(t, r.Requirements)
			for size, fits := range map[int64]bool{1: false, 2: false, 4: true} {
				_, err := shapeinfer.Bind(g, nil, r.Requirements, shapeinfer.Sizes{"n": size})
				require.Equal(t, fits, err == nil, "%d: %v", size, err)
				_, err = shapeinfer.BindProgram(g, []*graph.Node{y}, nil, r.Requirements, shapeinfer.Sizes{"n": size})
				require.Equal(t, fits, err == nil, "%d: %v", size, err)
			}
		})
	}
}

func strided(x *graph.Node, size, step, offset graph.Dim) *graph.Node {
	return ops.AsStrided(x, graph.Shape{size}, []graph.Dim{step}, offset)
}

// A bound of a slice that is known only at run time lies inside an axis of known size too.
func TestSliceOfAKnownAxisToASizeKnownLater(t *testing.T) {
	g := graph.New("g")
	ops.Slice(g.Input("x", f32, 4), 0, 0, g.Dim("n"), 1)
	r := shapeinfer.Check(g)
	require.Len(t, r.Requirements, 1)
	require.Equal(t, "4 >= n", shapeinfer.RequirementText(r.Requirements[0]))
}

// What no size of a name can satisfy is refused before sizes are known.
func TestSizesThatAreAlwaysNegative(t *testing.T) {
	g := graph.New("g")
	ops.Full(g, f32, 1, g.Dim("n", graph.AtMost(2)).Minus(3))
	require.ErrorContains(t, shapeinfer.Check(g).Err(), `no size of "n" satisfies n-3 >= 0`)
	less := g.Dim("n").Minus(3)
	for _, n := range []*graph.Node{
		strided(g.Input("x", f32), 1, less, 0), strided(g.Input("y", f32, 4), 1, 1, less),
		ops.Pad(g.Input("z", f32, 4), 0, less, 0, 0), ops.Slice(g.Input("u", f32, 4), 0, 0, less, 1),
		ops.Window(g.Input("v", f32, 4), 0, less, 1, 1),
	} {
		require.ErrorContains(t, n.Err(), "is less than")
	}
}

// A scalar has no axis to pad, as it has none to slice.
func TestScalarsHaveNoAxisToPad(t *testing.T) {
	g := graph.New("g")
	require.Error(t, ops.Pad(g.Input("x", f32), 0, 1, 1, 0).Err())
}

// What other requirements say already is not told again.
func TestSizesThatFollowFromOtherRequirements(t *testing.T) {
	g := graph.New("g")
	h := g.Dim("h")
	x := g.Input("x", f32, 1, 1, h, h)
	ops.Conv2D(x, g.Param("k", f32, 1, 1, 3, 3), nil)
	ops.Slice(x, 2, 2, h.Minus(2), 1)
	for _, r := range shapeinfer.Check(g).Requirements {
		require.NotEqual(t, "sizes are 0 or more", r.Why, shapeinfer.RequirementText(r))
	}
}

// A proof may rest on an input whose sizes cannot be negative, even if the input is not fed.
func TestInputsThatAreNotFedCount(t *testing.T) {
	g := graph.New("g")
	n := g.Dim("n")
	g.Input("tail", f32, n.Minus(3))
	x := g.Input("x", f32, n)
	y := ops.Slice(x, 0, 0, 3, 1)
	r := shapeinfer.Check(g)
	require.Empty(t, r.Requirements)
	for size, fits := range map[int]bool{2: false, 3: true} {
		_, err := shapeinfer.BindProgram(g, []*graph.Node{y}, []shapeinfer.Bound{{Node: x, Shape: []int{size}}},
			r.Requirements)
		require.Equal(t, fits, err == nil, err)
	}
}

// A name that stands in the arguments of an operation alone must be determined too: any
// value would do for the shapes, and only one is meant.
func TestNamesInArgumentsMustBeDetermined(t *testing.T) {
	g := graph.New("g")
	n, m := g.Dim("n"), g.Dim("m")
	x := g.Input("x", f32, n.Plus(m))
	ops.Slice(x, 0, n, n.Plus(1), 1)
	r := shapeinfer.Check(g)
	require.Empty(t, r.Requirements)
	given := []shapeinfer.Bound{{Node: x, Shape: []int{7}}}
	_, err := shapeinfer.Bind(g, given, r.Requirements)
	require.ErrorContains(t, err, "set it explicitly")
	sizes, err := shapeinfer.Bind(g, given, r.Requirements, shapeinfer.Sizes{"n": 5})
	require.NoError(t, err)
	require.Equal(t, shapeinfer.Sizes{"n": 5, "m": 2}, sizes)

	g = graph.New("g")
	ops.Size(g, graph.Int64, g.Dim("n"))
	_, err = shapeinfer.Bind(g, nil, nil)
	require.ErrorContains(t, err, "no input determines n")
}

// A size that overflows is reported when sizes are bound.
func TestSizesThatOverflow(t *testing.T) {
	g := graph.New("g")
	n := g.Dim("n")
	x := g.Input("x", f32, n)
	ops.Full(g, f32, 1, n.Times(n).Times(n))
	_, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{1 << 30}}}, shapeinfer.Check(g).Requirements)
	require.ErrorContains(t, err, "overflow")
}

// A bound of a name that was declared equal to another is reported with the user's name.
func TestBoundsOfNamesThatAreEqual(t *testing.T) {
	g := graph.New("g", graph.WithPolicy(graph.Policy{Names: graph.Strict}))
	n, m := g.Dim("n", graph.AtLeast(0)), g.Dim("m", graph.AtLeast(0))
	g.Equal(n, m)
	for _, size := range []graph.Dim{n, m} {
		ops.AsStrided(g.Input("x"+size.String(), f32, size, 5), graph.Shape{2, 2}, []graph.Dim{2, 2}, 1)
	}
	report := shapeinfer.Check(g)
	require.NoError(t, report.Err())
	require.Contains(t, report.Text(""), "deferred to binding: n >= 2")
}
