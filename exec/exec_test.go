package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// regression is a linear model with a symbolic batch, its loss and its update step.
type regression struct {
	g             *graph.Graph
	x, t, w, b    *graph.Node
	loss          *graph.Node
	prog          *exec.Program
	step          []*graph.Node
	symbolicBatch graph.Dim
}

func newRegression(t *testing.T, shape ...graph.Dim) *regression {
	t.Helper()
	g := graph.New("regression")
	batch := g.Dim("batch", graph.AtLeast(0))
	r := &regression{g: g, symbolicBatch: batch}
	r.x = g.Input("x", graph.Float32, batch, 4)
	r.t = g.Input("t", graph.Float32, batch)
	r.w = g.Param("w", graph.Float32, 4)
	r.b = g.Param("b", graph.Float32)
	y := ops.Add(ops.Sum(ops.Mul(r.x, r.w), 1), r.b)
	r.loss = ops.Mean(ops.Square(ops.Sub(y, r.t)))
	grads := autodiff.Grad(r.loss, []*graph.Node{r.w, r.b})
	for i, p := range []*graph.Node{r.w, r.b} {
		r.step = append(r.step, ops.SubInPlace(p, ops.Mul(grads[i], graph.Num(0.1))))
	}
	prog, err := exec.Compile(g, exec.Outputs(r.loss), exec.Updates(r.step...))
	require.NoError(t, err)
	r.prog = prog
	return r
}

// data makes n examples of y = x·(1, 2, -1, 0) + 0.5.
func data(n int) (x, t *tensor.Dense) {
	rng := rand.New(rand.NewPCG(1, 2))
	xs, ts := make([]float32, 4*n), make([]float32, n)
	for i := range ts {
		for j := range 4 {
			xs[4*i+j] = rng.Float32()
		}
		ts[i] = xs[4*i] + 2*xs[4*i+1] - xs[4*i+2] + 0.5
	}
	return tensor.New(tensor.WithShape(n, 4), tensor.WithBacking(xs)),
		tensor.New(tensor.WithShape(n), tensor.WithBacking(ts))
}

func TestOneProgramTrainsOnEveryBatchSize(t *testing.T) {
	r := newRegression(t)
	s := r.prog.NewSession()
	ctx := context.Background()
	var loss float64
	for i := range 3000 {
		x, y := data([]int{32, 7, 1, 100}[i%4])
		out, err := s.Run(ctx, exec.Feed{r.x: x, r.t: y})
		require.NoError(t, err)
		loss = scalarOf(t, out, r.loss)
	}
	require.Less(t, loss, 1e-6)
	w, err := s.Param(r.w)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float32{1, 2, -1, 0}, w.Data, 1e-2)
	b, err := s.Param(r.b)
	require.NoError(t, err)
	require.InDelta(t, 0.5, float64(b.Data.([]float32)[0]), 1e-2)
}

func TestEvalLeavesParametersAlone(t *testing.T) {
	r := newRegression(t)
	s := r.prog.NewSession()
	x, y := data(16)
	first, err := s.RunWithoutUpdates(context.Background(), exec.Feed{r.x: x, r.t: y})
	require.NoError(t, err)
	before := scalarOf(t, first, r.loss)
	second, err := s.RunWithoutUpdates(context.Background(), exec.Feed{r.x: x, r.t: y})
	require.NoError(t, err)
	require.Equal(t, before, scalarOf(t, second, r.loss))
	run, err := s.Run(context.Background(), exec.Feed{r.x: x, r.t: y})
	require.NoError(t, err)
	require.Equal(t, before, scalarOf(t, run, r.loss))
	after, err := s.RunWithoutUpdates(context.Background(), exec.Feed{r.x: x, r.t: y})
	require.NoError(t, err)
	require.Less(t, scalarOf(t, after, r.loss), before)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	r := newRegression(t)
	s := r.prog.NewSession()
	x, y := data(32)
	feed := exec.Feed{r.x: x, r.t: y}
	ctx := context.Background()
	step := func() {
		if _, err := s.Run(ctx, feed); err != nil {
			t.Fatal(err)
		}
	}
	step()
	allocs.RequireNone(t, 100, step)
}

