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

// The words of [writer] and the one that ends a text.
const writerWords, writerEnd = 4, 0

// writer is a small model of texts.
type writer struct {
	g         *graph.Graph
	embedding *nn.Embedding
	blocks    *nn.Transformer
	head      *nn.Linear
}

func newWriter() *writer {
	g := graph.New("writer")
	return &writer{g, nn.NewEmbedding(g, "embedding", writerWords, 8),
		nn.NewTransformerEncoder(g, "blocks", 2, 8, 2, nn.Causal(), nn.RotaryBase(100)),
		nn.NewLinear(g, "head", 8, writerWords)}
}

// scores are the log-probabilities of the word after each, [texts, words, writerWords].
func (w *writer) scores(p *nn.Pass, words *graph.Node, opts ...nn.AttentionOption) *graph.Node {
	x := ops.Mul(w.embedding.Apply(p, words), graph.Num(2))
	return ops.LogSoftmax(ops.Mul(w.head.Apply(p, w.blocks.ApplyTo(p, x, nil, opts...)), graph.Num(2)), -1)
}

// ofRows are the rows of carried values that beams go on with. The lengths of caches are scalars, and the same for all.
func ofRows(values []*graph.Node, rows *graph.Node) []*graph.Node {
	taken := make([]*graph.Node, len(values))
	for i, x := range values {
		if taken[i] = x; x.Rank() > 0 {
			taken[i] = ops.Take(x, 0, rows)
		}
	}
	return taken
}

// beamSearch returns the most probable texts of up to longest words after a prompt, [1, words], that it finds with so
// many beams, and the logarithms of their probabilities, best first.
func (w *writer) beamSearch(prompt *graph.Node, beams, longest int) (texts, scores *graph.Node) {
	g, n := w.g, graph.Dim(beams)
	place := ops.Iota(g, 1, 1, graph.Dim(longest))
	ended := func(word *graph.Node) *graph.Node { return ops.Equal(word, graph.Num(writerEnd)) } // [beams, 1]
	// An ended text has one continuation, which costs nothing: itself.
	same := ops.Where(ops.Equal(ops.Iota(g, 1, 1, writerWords), graph.Num(writerEnd)), graph.Num(0),
		g.Scalar(graph.Float32, math.Inf(-1)))
	choose := func(at, scores, next *graph.Node, carry []*graph.Node) []*graph.Node {
		scores, index := ops.TopK(ops.Reshape(ops.Add(ops.Unsqueeze(scores, 1), next), n*writerWords), n, 0, true)
		word := ops.Unsqueeze(ops.Remainder(index, graph.Num(writerWords)), 1)
		carry = ofRows(carry, ops.FloorDiv(index, graph.Num(writerWords)))
		carry[0] = ops.Where(ops.Equal(place, at), word, carry[0])
		return append([]*graph.Node{scores, word}, carry...)
	}

	// The prompt is read once. Of the beams, which are the same then, one counts.
	pass, caches := nn.Evaluation(g), w.blocks.EmptyCaches(1, prompt.Shape()[1].Plus(graph.Dim(longest)))
	next := ops.Select(w.scores(pass, prompt, nn.Cached(caches...)), 1, -1)
	text := ops.Full(g, graph.Int64, writerEnd, 1, graph.Dim(longest))
	carry := ofRows(append([]*graph.Node{text}, nn.CacheValues(pass, caches...)...), ops.Zeros(g, graph.Int64, n))
	only := ops.Where(ops.Equal(ops.Iota(g, 0, n), graph.Num(0)), graph.Num(0), g.Scalar(graph.Float32, math.Inf(-1)))
	carry = choose(graph.Num(0), only, next, carry)

	final, _ := ops.While(graph.Dim(longest-1), carry, func(c []*graph.Node) *graph.Node {
		return ops.Any(ops.Not(ended(c[1])), ops.AllAxes())
	}, func(step *graph.Node, c []*graph.Node) []*graph.Node {
		pass, caches := nn.Evaluation(g), nn.CachesOf(c[3:]...)
		next := ops.Select(w.scores(pass, c[1], nn.Cached(caches...)), 1, -1)
		next = ops.Where(ended(c[1]), same, next)
		return choose(ops.Add(step, graph.Num(1)), c[0], next,
			append([]*graph.Node{c[2]}, nn.CacheValues(pass, caches...)...))
	})
	return final[2], final[0]
}

// written is a text and the logarithm of its probability.
type written struct {
	words []int64
	score float64
}

// followers gives the log-probabilities of the words after a text that has begun.
type followers func(begun []int64) []float64

