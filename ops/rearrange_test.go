package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

func TestArrangements(t *testing.T) {
	g := graph.New("arrange")
	n := g.Dim("n")
	x, s := g.Input("x", graph.Int32, 2, 3), g.Input("s", graph.Int32, n)
	in := feeds{x: reference.Of([]int32{1, 2, 3, 4, 5, 6}, 2, 3), s: reference.Of([]int32{1, 2, 3, 4}, 4)}
	for name, c := range map[string]struct {
		y     *graph.Node
		shape []int
		want  any
	}{
		"roll on":              {ops.Roll(x, 1, 1), []int{2, 3}, []int32{3, 1, 2, 6, 4, 5}},
		"roll back":            {ops.Roll(x, -1, -4), []int{2, 3}, []int32{2, 3, 1, 5, 6, 4}},
		"roll by nothing":      {ops.Roll(x, 0, 2), []int{2, 3}, []int32{1, 2, 3, 4, 5, 6}},
		"roll a symbolic axis": {ops.Roll(s, 0, 1), []int{4}, []int32{4, 1, 2, 3}},
		"tile": {ops.Tile(x, 2, 1, 2), []int{2, 2, 6},
			[]int32{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}},
		"tile a symbolic axis": {ops.Tile(s, 2), []int{8}, []int32{1, 2, 3, 4, 1, 2, 3, 4}},
		"repeat_interleave": {ops.RepeatInterleave(x, 1, 2), []int{2, 6},
			[]int32{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}},
		"moveaxis":            {ops.MoveAxis(x, 0, -1), []int{3, 2}, []int32{1, 4, 2, 5, 3, 6}},
		"flatten":             {ops.Flatten(x, 0, 1), []int{6}, []int32{1, 2, 3, 4, 5, 6}},
		"narrow from the end": {ops.Narrow(x, 1, -2, 2), []int{2, 2}, []int32{2, 3, 5, 6}},
		"narrow":              {ops.Narrow(x, 1, 1, 2), []int{2, 2}, []int32{2, 3, 5, 6}},
		"last chunk":          {ops.Chunk(x, 1, 2)[1], []int{2, 1}, []int32{3, 6}},
		"one_hot": {ops.OneHot(x, 4, graph.Bool), []int{2, 3, 4},
			[]bool{false, true, false, false, false, false, true, false, false, false, false, true, false, false, false,
				false, false, false, false, false, false, false, false, false}},
		"outer": {ops.Outer(s, ops.Select(x, 0, 0)), []int{4, 3}, []int32{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 8, 12}},
		"masked_fill": {ops.MaskedFill(x, ops.Less(x, graph.Num(3)), graph.Num(-1)), []int{2, 3},
			[]int32{-1, -1, 3, 4, 5, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			got := value(t, in, c.y)
			require.Equal(t, c.shape, got.Shape)
			require.Equal(t, c.want, got.Data)
		})
	}
}

