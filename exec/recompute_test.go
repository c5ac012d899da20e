package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// blocksOfAttention is the mean square of layers of attention with projections, and its gradients for
// the input and the weights.
func blocksOfAttention(g *graph.Graph, layers int, length graph.Dim, dropout bool) []*graph.Node {
	const heads, width = 2, 16
	x := g.Input("x", graph.Float32, 1, length, heads*width)
	wrt := []*graph.Node{x}
	seed := g.Input("seed", graph.Int64)
	split := func(y *graph.Node) *graph.Node {
		return ops.Transpose(ops.Reshape(y, 1, length, heads, width), 1, 2)
	}
	h := x
	for i := range layers {
		weight := func(name string) *graph.Node {
			w := g.Input(name+string(rune('0'+i)), graph.Float32, heads*width, heads*width)
			wrt = append(wrt, w)
			return w
		}
		options := []ops.AttentionOption{ops.Causal()}
		if dropout {
			options = append(options, ops.AttentionDropout(0.25, seed))
		}
		y := ops.ScaledDotProductAttention(split(ops.MatMul(h, weight("q"))), split(ops.MatMul(h, weight("k"))),
			split(ops.MatMul(h, weight("v"))), options...)
		h = ops.Add(h, ops.MatMul(ops.Reshape(ops.Transpose(y, 1, 2), 1, length, heads*width), weight("o")))
	}
	loss := ops.Mean(ops.Square(h))
	return append([]*graph.Node{loss}, autodiff.Grad(loss, wrt)...)
}

// Where gradients come long after the attention that they are of, its weights are computed again, with
// the same bits, and no matrix of positions by positions is ever in memory.
func TestGradientsComputeWeightsAgain(t *testing.T) {
	for _, dropout := range []bool{false, true} {
		g := graph.New("blocks")
		outputs := blocksOfAttention(g, 2, 300, dropout)
		feed := randomFeed(t, g)
		restore := exec.WithoutPass("recompute")
		want := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
		restore()
		for _, threads := range []int{1, 2} {
			got := results(t, g, outputs, feed, threads, exec.ChainsOf(56))
			for i := range outputs {
				requireBits(t, want[i], got[i], outputs[i].Label())
			}
		}
		p, err := exec.Compile(g, exec.Outputs(outputs...), exec.ChainsOf(56))
		require.NoError(t, err)
		s := p.NewSession(exec.Threads(1))
		_, err = s.Run(t.Context(), feed)
		require.NoError(t, err)
		require.Equal(t, 2*(3+6), s.Chained(), "\n%s", p)
	}
}

func TestTrainingTakesLinearMemory(t *testing.T) {
	g := graph.New("blocks")
	length := g.Dim("length")
	p, err := exec.Compile(g, exec.Outputs(blocksOfAttention(g, 3, length, false)...))
	require.NoError(t, err)
	arena := func(n int) int {
		f, err := p.Footprint(map[string]int{"length": n})
		require.NoError(t, err)
		return f.Arena
	}
	require.Less(t, arena(8192), 9*arena(1024))
	require.Less(t, arena(8192), 64<<20, "a matrix of scores has 512 MB")
}

// A product that is computed again only waits for a value: where all who read that compute it themselves, it is in no
// memory.
func TestWhatAProductWaitsForIsNotStored(t *testing.T) {
	g := graph.New("router")
	x, w := g.Input("x", graph.Float64, g.Dim("tokens"), 3), g.Input("w", graph.Float64, 3, 4)
	best, _ := ops.TopK(ops.Softmax(ops.MatMul(x, w), 1), 2, 1, true)
	dx := autodiff.Grad(ops.Sum(ops.Square(best)), []*graph.Node{x})[0]
	second := autodiff.Grad(ops.Sum(ops.Square(dx)), []*graph.Node{x, w})
	p, err := exec.Compile(g, exec.Outputs(second...))
	require.NoError(t, err) // verified: each value that is stored is read
	for _, k := range p.Plan().Kernels {
		for _, n := range k.Writes {
			require.NotEqual(t, "neg", n.Op().Name, "%s", p)
		}
	}
	feed := exec.Feed{x: []float64{1, 2, 0, -1, 0.5, 3}, w: []float64{1, -1, 2, 0.5, 0, 1, -2, 1, 0.25, -0.5, 1, 2}}
	got := results(t, g, second, feed, 1)
	defer exec.WithoutPass("recompute")()
	require.Equal(t, results(t, g, second, feed, 1), got)
}

// A value that a checkpoint computes once more is a view of what stands before it, which waits: it waits where that is
// computed again, too.
func TestScoresAtWhichACheckpointBegins(t *testing.T) {
	g := graph.New("scores")
	n := g.Dim("n")
	q, k, v := g.Input("q", graph.Float64, n, 2), g.Input("k", graph.Float64, n, 2), g.Input("v", graph.Float64, n, 2)
	weights := autodiff.Checkpoint(ops.MatMul(q, ops.Transpose(k, 0, 1)), func(s *graph.Node) *graph.Node {
		return ops.Softmax(ops.Add(s, ops.Sin(s)), -1)
	})
	outputs := autodiff.Grad(ops.Sum(ops.Square(ops.MatMul(weights, v))), []*graph.Node{q, k, v})
	feed := exec.Feed{q: []float64{1, 2, 0, -1, 0.5, 3}, k: []float64{1, -1, 2, 0.5, 0, 1},
		v: []float64{-2, 1, 0.25, -0.5, 1, 2}}
	got := results(t, g, outputs, feed, 1)
	defer exec.WithoutPass("recompute")()
	require.Equal(t, results(t, g, outputs, feed, 1), got)
}

// A loop may carry a matrix that is recomputed, and also use what depends on the first product with it: the second
// product is computed for what is outside the loop.
func TestALoopHandsOnWhatIsComputedAgain(t *testing.T) {
	g := graph.New("handed on")
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 4), g.Input("y", graph.Float32, n, 4)
	weights := ops.Softmax(ops.MatMul(x, ops.Transpose(y, 0, 1)), 1)
	first := ops.Sum(ops.MatMul(weights, y))
	final := ops.Fori(3, []*graph.Node{graph.Num(float32(1)), ops.ZerosLike(weights)},
		func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Mul(c[0], first), weights}
		})
	outputs := []*graph.Node{final[0], ops.Sum(final[1], 0), ops.Sum(ops.Mul(weights, first), 0)}
	feed := exec.Feed{x: exec.Array{Shape: []int{5, 4}, Data: make([]float32, 20)},
		y: exec.Array{Shape: []int{5, 4}, Data: make([]float32, 20)}}
	for _, a := range feed {
		for i := range a.(exec.Array).Data.([]float32) {
			a.(exec.Array).Data.([]float32)[i] = float32(i%7) / 8
		}
	}
	restore := exec.WithoutPass("recompute")
	want := results(t, g, outputs, feed, 1)
	restore()
	for i, got := range results(t, g, outputs, feed, 1) {
		requireBits(t, want[i], got, outputs[i].Label())
	}
}
