package ops_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// One element of each row of a softmax, or of each place of images, is the one that a gather of a copy picks, and has
// its gradients.
func TestGatherOfRowsThatAreComputed(t *testing.T) {
	for _, c := range []struct {
		shape, index []int
		axis         int
	}{
		{[]int{3, 70}, []int{3, 1}, 1},
		{[]int{3, 70}, []int{3, 1}, -1},
		{[]int{2, 65, 3}, []int{2, 1, 3}, 1},
		{[]int{3, 70}, []int{2, 1}, 1},
		{[]int{3, 70}, []int{3, 2}, 1},
		{[]int{70}, []int{1}, 0},
		{[]int{3, 5}, []int{3, 1}, 1},
	} {
		g := graph.New("gather")
		rng := rand.New(rand.NewPCG(1, 2))
		x, index := g.Input("x", graph.Float64, graph.MakeShape(c.shape...)...),
			g.Input("index", graph.Int64, graph.MakeShape(c.index...)...)
		indices := make([]int64, graph.MakeShape(c.index...).NumElements())
		for i := range indices {
			indices[i] = rng.Int64N(int64(c.shape[(c.axis+len(c.shape))%len(c.shape)]))
		}
		in := feeds{x: random(rng, c.shape...), index: {Shape: c.index, DType: graph.Int64, Data: indices}}
		y := ops.Gather(ops.LogSoftmax(x, c.axis), c.axis, index)
		require.NoError(t, y.Err())
		want := ops.Gather(ops.Copy(ops.LogSoftmax(x, c.axis)), c.axis, index)
		got := evaluate(t, in, y, want)
		require.Equal(t, got[1].Data, got[0].Data)
		requireGradients(t, in, y, x)
	}
}
