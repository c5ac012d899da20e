package exec_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestPackedWeightsFollowTheParameter multiplies by a weight that is set, and trained by
// another session, between runs. The same weight fed as an input must give the same bits.
func TestPackedWeightsFollowTheParameter(t *testing.T) {
	const in, out = 70, 150 // 42 kB
	forms := []struct {
		name            string
		example, weight []int
		layer           func(x, w *graph.Node) *graph.Node
	}{
		{"rows", []int{in}, []int{in, out}, func(x, w *graph.Node) *graph.Node { return ops.MatMul(x, w) }},
		{"columns", []int{in}, []int{out, in}, func(x, w *graph.Node) *graph.Node {
			return ops.MatMul(x, ops.Transpose(w, 0, 1))
		}},
		{"experts", []int{3, in}, []int{3, out, in}, func(x, w *graph.Node) *graph.Node {
			return ops.MatMul(ops.Transpose(x, 0, 1), ops.Transpose(w, 1, 2))
		}},
		{"filters that are turned", []int{48, 28, 28}, []int{64, 48, 3, 3}, func(x, w *graph.Node) *graph.Node {
			return ops.Conv2D(x, w, nil, ops.Padding(1))
		}},
	}
	for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
		for _, form := range forms {
			t.Run(fmt.Sprint(dtype, " ", form.name), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				shape := form.weight
				g := graph.New("weights")
				x := g.Input("x", dtype, append(graph.Shape{g.Dim("batch")}, graph.MakeShape(form.example...)...)...)
				fed, w := g.Input("w", dtype, graph.MakeShape(shape...)...),
					g.Param("weight", dtype, graph.MakeShape(shape...)...)
				layer := func(w *graph.Node) *graph.Node { return form.layer(x, w) }
				y, want := layer(w), layer(fed)
				loss := ops.Mean(ops.Square(y))
				step, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.1).Minimize(loss, w)...))
				require.NoError(t, err)
				use, err := exec.Compile(g, exec.Outputs(y))
				require.NoError(t, err)
				reference, err := exec.Compile(g, exec.Outputs(want))
				require.NoError(t, err)
				training := step.NewSession()
				session, plain := use.NewSession(exec.ShareParams(training)), reference.NewSession()
				ctx := context.Background()
				for i, batch := range []int{5, 9, 5, 64, 1, 5, 300, 5, 7} {
					if len(form.example) == 3 { // images
						batch = 1 + batch%4
					}
					v := drawn(rng, dtype, append([]int{batch}, form.example...))
					feed := exec.Feed{x: exec.Array{Shape: v.Shape, Data: v.Data}}
					switch i % 3 {
					case 1:
						v := drawn(rng, dtype, shape)
						require.NoError(t, training.SetParam(w, exec.Array{Shape: shape, Data: v.Data}))
					case 2:
						_, err := training.Run(ctx, feed)
						require.NoError(t, err)
					}
					withWeight := maps.Clone(feed)
					value, err := session.Param(w)
					require.NoError(t, err)
					withWeight[fed] = value
					expected, err := plain.Run(ctx, withWeight)
					require.NoError(t, err)
					for again := range 3 { // the second run packs the weight, the third one uses that
						got, err := session.Run(ctx, feed)
						require.NoError(t, err)
						require.Equal(t, arrayOf(t, expected, want).Data, arrayOf(t, got, y).Data, "run %d, time %d", i,
							again)
					}
				}
			})
		}
	}
}

// Sessions of any programs that share a parameter read one packed copy of it, at the same time too; one that
// is written is packed anew.
func TestSessionsSharePackedWeights(t *testing.T) {
	const in, out = 96, 128
	g := graph.New("weights")
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), in), g.Param("weight", graph.Float32, in, out)
	y, other := ops.MatMul(x, w), ops.Relu(ops.MatMul(x, w))
	compile := func(out *graph.Node) *exec.Program {
		p, err := exec.Compile(g, exec.Outputs(out))
		require.NoError(t, err)
		return p
	}
	rng := rand.New(rand.NewPCG(1, 2))
	first := compile(y).NewSession(exec.Threads(1))
	set := func() {
		v := drawn(rng, graph.Float32, []int{in, out})
		require.NoError(t, first.SetParam(w, exec.Array{Shape: v.Shape, Data: v.Data}))
	}
	set()
	sessions := []*exec.Session{first}
	for range 3 {
		sessions = append(sessions, compile(y).NewSession(exec.Threads(2), exec.ShareParams(first)),
			compile(other).NewSession(exec.ShareParams(first)))
	}
	v := drawn(rng, graph.Float32, []int{7, in})
	feed := exec.Feed{x: exec.Array{Shape: v.Shape, Data: v.Data}}
	for range 3 {
		want, err := first.Run(t.Context(), feed) // finds the weight new, and reads it as it lies
		require.NoError(t, err)
		bits := bitsOf(exec.ArrayOf(t, want, y).Data)
		_, err = first.Run(t.Context(), feed)
		require.NoError(t, err)
		one := first.PackedBytes() // none without vector registers
		var wait sync.WaitGroup
		for i, s := range sessions {
			wait.Go(func() {
				for range 4 {
					got, err := s.Run(t.Context(), feed)
					if err == nil && i%2 == 1 {
						assert.Equal(t, bits, bitsOf(exec.ArrayOf(t, got, y).Data))
					}
					assert.NoError(t, err)
				}
			})
		}
		wait.Wait()
		require.Equal(t, one, first.PackedBytes())
		set()
	}
}
