package exec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/ops"
)

// TestDivisorsOfNoElements divides rows by zeros that are the same along each row: an error
// where the rows have elements, and none where they have not.
func TestDivisorsOfNoElements(t *testing.T) {
	divisions := map[string]func(x, y *graph.Node) *graph.Node{
		"floor":     ops.FloorDiv,
		"remainder": ops.Remainder,
		"of repeated values": func(x, y *graph.Node) *graph.Node {
			return ops.Remainder(ops.Expand(y, x.Shape()...), y)
		},
		"summed": func(x, y *graph.Node) *graph.Node { return ops.Sum(ops.FloorDiv(x, y), 1) },
		"after a sum": func(x, y *graph.Node) *graph.Node {
			return ops.FloorDiv(ops.Sub(x, ops.Sum(x, 1, ops.KeepDims())), y)
		},
	}
	settings.Same(t, func() string {
		var text strings.Builder
		for name, divide := range divisions {
			for _, divisors := range [][]int{{3, 1}, {1, 1}} {
				for _, size := range []int{0, 1, 40} {
					for _, named := range []bool{true, false} {
						g := graph.New("divide")
						n := graph.Dim(size)
						if named {
							n = g.Dim("n", graph.AtLeast(0))
						}
						x := g.Input("x", graph.Int64, 3, n)
						y := g.Input("y", graph.Int64, graph.Dim(divisors[0]), 1)
						p, err := exec.Compile(g, exec.Outputs(divide(x, y)))
						require.NoError(t, err, name)
						_, err = p.NewSession().Run(context.Background(), exec.Feed{
							x: exec.Array{Shape: []int{3, size}, Data: make([]int64, 3*size)},
							y: exec.Array{Shape: divisors, Data: make([]int64, divisors[0])}})
						if size == 0 {
							require.NoError(t, err, "%s by %v", name, divisors)
						} else {
							require.ErrorContains(t, err, "ZeroDivisionError", "%s by %v", name, divisors)
						}
					}
				}
			}
		}
		return text.String()
	})
}

// TestSumsOfNoElementsAreDivided divides values of rows themselves, which there are also
// where the rows have no elements.
func TestSumsOfNoElementsAreDivided(t *testing.T) {
	g := graph.New("divide")
	x, y := g.Input("x", graph.Int64, 3, g.Dim("n", graph.AtLeast(0))), g.Input("y", graph.Int64, 3)
	p, err := exec.Compile(g, exec.Outputs(ops.FloorDiv(ops.Sum(x, 1), y)))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(), exec.Feed{
		x: exec.Array{Shape: []int{3, 0}, Data: []int64{}}, y: exec.Array{Shape: []int{3}, Data: []int64{1, 0, 1}}})
	require.ErrorContains(t, err, "ZeroDivisionError")
}
