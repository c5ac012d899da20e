package ops_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// attended is softmax(q·kᵀ·scale + hidden)·v of matrices [positions, width], by definition; seen says
// what is added to a score.
func attended(q, k, v []float64, width, widthV int, scale float64, added func(i, j int) float64) []float64 {
	rows, cols := len(q)/width, len(k)/width
	out := make([]float64, rows*widthV)
	for i := range rows {
		weights, sum := make([]float64, cols), 0.0
		for j := range cols {
			dot := 0.0
			for c := range width {
				dot += q[i*width+c] * k[j*width+c]
			}
			weights[j] = math.Exp(dot*scale + added(i, j))
			sum += weights[j]
		}
		for j := range cols {
			for c := range widthV {
				out[i*widthV+c] += weights[j] / sum * v[j*widthV+c]
			}
		}
	}
	return out
}

func TestScaledDotProductAttention(t *testing.T) {
	const heads, shared, queries, keys, width, widthV = 4, 2, 3, 5, 2, 3
	inf := math.Inf(-1)
	hide := func(hidden bool) float64 {
		if hidden {
			return inf
		}
		return 0
	}
	g := graph.New("attention")
	sized := func(name string, dt graph.DType, sizes ...graph.Dim) *graph.Node { return g.Input(name, dt, sizes...) }
	q, k, v := sized("q", graph.Float64, heads, queries, width), sized("k", graph.Float64, heads, keys, width),
		sized("v", graph.Float64, heads, keys, widthV)
	k2, v2 := sized("k2", graph.Float64, shared, keys, width), sized("v2", graph.Float64, shared, keys, widthV)
	boolean, added := sized("boolean", graph.Bool, queries, keys), sized("added", graph.Float64, heads, 1, keys)
	start := sized("start", graph.Int64)
	in := feeds{
		boolean: reference.Of(
			[]bool{true, false, true, true, false, false, true, false, false, true, true, true, true, true, true},
			queries, keys),
		start: reference.Of([]int64{1})}
	for i, x := range []*graph.Node{q, k, v, k2, v2, added} {
		shape, _ := x.Shape().Ints()
		data := make([]float64, shape[0]*shape[1]*shape[2])
		for j := range data {
			data[j] = math.Sin(float64(7*i+3*j*j)) * 1.3
		}
		in[x] = reference.Of(data, shape...)
	}
	usual := 1 / math.Sqrt(width)
	for name, c := range map[string]struct {
		options []ops.AttentionOption
		scale   float64
		shared  bool
		added   func(head, i, j int) float64
	}{
		"all": {nil, usual, false, func(_, _, _ int) float64 { return 0 }},
		"scale": {[]ops.AttentionOption{ops.AttentionScale(0.3), nil}, 0.3, false,
			func(_, _, _ int) float64 { return 0 }},
		"causal": {[]ops.AttentionOption{ops.Causal()}, usual, false,
			func(_, i, j int) float64 { return hide(j > i) }},
		"from": {[]ops.AttentionOption{ops.CausalFrom(start)}, usual, false, func(_, i, j int) float64 {
			return hide(j > i+1)
		}},
		"from 2": {[]ops.AttentionOption{ops.CausalFrom(graph.Num(2))}, usual, false,
			func(_, i, j int) float64 { return hide(j > i+2) }},
		"window": {[]ops.AttentionOption{ops.CausalFrom(graph.Num(2)), ops.SlidingWindow(2)}, usual, false,
			func(_, i, j int) float64 { return hide(j > i+2 || j <= i) }},
		"boolean": {[]ops.AttentionOption{ops.AttentionMask(boolean)}, usual, false,
			func(_, i, j int) float64 { return hide(in[boolean].Floats()[i*keys+j] == 0) }},
		"added": {[]ops.AttentionOption{ops.AttentionMask(added)}, usual, false,
			func(h, _, j int) float64 { return in[added].Floats()[h*keys+j] }},
		"grouped": {[]ops.AttentionOption{ops.GroupedQuery(), ops.AttentionMask(added)}, usual, true,
			func(h, _, j int) float64 { return in[added].Floats()[h*keys+j] }},
		"grouped and causal": {[]ops.AttentionOption{ops.GroupedQuery(), ops.Causal()}, usual, true,
			func(_, i, j int) float64 { return hide(j > i) }},
	} {
		t.Run(name, func(t *testing.T) {
			keysOf, valuesOf, each := k, v, 1
			if c.shared {
				keysOf, valuesOf, each = k2, v2, heads/shared
			}
			y := ops.ScaledDotProductAttention(q, keysOf, valuesOf, c.options...)
			require.NoError(t, y.Err())
			require.Equal(t, graph.MakeShape(heads, queries, widthV), y.Shape())
			var want []float64
			for h := range heads {
				part := func(x *graph.Node, i int) []float64 {
					each := len(in[x].Floats()) / int(x.Shape()[0])
					return in[x].Floats()[i*each:][:each]
				}
				want = append(want, attended(part(q, h), part(keysOf, h/each), part(valuesOf, h/each), width, widthV,
					c.scale, func(i, j int) float64 { return c.added(h, i, j) })...)
			}
			requireClose(t, want, value(t, in, y).Floats(), 1e-12, name)
			requireGradients(t, in, y, q, keysOf, valuesOf)
		})
	}
}

