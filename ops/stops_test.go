package ops_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// runOf compiles a program and runs it once.
func runOf(t *testing.T, feed exec.Feed, outs ...*graph.Node) (*exec.Results, error) {
	t.Helper()
	prog, err := exec.Compile(outs[0].Graph(), exec.Outputs(outs...), exec.OnWarning(nil))
	require.NoError(t, err)
	return prog.NewSession().Run(context.Background(), feed)
}

// TestLengthsOfCTC stops a run at lengths that PyTorch refuses, and wants its losses of others.
func TestLengthsOfCTC(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		input, target int64
		loss          float64
		stops         string
	}{
		{3, 2, 4.158883083359672, ""}, {1, 0, 1.3862943611198906, ""}, {1, 1, 1.3862943611198906, ""}, {0, 0, 0, ""},
		{0, 1, inf, ""}, {1, 2, inf, ""},
		{4, 2, 0, "input_lengths are not in the range from 0 to the number of steps: il[0] is 4"},
		{1 << 40, 2, 0, "input_lengths are not in the range"}, {-5, 2, 0, "input_lengths are not in the range"},
		{math.MinInt64, 2, 0, "input_lengths are not in the range"},
		{3, -5, 0, "target_lengths are not in the range from 0 to the size of targets: tl[0] is -5"},
		{3, 3, 0, "target_lengths are not in the range"}, {3, math.MinInt64, 0, "target_lengths are not in the range"},
	} {
		for _, isKnown := range []bool{true, false} {
			g := graph.New("ctc")
			n := graph.Dim(3)
			if !isKnown { // before the program runs
				n = g.Dim("t")
			}
			x := g.Input("x", graph.Float64, n, 1, 4)
			il, tl := g.Input("il", graph.Int64, 1), g.Input("tl", graph.Int64, 1)
			loss := ops.CTC(ops.LogSoftmax(x, 2), ops.Full(g, graph.Int64, 1, 1, 2), il, tl, ops.EachLoss())
			r, err := runOf(t, exec.Feed{x: exec.Array{Shape: []int{3, 1, 4}, Data: make([]float64, 12)},
				il: []int64{c.input}, tl: []int64{c.target}}, loss)
			if c.stops != "" {
				require.ErrorContains(t, err, c.stops)
				require.ErrorContains(t, err, "stops_test.go")
				continue
			}
			require.NoError(t, err)
			requireClose(t, []float64{c.loss}, valuesOf[float64](t, r, loss), 1e-12, "loss")
		}
	}
}

// TestPivotsThatAreNoRows stops a run, as LAPACK's callers do.
func TestPivotsThatAreNoRows(t *testing.T) {
	for _, dt := range []graph.DType{graph.Int32, graph.Int64} {
		for _, c := range []struct {
			pivots []int32
			p, x   []float64
			stops  string
		}{
			{[]int32{1, 2}, []float64{1, 0, 0, 1}, []float64{5.0 / 12, 1.0 / 6}, ""},
			{[]int32{2, 2}, []float64{0, 1, 1, 0}, []float64{5.0 / 12, 1.0 / 6}, ""},
			{[]int32{1, 5}, nil, nil, "5"}, {[]int32{0, 2}, nil, nil, "0"}, {[]int32{-7, 1 << 30}, nil, nil, "-7"},
			{[]int32{1, 3}, nil, nil, "3"},
		} {
			g := graph.New("lu")
			lu, piv := g.Input("lu", graph.Float64, 2, 2), g.Input("piv", graph.Int32, 2)
			p, _, _ := ops.LUUnpack(lu, ops.Cast(piv, dt))
			ones := ops.Ones(g, graph.Float64, 2, 1)
			for i, y := range []*graph.Node{p, ops.LUSolve(lu, ops.Cast(piv, dt), ones),
				ops.LUSolve(lu, ops.Cast(piv, dt), ones, ops.TransposedSystem())} {
				r, err := runOf(t, exec.Feed{lu: []float64{2, 1, 0.5, 3}, piv: c.pivots}, y)
				if c.stops != "" {
					place := "[" + string(
						"01"[slices.IndexFunc(c.pivots, func(p int32) bool { return p < 1 || p > 2 })]) + "]"
					want := "pivots must be row numbers from 1 on, as LUFactor returns them: Cast(piv, graph.Int64)" +
						place + " is " + c.stops
					if dt == graph.Int32 { // of which the call makes indices itself
						want = "pivots must be row numbers from 1 on, as LUFactor returns them: found " + c.stops +
							" at " + place
					}
					require.ErrorContains(t, err, want)
					continue
				}
				require.NoError(t, err)
				if want := [][]float64{c.p, c.x}; i < len(want) {
					requireClose(t, want[i], valuesOf[float64](t, r, y), 1e-15, "of right pivots")
				}
			}
		}
	}
}
