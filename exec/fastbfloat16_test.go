package exec

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// With the option, products of BFloat16 are those of tile registers where there are any: near those without it, and the
// same on any number of threads. Their factors are not converted.
func TestFastBFloat16(t *testing.T) {
	g := graph.New("bfloat16")
	r := rand.New(rand.NewPCG(1, 2))
	feed := Feed{}
	input := func(name string, shape ...int) *graph.Node {
		x := g.Input(name, graph.BFloat16, graph.MakeShape(shape...)...)
		data := make([]half.BFloat16, graph.MakeShape(shape...).NumElements())
		for i := range data {
			data[i] = half.NewBFloat16(float32(r.NormFloat64()))
		}
		feed[x] = Array{shape, data}
		return x
	}
	x, w := input("x", 40, 700), input("w", 700, 50)
	y := ops.MatMul(x, w)
	image, filters := input("image", 2, 3, 20, 21), input("filters", 5, 3, 3, 3)
	z := ops.Conv2D(image, filters, nil, ops.Padding(1))
	loss := ops.Add(ops.Sum(ops.Square(ops.Cast(y, graph.Float32))), ops.Sum(ops.Cast(z, graph.Float32)))
	outputs := append([]*graph.Node{y, z}, autodiff.Grad(loss, []*graph.Node{x, w, image, filters})...)
	run := func(threads int, opts ...Option) (all []Array) {
		p, err := Compile(g, append(opts, Outputs(outputs...))...)
		require.NoError(t, err)
		out, err := p.NewSession(Threads(threads)).Run(context.Background(), feed)
		require.NoError(t, err)
		for _, n := range outputs {
			all = append(all, ArrayOf(t, out, n))
		}
		return all
	}
	usual, fast := run(1), run(1, FastBFloat16())
	require.Equal(t, fast, run(3, FastBFloat16()))
	for i, want := range usual {
		got := fast[i].Data.([]half.BFloat16)
		for k, v := range want.Data.([]half.BFloat16) {
			v := float64(v.Float32())
			require.InDelta(t, v, float64(got[k].Float32()), 0.02*math.Abs(v)+0.2, "output %d, element %d", i, k)
		}
	}
	if !lower.MultipliesBFloat16() {
		require.Equal(t, usual, fast)
		return
	}
	p, err := Compile(g, Outputs(y), FastBFloat16())
	require.NoError(t, err)
	require.Equal(t, 2, p.Kernels(), "the product, and what rounds it: %s", p)
}