// followers computes a whole text each time, without caches.
func (w *writer) followers(s *exec.Session, words, scores *graph.Node, prompt []int64) followers {
	known := map[string][]float64{}
	return func(begun []int64) []float64 {
		key := fmt.Sprint(begun)
		if known[key] == nil {
			r, err := s.Run(context.Background(), exec.Feed{words: [][]int64{slices.Concat(prompt, begun)}})
			if err != nil {
				log.Fatal(err)
			}
			p, err := exec.Values[float32](r, scores)
			if err != nil {
				log.Fatal(err)
			}
			for _, x := range p[len(p)-writerWords:] {
				known[key] = append(known[key], float64(x))
			}
		}
		return known[key]
	}
}

// best has the best of all continuations of texts, step by step: with beams enough, the best texts there are.
func (next followers) best(beams, longest int) []written {
	texts := []written{{}}
	for range longest {
		var longer []written
		for _, t := range texts {
			if n := len(t.words); n > 0 && t.words[n-1] == writerEnd {
				longer = append(longer, t)
				continue
			}
			for word, p := range next(t.words) {
				longer = append(longer, written{append(slices.Clone(t.words), int64(word)), t.score + p})
			}
		}
		slices.SortStableFunc(longer, func(a, b written) int { return cmp.Compare(b.score, a.score) })
		texts = longer[:min(beams, len(longer))]
	}
	return texts
}

// search runs a beam search.
func search(s *exec.Session, prompt, texts, scores *graph.Node, begin []int64) (found []written) {
	r, err := s.Run(context.Background(), exec.Feed{prompt: [][]int64{begin}})
	if err != nil {
		log.Fatal(err)
	}
	words, err := exec.Values[int64](r, texts)
	if err != nil {
		log.Fatal(err)
	}
	p, err := exec.Values[float32](r, scores)
	if err != nil {
		log.Fatal(err)
	}
	longest := len(words) / len(p)
	for i, score := range p {
		text := words[i*longest : (i+1)*longest]
		if end := slices.Index(text, writerEnd); end >= 0 {
			text = text[:end+1]
		}
		found = append(found, written{text, float64(score)})
	}
	return found
}

func compiled(outputs ...*graph.Node) *exec.Program {
	p, err := exec.Compile(outputs[0].Graph(), exec.Outputs(outputs...))
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// A loop that carries caches searches with several beams. The best of all texts is found by trying them.
func ExampleCachesOf_beamSearch() {
	const longest, everything = 4, 1000
	w, begin := newWriter(), []int64{2, 3}
	prompt := w.g.Input("prompt", graph.Int64, 1, w.g.Dim("words", graph.AtLeast(1)))
	each := w.scores(nn.Evaluation(w.g), prompt)
	texts, scores := w.beamSearch(prompt, 3, longest)
	whole := compiled(each).NewSession(exec.Seed(1))
	for _, t := range search(compiled(texts, scores).NewSession(exec.ShareParams(whole)), prompt, texts, scores,
		begin) {
		fmt.Printf("%v %.3f\n", t.words, t.score)
	}
	best := w.followers(whole, prompt, each, begin).best(everything, longest)[0]
	fmt.Printf("best of all: %v %.3f\n", best.words, best.score)
	// Output:
	// [2 0] -1.635
	// [3 1 1 1] -3.036
	// [3 3 1 1] -3.063
	// best of all: [2 0] -1.635
}

// A search in one loop has the texts of one that computes each text as a whole; with beams enough, the best of all
// texts.
func TestBeamSearch(t *testing.T) {
	const longest = 4
	w := newWriter()
	prompt := w.g.Input("prompt", graph.Int64, 1, w.g.Dim("words", graph.AtLeast(1)))
	each := w.scores(nn.Evaluation(w.g), prompt)
	whole := compiled(each)
	ended := 0
	for _, beams := range []int{1, 2, 3, 64} {
		texts, scores := w.beamSearch(prompt, beams, longest)
		program := compiled(texts, scores)
		require.Empty(t, program.Warnings())
		for seed := range uint64(4) {
			s := whole.NewSession(exec.Seed(seed))
			begin := []int64{3, 1, 2}[seed%3:]
			want := w.followers(s, prompt, each, begin).best(beams, longest)
			got := search(program.NewSession(exec.ShareParams(s)), prompt, texts, scores, begin)
			require.Len(t, got, len(want))
			for i := range want {
				require.Equal(t, want[i].words, got[i].words, "beam %d of %d", i, beams)
				require.InDelta(t, want[i].score, got[i].score, 1e-4)
				if len(want[i].words) < longest {
					ended++
				}
			}
		}
	}
	require.Positive(t, ended, "texts that end before the longest")
}
