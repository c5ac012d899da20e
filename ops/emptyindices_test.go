package ops_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestIndicesOfNoElements takes elements of axes that are empty when the program is built: that is the user's mistake,
// at the call.
func TestIndicesOfNoElements(t *testing.T) {
	g := graph.New("empty")
	x, i, table := g.Input("x", graph.Float32, 0), g.Input("i", graph.Int64, 3), g.Input("table", graph.Float32, 0, 2)
	requireMistake(t, ops.Gather(x, 0, i), "index is out of bounds for dimension 0 with size 0")
	requireMistake(t, ops.TakeAlongAxis(x, -1, i), "index is out of bounds for dimension 0 with size 0")
	requireMistake(t, ops.Embedding(i, table), "index out of range in self")
	requireMistake(t, ops.EmbeddingBag(ops.Unsqueeze(i, 0), table, ops.ReduceSum), "index out of range in self")
	require.NoError(t, ops.Gather(x, 0, g.Input("none", graph.Int64, 0)).Err())
}

// TestIndicesOfNothing takes elements of axes that only a run tells to be empty: without indices all is well, and
// with one the run stops and names it, as in PyTorch.
func TestIndicesOfNothing(t *testing.T) {
	ones := func(x node, shape graph.Shape) node { return ops.Ones(x.Graph(), graph.Float32, shape...) }
	scores := func(x, i node) node { return ops.Expand(ops.Unsqueeze(x, 0), i.Shape()[0], x.Shape()[0]) }
	const none, outside = "is 0, but there are no elements", "index out of range in self: "
	for name, c := range map[string]struct {
		call  func(x, i node) node
		error string
	}{
		"Take": {func(x, i node) node { return ops.Take(x, 0, i) },
			"Take(x, 0, i): " + outside + "i[0] " + none},
		"Gather":     {func(x, i node) node { return ops.Gather(x, 0, i) }, "i[0] " + none},
		"Index":      {func(x, i node) node { return ops.Index(x, i) }, "i[0] " + none},
		"IndexPut":   {func(x, i node) node { return ops.IndexPut(x, []node{i}, graph.Num(9.0)) }, "i[0] " + none},
		"ScatterAdd": {func(x, i node) node { return ops.ScatterAdd(x, 0, i, ones(x, i.Shape())) }, "i[0] " + none},
		"IndexReduce": {func(x, i node) node { return ops.IndexReduce(x, 0, i, ones(x, i.Shape()), ops.ReduceMean) },
			"i[0] " + none},
		"SegmentMax": {func(x, i node) node { return ops.SegmentMax(ones(x, i.Shape()), 0, i, x.Shape()[0]) },
			"SegmentMax(Ones(graph.Float32, m), 0, i, n): " + outside + "i[0] " + none},
		"Embedding": {func(x, i node) node { return ops.Embedding(i, ops.Unsqueeze(x, 1)) },
			outside + "i[0] " + none},
		"NLL": {func(x, i node) node { return ops.NLL(scores(x, i), i, ops.EachLoss()) },
			"a target is out of bounds: there are no classes: i[0] is 0"},
		"CrossEntropy": {func(x, i node) node { return ops.CrossEntropy(scores(x, i), i, ops.SumLoss()) },
			"a target is out of bounds: there are no classes: i[0] is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("empty")
			x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)))
			i := g.Input("i", graph.Int64, g.Dim("m", graph.AtLeast(0)))
			prog, err := exec.Compile(g, exec.Outputs(c.call(x, i)))
			require.NoError(t, err)
			run := func(index ...int64) error {
				feed := exec.Feed{x: exec.Array{Shape: []int{0}, Data: []float32{}},
					i: exec.Array{Shape: []int{len(index)}, Data: append([]int64{}, index...)}}
				_, err := prog.NewSession().Run(context.Background(), feed)
				return err
			}
			require.NoError(t, run())
			require.ErrorContains(t, run(0), c.error)
		})
	}
}

// TestBagsOfManyRows adds up rows that are a hundred times as large as their sums, without room for them.
func TestBagsOfManyRows(t *testing.T) {
	g := graph.New("bags")
	index, table := g.Input("index", graph.Int64, g.Dim("bags"), 100), g.Input("table", graph.Float32, 1000, 64)
	y := ops.EmbeddingBag(index, table, ops.ReduceMean)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	f, err := prog.Footprint(map[string]int{"bags": 1000})
	require.NoError(t, err)
	require.Less(t, f.Arena, 4*1000*64*4)
	rows, places := make([]float32, 1000*64), make([]int64, 3*100)
	for i := range rows {
		rows[i] = float32(i / 64)
	}
	for i := range places {
		places[i] = int64(i)
	}
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{table: rows, index: places})
	require.NoError(t, err)
	means, err := exec.Values[float32](r, y)
	require.NoError(t, err)
	for i, v := range means {
		require.Equal(t, float32(i/64*100)+49.5, v)
	}
	places[201] = 1000
	_, err = prog.NewSession().Run(t.Context(), exec.Feed{table: rows, index: places})
	require.ErrorContains(t, err, "index out of range in self: index[2, 1] is 1000")
}
