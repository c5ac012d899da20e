package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The error says why each value cannot be fed.
func TestStrangeFeeds(t *testing.T) {
	g := graph.New("strange")
	x := g.Input("x", graph.Float32, 2)
	w := g.Param("w", graph.Float32, 2)
	y := ops.Mul(x, w)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	late := g.Input("late", graph.Float32)
	other := graph.New("other").Input("other", graph.Float32)
	masked := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{1, 2}), tensor.WithMask([]bool{true, false}))
	fit := exec.Array{Shape: []int{2}, Data: []float32{1, 2}}

	for _, c := range []struct {
		feed exec.Feed
		want string
	}{
		{exec.Feed{x: fit, late: 1},
			"late, which was declared (feed_test.go:23:10) after the program was compiled: compile it again"},
		{exec.Feed{x: fit, w: fit}, "w, a parameter: set it with Session.SetParam"},
		{exec.Feed{x: fit, y: fit}, "y, which is computed (feed_test.go:20"},
		{exec.Feed{x: fit, other: 1}, `other, which is not a node of graph "strange"`},
		{exec.Feed{x: fit, nil: 1}, "a nil node"},
		{exec.Feed{x: masked}, "exec: input x: the tensor is masked"},
	} {
		_, err := prog.NewSession().Run(context.Background(), c.feed)
		require.ErrorContains(t, err, c.want)
	}
	require.ErrorContains(t, prog.NewSession().SetParam(w, masked), "exec: parameter w: the tensor is masked")
}
