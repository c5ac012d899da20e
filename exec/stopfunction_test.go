package exec_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestAUsersFunctionIsEnded cancels runs while functions compute that would never end, one of which asks from a
// goroutine of its own; deferred calls of the function run.
func TestAUsersFunctionIsEnded(t *testing.T) {
	for name, compute := range map[string]func(a *graph.Arrays){
		"Poll": func(a *graph.Arrays) {
			for {
				a.Poll(100)
			}
		},
		"Stopped": func(a *graph.Arrays) {
			done := make(chan bool)
			go func() {
				for !a.Stopped() {
					time.Sleep(time.Millisecond)
				}
				close(done)
			}()
			<-done
		},
	} {
		for _, threads := range []int{1, 2} {
			started, left := make(chan bool, 100), make(chan bool, 100)
			g := graph.New(name)
			x := g.Input("x", graph.Float32, 64, 1000)
			y := ops.PureCallback("Endless", []*graph.Node{x},
				[]ops.CallbackResult{{DType: graph.Float32, Shape: x.Shape()}}, func(a *graph.Arrays) error {
					defer func() { left <- true }()
					started <- true
					compute(a)
					return nil
				}, nil)[0]
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				cancel()
			}()
			began := time.Now()
			r, err := p.NewSession(exec.Threads(threads)).Run(ctx, exec.Feed{x: make([]float32, 64_000)})
			require.Nil(t, r, name)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, "exec: the run was stopped in kernel 1 of")
			require.Less(t, time.Since(began), 10*time.Second)
			require.NotEmpty(t, left)
		}
	}
}
