package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// PyTorch passes over operands of shape [0], whatever the rank of the others. An operand
// of rank 1 whose size is named and may be 0 can be such a one.
func TestConcatOfAVectorThatMayBeEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		vector  graph.DimOption
		summary string
	}{
		"may be empty":    {graph.AtLeast(0), "0 errors, 1 warning, 1 requirement"},
		"is never empty":  {graph.AtLeast(1), "1 error, 0 warnings, 0 requirements"},
		"may be anything": {graph.MultipleOf(3), "1 error, 0 warnings, 0 requirements"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("g")
			v := g.Input("v", f32, g.Dim("n", c.vector))
			x := g.Input("x", f32, g.Dim("m"), 3)
			y := ops.Concat(1, v, x, x)
			r := shapeinfer.Check(g)
			require.Equal(t, c.summary, r.Summary()[:len(c.summary)], r)
			if r.Err() != nil {
				return
			}
			require.Equal(t, "[m, 6]", y.Shape().String())
			for n, fits := range map[int]bool{0: true, 1: false, 4: false} {
				_, err := shapeinfer.Bind(
					g, []shapeinfer.Bound{{Node: v, Shape: []int{n}}, {Node: x, Shape: []int{2, 3}}}, r.Requirements)
				require.Equal(t, fits, err == nil, "%d: %v", n, err)
			}
		})
	}
}

// Among vectors alone, an empty one is nothing special.
func TestConcatOfVectors(t *testing.T) {
	g := graph.New("g")
	y := ops.Concat(0, g.Input("v", f32, g.Dim("n", graph.AtLeast(0))), g.Input("w", f32, g.Dim("m", graph.AtLeast(0))),
		g.Input("e", f32, 0))
	r := shapeinfer.Check(g)
	require.Equal(t, "0 errors, 0 warnings, 0 requirements", r.Summary()[:36])
	require.Equal(t, "[m+n]", y.Shape().String())
}
