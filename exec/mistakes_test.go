package exec_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestWhatCannotBeCompiled tells the messages about outputs and updates.
func TestWhatCannotBeCompiled(t *testing.T) {
	other := graph.New("other").Input("stranger", graph.Float32, 3)
	for name, c := range map[string]struct {
		opts func(x *graph.Node) []exec.Option
		want string
	}{
		"nothing": {func(x *graph.Node) []exec.Option { return nil }, "nothing to compute"},
		"nil output": {func(x *graph.Node) []exec.Option { return []exec.Option{exec.Outputs(x, nil)} },
			"output 1 is nil"},
		"stranger": {func(x *graph.Node) []exec.Option { return []exec.Option{exec.Outputs(other)} },
			`stranger, is not a node of graph "mine"`},
		"number": {func(x *graph.Node) []exec.Option {
			return []exec.Option{exec.Outputs(graph.Num(2))}
		}, `2, is not a node of graph "mine"`},
		"nil option": {func(x *graph.Node) []exec.Option { return []exec.Option{nil} }, "nothing to compute"},
		"nil update": {func(x *graph.Node) []exec.Option { return []exec.Option{exec.Updates(nil)} },
			"update 0 is nil"},
		"update of nothing": {func(x *graph.Node) []exec.Option { return []exec.Option{exec.Updates(ops.Neg(x))} },
			"writes nothing"},
		"output of a mistake": {func(x *graph.Node) []exec.Option {
			return []exec.Option{exec.Outputs(ops.Sum(x, 5))}
		}, "Dimension out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("mine")
			x := g.Input("x", graph.Float32, 3)
			_, err := exec.Compile(g, c.opts(x)...)
			require.ErrorContains(t, err, c.want)
			require.Regexp(t, `^mistakes_test.go:\d+:\d+: error `, err.Error(), "the place in the user's program")
			var report *shapeinfer.Report
			require.ErrorAs(t, err, &report, "a user's mistake comes as a report")
			var bug *exec.BugError
			require.False(t, errors.As(err, &bug))
		})
	}
}

// TestNoGraphCannotBeCompiled: that there is none is an error too.
func TestNoGraphCannotBeCompiled(t *testing.T) {
	_, err := exec.Compile(nil, exec.Outputs(graph.Num(1)))
	require.ErrorContains(t, err, "the graph is nil")
}

// TestAnExpansionTooLargeToCount: a part of a function may have more bytes than its result.
func TestAnExpansionTooLargeToCount(t *testing.T) {
	g := graph.New("g")
	_, err := exec.Compile(g, exec.Outputs(ops.Tril(g.Input("x", graph.Bool, 1<<47, 1<<15), 0)))
	require.ErrorContains(t, err, "Storage size calculation overflowed")
	var bug *exec.BugError
	require.False(t, errors.As(err, &bug))
}

func TestAllMistakesComeAtOnce(t *testing.T) {
	g := graph.New("two mistakes")
	x := g.Input("x", graph.Float32, 3)
	y := ops.Add(x, g.Input("y", graph.Float32, 4))
	z := ops.MatMul(x, g.Input("z", graph.Float32, 5))
	_, err := exec.Compile(g, exec.Outputs(y, z))
	var report *shapeinfer.Report
	require.ErrorAs(t, err, &report)
	require.Len(t, report.Errors, 2)
	require.ErrorContains(t, err, "The size of tensor a (3) must match the size of tensor b (4)")
	require.ErrorContains(t, err, "inconsistent tensor size")
}

// TestFeedsOfScalars tells what a number may be fed to.
func TestFeedsOfScalars(t *testing.T) {
	g := graph.New("scalars")
	rate, rows := g.Input("rate", graph.Float32), g.Input("rows", graph.Int64, 2)
	y := ops.Mul(rows, rate)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := p.NewSession()
	two := exec.Array{Shape: []int{2}, Data: []int64{3, 4}}
	out, err := s.Run(context.Background(), exec.Feed{rate: 0.5, rows: two})
	require.NoError(t, err)
	require.Equal(t, []float32{1.5, 2}, arrayOf(t, out, y).Data)
	_, err = s.Run(context.Background(), exec.Feed{rate: 0.5, rows: 7})
	require.ErrorContains(t, err, "input rows has rank 1, got rank 0")
	_, err = s.Run(context.Background(), exec.Feed{rate: "fast", rows: two})
	require.ErrorContains(t, err, "a string cannot be fed")
	_, err = s.Run(context.Background(), exec.Feed{
		rate: 0.5, rows: exec.Array{Shape: []int{2}, Data: []string{"1", "2"}}})
	require.ErrorContains(t, err, "input rows: its data is []string, not a slice of a dtype")
	_, err = s.Run(context.Background(), exec.Feed{rate: 0.5, rows: exec.Array{Shape: []int{-2}, Data: []int64{}}})
	require.ErrorContains(t, err, "negative size")
}

