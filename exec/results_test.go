package exec_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

var arrayOf, scalarOf = exec.ArrayOf, exec.ScalarOf

// What is no output of a program is no result of it: the error names it and says what to do.
func TestNoOutput(t *testing.T) {
	g := graph.New("results")
	x := g.Input("x", graph.Float32, g.Dim("n"))
	total, doubled := ops.Sum(x), ops.Mul(x, graph.Num(2))
	forgotten := ops.Mean(x)
	prog, err := exec.Compile(g, exec.Outputs(total, doubled))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{2}, Data: []float32{1, 2}}})
	require.NoError(t, err)
	stranger := graph.New("other").Input("stranger", graph.Float32)
	var none *exec.Results

	for _, c := range []struct {
		r    *exec.Results
		n    *graph.Node
		want string
	}{
		{
			r, forgotten,
			"exec: forgotten (results_test.go:22:15) is not an output of the program: pass it to exec.Outputs; its outputs are total, doubled"},
		{r, x, "exec: x (results_test.go:20:7) is not an output of the program"},
		{r, stranger, `exec: stranger is not an output of the program: it is not a node of graph "results"`},
		{r, nil, "exec: nil is not an output of the program"},
		{none, total, "exec: there are no results: the error of the run says why"},
	} {
		_, err := c.r.Scalar(c.n)
		require.ErrorContains(t, err, c.want)
		_, err = c.r.Array(c.n)
		require.ErrorContains(t, err, c.want)
		_, err = c.r.Dense(c.n)
		require.ErrorContains(t, err, c.want)
		_, err = exec.Values[float32](c.r, c.n)
		require.ErrorContains(t, err, c.want)
	}
}

// A value is returned as the requested type, or an error says why it cannot be.
func TestResultForms(t *testing.T) {
	g := graph.New("forms")
	x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)))
	total, doubled := ops.Sum(x), ops.Mul(x, graph.Num(2))
	prog, err := exec.Compile(g, exec.Outputs(total, doubled))
	require.NoError(t, err)
	s := prog.NewSession()
	feed := func(v ...float32) *exec.Results {
		r, err := s.Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{len(v)}, Data: v}})
		require.NoError(t, err)
		return r
	}

	r := feed(1, 2)
	require.Equal(t, 3.0, scalarOf(t, r, total))
	values, err := exec.Values[float32](r, doubled)
	require.NoError(t, err)
	require.Equal(t, []float32{2, 4}, values)
	_, err = exec.Values[float64](r, doubled)
	require.EqualError(t, err, "exec: doubled has dtype float32: its elements are []float32, not []float64")
	_, err = r.Scalar(doubled)
	require.EqualError(t, err, "exec: doubled has shape [2] and 2 elements, not one: use Results.Array")
	kept, seen := arrayOf(t, r, doubled).Clone(), arrayOf(t, r, doubled)

	feed(5, 6)
	require.Equal(t, []float32{2, 4}, kept.Data, "a copy stays")
	require.Equal(t, []float32{10, 12}, seen.Data, "the session's memory changes")
	require.Equal(t, 10.0, scalarOf(t, feed(10), total))

	r = feed()
	_, err = r.Scalar(doubled)
	require.ErrorContains(t, err, "doubled has shape [0] and 0 elements")
	_, err = r.Dense(doubled)
	require.EqualError(t, err, "exec: doubled has shape [0], but a tensor.Dense needs elements: use Results.Array")
	require.Equal(t, exec.Array{Shape: []int{0}, Data: []float32{}}, arrayOf(t, r, doubled))
}

// An index out of range is reported with its value, its position and the name of the indices.
func TestIndexOutOfRange(t *testing.T) {
	g := graph.New("range")
	table := g.Param("table", graph.Float32, 1000, 2)
	tokens, one := g.Input("tokens", graph.Int32, 2, 3), g.Input("one", graph.Int64)
	rows, row := ops.Embedding(tokens, table), ops.Take(table, 0, one)
	added := ops.SegmentSum(ops.Neg(table), 0, ops.Slice(g.Input("places", graph.Int64, 1001), 0, 0, 1000, 1), 5)
	for _, c := range []struct {
		y    *graph.Node
		feed exec.Feed
		want string
	}{
		{rows, exec.Feed{tokens: exec.Array{Shape: []int{2, 3}, Data: []int32{0, 1, 2, 3, 1005, 5}}},
			"index out of range in self: tokens[1, 1] is 1005, not in 0..999"},
		{row, exec.Feed{one: -1}, "index out of range in self: one is -1, not in 0..999"},
		{
			added,
			exec.Feed{g.ByName("places"): exec.Array{
				Shape: []int{1001}, Data: append(make([]int64, 7), slices.Repeat([]int64{5}, 994)...)}},
			"[7] is 5, not in 0..4"},
	} {
		prog, err := exec.Compile(g, exec.Outputs(c.y))
		require.NoError(t, err)
		_, err = prog.NewSession().Run(context.Background(), c.feed)
		require.ErrorContains(t, err, c.want)
	}
}
