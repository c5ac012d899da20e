package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// paddedBy is attention with PyTorch's key_padding_mask, of which the second value is the opposite, [batch, 1, 1,
// keys].
func paddedBy(make func(g *graph.Graph) *nn.MultiHeadAttention) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return make(g).Attend(p, x[0], x[0], x[0], nn.KeyPadding(paddingOf(x[1])))
	}
}

// paddingOf is the key_padding_mask whose opposite is a mask of shape [batch, 1, 1, keys].
func paddingOf(mask *graph.Node) *graph.Node {
	return ops.Not(ops.Select(ops.Select(mask, 1, 0), 1, 0))
}

// added are the numbers that hide what a mask of truth values says: -Inf where it is true.
func added(padding *graph.Node) *graph.Node {
	return ops.Where(padding, graph.Num(math.Inf(-1)), ops.Zeros(padding.Graph(), double))
}

// What padding hides is what a mask that is its opposite hides, beside other masks, keys behind and caches.
func TestKeyPaddingIsTheOppositeOfAMask(t *testing.T) {
	padding := []bool{false, false, true, false, true, false, true, false, false, false}
	for name, c := range map[string]struct {
		opts  []nn.Option
		other func(g *graph.Graph) *graph.Node
	}{
		"alone":       {},
		"causal":      {opts: []nn.Option{nn.Causal()}},
		"shared keys": {opts: []nn.Option{nn.KVHeads(1)}},
		"keys behind": {opts: []nn.Option{nn.BiasKV(), nn.ZeroAttn(), nn.Causal()}},
		"truth values": {other: func(g *graph.Graph) *graph.Node {
			return ops.Less(ops.Iota(g, 0, 5, 5), graph.Num(3))
		}},
		"numbers added": {other: func(g *graph.Graph) *graph.Node { return ops.Cast(ops.Iota(g, 1, 5, 5), double) }},
	} {
		g := graph.New("padding")
		x, pad := g.Input("x", double, 2, 5, 8), g.Input("pad", graph.Bool, 2, 5)
		l, p := attention(4, c.opts...)(g), nn.Evaluation(g)
		shown := ops.Unsqueeze(ops.Unsqueeze(ops.Not(pad), 1), 1)
		first, second, third := []nn.AttentionOption{nn.KeyPadding(pad)},
			[]nn.AttentionOption{nn.KeyPadding(added(pad))}, nn.Mask(shown)
		if c.other != nil {
			other := c.other(g)
			first, second = append(first, nn.Mask(other)), append(second, nn.Mask(other))
			if third = nn.Mask(ops.Where(shown, other, graph.Num(math.Inf(-1)))); other.DType() == graph.Bool {
				third = nn.Mask(ops.And(shown, other))
			}
		}
		want := l.Attend(p, x, x, x, third)
		offs := ops.Stack(0, ops.Max(ops.Abs(ops.Sub(l.Attend(p, x, x, x, first...), want))),
			ops.Max(ops.Abs(ops.Sub(l.Attend(p, x, x, x, second...), want))))
		hidden := ops.Max(ops.Abs(ops.Sub(l.Attend(p, x, x, x), want)))
		prog, err := exec.Compile(g, exec.Outputs(offs, hidden))
		require.NoError(t, err, name)
		values := make([]float64, 80)
		for i := range values {
			values[i] = float64(i*i%17) / 7
		}
		r, err := prog.NewSession(exec.Seed(1)).Run(t.Context(), exec.Feed{x: values, pad: padding})
		require.NoError(t, err, name)
		far, err := exec.Values[float64](r, offs)
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{0, 0}, far, 1e-12, name)
		require.Greater(t, numberOf(t, r, hidden), 1e-3, "%s: padding hides something", name)
	}
}

// With a cache padding is of all places that the cache has room for.
func TestKeyPaddingOfACache(t *testing.T) {
	g := graph.New("cache")
	x, pad := g.Input("x", double, 2, 3, 8), g.Input("pad", graph.Bool, 2, 6)
	l, p := attention(2)(g), nn.Evaluation(g)
	y := l.Attend(p, x, x, x, nn.KeyPadding(pad), nn.Cached(l.NewCache("cache", 2, 6)))
	want := l.Attend(nn.Evaluation(g), x, x, x,
		nn.Mask(ops.And(ops.Unsqueeze(ops.Unsqueeze(ops.Not(ops.Slice(pad, 1, 0, 3, 1)), 1), 1),
			ops.Tril(ops.Ones(g, graph.Bool, 3, 3), 0))))
	off := ops.Max(ops.Abs(ops.Sub(y, want)))
	prog, err := exec.Compile(g, exec.Outputs(off), exec.Updates(p.Updates()...))
	require.NoError(t, err)
	values := make([]float64, 48)
	for i := range values {
		values[i] = float64(i*i%17) / 7
	}
	r, err := prog.NewSession(exec.Seed(1)).Run(
		t.Context(), exec.Feed{
			x: values, pad: []bool{false, true, false, false, false, false, false, false, true, true, false, true}})
	require.NoError(t, err)
	require.InDelta(t, 0, numberOf(t, r, off), 1e-12)
	l.Attend(p, x, x, x, nn.KeyPadding(ops.Slice(pad, 1, 0, 3, 1)), nn.Cached(l.NewCache("more", 2, 6)))
	require.ErrorContains(t, shapeinfer.Check(g).Err(), `takes KeyPadding as "b longest"`)
}