// TestSizesAreBoundAnewInEachRun feeds batches of several sizes in turn to one session; a
// size that does not fit another input is refused in each.
func TestSizesAreBoundAnewInEachRun(t *testing.T) {
	g := graph.New("batches")
	batch := g.Dim("batch")
	x, y := g.Input("x", graph.Float64, batch, 2), g.Input("y", graph.Float64, batch)
	sum := ops.Add(ops.Sum(x, 1), y)
	p, err := exec.Compile(g, exec.Outputs(sum))
	require.NoError(t, err)
	s := p.NewSession()
	feed := func(rows, others int) exec.Feed {
		return exec.Feed{x: exec.Array{Shape: []int{rows, 2}, Data: make([]float64, 2*rows)},
			y: exec.Array{Shape: []int{others}, Data: make([]float64, others)}}
	}
	for _, n := range []int{3, 1, 8, 3} {
		out, err := s.Run(context.Background(), feed(n, n))
		require.NoError(t, err)
		require.Equal(t, []int{n}, arrayOf(t, out, sum).Shape)
		_, err = s.Run(context.Background(), feed(n, n+1))
		require.ErrorContains(t, err, "BL501")
		require.ErrorContains(t, err, "from input x, axis 0")
	}
	_, err = s.Run(context.Background(), feed(0, 0))
	require.ErrorContains(t, err, "batch", "a size is at least 1 unless said otherwise")
}

func TestParametersAreChecked(t *testing.T) {
	g := graph.New("parameters")
	w := g.Param("w", graph.Float32, 2)
	x := g.Input("x", graph.Float32, 2)
	p, err := exec.Compile(g, exec.Outputs(ops.Mul(w, x)))
	require.NoError(t, err)
	s := p.NewSession()
	require.ErrorContains(t, s.SetParam(w, exec.Array{Shape: []int{3}, Data: make([]float32, 3)}),
		"parameter w needs shape [2], got [3]")
	require.ErrorContains(t, s.SetParam(w, exec.Array{Shape: []int{2}, Data: make([]float64, 2)}),
		"parameter w needs dtype float32, got float64")
	require.ErrorContains(t, s.SetParam(x, exec.Array{Shape: []int{2}, Data: make([]float32, 2)}),
		"x is not a parameter of graph")
	_, err = s.Param(nil)
	require.ErrorContains(t, err, "the parameter is nil")
	_, err = s.Run(context.Background(), exec.Feed{
		w: exec.Array{Shape: []int{2}, Data: make([]float32, 2)},
		x: exec.Array{Shape: []int{2}, Data: make([]float32, 2)}})
	require.ErrorContains(t, err, "not an input of the program: w")
}

// TestNaNIsKept runs what could lose a NaN: comparisons, maxima and reductions, in a row
// longer than a vector register.
func TestNaNIsKept(t *testing.T) {
	const n = 37
	for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
		g := graph.New("nan")
		x := g.Input("x", dt, n)
		outputs := []*graph.Node{ops.Max(x), ops.Min(x), ops.Sum(x), ops.Prod(x), ops.Mean(x), ops.LogSumExp(x),
			ops.Max(ops.Relu(x)),
			ops.Min(ops.Clamp(x, -1, 1)), ops.Sum(ops.Maximum(x, graph.Num(0.0))),
			ops.Sum(ops.Minimum(graph.Num(0.0), x)), ops.Sum(ops.Softmax(x, 0))}
		at := ops.ArgMax(x)
		p, err := exec.Compile(g, exec.Outputs(append(outputs, at)...))
		require.NoError(t, err)
		s := p.NewSession()
		for place := range n {
			data := make([]float64, n)
			for i := range data {
				data[i] = float64(i%5) + 0.5
			}
			data[place] = math.NaN()
			feed := exec.Feed{x: exec.Array{Shape: []int{n}, Data: data}}
			if dt == graph.Float32 {
				narrow := make([]float32, n)
				for i, v := range data {
					narrow[i] = float32(v)
				}
				feed[x] = exec.Array{Shape: []int{n}, Data: narrow}
			}
			out, err := s.Run(context.Background(), feed)
			require.NoError(t, err)
			for _, y := range outputs {
				require.True(t, math.IsNaN(scalarOf(t, out, y)), "%s loses the NaN at place %d: %v", graph.Describe(y),
					place, scalarOf(t, out, y))
			}
			require.Equal(t, float64(place), scalarOf(t, out, at), "NaN wins")
		}
	}
}