// Rows that are long enough for chunks need room of different sizes in kernels of different ranks.
func TestLongRowsAllocateNothing(t *testing.T) {
	g := graph.New("long rows")
	x := g.Input("x", graph.Float32, 2, 3, 20_000)
	y, z := g.Input("y", graph.Float32, 3, 40_000), g.Param("z", graph.Float32, 3, 1)
	p, err := exec.Compile(g, exec.Outputs(ops.Softmax(ops.Add(x, z), 2), ops.Softmax(y, 1)))
	require.NoError(t, err)
	s := p.NewSession(exec.Threads(1))
	feed := exec.Feed{x: exec.Array{Shape: []int{2, 3, 20_000}, Data: make([]float32, 120_000)},
		y: exec.Array{Shape: []int{3, 40_000}, Data: make([]float32, 120_000)}}
	step := func() {
		if _, err := s.Run(context.Background(), feed); err != nil {
			t.Fatal(err)
		}
	}
	step()
	allocs.RequireNone(t, 20, step)
}

func TestBadFeeds(t *testing.T) {
	r := newRegression(t)
	s := r.prog.NewSession()
	x, y := data(8)
	_, seven := data(7)
	other := graph.New("other").Input("stranger", graph.Float32, 1)
	const vastBits = strconv.IntSize/2 + 1 // of a size whose square no int holds
	const vast = 1 << vastBits
	for name, c := range map[string]struct {
		feed exec.Feed
		want string
	}{
		"missing": {exec.Feed{r.x: x}, "input t is not fed"},
		"missing, and a nil node": {exec.Feed{r.x: x, nil: y},
			"input t is not fed; it is float32[batch], declared at exec_test.go"},
		"another's": {exec.Feed{r.x: x, other: y},
			"fed, but not an input of the program: stranger, which is not a node of graph"},
		"misspelt": {exec.Feed{r.x: x, nil: y},
			"a nil node, which Graph.ByName returns for a name that the graph does not have"},
		"wrong rank": {exec.Feed{r.x: y, r.t: y}, "input x has rank 2, got rank 1"},
		"wrong dtype": {exec.Feed{r.x: exec.Array{Shape: []int{8, 4}, Data: make([]float64, 32)}, r.t: y},
			"input x needs dtype float32, got float64"},
		"wrong size": {exec.Feed{r.x: exec.Array{Shape: []int{8, 5}, Data: make([]float32, 40)}, r.t: y},
			"axis 1 of input x is 5"},
		"another batch": {exec.Feed{r.x: x, r.t: seven}, "batch = 8   from input x, axis 0"},
		"stranger":      {exec.Feed{r.x: x, r.t: y, other: y}, "stranger"},
		"nil tensor":    {exec.Feed{r.x: (*tensor.Dense)(nil), r.t: y}, "the tensor is nil"},
		"nil":           {exec.Feed{r.x: nil, r.t: y}, "cannot be fed"},
		"short data": {exec.Feed{r.x: exec.Array{Shape: []int{8, 4}, Data: make([]float32, 3)}, r.t: y},
			"has 32 elements, but got 3"},
		"vast shape": {exec.Feed{r.x: exec.Array{Shape: []int{vast, vast}, Data: make([]float32, 3)}, r.t: y},
			fmt.Sprintf("has %v elements, but got 3", new(big.Int).Lsh(big.NewInt(1), 2*vastBits))},
		"empty of vast": {exec.Feed{r.x: exec.Array{Shape: []int{vast, vast, 0}, Data: make([]float32, 3)}, r.t: y},
			"has 0 elements, but got 3"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Run(context.Background(), c.feed)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := s.Run(context.Background(), exec.Feed{r.x: x, r.t: y})
	require.NoError(t, err, "the session is as good as before")
}

func TestEmptyBatch(t *testing.T) {
	r := newRegression(t)
	out, err := r.prog.NewSession().Run(context.Background(), exec.Feed{
		r.x: exec.Array{Shape: []int{0, 4}, Data: []float32{}}, r.t: exec.Array{Shape: []int{0}, Data: []float32{}}})
	require.NoError(t, err)
	require.True(t, math.IsNaN(scalarOf(t, out, r.loss)), "the mean of nothing is NaN")
}

func TestCancelledContextStops(t *testing.T) {
	r := newRegression(t)
	x, y := data(8)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := r.prog.NewSession().Run(ctx, exec.Feed{r.x: x, r.t: y})
	require.ErrorIs(t, err, context.Canceled)
}

func TestViewsAreCopiedOnTheWayIn(t *testing.T) {
	g := graph.New("views")
	x := g.Input("x", graph.Float32, 3, 2)
	y := ops.Mul(x, graph.Num(2))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	d := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	require.NoError(t, d.T())
	out, err := p.NewSession().Run(context.Background(), exec.Feed{x: d})
	require.NoError(t, err)
	require.Equal(t, []float32{2, 8, 4, 10, 6, 12}, arrayOf(t, out, y).Data)
	dense, err := out.Dense(y)
	require.NoError(t, err)
	require.Equal(t, []float32{2, 8, 4, 10, 6, 12}, dense.Data())
}

func TestTargetOutOfRangeStopsTheRun(t *testing.T) {
	g := graph.New("classes")
	x := g.Input("x", graph.Float32, 3, 5)
	target := g.Input("target", graph.Int64, 3)
	loss := ops.CrossEntropy(x, target)
	p, err := exec.Compile(g, exec.Outputs(loss))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(), exec.Feed{
		x:      exec.Array{Shape: []int{3, 5}, Data: make([]float32, 15)},
		target: exec.Array{Shape: []int{3}, Data: []int64{0, 1, 5}}})
	var stopped *exec.RunError
	require.ErrorAs(t, err, &stopped)
	require.ErrorContains(t, err, "out of bounds")
	require.ErrorContains(t, err, "exec_test.go:")
}

func TestUndecidedAxisBroadcastsAndSumsBack(t *testing.T) {
	g := graph.New("may be one")
	n := g.Dim("n")
	m := g.Dim("m", graph.MayBeOne())
	x := g.Input("x", graph.Float32, n, 3)
	y := g.Input("y", graph.Float32, m, 3)
	loss := ops.Sum(ops.Mul(x, y))
	dy := autodiff.Grad(loss, []*graph.Node{y})[0]
	p, err := exec.Compile(g, exec.Outputs(loss, dy))
	require.NoError(t, err)
	s := p.NewSession()
	xs := exec.Array{Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}
	out, err := s.Run(context.Background(),
		exec.Feed{x: xs, y: exec.Array{Shape: []int{1, 3}, Data: []float32{1, 1, 1}}})
	require.NoError(t, err)
	require.Equal(t, 21.0, scalarOf(t, out, loss))
	require.Equal(t, exec.Array{Shape: []int{1, 3}, Data: []float32{5, 7, 9}}, arrayOf(t, out, dy))
	out, err = s.Run(context.Background(),
		exec.Feed{x: xs, y: exec.Array{Shape: []int{2, 3}, Data: []float32{1, 1, 1, 2, 2, 2}}})
	require.NoError(t, err)
	require.Equal(t, 36.0, scalarOf(t, out, loss))
	require.Equal(t, exec.Array{Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}, arrayOf(t, out, dy))
	_, err = s.Run(context.Background(), exec.Feed{x: xs, y: exec.Array{Shape: []int{5, 3}, Data: make([]float32, 15)}})
	require.ErrorContains(t, err, "BL501")
}
