package nn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
)

// TestCachedAttentionIsThatOfWholeSequences decodes sequences in parts, with a cache, and compares each
// place with causal attention to the whole sequence, twice in one session.
func TestCachedAttentionIsThatOfWholeSequences(t *testing.T) {
	const batch, places, width = 2, 7, 8
	for name, opts := range map[string][]nn.Option{
		"as many heads": nil, "grouped": {nn.KVHeads(2)}, "one head of keys": {nn.KVHeads(1)},
		"rotary": {nn.KVHeads(2), nn.RotaryBase(10000)},
	} {
		for _, parts := range [][]int{{1, 1, 1, 1, 1, 1, 1}, {3, 1, 2, 1}, {7}} {
			t.Run(fmt.Sprint(name, parts), func(t *testing.T) {
				g := graph.New("decode")
				x := g.Input("x", graph.Float64, batch, g.Dim("t", graph.AtLeast(1)), width)
				l := nn.NewMultiHeadAttention(g, "attn", width, 4, append(opts, nn.Causal(), f64)...)
				cache := l.NewCache("cache", batch, places)
				whole, pass := l.Apply(nn.Evaluation(g), x), nn.Evaluation(g)
				part := l.Attend(pass, x, x, x, nn.Cached(cache))
				reference, err := exec.Compile(g, exec.Outputs(whole))
				require.NoError(t, err)
				decode, err := exec.Compile(g, exec.Outputs(part), exec.Updates(pass.Updates()...))
				require.NoError(t, err)
				s := reference.NewSession(exec.Seed(3))
				steps := decode.NewSession(exec.ShareParams(s))

				rng := rand.New(rand.NewPCG(1, 2))
				for range 2 {
					require.NoError(t, steps.SetParam(cache.Length, exec.Array{Data: []int64{0}}))
					values := make([]float64, batch*places*width)
					for i := range values {
						values[i] = rng.NormFloat64()
					}
					want := resultOf(t, s, whole, exec.Feed{
						x: exec.Array{Shape: []int{batch, places, width}, Data: values}})
					from := 0
					for _, n := range parts {
						rows := func(data []float64) (cut []float64) {
							for b := range batch {
								cut = append(cut, data[(b*places+from)*width:(b*places+from+n)*width]...)
							}
							return cut
						}
						got := resultOf(t, steps, part, exec.Feed{
							x: exec.Array{Shape: []int{batch, n, width}, Data: rows(values)}})
						assert.InDeltaSlice(t, rows(want), got, 1e-12, "from place %d", from)
						from += n
					}
				}
			})
		}
	}
}

// TestCachedTransformerIsThatOfWholeSequences decodes with a stack of layers place by place.
func TestCachedTransformerIsThatOfWholeSequences(t *testing.T) {
	const places, width = 5, 8
	g := graph.New("decode")
	x := g.Input("x", graph.Float64, 1, g.Dim("t", graph.AtLeast(1)), width)
	stack := nn.NewTransformerEncoder(g, "layers", 3, width, 2, nn.Causal(), nn.FeedForward(16), nn.RotaryBase(100),
		f64)
	caches := stack.NewCaches("cache", 1, places)
	whole, pass := stack.Apply(nn.Evaluation(g), x), nn.Evaluation(g)
	part := stack.ApplyTo(pass, x, nil, nn.Cached(caches...))
	reference, err := exec.Compile(g, exec.Outputs(whole))
	require.NoError(t, err)
	decode, err := exec.Compile(g, exec.Outputs(part), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	s := reference.NewSession(exec.Seed(3))
	step := decode.NewSession(exec.ShareParams(s))
	values := make([]float64, places*width)
	for i := range values {
		values[i] = float64(i*i%13) / 7
	}
	want := resultOf(t, s, whole, exec.Feed{x: exec.Array{Shape: []int{1, places, width}, Data: values}})
	for at := range places {
		row := values[at*width : (at+1)*width]
		got := resultOf(t, step, part, exec.Feed{x: exec.Array{Shape: []int{1, 1, width}, Data: row}})
		assert.InDeltaSlice(t, want[at*width:(at+1)*width], got, 1e-12, "place %d", at)
	}
}

func TestCachesThatDoNotFit(t *testing.T) {
	for want, opts := range map[string][]nn.AttentionOption{
		"there are 1 caches for 2 layers":                     {nn.Cached(&nn.KVCache{})},
		"attention takes one cache, made by its own NewCache": {nn.Cached(&nn.KVCache{}, nil)},
	} {
		g := graph.New("decode")
		stack := nn.NewTransformerEncoder(g, "layers", 2, 8, 2, nn.Causal())
		stack.ApplyTo(nn.Evaluation(g), g.Input("x", graph.Float32, 1, 3, 8), nil, opts...)
		require.ErrorContains(t, g.Err(), want)
	}
}

// resultOf runs a session and returns a copy of a result of Float64.
func resultOf(t *testing.T, s *exec.Session, y *graph.Node, feed exec.Feed) []float64 {
	t.Helper()
	r, err := s.Run(t.Context(), feed)
	require.NoError(t, err)
	values, err := exec.Values[float64](r, y)
	require.NoError(t, err)
	return append([]float64(nil), values...)
}

// A cache that is too short for a run is an error also where the run stores nothing.
func TestFullCacheWithoutUpdates(t *testing.T) {
	const width = 4
	g := graph.New("full")
	x := g.Input("x", graph.Float64, 1, g.Dim("t", graph.AtLeast(1)), width)
	l := nn.NewMultiHeadAttention(g, "attn", width, 2, nn.Causal(), f64)
	cache, pass := l.NewCache("cache", 1, 3), nn.Evaluation(g)
	y := l.Attend(pass, x, x, x, nn.Cached(cache))
	prog, err := exec.Compile(g, exec.Outputs(y), exec.OnWarning(func(*graph.Mistake) {}))
	require.NoError(t, err)
	s := prog.NewSession()
	for range 2 { // the length stays 0
		_, err = s.Run(t.Context(), exec.Feed{x: make([]float64, 3*width)})
		require.NoError(t, err)
	}
	_, err = s.Run(t.Context(), exec.Feed{x: make([]float64, 4*width)})
	require.ErrorContains(t, err, "attn.cache.length after the step is 4, not in 0..3")
}

// A cache that is full is an error that names it, and stays as long as it was.
func TestFullCache(t *testing.T) {
	const places, width = 3, 4
	g := graph.New("full")
	x := g.Input("x", graph.Float64, 1, g.Dim("t", graph.AtLeast(1)), width)
	l := nn.NewMultiHeadAttention(g, "attn", width, 2, nn.Causal(), f64)
	cache, pass := l.NewCache("cache", 1, places), nn.Evaluation(g)
	y := l.Attend(pass, x, x, x, nn.Cached(cache))
	prog, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	s := prog.NewSession()
	for _, c := range []struct{ places, held int }{{2, 2}, {2, 2}, {1, 3}, {1, 3}} {
		_, err := s.Run(t.Context(), exec.Feed{
			x: exec.Array{Shape: []int{1, c.places, width}, Data: make([]float64, c.places*width)}})
		held, failed := s.Param(cache.Length)
		require.NoError(t, failed)
		require.Equal(t, []int64{int64(c.held)}, held.Data)
		if err != nil {
			require.ErrorContains(t, err, "attn.cache.length after the step is 4, not in 0..3")
			require.ErrorContains(t, err, "cache_test.go:")
		}
	}
}
