package shapeinfer_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
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

// TestLastElementOfWhatMayBeEmptyBroadcasts divides an axis by its last element. Whether it has one depends on a size
// that is bound later: of none, nothing is repeated.
func TestLastElementOfWhatMayBeEmptyBroadcasts(t *testing.T) {
	g := graph.New("last")
	h, m := g.Dim("h"), g.Dim("m", graph.AtLeast(0))
	n := h.FloorDiv(8) // 0 for images of fewer than 8 rows
	x, y := g.Input("x", graph.Float64, h), g.Input("y", graph.Float64, m)
	places := ops.Add(ops.Narrow(x, 0, 0, n), graph.Num(0))
	last := func(v *graph.Node, n graph.Dim) *graph.Node {
		one := graph.MinDim(n, 1)
		return ops.Narrow(v, 0, n.Minus(one), one)
	}
	share := ops.Div(places, last(places, n))
	other := ops.Sub(places, last(y, m))
	gradient := autodiff.Grad(ops.Sum(ops.Add(ops.Square(share), ops.Square(other))), []*graph.Node{x, y})
	p, err := exec.Compile(g, exec.Outputs(share, other, gradient[0], gradient[1]))
	require.NoError(t, err)
	assert.Equal(t, share.Shape().String(), places.Shape().String())
	s := p.NewSession()
	for _, c := range []struct {
		h, m int
		ok   bool
	}{{8, 1, true}, {40, 3, true}, {47, 2, true}, {7, 0, true}, {7, 5, true}, {8, 0, false}, {16, 0, false}} {
		xs, ys := make([]float64, c.h), make([]float64, c.m)
		for i := range xs {
			xs[i] = float64(i + 1)
		}
		for i := range ys {
			ys[i] = float64(i + 2)
		}
		out, err := s.Run(context.Background(), exec.Feed{x: xs, y: ys})
		require.Equal(t, c.ok, err == nil, "%+v: %v", c, err)
		if err != nil {
			continue
		}
		k := c.h / 8
		got, err := exec.Values[float64](out, share)
		require.NoError(t, err)
		require.Len(t, got, k)
		toY, err := exec.Values[float64](out, gradient[1])
		require.NoError(t, err)
		wantY := make([]float64, c.m)
		differences, err := exec.Values[float64](out, other)
		require.NoError(t, err)
		require.Len(t, differences, k)
		for i := range k {
			require.InDelta(t, float64(i+1)/float64(k), got[i], 1e-12)
			require.InDelta(t, float64(i+1-(c.m+1)), differences[i], 1e-12)
			wantY[c.m-1] -= 2 * differences[i]
		}
		require.InDeltaSlice(t, wantY, toY, 1e-12, "%+v", c)
	}
}
