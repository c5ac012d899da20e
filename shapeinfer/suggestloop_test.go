package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestLoopsOverTheWrongAxisAreTold has loops over the axis of the batch in place of that of time: the mistake shows in
// the body, or in what it hands on.
func TestLoopsOverTheWrongAxisAreTold(t *testing.T) {
	recurrent := func(axis int, x, w *graph.Node, carried bool) *shapeinfer.Report {
		h := ops.Zeros(x.Graph(), graph.Float32, x.Shape()[0], 4)
		ops.Scan(ops.Loop{Carry: []*graph.Node{h}, Over: []*graph.Node{x}, Axis: axis},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				y := ops.MatMul(x[0], w)
				if carried {
					y = ops.Add(c[0], y)
				}
				return []*graph.Node{y}, []*graph.Node{y}
			})
		return shapeinfer.Check(x.Graph())
	}
	for _, carried := range []bool{false, true} {
		for _, named := range []bool{false, true} {
			build := func() (x, w *graph.Node) {
				g, sizes := graph.New("loop"), []graph.Dim{5, 7}
				if named {
					sizes = []graph.Dim{g.Dim("batch"), g.Dim("time")}
				}
				return g.Input("x", graph.Float32, sizes[0], sizes[1], 8), g.Param("w", graph.Float32, 8, 4)
			}
			x, w := build()
			report := recurrent(0, x, w, carried)
			require.Len(t, report.Errors, 1)
			require.Contains(t, report.String(), "help: let the loop go over axis 1 of x: ops.Loop{Axis: 1, …} gives slices "+
				graph.Shape{x.Shape()[0], 8}.String()+" (suggestloop_test.go:")
			x, w = build()
			require.NoError(t, recurrent(1, x, w, carried).Err(), "what is suggested works")
			x, w = build()
			require.NotContains(t, recurrent(2, x, w, carried).String(), "let the loop", "another axis is given")
		}
	}
}
