package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestArgumentsThatMeanNothing tells the messages for arguments that no program can mean:
// dtypes that are none, numbers without measure, nothing at all.
func TestArgumentsThatMeanNothing(t *testing.T) {
	type N = *graph.Node
	for name, c := range map[string]struct {
		build func(g *graph.Graph, x N) N // x is float32[2, 3]
		want  string
	}{
		"Cast": {func(_ *graph.Graph, x N) N { return ops.Cast(x, 77) },
			"BL004: Cast(x, graph.DType(77)): dtype(77) is not a dtype"},
		"Full": {func(g *graph.Graph, _ N) N { return ops.Full(g, 99, 1, 2) },
			"BL004: Full(graph.DType(99), 1, 2): dtype(99)"},
		"OneHot": {func(g *graph.Graph, _ N) N { return ops.OneHot(g.Input("q", graph.Int64, 2), 3, 77) },
			"BL004"},
		"Size":   {func(g *graph.Graph, _ N) N { return ops.Size(g, 77, 3) }, "BL004"},
		"Scalar": {func(g *graph.Graph, _ N) N { return g.Scalar(0, 3) }, "BL004"},
		"MaxPool1D": {func(_ *graph.Graph, x N) N { return ops.MaxPool1D(x, math.MaxInt) },
			"BL132: MaxPool1D(x, 9223372036854775807): integer out of range"},
		"pool's padding": {func(_ *graph.Graph, x N) N { return ops.AvgPool1D(x, 2, ops.Padding(math.MaxInt)) },
			"BL132"},
		"kernel of none": {func(g *graph.Graph, x N) N {
			return ops.Conv1D(x, g.Input("w", graph.Float32, 2, 2, 0), nil)
		},
			"BL132: Conv1D(x, w, nil): kernel size should be greater than zero, but got kernel_height: 1 kernel_width: 0"},
		"conv's padding": {func(g *graph.Graph, x N) N {
			return ops.Conv1D(x, g.Input("w", graph.Float32, 2, 2, 1), nil, ops.Padding(math.MaxInt))
		}, "BL132"},
		"transposed conv's dilation": {func(g *graph.Graph, x N) N {
			return ops.ConvTranspose1D(x, g.Input("w", graph.Float32, 2, 2, 1), nil, ops.Dilation(math.MaxInt))
		}, "BL132"},
		"Window": {func(_ *graph.Graph, x N) N {
			return ops.Window(x, 1, 2, math.MaxInt, math.MaxInt)
		}, "BL132"},
		"Select": {func(_ *graph.Graph, x N) N { return ops.Select(x, 0, math.MaxInt64) },
			"BL122: Select(x, 0, 9223372036854775807): select(): index"},
		"AsStrided": {func(_ *graph.Graph, x N) N {
			return ops.AsStrided(x, graph.Shape{1}, []graph.Dim{1}, math.MaxInt64)
		}, "BL122"},
		"Roll": {func(_ *graph.Graph, x N) N { return ops.Roll(x, 5, 1) },
			"Dimension out of range (expected to be in range of [-2, 1], but got 5)"},
		"Dropout": {func(g *graph.Graph, x N) N {
			return ops.Dropout(x, math.NaN(), g.Input("s", graph.Int64))
		}, "BL001: Dropout(x, NaN, s): dropout probability"},
		"Dropout without a seed": {func(_ *graph.Graph, x N) N { return ops.Dropout(x, 0.5, nil) },
			"BL001: Dropout(x, 0.5, nil): the seed is nil"},
		"FeatureDropout without a seed": {func(_ *graph.Graph, x N) N { return ops.FeatureDropout(x, 0.5, nil) },
			"BL001: FeatureDropout(x, 0.5, nil): the seed is nil"},
		"AlphaDropout without a seed": {func(_ *graph.Graph, x N) N { return ops.AlphaDropout(x, 0.5, nil) },
			"BL001: AlphaDropout(x, 0.5, nil): the seed is nil"},
		"AttentionDropout without a seed": {func(_ *graph.Graph, x N) N {
			return ops.ScaledDotProductAttention(x, x, x, ops.AttentionDropout(0.5, nil))
		}, "ScaledDotProductAttention(x, x, x): the seed of AttentionDropout(0.5, seed) is nil"},
		"RRelu without a seed": {func(_ *graph.Graph, x N) N { return ops.RRelu(x, 0.1, 0.3, nil) },
			"BL001: RRelu(x, 0.1, 0.3, nil): the seed is nil"},
		"GumbelSoftmax without a seed": {func(_ *graph.Graph, x N) N {
			return ops.GumbelSoftmax(x, 1, false, 0, nil)
		}, "BL001: GumbelSoftmax(x, 1, false, 0, nil): the seed is nil"},
		"Tile": {func(_ *graph.Graph, x N) N { return ops.Tile(x, 3) },
			"Tile(x, 3): Number of dimensions of repeat dims"},
		"Einsum": {func(_ *graph.Graph, x N) N { return ops.Einsum("ijk->i", x) }, `Einsum("ijk->i", x): einsum(): `},
		"Split": {func(_ *graph.Graph, x N) N { return ops.Split(x, 0, 0)[0] },
			"Split(x, 0, 0): split_size can only be 0"},
		"Chunk": {func(_ *graph.Graph, x N) N { return ops.Chunk(x, 0, 0)[0] },
			"Chunk(x, 0, 0): chunk expects `chunks` to be greater than 0"},
		"Unbind": {func(g *graph.Graph, _ N) N { return ops.Unbind(g.Input("n", graph.Float32, 1<<40), 0)[0] },
			"Unbind(n, 0): 1099511627776 parts"},
		"GLU": {func(_ *graph.Graph, x N) N { return ops.GLU(x, 1) }, "GLU(x, 1): Halving dimension must be even"},
		"no operation": {func(_ *graph.Graph, x N) N { return ops.Apply(nil, nil, x) },
			"BL001: Apply(x): the operation is nil"},
		"no operation in place": {func(_ *graph.Graph, x N) N { return ops.InPlace(ops.Lookup("nosuch"), nil, x) },
			"the operation is nil"},
		"no attributes in place": {func(_ *graph.Graph, x N) N {
			return ops.InPlace(ops.Lookup("sum"), nil, ops.Copy(x))
		},
			"Sum needs fixed arguments of its own, but none were given"},
		"other attributes": {func(_ *graph.Graph, x N) N { return ops.Apply(ops.Lookup("reshape"), 3, x) },
			"Reshape needs fixed arguments of its own, but a int was given"},
		"a Node that is none": {func(_ *graph.Graph, x N) N { return ops.Add(x, new(graph.Node)) },
			"operand 1 is a Node that was not made by an operation"},
		"scattering": {func(g *graph.Graph, x N) N { return ops.SegmentSum(x, 2, g.Input("i", graph.Int64, 3), 5) },
			"Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("g")
			c.build(g, g.Input("x", graph.Float32, 2, 3))
			require.ErrorContains(t, shapeinfer.Check(g).Err(), c.want)
		})
	}
}