func TestScaledDotProductAttentionWithNamedSizes(t *testing.T) {
	g := graph.New("attention")
	batch, length, width, heads := g.Dim("batch"), g.Dim("length"), g.Dim("width"), g.Dim("heads")
	q := g.Input("q", graph.Float32, batch, heads.Times(4), length, width)
	k := g.Input("k", graph.Float32, batch, heads, length, width)
	y := ops.ScaledDotProductAttention(q, k, k, ops.GroupedQuery(), ops.Causal())
	require.NoError(t, y.Err())
	require.Equal(t, q.Shape(), y.Shape())
}

// Causal attention with a mask: of padding, of biases of distances, and of both with a window.
func TestCausalAttentionWithMask(t *testing.T) {
	g := graph.New("attention")
	q, k, v := g.Input("q", graph.Float64, 2, 4, 5, 3), g.Input("k", graph.Float64, 2, 2, 6, 3),
		g.Input("v", graph.Float64, 2, 2, 6, 3)
	rng := rand.New(rand.NewPCG(1, 2))
	padding, bias := g.Input("padding", graph.Bool, 2, 1, 1, 6), g.Input("bias", graph.Float64, 4, 5, 6)
	in := feeds{q: random(rng, 2, 4, 5, 3), k: random(rng, 2, 2, 6, 3), v: random(rng, 2, 2, 6, 3),
		bias: random(rng, 4, 5, 6),
		// no key for the first query of the second example
		padding: reference.FromFloats(graph.Bool, []float64{1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0}, 2, 1, 1, 6)}
	query, key := ops.Add(ops.Iota(g, 0, 5, 6), graph.Num(1)), ops.Iota(g, 1, 5, 6)
	before := ops.LessEqual(key, query)
	near := ops.And(before, ops.Greater(key, ops.Sub(query, graph.Num(2))))
	least := graph.Num(math.Inf(-1))
	for name, c := range map[string]struct {
		options []ops.AttentionOption
		mask    node
	}{
		"padding": {[]ops.AttentionOption{ops.AttentionMask(padding)}, ops.And(padding, before)},
		"bias":    {[]ops.AttentionOption{ops.AttentionMask(bias)}, ops.Where(before, bias, least)},
		"padding near": {[]ops.AttentionOption{ops.AttentionMask(padding), ops.SlidingWindow(2)},
			ops.And(padding, near)},
		"bias that hides": {[]ops.AttentionOption{ops.AttentionMask(ops.Where(padding, bias, least))},
			ops.Where(ops.And(padding, before), bias, least)},
	} {
		causal := append(c.options, ops.CausalFrom(graph.Num(1)), ops.GroupedQuery())
		got := ops.ScaledDotProductAttention(q, k, v, causal...)
		want := ops.ScaledDotProductAttention(q, k, v, ops.AttentionMask(c.mask), ops.GroupedQuery())
		all := []node{got, want}
		for _, y := range []node{got, want} {
			all = append(all, autodiff.Grad(ops.Sum(ops.Square(y), ops.AllAxes()), []node{q, k, v})...)
		}
		require.NoError(t, g.Err(), name)
		values := evaluate(t, in, all...)
		requireClose(t, values[1].Floats(), values[0].Floats(), 1e-12, name)
		for i := range 3 {
			requireClose(t, values[5+i].Floats(), values[2+i].Floats(), 1e-12, name+", gradient")
		}
	}
}

