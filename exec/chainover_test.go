package exec_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// biasedAttention is attention with scores [batch…, queries, keys] to which a bias of a shape is added, and its
// gradients for queries and bias.
func biasedAttention(g *graph.Graph, dt graph.DType, batch graph.Shape, queries, keys graph.Dim, bias graph.Shape,
	causal bool) []*graph.Node {
	input := func(name string, rows graph.Dim) *graph.Node {
		return g.Input(name, dt, append(slices.Clone(batch), rows, 8)...)
	}
	q, k, v, u := input("q", queries), input("k", keys), input("v", keys), input("u", queries)
	b := g.Input("bias", dt, bias...)
	s := ops.Add(ops.Mul(ops.MatMul(q, ops.Transpose(k, -1, -2)), graph.Num(.3)), b)
	if causal {
		rows, cols := positions(s)
		s = maskedBy(s, ops.Greater(cols, rows))
	}
	y := ops.MatMul(ops.Softmax(s, -1), v)
	return append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Mul(y, u)), []*graph.Node{q, k, v, b})...)
}

// Gradients of a bias that several matrices of scores share have the bits of whole matrices, whatever they share it
// along, on any number of threads.
func TestChainsAddUpGradientsOfSharedBiases(t *testing.T) {
	const queries, keys = 70, 45
	for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
		for _, c := range []struct{ batch, bias []int }{
			{[]int{4, 3}, []int{3, queries, keys}},
			{[]int{4, 3}, []int{1, 3, queries, keys}},
			{[]int{4, 3}, []int{queries, keys}},
			{[]int{4, 3}, []int{4, 1, queries, keys}},
			{[]int{4, 3}, []int{4, 3, queries, keys}},
			{[]int{4, 3}, []int{3, 1, keys}},
			{[]int{4, 3}, []int{3, queries, 1}},
			{[]int{1, 3}, []int{3, queries, keys}},
			{[]int{5}, []int{queries, keys}},
			{[]int{300}, []int{queries, keys}}, // more than are added up at once
			{[]int{2, 3, 2}, []int{3, 2, queries, keys}},
			{[]int{2, 3, 2}, []int{2, queries, keys}},
			{[]int{0, 3}, []int{3, queries, keys}},
		} {
			for _, causal := range []bool{false, true} {
				if c.batch[0] == 300 && (causal || testing.Short()) {
					continue
				}
				t.Run(fmt.Sprint(dt, c.batch, c.bias, causal), func(t *testing.T) {
					g := graph.New("attention")
					outputs := biasedAttention(g, dt, graph.MakeShape(c.batch...), queries, keys,
						graph.MakeShape(c.bias...), causal)
					feed := randomFeed(t, g)
					whole := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
					for _, rows := range []int{14, 30, 500} {
						for _, threads := range []int{1, 3} {
							got := results(t, g, outputs, feed, threads, exec.ChainsOf(rows))
							for i := range outputs {
								requireBits(t, whole[i], got[i],
									fmt.Sprintf("output %d, blocks of %d rows, %d threads", i, rows, threads))
							}
						}
					}
				})
			}
		}
	}
}

// Gradients of a learned bias take the memory of the bias, not that of the scores of all examples: of a table by
// distance too, as T5 has it.
func TestLearnedBiasesTakeNoMemoryOfScores(t *testing.T) {
	const heads, places = 4, 512
	peak := func(batch graph.Dim, bias func(g *graph.Graph) (learned, shown *graph.Node)) int {
		g := graph.New("attention")
		input := func(name string) *graph.Node { return g.Input(name, graph.Float32, batch, heads, places, 16) }
		q, k, v := input("q"), input("k"), input("v")
		learned, shown := bias(g)
		y := ops.ScaledDotProductAttention(q, k, v, ops.AttentionMask(shown))
		loss := ops.Sum(ops.Square(y))
		p, err := exec.Compile(g, exec.Outputs(autodiff.Grad(loss, []*graph.Node{q, k, v, learned})...))
		require.NoError(t, err)
		s := p.NewSession(exec.Threads(2))
		feed := randomFeed(t, g)
		run := func() {
			_, err := s.Run(t.Context(), feed)
			require.NoError(t, err)
		}
		run()
		allocs.RequireNone(t, 2, run)
		f, err := p.Footprint(nil)
		require.NoError(t, err)
		return f.Arena
	}
	whole := func(g *graph.Graph) (learned, shown *graph.Node) {
		b := g.Input("bias", graph.Float32, heads, places, places)
		return b, b
	}
	byDistance := func(g *graph.Graph) (learned, shown *graph.Node) {
		table := g.Input("bias", graph.Float32, 2*places-1, heads)
		rows, cols := ops.Iota(g, 0, places, places), ops.Iota(g, 1, places, places)
		at := ops.Add(ops.Sub(rows, cols), graph.Num(places-1))
		return table, ops.MoveAxis(ops.Take(table, 0, at), -1, 0)
	}
	for name, bias := range map[string]func(*graph.Graph) (learned, shown *graph.Node){
		"bias": whole, "table": byDistance} {
		few, many := peak(2, bias), peak(8, bias)
		const scores = heads * places * places * 4
		require.Less(t, many-few, 6*scores/4, "%s: bytes of six more examples, whose scores take %d", name, 6*scores)
	}
}
