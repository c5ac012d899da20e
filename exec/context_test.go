package exec_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestACompilationStops stops a compilation each time that it asks, and compiles the graph after it.
func TestACompilationStops(t *testing.T) {
	g := graph.New("training")
	m := nn.NewTransformerEncoder(g, "encoder", 4, 32, 4)
	x := g.Input("x", graph.Float32, 2, 8, 32)
	pass := nn.Training(g)
	loss := ops.Mean(ops.Square(m.Apply(pass, x)))
	step := append(optim.AdamW(0.001).Minimize(loss), pass.Updates()...)
	compile := func(ctx context.Context) (*exec.Program, error) {
		return exec.Compile(g, exec.Outputs(loss), exec.Updates(step...), exec.Context(ctx))
	}
	asked := &afterSome{context.Background(), 1 << 30}
	whole, err := compile(asked)
	require.NoError(t, err)
	times := int(1<<30 - atomic.LoadInt64(&asked.left))
	require.Greater(t, times, 200, "how often a compilation asks")
	seen := map[string]bool{}
	for at := 0; at < times; at += 1 + times/60 {
		p, err := compile(&afterSome{context.Background(), int64(at)})
		require.Nil(t, p)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "exec: the compilation was stopped")
		seen[err.Error()] = true
	}
	require.Greater(t, len(seen), 10, "where compilations stop")
	again, err := compile(t.Context())
	require.NoError(t, err)
	require.Equal(t, whole.String(), again.String())
}

// TestACompilationStopsWhileItComputesConstants stops the evaluation of a large constant.
func TestACompilationStopsWhileItComputesConstants(t *testing.T) {
	g := graph.New("constants")
	x := ops.Reshape(ops.Sin(ops.Cast(ops.Iota(g, 0, 400*400), graph.Float64)), 400, 400)
	_, s, _ := ops.SVD(x)
	y := ops.Mul(g.Input("y", graph.Float64), ops.Sum(s))
	asked := &afterSome{context.Background(), 1 << 30}
	_, err := exec.Compile(g, exec.Outputs(y), exec.Context(asked))
	require.NoError(t, err)
	times := int(1<<30 - atomic.LoadInt64(&asked.left))
	for at := 0; at < times; at += 1 + times/20 {
		_, err := exec.Compile(g, exec.Outputs(y), exec.Context(&afterSome{context.Background(), int64(at)}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// TestTheContextOfACompilationIsNotThatOfRuns has it end between the compilation and a run.
func TestTheContextOfACompilationIsNotThatOfRuns(t *testing.T) {
	g := graph.New("later")
	x, w := g.Input("x", graph.Float32, 2), g.Param("w", graph.Float32, 2)
	y := ops.Mul(x, w)
	var none context.Context
	ctx, cancel := context.WithCancel(t.Context())
	p, err := exec.Compile(g, exec.Outputs(y), exec.Updates(ops.AddInPlace(w, x)), exec.Context(ctx),
		exec.Context(none), exec.Context(ctx))
	require.NoError(t, err)
	cancel()
	s, feed := p.NewSession(), exec.Feed{x: []float32{1, 2}}
	_, err = s.Run(t.Context(), feed)
	require.NoError(t, err)
	_, err = s.RunWithoutUpdates(t.Context(), feed)
	require.NoError(t, err)
	require.NotEmpty(t, p.Snapshots())
	_, err = exec.Compile(g, exec.Outputs(y), exec.Context(ctx))
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "exec: the compilation was stopped before pass import: context canceled")
	_, err = exec.Compile(g, exec.Outputs(y), exec.Context(none))
	require.NoError(t, err)
}
