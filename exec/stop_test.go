package exec_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// afterSome is a context that ends when it has been asked so many times, as kernels do between blocks of a product.
type afterSome struct {
	context.Context
	left int64
}

func (c *afterSome) Done() <-chan struct{} { return make(chan struct{}) }

func (c *afterSome) Err() error {
	if atomic.AddInt64(&c.left, -1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestARunStopsInTheMiddleOfAProduct stops a run at each time that its only kernel asks, and runs it again.
func TestARunStopsInTheMiddleOfAProduct(t *testing.T) {
	const n = 700
	for _, dtype := range []graph.DType{graph.Float32, graph.Float64, graph.Int32} {
		g := graph.New("product")
		x, y := g.Input("x", dtype, n, n), g.Input("y", dtype, n, n)
		out := ops.MatMul(x, y)
		p, err := exec.Compile(g, exec.Outputs(out, ops.Neg(out)))
		require.NoError(t, err)
		feed := exec.Feed{x: ones(dtype, n), y: ones(dtype, n)}
		s := p.NewSession(exec.Threads(1))
		asked := &afterSome{context.Background(), 1 << 30}
		r, err := s.Run(asked, feed)
		require.NoError(t, err)
		require.Equal(t, float64(n), lastOf(t, r, out))
		times := int(1<<30 - asked.left)
		require.Greater(t, times, 8, "how often a run asks")
		for at := range times {
			_, err := s.Run(&afterSome{context.Background(), int64(at)}, feed)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorContains(t, err, "the run was stopped")
			if at%5 == 0 {
				r, err := s.Run(t.Context(), feed)
				require.NoError(t, err)
				require.Equal(t, float64(n), lastOf(t, r, out))
			}
		}
	}
}

// TestAProductThatIsWrittenToAParameterIsWhole stops steps of training: the parameter is that of before, or of after.
func TestAProductThatIsWrittenToAParameterIsWhole(t *testing.T) {
	const n = 600
	g := graph.New("update")
	x, w := g.Input("x", graph.Float32, n, n), g.Param("w", graph.Float32, n, n)
	p, err := exec.Compile(g, exec.Updates(ops.AddInPlace(w, ops.MatMul(x, x))))
	require.NoError(t, err)
	s := p.NewSession(exec.Threads(1))
	for at := range 40 {
		before, err := s.Param(w)
		require.NoError(t, err)
		_, _ = s.Run(&afterSome{context.Background(), int64(at)}, exec.Feed{x: ones(graph.Float32, n)})
		after, err := s.Param(w)
		require.NoError(t, err)
		a, b := before.Data.([]float32), after.Data.([]float32)
		added := b[0] - a[0]
		require.Contains(t, []float32{0, n}, added)
		for i := range a {
			if b[i]-a[i] != added {
				t.Fatalf("element %d has changed by %v, and element 0 by %v", i, b[i]-a[i], added)
			}
		}
	}
}

// TestARunStopsInTheMiddleOfAttention stops attention, forward and backward, between blocks of queries.
func TestARunStopsInTheMiddleOfAttention(t *testing.T) {
	g := graph.New("attention")
	x := g.Input("x", graph.Float32, 2, 600, 32)
	y := ops.ScaledDotProductAttention(x, x, x, ops.Causal())
	dx := autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x})[0]
	p, err := exec.Compile(g, exec.Outputs(y, dx))
	require.NoError(t, err)
	data := make([]float32, 2*600*32)
	for i := range data {
		data[i] = float32(i%37)/37 - 0.5
	}
	feed := exec.Feed{x: exec.Array{Shape: []int{2, 600, 32}, Data: data}}
	for _, threads := range []int{1, 2} {
		s := p.NewSession(exec.Threads(threads))
		result := func() []float32 {
			r, err := s.Run(t.Context(), feed)
			require.NoError(t, err)
			a, err := r.Array(dx)
			require.NoError(t, err)
			return slices.Clone(a.Data.([]float32))
		}
		want := result()
		asked := &afterSome{context.Background(), 1 << 30}
		_, err = s.Run(asked, feed)
		require.NoError(t, err)
		times := int(1<<30 - asked.left)
		require.Greater(t, times, 2*p.Kernels(), "how often a run asks")
		for at := 0; at < times-1; at += 1 + times/30 {
			_, err := s.Run(&afterSome{context.Background(), int64(at)}, feed)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, want, result())
		}
	}
}

// TestRunsThatMayStopAllocateNothing runs with a context that can end.
func TestRunsThatMayStopAllocateNothing(t *testing.T) {
	g := graph.New("allocs")
	x := g.Input("x", graph.Float32, 300, 300)
	p, err := exec.Compile(g, exec.Outputs(ops.MatMul(x, x)))
	require.NoError(t, err)
	s, feed := p.NewSession(), exec.Feed{x: ones(graph.Float32, 300)}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	allocs.RequireNone(t, 10, func() { _, _ = s.Run(ctx, feed) })
}

func ones(dtype graph.DType, n int) exec.Array {
	all := slices.Repeat([]float64{1}, n*n)
	return exec.Array{Shape: []int{n, n}, Data: reference.FromFloats(dtype, all, n, n).Data}
}

// lastOf is the last element of a result.
func lastOf(t *testing.T, r *exec.Results, of *graph.Node) float64 {
	t.Helper()
	a := arrayOf(t, r, of)
	all := reference.Value{DType: of.DType(), Shape: a.Shape, Data: a.Data}.Floats()
	return all[len(all)-1]
}