func TestScaledDotProductAttentionMistakes(t *testing.T) {
	g := graph.New("attention")
	q, k := g.Input("q", graph.Float32, 2, 3, 4), g.Input("k", graph.Float32, 2, 5, 4)
	for want, y := range map[string]*graph.Node{
		"the same dtype":  ops.ScaledDotProductAttention(q, g.Input("d", graph.Float64, 2, 5, 4), k),
		"floating-point":  ops.ScaledDotProductAttention(g.Input("i", graph.Int64, 2, 3, 4), k, k),
		"at least 2 axes": ops.ScaledDotProductAttention(q, g.Input("v", graph.Float32, 4), k),
		"Expected attn_mask dtype": ops.ScaledDotProductAttention(
			q, k, k, ops.AttentionMask(g.Input("n", graph.Int32, 3, 5))),
		"a sliding window of 3 keys": ops.ScaledDotProductAttention(
			q, k, k, ops.SlidingWindow(3)),
		"the start of the queries must be an Int64 scalar": ops.ScaledDotProductAttention(
			q, k, k, ops.CausalFrom(graph.Num(0.5))),
		"not a multiple of the 2": ops.ScaledDotProductAttention(
			g.Input("h", graph.Float32, 3, 3, 4), k, k, ops.GroupedQuery()),
		"heads has 8 heads, and shared has 2": ops.ScaledDotProductAttention(
			g.Input("heads", graph.Float32, 2, 8, 3, 4), g.Input("shared", graph.Float32, 2, 2, 5, 4),
			g.ByName("shared")),
		"use the option GroupedQuery() to share each head of keys and values among 4 heads of queries": ops.ScaledDotProductAttention(
			g.ByName("heads"), g.ByName("shared"), g.ByName("shared")),
		"dropout probability": ops.ScaledDotProductAttention(
			q, k, k, ops.AttentionDropout(2, g.Input("s", graph.Int64))),
		"mat1 and mat2": ops.ScaledDotProductAttention(q, g.Input("w", graph.Float32, 2, 5, 7), k),
	} {
		if want == "mat1 and mat2" {
			require.NoError(t, y.Err()) // the product's mistake is told where it was made
			require.ErrorContains(t, g.Err(), "ScaledDotProductAttention(q, w, k)")
			continue
		}
		require.ErrorContains(t, y.Err(), want, want)
		require.ErrorContains(t, y.Err(), "ScaledDotProductAttention(")
	}
}

// TestQueriesThatSeeNothing expects zeros where a mask hides all keys, and no part of these queries in gradients, by
// masks of truth values and of numbers.
func TestQueriesThatSeeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, dtype := range []graph.DType{graph.Bool, graph.Float64} {
		g := graph.New("blind")
		q, k, v := g.Input("q", graph.Float64, 3, 2), g.Input("k", graph.Float64, 4, 2),
			g.Input("v", graph.Float64, 4, 2)
		mask := g.Input("mask", dtype, 3, 4)
		hidden := math.Inf(-1)
		see := []float64{0, hidden, 0, hidden, hidden, hidden, hidden, hidden, 0, 0, 0, 0}
		if dtype == graph.Bool {
			see = []float64{1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1}
		}
		in := feeds{q: random(rng, 3, 2), k: random(rng, 4, 2), v: random(rng, 4, 2),
			mask: reference.FromFloats(dtype, see, 3, 4)}
		y := ops.ScaledDotProductAttention(q, k, v, ops.AttentionMask(mask))
		require.Equal(t, []float64{0, 0}, value(t, in, y).Floats()[2:4])
		dq := autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{q})[0]
		require.Equal(t, []float64{0, 0}, value(t, in, dq).Floats()[2:4])
		requireGradients(t, in, y, q, k, v)
	}
}

// Nor does a query whose place alone hides all keys, with a mask or without.
func TestQueriesBeyondAllKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	g := graph.New("beyond")
	q, k, v := g.Input("q", graph.Float64, 3, 2), g.Input("k", graph.Float64, 4, 2), g.Input("v", graph.Float64, 4, 2)
	start := g.Input("start", graph.Int64)
	in := feeds{q: random(rng, 3, 2), k: random(rng, 4, 2), v: random(rng, 4, 2)}
	nothing := ops.AttentionMask(ops.Full(g, graph.Float64, 0, 3, 4))
	for at, blind := range map[float64]int{-1: 0, 3: 2} {
		// the first sees no key up to -1, the last of 5 none of two before it
		in[start] = reference.FromFloats(graph.Int64, []float64{at})
		of := []ops.AttentionOption{ops.CausalFrom(start), ops.SlidingWindow(2)}
		y := ops.ScaledDotProductAttention(q, k, v, of...)
		got := value(t, in, y).Floats()
		require.Equal(t, []float64{0, 0}, got[2*blind:2*blind+2])
		require.Equal(t, got, value(t, in, ops.ScaledDotProductAttention(q, k, v, append(of, nothing)...)).Floats())
		requireGradients(t, in, y, q, k, v)
	}
}
