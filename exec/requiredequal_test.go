package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Sizes that one operation has required to be equal may meet again in others.
func TestRequiredSizesMeetAgain(t *testing.T) {
	g := graph.New("even")
	n := g.Dim("n")
	a, b := g.Input("a", graph.Int64, n), g.Input("b", graph.Int64, n.FloorDiv(2).Times(2))
	y := ops.Where(ops.Less(a, b), ops.Sub(ops.Add(a, b), b), b)
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := prog.NewSession()
	r, err := s.Run(context.Background(), exec.Feed{a: []int64{1, 5, 3, 9}, b: []int64{2, 4, 6, 8}})
	require.NoError(t, err)
	values, err := exec.Values[int64](r, y)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 4, 3, 8}, values)
	_, err = s.Run(context.Background(), exec.Feed{a: []int64{1, 5, 3, 9, 7}, b: []int64{2, 4, 6, 8}})
	assert.ErrorContains(t, err, "5 against 4")
}