// TestNothingIsNoGraph tells what functions give that were handed no graph or no operands.
func TestNothingIsNoGraph(t *testing.T) {
	for name, n := range map[string]*graph.Node{
		"Full":     ops.Full(nil, graph.Float32, 1, 2),
		"Iota":     ops.Iota(nil, 0, 2),
		"Size":     ops.Size(nil, graph.Float32, 2),
		"Constant": graph.Constant(nil, []float32{1}, 1),
		"Input":    (*graph.Graph)(nil).Input("x", graph.Float32, 2),
	} {
		require.ErrorContains(t, n.Err(), "the graph is nil", name)
		require.False(t, n.Judged())
	}
	require.ErrorContains(t, ops.Einsum("->").Err(), `Einsum("->"): got 0 operands, at least 1 needed`)
}

// TestNilOptionsChangeNothing tells that an option may be nil.
func TestNilOptionsChangeNothing(t *testing.T) {
	g := graph.New("g", nil)
	n := g.Dim("n", nil)
	x, w, class := g.Input("x", graph.Float32, n, 2, 3), g.Input("w", graph.Float32, 4, 2, 1),
		g.Input("c", graph.Int64, n, 3)
	ops.CrossEntropy(ops.Conv1D(x, w, nil, nil, ops.StepOption(nil)), class, nil)
	ops.MaxPool1D(x, 2, nil)
	ops.ConvTranspose1D(x, g.Input("wt", graph.Float32, 2, 4, 1), nil, nil)
	g.Scope("nothing", nil)
	require.NoError(t, shapeinfer.Check(g).Err())
}

// TestSegmentSumCountsAxesFromBothEnds: the axis is one of the result.
func TestSegmentSumCountsAxesFromBothEnds(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float32, 2, 8, 3)
	for axis, index := range map[int]*graph.Node{
		-1: g.Input("last", graph.Int64, 3), -2: g.Input("middle", graph.Int64, 8),
		-3: g.Input("first", graph.Int64, 2)} {
		back, ahead := ops.SegmentSum(x, axis, index, 5), ops.SegmentSum(x, axis+3, index, 5)
		require.Equal(t, ahead.Shape(), back.Shape())
	}
	require.Equal(t, "[2, 5]", ops.SegmentSum(x, -1, g.Input("two", graph.Int64, 8, 3), 5).Shape().String())
	require.NoError(t, g.Err())
}
