package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// gated is a loop whose steps multiply a state of 4 by 8 with a matrix, and its gradients. The products of all inputs
// with another matrix are made before it, [t, 4, 16]. What comes of both is the next state and, besides, an output.
func gated(g *graph.Graph, steps int, step func(product, x *graph.Node) (next, out *graph.Node)) []*graph.Node {
	in := g.Input("in", graph.Float32, graph.Dim(steps), 4, 3)
	v, w, h := g.Input("v", graph.Float32, 3, 16), g.Input("w", graph.Float32, 8, 16), g.Input("h", graph.Float32, 4, 8)
	x := ops.MatMul(in, v)
	end, all := ops.Scan(ops.Loop{Carry: []*graph.Node{h}, Over: []*graph.Node{x}},
		func(state, x []*graph.Node) (next, out []*graph.Node) {
			n, o := step(ops.MatMul(state[0], w), x[0])
			return []*graph.Node{n}, []*graph.Node{o}
		})
	loss := ops.Add(ops.Sum(ops.Square(end[0])), ops.Sum(ops.Sin(all[0])))
	return append([]*graph.Node{loss}, autodiff.Grad(loss, []*graph.Node{v, w, h})...)
}

// A loop keeps the sum of a product and the input's part of gates in place of the product, where the gradient needs
// nothing else of it; so a step takes less memory, and the bits are the same.
func TestLoopsKeepSumsInPlaceOfProducts(t *testing.T) {
	gate := func(sum *graph.Node) *graph.Node {
		parts := ops.Chunk(sum, 1, 2)
		return ops.Mul(ops.Sigmoid(parts[0]), ops.Tanh(parts[1]))
	}
	const vector = 4 * 16 * 4 // bytes of a step
	for name, c := range map[string]struct {
		step  func(product, x *graph.Node) (next, out *graph.Node)
		saved int
	}{
		"gates": {func(product, x *graph.Node) (next, out *graph.Node) {
			h := gate(ops.Add(product, x))
			return h, h
		}, vector},
		"gates of a sum of three": {func(product, x *graph.Node) (next, out *graph.Node) {
			h := gate(ops.Add(ops.Add(product, graph.Num(0.5)), x))
			return h, h
		}, vector},
		"the product is needed too": {func(product, x *graph.Node) (next, out *graph.Node) {
			h := gate(ops.Add(product, x))
			return h, ops.Mul(h, gate(product))
		}, 0},
		"a factor of the product": {func(product, x *graph.Node) (next, out *graph.Node) {
			h := gate(ops.Mul(product, x))
			return h, h
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bytes := func() int { // of a step
				peak := func(steps int) int {
					g := graph.New("gated")
					p, err := exec.Compile(g, exec.Outputs(gated(g, steps, c.step)...))
					require.NoError(t, err)
					s, err := p.Stats(nil)
					require.NoError(t, err)
					return s.Peak
				}
				return (peak(2000) - peak(1000)) / 1000
			}
			g := graph.New("gated")
			outputs := gated(g, 30, c.step)
			feed := randomFeed(t, g)
			restore := exec.WithoutPass("keep-later")
			before, want := bytes(), results(t, g, outputs, feed, 1)
			restore()
			require.Equal(t, c.saved, before-bytes())
			for i, got := range results(t, g, outputs, feed, 1) {
				requireBits(t, want[i], got, outputs[i].Label())
			}
		})
	}
}
