package nn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	halves "github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// TestCachesWithinAutocast decodes in mixed precision with a cache that is declared within Autocast, and with one of
// Float32: both give the places of the whole sequence.
func TestCachesWithinAutocast(t *testing.T) {
	const places, width = 6, 16
	for _, within := range []bool{true, false} {
		g := graph.New("decode")
		x := g.Input("x", graph.Float32, 1, g.Dim("t", graph.AtLeast(1)), width)
		l := nn.NewMultiHeadAttention(g, "attn", width, 4, nn.Causal(), nn.RotaryBase(10000))
		var cache *nn.KVCache
		if !within {
			cache = l.NewCache("cache", 1, places)
		}
		pass := nn.Evaluation(g)
		var whole, part *graph.Node
		g.Autocast(graph.BFloat16, func() {
			if within {
				cache = l.NewCache("cache", 1, places)
			}
			whole, part = l.Apply(nn.Evaluation(g), x), l.Attend(pass, x, x, x, nn.Cached(cache))
		})
		require.NoError(t, g.Err())
		require.Equal(t, within, cache.Keys.DType() == graph.BFloat16)
		require.Equal(t, graph.BFloat16, part.DType())
		reference, err := exec.Compile(g, exec.Outputs(whole))
		require.NoError(t, err)
		decode, err := exec.Compile(g, exec.Outputs(part), exec.Updates(pass.Updates()...))
		require.NoError(t, err)
		s := reference.NewSession(exec.Seed(3))
		steps := decode.NewSession(exec.ShareParams(s))

		values := make([]float32, places*width)
		for i := range values {
			values[i] = float32(i*7%11)/5 - 1
		}
		run := func(s *exec.Session, of *graph.Node, from, count int) []float32 {
			r, err := s.Run(t.Context(), exec.Feed{x: exec.Array{
				Shape: []int{1, count, width}, Data: values[from*width:][:count*width]}})
			require.NoError(t, err)
			a, err := r.Array(of)
			require.NoError(t, err)
			return a.Widened().Data.([]float32)
		}
		want := run(s, whole, 0, places)
		for from := range places {
			assert.InDeltaSlice(t, want[from*width:][:width], run(steps, part, from, 1), 0.02, "place %d", from)
		}
	}
}

// TestLoweredWeightsAreKept expects a program that does not write its weights to convert them once, and again after
// they were set.
func TestLoweredWeightsAreKept(t *testing.T) {
	g := graph.New("kept")
	x := g.Input("x", graph.Float32, g.Dim("n"), 300)
	l := nn.NewLinear(g, "l", 300, 500, nn.NoBias())
	var y *graph.Node
	g.Autocast(graph.BFloat16, func() { y = l.Apply(nn.Evaluation(g), x) })
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	stats, err := p.Stats(map[string]int{"n": 2})
	require.NoError(t, err)
	require.Equal(t, 300*500*2, stats.Kept, "bytes of the weights in BFloat16")

	rng := rand.New(rand.NewPCG(5, 6))
	values := make([]float32, 300)
	for i := range values {
		values[i] = rng.Float32()
	}
	s := p.NewSession(exec.Seed(1))
	run := func() []float32 {
		r, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{1, 300}, Data: values}})
		require.NoError(t, err)
		a, err := r.Array(y)
		require.NoError(t, err)
		return a.Widened().Data.([]float32)
	}
	first := run()
	require.Equal(t, first, run())
	weights, err := s.Param(l.Weight)
	require.NoError(t, err)
	twice := make([]float32, 300*500)
	for i, w := range weights.Data.([]float32) {
		twice[i] = 2 * w
	}
	require.NoError(t, s.SetParam(l.Weight, exec.Array{Shape: []int{500, 300}, Data: twice}))
	for i, v := range run() {
		require.Equal(t, 2*first[i], v)
	}
}

// TestWeightsOfSeveralLayersAreKept expects that of all layers, whose shapes are alike and beside which others compute.
func TestWeightsOfSeveralLayersAreKept(t *testing.T) {
	const width, layers = 96, 4
	g := graph.New("kept")
	x := g.Input("x", graph.Float32, width, width)
	y, pass := x, nn.Evaluation(g)
	g.Autocast(graph.BFloat16, func() {
		for i := range layers {
			l := nn.NewLinear(g, fmt.Sprint("l", i), width, width, nn.NoBias())
			y = ops.Add(y, ops.Gelu(l.Apply(pass, y)))
		}
	})
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	stats, err := p.Stats(nil)
	require.NoError(t, err)
	require.Equal(t, layers*width*width*2, stats.Kept)
}

