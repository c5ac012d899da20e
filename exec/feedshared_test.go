package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// What is written in place was proved apart from what is read; memory that is fed to both
// inputs is not.
func TestOneMemoryFedToTwoInputs(t *testing.T) {
	g := graph.New("g")
	x, y := g.Input("x", graph.Float32, 3).Mutable(), g.Input("y", graph.Float32, 3)
	p, err := exec.Compile(g, exec.Updates(ops.AddInPlace(x, y)))
	require.NoError(t, err)
	s := p.NewSession()
	data := []float32{1, 2, 3, 4, 5, 6}
	part := func(from int) exec.Array { return exec.Array{Shape: []int{3}, Data: data[from : from+3]} }
	for _, from := range []int{0, 1, 2} {
		_, err = s.Run(context.Background(), exec.Feed{x: part(from), y: part(1)})
		require.ErrorContains(t, err, "input x is written in place, but the memory fed to it is also fed to y")
	}
	_, err = s.Run(context.Background(), exec.Feed{x: part(3), y: part(0)})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2, 3, 5, 7, 9}, data)
}

// A result lies in memory that the next run writes: fed back, it would change while it is
// read.
func TestResultsFedBack(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float32, 4)
	y := ops.Flip(ops.Exp(x), 0)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := p.NewSession()
	r, err := s.Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{4}, Data: make([]float32, 4)}})
	require.NoError(t, err)
	result := arrayOf(t, r, y)
	_, err = s.Run(context.Background(), exec.Feed{x: result})
	require.ErrorContains(t, err, "input x is fed a result of the session's last run")
	result.Data = append([]float32{}, result.Data.([]float32)...)
	_, err = s.Run(context.Background(), exec.Feed{x: result})
	require.NoError(t, err)
}
