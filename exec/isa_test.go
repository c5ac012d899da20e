package exec_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// A program of every kind of kernel and its gradients have the same bits on every
// instruction set.
func TestEverySettingGivesTheSameBits(t *testing.T) {
	settings.Same(t, func() string {
		prog, outputs, feed := wide(t)
		var text strings.Builder
		for i, values := range run(t, prog.NewSession(), outputs, feed) {
			h := fnv.New64a()
			require.NoError(t, binary.Write(h, binary.LittleEndian, values))
			fmt.Fprintf(&text, "output %d: %016x\n", i, h.Sum64())
		}
		return text.String()
	})
}

// The losses of 100 steps of training are the same to the last bit, although each depends
// on all the sums before it.
func TestEverySettingGivesTheSameCurve(t *testing.T) {
	settings.Same(t, func() string {
		s, loss, feed := perceptron(t)
		var text strings.Builder
		for i := range 100 {
			out, err := s.Run(context.Background(), feed)
			require.NoError(t, err)
			fmt.Fprintf(&text, "step %d: %x\n", i, scalarOf(t, out, loss))
		}
		return text.String()
	})
}

// perceptron is a network of three layers that is large enough for several threads, with
// its training step and a batch to run it on.
func perceptron(t testing.TB) (s *exec.Session, loss *graph.Node, feed exec.Feed) {
	const batch, inputs, classes = 50, 133, 10
	g := graph.New("perceptron")
	x := g.Input("x", graph.Float32, batch, inputs)
	target := g.Input("target", graph.Int64, batch)
	h := ops.Relu(testmodel.Linear(g, "first", x, 101))
	h = ops.Gelu(testmodel.Linear(g, "second", h, 64))
	loss = ops.CrossEntropy(testmodel.Linear(g, "third", h, classes), target)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(0.003).Minimize(loss)...))
	require.NoError(t, err)
	xs, targets := make([]float32, batch*inputs), make([]int64, batch)
	for i := range xs {
		xs[i] = float32(i*7919%2003)/1000 - 1
	}
	for i := range targets {
		targets[i] = int64(i % classes)
	}
	return prog.NewSession(), loss, exec.Feed{
		x: exec.Array{Shape: []int{batch, inputs}, Data: xs}, target: exec.Array{Shape: []int{batch}, Data: targets},
	}
}
