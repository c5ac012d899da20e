package data

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// own is a column that tells nothing of its examples.
type own struct{ n int }

func (c own) Len() int { return c.n }

func (c own) Batch(_ context.Context, rows []int) (exec.Array, error) {
	return exec.Array{Shape: []int{len(rows)}, Data: make([]float32, len(rows))}, nil
}

// An input to which no batch of a column can be fed is reported before there are batches.
func TestInputsThatColumnsDoNotFit(t *testing.T) {
	g := graph.New("feeds")
	n := g.Dim("n")
	x, class := g.Input("x", graph.Float32, n, 2), g.Input("class", graph.Int64, n)
	input := func(dtype graph.DType, shape ...graph.Dim) *graph.Node { return g.Input("in", dtype, shape...) }
	pictures := &pixels[uint8]{images: &Images{Paths: make([]string, 6)}, height: 4, width: 5, channels: 3}
	pairs := counted(t, 6)[0]
	for want, c := range map[string]struct {
		column Column
		in     *graph.Node
	}{
		"all inputs are nil": {pairs, nil},
		"data: input in float64[n, 2] (feeds_test.go:28:76) is fed with column 0: its elements are float32; declare the input with that dtype, or convert them with data.Converted": {
			pairs, input(graph.Float64, n, 2)},
		"its examples have shape [2], but the input's have [3]": {pairs, input(graph.Float32, n, 3)},
		"its examples have shape [2], but the input's have []":  {pairs, input(graph.Float32, n)},
		"its examples have shape [2], but the input's have [2, 1]": {
			Rows(pairs, []int{0, 1, 2, 3, 4}), input(graph.Float32, n, 2, 1)},
		"its examples have shape [], but the input's have [1]": {
			counted(t, 6)[1], input(graph.Int64, n, 1)},
		"its examples have shape [3 4 5], but the input's have [4, 5, 3]": {pictures, input(graph.Uint8, n, 4, 5, 3)},
		"its elements are uint8": {
			pictures, input(graph.Float32, n, 3, 4, 5)},
		"a scalar has no axis of examples: declare one":                     {own{6}, input(graph.Float32)},
		"batches have 4 examples; name the size of the first axis":          {own{6}, input(graph.Float32, 3)},
		"the last batch of an epoch has 2 examples; leave it out by data.D": {own{6}, input(graph.Float32, 4)},
		"is not an input: declare inputs with Graph.Input":                  {pairs, ops.Exp(x)},
	} {
		l, err := New(4, []Column{c.column})
		require.NoError(t, err)
		_, err = l.Feeds(c.in)
		require.ErrorContains(t, err, want)
	}
	l, err := New(4, []Column{pairs, pairs})
	require.NoError(t, err)
	_, err = l.Feeds(x, x)
	require.ErrorContains(t, err, "input x is used for two columns")
	for _, c := range []struct {
		columns []Column
		inputs  []*graph.Node
		opts    []Option
	}{
		{counted(t, 6), []*graph.Node{x, class}, nil},
		{[]Column{pairs}, []*graph.Node{input(graph.Float32, n, g.Dim("width"))}, nil},
		{[]Column{pairs}, []*graph.Node{input(graph.Float32, 4, 2)}, []Option{DropLast()}},
		{[]Column{own{6}}, []*graph.Node{input(graph.Float32, n, 7)}, nil}, // the run tells
		{counted(t, 0), []*graph.Node{input(graph.Float32, 4, 2), nil}, nil},
		{counted(t, 3), []*graph.Node{input(graph.Float32, 3, 2), nil}, nil},
		{[]Column{pictures}, []*graph.Node{input(graph.Uint8, n, 3, 4, 5)}, nil},
	} {
		l, err := New(4, c.columns, c.opts...)
		require.NoError(t, err)
		_, err = l.Feeds(c.inputs...)
		require.NoError(t, err)
	}
}

func TestDropLastLeavesABatch(t *testing.T) {
	_, err := New(7, counted(t, 6), DropLast())
	require.ErrorContains(
		t, err, "data: DropLast leaves no batch: there are 6 examples, but a batch has 7; make the batch smaller")
	_, err = New(6, counted(t, 6), DropLast())
	require.NoError(t, err)
}
