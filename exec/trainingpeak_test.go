package exec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// peaks are training steps, each with the most bytes that it may take beside inputs, parameters and their states.
var peaks = map[string]struct {
	step  optim.Optimizer
	loss  func(g *graph.Graph) *graph.Node
	bytes int
}{
	// What each layer gives, 1 MB, and two gradients; no masks, which would take 2 MB.
	"relu": {optim.SGD(0.1), func(g *graph.Graph) *graph.Node {
		h := g.Input("x", graph.Float32, 16, 16, 32, 32)
		for i := range 8 {
			h = ops.Relu(ops.Conv2D(h, g.Param(fmt.Sprint("w", i), graph.Float32, 16, 16, 1, 1),
				g.Param(fmt.Sprint("b", i), graph.Float32, 16)))
		}
		return ops.Mean(ops.Square(h))
	}, (8+2)<<20 + 64<<10},
	// The same, and what is normalised of each layer.
	"silu of what is normalised": {optim.SGD(0.1), func(g *graph.Graph) *graph.Node {
		h := g.Input("x", graph.Float32, 16, 16, 32, 32)
		for i := range 8 {
			h = ops.Conv2D(h, g.Param(fmt.Sprint("w", i), graph.Float32, 16, 16, 1, 1), nil)
			h = ops.Silu(ops.GroupNorm(h, 4, g.Param(fmt.Sprint("gain", i), graph.Float32, 16),
				g.Param(fmt.Sprint("bias", i), graph.Float32, 16), 1e-5))
		}
		return ops.Mean(ops.Square(h))
	}, (2*8 + 2) << 20},
	// Filters take 1.3 MB each, and neither decayed averages nor turned filters wait for their gradients.
	"filters by Adam": {optim.Adam(0.001), func(g *graph.Graph) *graph.Node {
		h := g.Input("x", graph.Float32, 1, 192, 12, 12)
		for i := range 6 {
			h = ops.Silu(ops.Conv2D(h, g.Param(fmt.Sprint("w", i), graph.Float32, 192, 192, 3, 3), nil, ops.Padding(1)))
		}
		return ops.Mean(ops.Square(h))
	}, 4 << 20},
	// The gradient of 8,192 logits is 5 MB, and is gone when those of the layers come.
	"bias of classes": {optim.SGD(0.1), func(g *graph.Graph) *graph.Node {
		h := g.Input("x", graph.Float32, 2048, 512)
		for i := range 4 {
			h = ops.Tanh(ops.MatMul(h, g.Param(fmt.Sprint("w", i), graph.Float32, 512, 512)))
		}
		logits := ops.Add(ops.MatMul(ops.Slice(ops.Slice(h, 0, 0, 160, 1), 1, 0, 32, 1),
			g.Param("w", graph.Float32, 32, 8192)), g.Param("b", graph.Float32, 8192))
		return ops.CrossEntropy(logits, g.Input("target", graph.Int64, 160))
	}, (4*4 + 2*4) << 20},
	// Tiles of gradients are turned for one convolution after the other.
	"residual convolutions": {optim.SGD(0.1), func(g *graph.Graph) *graph.Node {
		h := g.Input("x", graph.Float32, 4, 64, 28, 28)
		for i := range 4 {
			h = ops.Add(
				h,
				ops.Relu(ops.Conv2D(h, g.Param(fmt.Sprint("w", i), graph.Float32, 64, 64, 3, 3), nil, ops.Padding(1))))
		}
		return ops.Mean(ops.Square(h))
	}, 23 << 19},
	// Scores of 128 positions are in no memory: those of a layer would be 2 MB.
	"short attention": {optim.SGD(0.1), func(g *graph.Graph) *graph.Node {
		h := g.Input("x", graph.Float32, 8, 4, 128, 32)
		for i := range 4 {
			of := func(name string) *graph.Node {
				return ops.MatMul(h, g.Param(fmt.Sprint(name, i), graph.Float32, 32, 32))
			}
			h = ops.ScaledDotProductAttention(of("q"), of("k"), of("v"))
		}
		return ops.Mean(ops.Square(h))
	}, (4*4 + 6) << 19},
}

// What a training step takes is what must be there at once: values that come cheaply from others are not kept from
// forward to backward, and nothing is computed long before it is needed.
func TestPeaksOfTrainingSteps(t *testing.T) {
	for name, m := range peaks {
		t.Run(name, func(t *testing.T) {
			g := graph.New("step")
			loss := m.loss(g)
			p, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(m.step.Minimize(loss)...))
			require.NoError(t, err)
			s, err := p.Stats(nil)
			require.NoError(t, err)
			require.LessOrEqual(t, s.Peak, m.bytes)
		})
	}
}