// TestPositionsIn16Bits expects angles of positions that BFloat16 does not have.
func TestPositionsIn16Bits(t *testing.T) {
	for name, f := range map[string]func(x *graph.Node) *graph.Node{
		"rotary":     func(x *graph.Node) *graph.Node { return nn.Rotary(x, 10000, graph.Num(1001)) },
		"sinusoidal": func(x *graph.Node) *graph.Node { return nn.SinusoidalPositions().Apply(nil, x) },
	} {
		for _, dtype := range []graph.DType{graph.BFloat16, graph.Float16} {
			g := graph.New(name)
			x := g.Input("x", dtype, 700, 8)
			got, want := f(x), ops.Cast(f(ops.Cast(x, graph.Float32)), dtype)
			require.Equal(t, dtype, got.DType())
			differs := ops.Sub(ops.Cast(got, graph.Float32), ops.Cast(want, graph.Float32))
			p, err := exec.Compile(g, exec.Outputs(differs))
			require.NoError(t, err)
			data := make([]float32, 700*8)
			for i := range data {
				data[i] = float32(i%9) / 4
			}
			var half any = halves.ToFloat16(data)
			if dtype == graph.BFloat16 {
				half = halves.ToBFloat16(data)
			}
			r, err := p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{700, 8}, Data: half}})
			require.NoError(t, err)
			a, err := r.Array(differs)
			require.NoError(t, err)
			for i, v := range a.Data.([]float32) {
				require.Zero(t, v, "%s of %s: element %d", name, dtype, i)
			}
		}
	}
}

// TestRecurrentLayersWithinAutocast expects results in the dtype of the sequences, and states in that of the
// parameters.
func TestRecurrentLayersWithinAutocast(t *testing.T) {
	type maker = func(g *graph.Graph, name string, in, hidden int, opts ...nn.Option) *nn.Recurrent
	for name, make := range map[string]maker{
		"RNN": nn.NewRNN[int, int], "LSTM": nn.NewLSTM[int, int], "GRU": nn.NewGRU[int, int],
		"MGU": nn.NewMGU[int, int],
	} {
		for _, dtype := range []graph.DType{graph.Float32, graph.BFloat16} {
			g := graph.New(name)
			x := g.Input("x", dtype, 2, 5, 4)
			g.Autocast(graph.BFloat16, func() {
				y, states := make(g, "l", 4, 3).ApplyFrom(nn.Training(g), x)
				require.Equal(t, dtype, y.DType(), name)
				for _, s := range states {
					require.Equal(t, graph.Float32, s.DType(), name)
				}
			})
			require.NoError(t, g.Err())
		}
	}
}

// TestOneRowReadsWeightsIn16Bits expects that a step for one row reads the kept weights of all layers in 16 bits, and
// converts none of them to memory: there is no room for a weight in Float32.
func TestOneRowReadsWeightsIn16Bits(t *testing.T) {
	const width, inner, layers = 256, 512, 3
	for _, shape := range []graph.Shape{{1, width}, {1, 1, width}} {
		g := graph.New("kept")
		x := g.Input("x", graph.Float32, shape...)
		y, pass := x, nn.Evaluation(g)
		g.Autocast(graph.BFloat16, func() {
			for i := range layers {
				linear := func(name string, in, out int, x *graph.Node) *graph.Node {
					return nn.NewLinear(g, fmt.Sprint(name, i), in, out, nn.NoBias()).Apply(pass, x)
				}
				gated := ops.Mul(ops.Silu(linear("gate", width, inner, y)), linear("up", width, inner, y))
				y = ops.Add(y, linear("down", inner, width, gated))
			}
		})
		p, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		stats, err := p.Stats(nil)
		require.NoError(t, err)
		require.Equal(t, layers*3*width*inner*2, stats.Kept, "all weights, in BFloat16")
		require.Less(t, stats.Peak, width*inner*2, "shape %s", shape)
	}
}

// TestCacheOfFloat32WithinAutocast expects that a step in mixed precision converts no cache that was declared in
// Float32.
func TestCacheOfFloat32WithinAutocast(t *testing.T) {
	const width, longest = 64, 4096
	g := graph.New("decode")
	x := g.Input("x", graph.Float32, 1, 1, width)
	mask := g.Input("mask", graph.BFloat16, longest)
	for _, opts := range [][]nn.AttentionOption{nil, {nn.Mask(mask)}} {
		l := nn.NewMultiHeadAttention(g, fmt.Sprint("attn", len(opts)), width, 4, nn.KVHeads(2), nn.Causal())
		cache := l.NewCache(fmt.Sprint("cache", len(opts)), 1, longest)
		pass := nn.Evaluation(g)
		var y *graph.Node
		g.Autocast(graph.BFloat16, func() { y = l.Attend(pass, x, x, x, append(opts, nn.Cached(cache))...) })
		require.NoError(t, g.Err())
		require.Equal(t, graph.BFloat16, y.DType())
		p, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
		require.NoError(t, err)
		stats, err := p.Stats(nil)
		require.NoError(t, err)
		require.Less(t, stats.Peak, longest*width/2*2, "bytes of the keys in BFloat16")
	}
}
