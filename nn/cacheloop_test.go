package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// TestTextsAreWrittenInOneRun writes greedily in a loop that carries the caches, until every text has ended, and
// compares with texts of which each word is chosen after all of those before, without caches.
func TestTextsAreWrittenInOneRun(t *testing.T) {
	const batch, prompt, longest, words, end = 2, 3, 12, 9, 4
	g := graph.New("writer")
	given := g.Input("given", graph.Int64, batch, g.Dim("places", graph.AtLeast(1)))
	embedding, head := nn.NewEmbedding(g, "embedding", words, 8), nn.NewLinear(g, "head", 8, words)
	blocks := nn.NewTransformerEncoder(g, "blocks", 2, 8, 2, nn.Causal(), nn.RotaryBase(10_000))
	choose := func(p *nn.Pass, word *graph.Node, opts ...nn.AttentionOption) *graph.Node { // [batch, 1]
		x := blocks.ApplyTo(p, ops.Mul(embedding.Apply(p, word), graph.Num(3)), nil, opts...)
		return ops.ArgMax(head.Apply(p, ops.Slice(x, 1, x.Shape()[1].Minus(1), x.Shape()[1], 1)), 2)
	}
	one := choose(nn.Evaluation(g), given)

	pass, caches := nn.Evaluation(g), blocks.EmptyCaches(batch, longest)
	first := choose(pass, given, nn.Cached(caches...))
	text := ops.Where(ops.Equal(ops.Iota(g, 1, 1, longest), graph.Num(0)), first,
		ops.Full(g, graph.Int64, end, batch, longest))
	carry := append([]*graph.Node{text, first}, nn.CacheValues(pass, caches...)...)
	final, steps := ops.While(longest-prompt, carry, func(c []*graph.Node) *graph.Node {
		return ops.Any(ops.NotEqual(c[1], graph.Num(end)), ops.AllAxes())
	}, func(at *graph.Node, c []*graph.Node) []*graph.Node {
		step, caches := nn.Evaluation(g), nn.CachesOf(c[2:]...)
		next := choose(step, c[1], nn.Cached(caches...))
		next = ops.Where(ops.Equal(c[1], graph.Num(end)), c[1], next) // an ended text stays so
		text := ops.Where(ops.Equal(ops.Iota(g, 1, 1, longest), ops.Add(at, graph.Num(1))), next, c[0])
		return append([]*graph.Node{text, next}, nn.CacheValues(step, caches...)...)
	})
	write, err := exec.Compile(g, exec.Outputs(final[0], steps))
	require.NoError(t, err)
	require.Empty(t, write.Warnings())
	whole, err := exec.Compile(g, exec.Outputs(one))
	require.NoError(t, err)
	require.Empty(t, pass.Updates())
	for seed := range uint64(5) {
		s := whole.NewSession(exec.Seed(seed))
		w := write.NewSession(exec.ShareParams(s), exec.Threads(1))
		begin := [][]int64{{1, 2, 3}, {5, 0, 7}}
		feed := exec.Feed{given: begin}
		r, err := w.Run(t.Context(), feed)
		require.NoError(t, err)
		got, err := exec.Values[int64](r, final[0])
		require.NoError(t, err)
		taken, err := r.Scalar(steps)
		require.NoError(t, err)
		for b, text := range begin {
			for i := range int(taken) + 1 {
				want := int64(end)
				if i == 0 || text[len(text)-1] != end {
					other := append([]int64{}, text...)
					r, err := s.Run(t.Context(), exec.Feed{given: [][]int64{text, other}})
					require.NoError(t, err)
					chosen, err := exec.Values[int64](r, one)
					require.NoError(t, err)
					want = chosen[0]
				}
				require.Equal(t, want, got[b*longest+i], "text %d, word %d of seed %d", b, i, seed)
				text = append(text, want)
			}
		}
		feed[given] = exec.Array{Shape: []int{batch, prompt}, Data: []int64{1, 2, 3, 5, 0, 7}}
		allocs.RequireNone(t, 2, func() {
			if _, err := w.Run(t.Context(), feed); err != nil {
				t.Fatal(err)
			}
		})
	}
}
