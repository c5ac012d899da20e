package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestSizeThatMayBeOneBroadcasts binds one graph to sizes of 1 and others: none of them is
// ever taken for granted.
func TestSizeThatMayBeOneBroadcasts(t *testing.T) {
	g := graph.New("theano")
	n, c, d := g.Dim("n"), g.Dim("c", graph.MayBeOne()), g.Dim("d", graph.MayBeOne())
	x, y, z := g.Input("x", graph.Float32, n), g.Input("y", graph.Float32, c), g.Input("z", graph.Float32, d)
	wide := ops.Add(x, y)
	both := ops.Add(y, z)
	report := shapeinfer.Check(g)
	require.NoError(t, report.Err())
	assert.Equal(t, "[n]", wide.Shape().String(),
		"of a size that broadcasts and one that does not, the latter is the result's")
	assert.Equal(t, "[broadcast(c, d)]", both.Shape().String())
	assert.Equal(t, []graph.AxisKind{graph.Undecided}, wide.Stretch(1))
	for _, s := range []struct {
		n, c, d int
		ok      bool
		both    int64
	}{
		{5, 5, 5, true, 5}, {5, 1, 5, true, 5}, {5, 1, 7, true, 7}, {5, 5, 1, true, 5}, {1, 1, 4, true, 4},
		{1, 1, 1, true, 1},
		{5, 4, 4, false, 0}, {5, 5, 4, false, 0},
		{1, 5, 5, false, 0}, // n was not declared MayBeOne: it never broadcasts
	} {
		sizes, err := shapeinfer.Bind(
			g, []shapeinfer.Bound{{Node: x, Shape: []int{s.n}}, {Node: y, Shape: []int{s.c}},
				{Node: z, Shape: []int{s.d}}}, report.Requirements)
		assert.Equal(t, s.ok, err == nil, "%+v: %v", s, err)
		if err == nil {
			got, err := both.Shape()[0].Eval(sizes.Lookup)
			require.NoError(t, err)
			assert.Equal(t, s.both, got, "%+v", s)
		}
	}
}