func TestArrangementsThatCannotBe(t *testing.T) {
	g := graph.New("arrange")
	x := g.Input("x", graph.Float32, 2, 3)
	requireMistake(t, ops.Tile(x, 2),
		"Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
	requireMistake(t, ops.Chunk(x, 0, 0)[0], "chunk expects `chunks` to be greater than 0, got: 0")
	requireMistake(t, ops.Flatten(x, 1, 0), "flatten() has invalid args: start_dim cannot come after end_dim")
	requireMistake(t, ops.Roll(x, 2, 1), "Dimension out of range (expected to be in range of [-2, 1], but got 2)")
	requireMistake(t, ops.GLU(x, 1), "Halving dimension must be even, but dimension 1 is size 3")
}

// What PyTorch copies is copied also where it could be shown in x's memory: a write to it
// leaves x as it is.
func TestArrangementsHaveTheirOwnMemory(t *testing.T) {
	type N = *graph.Node
	for name, arrange := range map[string]func(x N) N{
		"tile once":              func(x N) N { return ops.Tile(x, 1, 1) },
		"tile under a new axis":  func(x N) N { return ops.Tile(x, 1, 1, 1) },
		"repeat_interleave once": func(x N) N { return ops.RepeatInterleave(x, 1, 1) },
		"roll by nothing":        func(x N) N { return ops.Roll(x, 0, 0) },
		"roll all around":        func(x N) N { return ops.Roll(x, 1, 6) },
		"concat of one":          func(x N) N { return ops.Concat(0, x) },
		"stack of one":           func(x N) N { return ops.Stack(0, x) },
		"pad by nothing":         func(x N) N { return ops.Pad(x, 0, 0, 0, 1) },
		"sum over one element":   func(x N) N { return ops.Sum(ops.Unsqueeze(x, 0), 0) },
		"copy":                   ops.Copy,
		"triu of all":            func(x N) N { return ops.Triu(x, -2) },
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("arrange")
			x := g.Input("x", graph.Float64, 2, 3).Mutable()
			written := ops.AddInPlace(arrange(x), graph.Num(100))
			in := feeds{x: reference.Of([]float64{1, 2, 3, 4, 5, 6}, 2, 3)}
			got := evaluate(t, in, written, ops.Add(x, ops.Mul(ops.Sum(written), graph.Num(0))))
			require.ElementsMatch(t, []float64{101, 102, 103, 104, 105, 106}, got[0].Data)
			require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, got[1].Data)
			require.NotEqual(t, alias.Storage(x), alias.Storage(written))
		})
	}
}

// A shift is taken modulo the size, for every size that a named axis has.
func TestRollByMoreThanTheAxisHas(t *testing.T) {
	for _, bounds := range [][]graph.DimOption{nil, {graph.AtLeast(0)}, {graph.AtLeast(4)}} {
		for shift := -7; shift <= 7; shift++ {
			g := graph.New("roll")
			x := g.Input("x", graph.Int32, g.Dim("n", bounds...))
			y := ops.Roll(x, 0, shift)
			for size := int(g.Bounds("n").Min); size <= 5; size++ {
				data, want := make([]int32, size), make([]int32, size)
				for i := range data {
					data[i] = int32(i)
					want[((i+shift)%size+size)%size] = int32(i)
				}
				require.Equal(t, want, value(t, feeds{x: reference.Of(data, size)}, y).Data, "%d places of %d", shift,
					size)
			}
		}
	}
}

func TestAddCDivOfNumbers(t *testing.T) {
	g := graph.New("addcdiv")
	for dtype, want := range map[graph.DType]graph.DType{
		graph.Float32: graph.Float32, graph.Float64: graph.Float64, graph.Int64: graph.Float32} {
		y := ops.AddCDiv(g.Input(dtype.String(), dtype, 2), graph.Num(1), graph.Num(4))
		require.NoError(t, g.Err())
		require.Equal(t, want, y.DType())
	}
}

// TestMultiHot counts an integer once, and one that is outside of the classes not at all.
func TestMultiHot(t *testing.T) {
	g := graph.New("hot")
	index := g.Input("index", graph.Int32, g.Dim("n"), g.Dim("k"))
	y := ops.MultiHot(index, 4, graph.Float32)
	in := feeds{index: reference.Value{DType: graph.Int32, Shape: []int{3, 3},
		Data: []int32{0, 2, 0, -1, 3, 4, -1, -1, -1}}}
	got := value(t, in, y)
	require.Equal(t, []int{3, 4}, got.Shape)
	require.Equal(t, []float64{1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0}, got.Floats())
	require.ErrorContains(t, ops.MultiHot(g.Input("one", graph.Int64), 4, graph.Float32).Err(),
		"the integers must be along the last axis")
	require.ErrorContains(t, ops.MultiHot(g.Input("x", graph.Float32, 3), 4, graph.Float32).Err(),
		"one_hot is only applicable to index tensor")
}
