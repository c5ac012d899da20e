package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// classifier is a small network with its training step and a batch to run it on.
func classifier(t testing.TB) (s *exec.Session, loss *graph.Node, feed exec.Feed) {
	g := graph.New("classifier")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 64)
	target := g.Input("target", graph.Int64, batch)
	h := ops.Relu(nn.Linear(g, "hidden", x, 32))
	loss = ops.CrossEntropy(nn.Linear(g, "out", h, 10), target)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.001).Minimize(loss)...))
	require.NoError(t, err)
	xs, ts := make([]float32, 32*64), make([]int64, 32)
	for i := range xs {
		xs[i] = float32(i%17) / 17
	}
	for i := range ts {
		ts[i] = int64(i % 10)
	}
	return prog.NewSession(), loss, exec.Feed{x: exec.Array{Shape: []int{32, 64}, Data: xs}, target: exec.Array{Shape: []int{32}, Data: ts}}
}

func TestTrainingAllocatesNothing(t *testing.T) {
	s, _, feed := classifier(t)
	ctx := context.Background()
	steps := func() {
		for range 100 {
			if _, err := s.Run(ctx, feed); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps()
	require.Zero(t, testing.AllocsPerRun(1, steps), "100 steps of training")
}

func BenchmarkTrainingStep(b *testing.B) {
	s, _, feed := classifier(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Run(ctx, feed); err != nil {
			b.Fatal(err)
		}
	}
}
