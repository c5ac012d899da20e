package exec_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A loop writes what it keeps of all steps over what it takes apart, if a step has read each element before it writes
// there and nothing else reads it: the bits are those of a program that needs both.
func TestLoopsWriteOverWhatTheyTakeApart(t *testing.T) {
	halves := func(x, h *graph.Node, first, second int) *graph.Node {
		parts := ops.Chunk(x, 1, 2)
		h = ops.Slice(h, 1, 0, h.Shape()[1].FloorDiv(2), 1)
		return ops.Concat(1, ops.Add(ops.Sigmoid(parts[first]), h), ops.Mul(ops.Tanh(parts[second]), h))
	}
	type values = []*graph.Node
	for name, c := range map[string]struct {
		step func(x, h *graph.Node) (out values)
		over bool
	}{
		"a sum":            {func(x, h *graph.Node) values { return values{ops.Add(x, h)} }, true},
		"halves":           {func(x, h *graph.Node) values { return values{halves(x, h, 0, 1)} }, true},
		"exchanged halves": {func(x, h *graph.Node) values { return values{halves(x, h, 1, 0)} }, true},
		"read twice":       {func(x, h *graph.Node) values { return values{ops.Softmax(ops.Add(x, h), 1)} }, false},
		"two results":      {func(x, h *graph.Node) values { return values{ops.Add(x, h), ops.Mul(x, h)} }, true},
		"read afterwards":  {func(x, h *graph.Node) values { return values{ops.Add(x, ops.MatMul(x, h))} }, false},
		"another order":    {func(x, h *graph.Node) values { return values{ops.Add(ops.Flip(x, 1), h)} }, false},
		"transposed": {func(x, h *graph.Node) values { return values{ops.Add(ops.Transpose(x, 0, 1), h)} },
			false},
		"read before too": {func(x, h *graph.Node) values { return values{ops.Add(x, ops.Flip(ops.Mul(x, h), 0))} },
			true},
	} {
		for _, reverse := range []bool{false, true} {
			t.Run(fmt.Sprint(name, reverse), func(t *testing.T) {
				const steps, size = 9, 64
				build := func(needsBoth bool) (*graph.Graph, values) {
					g := graph.New("over")
					in, h := g.Input("in", graph.Float32, steps, size, size), g.Input("h", graph.Float32, size, size)
					x := ops.Sin(ops.MatMul(in, h))
					_, all := ops.Scan(ops.Loop{Carry: values{h}, Over: values{x}, Reverse: reverse},
						func(h, x values) (next, out values) {
							return values{ops.Mul(h[0], graph.Num(0.75))}, c.step(x[0], h[0])
						})
					outputs := values{ops.Sum(ops.Square(ops.MatMul(all[0], h)))}
					for _, y := range all {
						outputs = append(outputs, ops.Sum(ops.MatMul(y, h), 0))
					}
					if needsBoth {
						outputs = append(outputs, ops.Sum(ops.MatMul(x, h)))
					}
					return g, outputs
				}
				g, outputs := build(true)
				want := results(t, g, outputs, randomFeed(t, g), 1)
				g, outputs = build(false)
				for _, threads := range []int{1, 3} {
					for i, got := range results(t, g, outputs, randomFeed(t, g), threads) {
						requireBits(t, want[i], got, outputs[i].Label())
					}
				}
				p, err := exec.Compile(g, exec.Outputs(outputs...))
				require.NoError(t, err)
				over := false
				for _, b := range p.Plan().Buffers {
					_, isLoop := b.Node.Loop()
					over = over || isLoop && b.InPlace >= 0
				}
				require.Equal(t, c.over, over)
			})
		}
	}
}

// What a loop takes apart may also be what a carried value begins with, which the first step reads as a whole: also
// after its first element was written over.
func TestLoopsKeepWhatCarriedValuesBeginWith(t *testing.T) {
	const steps = 5
	g := graph.New("carried")
	in := g.Input("in", graph.Float64, steps)
	x := ops.Sin(in)
	final, all := ops.Scan(ops.Loop{Carry: []*graph.Node{x}, Over: []*graph.Node{x}},
		func(c, x []*graph.Node) (next, out []*graph.Node) {
			y := ops.Exp(x[0])
			return []*graph.Node{ops.Neg(c[0])}, []*graph.Node{y}
		})
	feed := exec.Feed{in: []float64{0.1, 0.2, 0.3, 0.4, 0.5}}
	for i, v := range results(t, g, []*graph.Node{final[0], all[0]}, feed, 1) {
		for j, bits := range v {
			x := math.Sin(float64(j+1) / 10)
			require.InDelta(t, []float64{-x, math.Exp(x)}[i], math.Float64frombits(bits), 1e-12)
		}
	}
}
