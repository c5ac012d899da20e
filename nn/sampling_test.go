package nn_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// sampling says how words are drawn: among the most probable ones, and of these among the fewest that have a
// probability of nucleus together.
type sampling struct {
	among                graph.Dim
	temperature, nucleus *graph.Node
}

// draw draws a word of each row of scores, [texts, words] to [texts, 1].
func (d sampling) draw(key, scores *graph.Node) *graph.Node {
	best, index := ops.TopK(ops.Div(scores, d.temperature), d.among, 1, true)
	p := ops.Softmax(best, 1)
	better := ops.Sub(ops.CumSum(p, 1), p) // the probability of the words before this one; the first one stays
	best = ops.MaskedFill(best, ops.GreaterEqual(better, d.nucleus), graph.Num(math.Inf(-1)))
	return ops.TakeAlongAxis(index, 1, ops.Unsqueeze(ops.Categorical(key, best, 1), 1))
}

// sample draws texts of longest words after prompts, [texts, words]. Each word has a key of its own.
func (w *writer) sample(prompt, key *graph.Node, d sampling, longest int) (text *graph.Node) {
	g, keys := w.g, ops.SplitKey(key, 2)
	texts, place := prompt.Shape()[0], ops.Iota(g, 1, 1, graph.Dim(longest))
	pass, caches := nn.Evaluation(g), w.blocks.EmptyCaches(texts, prompt.Shape()[1].Plus(graph.Dim(longest)))
	word := d.draw(keys[0], ops.Select(w.scores(pass, prompt, nn.Cached(caches...)), 1, -1))
	text = ops.Where(ops.Equal(place, graph.Num(0)), word, graph.Num(writerEnd))
	return ops.Fori(graph.Dim(longest-1), append([]*graph.Node{text, word}, nn.CacheValues(pass, caches...)...),
		func(step *graph.Node, c []*graph.Node) []*graph.Node {
			pass, caches := nn.Evaluation(g), nn.CachesOf(c[2:]...)
			next := ops.Select(w.scores(pass, c[1], nn.Cached(caches...)), 1, -1)
			word := d.draw(ops.FoldIn(keys[1], step), next)
			text := ops.Where(ops.Equal(place, ops.Add(step, graph.Num(1))), word, c[0])
			return append([]*graph.Node{text, word}, nn.CacheValues(pass, caches...)...)
		})[0]
}

// A loop that carries caches draws texts. The same key draws the same ones.
func ExampleCachesOf_sampling() {
	w := newWriter()
	prompt := w.g.Input("prompt", graph.Int64, w.g.Dim("texts"), w.g.Dim("words", graph.AtLeast(1)))
	key := w.g.Input("key", graph.Int64)
	texts := w.sample(prompt, key, sampling{among: 3, temperature: graph.Num(0.8), nucleus: graph.Num(0.95)}, 6)
	session := compiled(texts).NewSession(exec.Seed(1))
	for _, k := range []int64{1, 2, 1} {
		r, err := session.Run(context.Background(), exec.Feed{prompt: [][]int64{{2, 3}}, key: k})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(exec.Values[int64](r, texts))
	}
	// Output:
	// [1 0 0 0 0 0] <nil>
	// [2 0 0 3 1 1] <nil>
	// [1 0 0 0 0 0] <nil>
}

// Words are drawn as often as their probabilities say, and no others than those that are allowed.
func TestSampling(t *testing.T) {
	const longest, count = 3, 1000
	w := newWriter()
	prompt := w.g.Input("prompt", graph.Int64, w.g.Dim("texts"), w.g.Dim("words", graph.AtLeast(1)))
	key, temperature, nucleus := w.g.Input("key", graph.Int64), w.g.Input("temperature", graph.Float32),
		w.g.Input("nucleus", graph.Float32)
	texts := w.sample(prompt, key, sampling{3, temperature, nucleus}, longest)
	each := w.scores(nn.Evaluation(w.g), prompt)
	whole, program := compiled(each), compiled(texts)
	require.Empty(t, program.Warnings())
	s := whole.NewSession(exec.Seed(1))
	draws := program.NewSession(exec.ShareParams(s))
	begin := []int64{2, 3}
	next := w.followers(s, prompt, each, begin)
	sampled := func(seed int64, heat, share float32) []int64 {
		r, err := draws.Run(t.Context(), exec.Feed{prompt: slices.Repeat([][]int64{begin}, count), key: seed,
			temperature: heat, nucleus: share})
		require.NoError(t, err)
		values, err := exec.Values[int64](r, texts)
		require.NoError(t, err)
		return slices.Clone(values)
	}
	for _, c := range []struct{ temperature, nucleus float32 }{
		{1, 1}, {1, 0.7}, {0.5, 1}, {2, 0.9}, {1, 0.01}, {0.01, 1}} {
		got := sampled(5, c.temperature, c.nucleus)
		require.Equal(t, got, sampled(5, c.temperature, c.nucleus))
		counts := map[string]int{"[]": count}
		for text := range slices.Chunk(got, longest) {
			for at := range text {
				counts[fmt.Sprint(text[:at+1])]++
			}
		}
		for _, before := range [][]int64{{}, {0}, {1}, {2}, {3}, {2, 3}, {3, 1}} {
			n := counts[fmt.Sprint(before)]
			for word, p := range allowed(next(before), 3, float64(c.temperature), float64(c.nucleus)) {
				drawn := counts[fmt.Sprint(append(slices.Clone(before), int64(word)))]
				if p == 0 || p == 1 {
					require.Equal(t, int(p)*n, drawn, "%v: %d after %v", c, word, before)
				}
				require.InDelta(t, p*float64(n), drawn, 4.5*math.Sqrt(float64(n)*p*(1-p))+1, "%v: %d after %v", c, word,
					before)
			}
		}
	}
	require.NotEqual(t, sampled(5, 1, 1), sampled(6, 1, 1))
}

// allowed has the probabilities of words that are drawn among the most probable ones.
func allowed(scores []float64, among int, temperature, nucleus float64) []float64 {
	order, weights, sum := []int{}, make([]float64, len(scores)), 0.0
	for i := range scores {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return -cmp.Compare(scores[a], scores[b]) })
	for _, i := range order[:among] {
		weights[i] = math.Exp(scores[i] / temperature)
		sum += weights[i]
	}
	better, kept := 0.0, 0.0
	for _, i := range order {
		p := weights[i] / sum
		if weights[i] = p; better >= nucleus {
			weights[i] = 0
		}
		better += p
		kept += weights[i]
	}
	for i := range weights {
		weights[i] /= kept
	}
	return weights
}
