package exec_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// wide is a program whose kernels are cut in all ways: by rows, within rows, by chunks of rows or of
// a sum, by rows of a product.
func wide(t *testing.T) (*exec.Program, []*graph.Node, exec.Feed) {
	t.Helper()
	g := graph.New("wide")
	x := g.Input("x", graph.Float32, 700, 300)
	b := g.Input("b", graph.Float32, 300)
	w := g.Input("w", graph.Float32, 300, 200)
	flat := g.Input("flat", graph.Float32, 500_000)
	h := ops.Softmax(ops.Tanh(ops.Add(x, b)), -1)
	loss := ops.Add(ops.Sum(ops.Square(ops.MatMul(h, w))), ops.Sum(ops.Sin(x)))
	outputs := append(autodiff.Grad(loss, []*graph.Node{x, b, w}), loss, ops.Exp(flat), ops.Sum(flat),
		ops.Softmax(flat, -1))
	prog, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	feed := exec.Feed{}
	for _, n := range g.Inputs() {
		shape, _ := n.Shape().Ints()
		count := 1
		for _, d := range shape {
			count *= d
		}
		data := make([]float32, count)
		for i := range data {
			data[i] = float32(i*7919%2003)/1000 - 1
		}
		feed[n] = exec.Array{Shape: shape, Data: data}
	}
	return prog, outputs, feed
}

func run(t *testing.T, s *exec.Session, outputs []*graph.Node, feed exec.Feed) (values [][]float32) {
	out, err := s.Run(context.Background(), feed)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, n := range outputs {
		values = append(values, append([]float32(nil), arrayOf(t, out, n).Data.([]float32)...))
	}
	return values
}

// Results have the same bits on any number of threads and processors, and sessions that
// run at once do not disturb each other.
func TestThreadsGiveTheSameBits(t *testing.T) {
	prog, outputs, feed := wide(t)
	want := run(t, prog.NewSession(exec.Threads(1)), outputs, feed)
	all := []int{1, 2, 8}
	if testing.Short() {
		all = []int{2}
	}
	for _, processors := range all {
		before := runtime.GOMAXPROCS(processors)
		for _, threads := range []int{2, 8} {
			var group sync.WaitGroup
			for range 2 {
				group.Go(func() {
					s := prog.NewSession(exec.Threads(threads))
					for range 2 {
						got := run(t, s, outputs, feed)
						for i := range want {
							if !sameBits(want[i], got[i]) {
								t.Errorf("%d processors, %d threads: output %d differs", processors, threads, i)
							}
						}
					}
				})
			}
			group.Wait()
		}
		runtime.GOMAXPROCS(before)
	}
}

func sameBits(x, y []float32) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && (x[i] == x[i] || y[i] == y[i]) {
			return false
		}
	}
	return true
}

func TestThreadsAllocateNothing(t *testing.T) {
	prog, _, feed := wide(t)
	s := prog.NewSession(exec.Threads(4))
	ctx := context.Background()
	step := func() {
		if _, err := s.Run(ctx, feed); err != nil {
			t.Fatal(err)
		}
	}
	runs := 20
	if testing.Short() {
		runs = 5
	}
	for range runs {
		step()
	}
	allocs.RequireNone(t, runs, step)
}

// A failed check stops the run on any number of threads.
func TestThreadsReportFaults(t *testing.T) {
	g := graph.New("fault")
	x := g.Input("x", graph.Float32, 100_000, 4)
	target := g.Input("target", graph.Int64, 100_000)
	prog, err := exec.Compile(g, exec.Outputs(ops.CrossEntropy(x, target)))
	require.NoError(t, err)
	targets := make([]int64, 100_000)
	targets[70_000] = 9
	feed := exec.Feed{x: exec.Array{Shape: []int{100_000, 4}, Data: make([]float32, 400_000)},
		target: exec.Array{Shape: []int{100_000}, Data: targets}}
	for _, threads := range []int{1, 4} {
		_, err := prog.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
		require.ErrorContains(t, err, "out of bounds")
	}
}

// Windows of many elements that overlap are reduced along one axis after the other, so that a result takes no operation
// for each of them.
func TestLargeWindowsTakeFewOperations(t *testing.T) {
	for name, pool := range map[string]func(x *graph.Node) *graph.Node{
		"max": func(x *graph.Node) *graph.Node { return ops.MaxPool2D(x, 9, 9, ops.Stride(1), ops.Padding(4)) },
		"avg": func(x *graph.Node) *graph.Node { return ops.AvgPool2D(x, 9, 9, ops.Stride(1), ops.Padding(4)) },
	} {
		g := graph.New(name)
		y := pool(g.Input("x", graph.Float32, 4, 50, 50))
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		stats, err := p.Stats(nil)
		require.NoError(t, err)
		require.Less(t, stats.Flops, 4*50*50*25, name)
	}
}

// Windows of elements of 16 bits are reduced as those of float32 are: without a loop over their elements, with the same
// bits.
func TestWindowsOf16BitsAreReducedWithoutALoop(t *testing.T) {
	const n, size = 3, 24
	data := make([]float32, n*size*size)
	for i := range data {
		data[i] = float32(i*i%251) / 8
	}
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16} {
		for name, pool := range map[string]func(x *graph.Node) *graph.Node{
			"max":     func(x *graph.Node) *graph.Node { return ops.MaxPool2D(x, 2, 2) },
			"overlap": func(x *graph.Node) *graph.Node { return ops.MaxPool2D(x, 3, 3, ops.Stride(2), ops.Padding(1)) },
			"axis":    func(x *graph.Node) *graph.Node { return ops.MaxPool1D(x, 2) },
			"mean":    func(x *graph.Node) *graph.Node { return ops.AvgPool2D(x, 2, 2) },
		} {
			g := graph.New(name)
			x := g.Input("x", graph.Float32, n, size, size)
			narrow := ops.Cast(x, dt)
			y, want := pool(narrow), ops.Cast(pool(ops.Cast(narrow, graph.Float32)), dt)
			one, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			for _, k := range one.Plan().Kernels {
				require.NotContains(t, fmt.Sprint(k.Programs), "accumulate", "%s of %s", name, dt)
				require.NotContains(t, fmt.Sprint(k.Programs), "reduce", "%s of %s", name, dt)
			}
			both, err := exec.Compile(g, exec.Outputs(y, want))
			require.NoError(t, err)
			out, err := both.NewSession().Run(t.Context(),
				exec.Feed{x: exec.Array{Shape: []int{n, size, size}, Data: data}})
			require.NoError(t, err)
			require.Equal(t, arrayOf(t, out, want).Data, arrayOf(t, out, y).Data, "%s of %s", name, dt)
		}
	}
}
