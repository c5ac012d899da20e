package exec_test

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// Products leave out what a mask hides, and give the bits of products that do not, whatever the mask has let through in
// the run before.
func TestMasksInMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, sizes := range [][4]int{{3, 1, 70, 8}, {2, 2, 300, 16}, {1, 5, 1500, 4}, {2, 1, 1100, 33}} {
		for _, of := range [][]int{{1, 1}, {sizes[0], 1, 1}, {1, sizes[1], 1}, {sizes[0], sizes[1], 1}} {
			of[len(of)-1] = sizes[2]
			for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
				y, mask := maskedAttention(dtype, sizes, of, r.IntN(2) == 0)
				masked, whole := sessionOf(t, y), sessionOf(t, y, exec.MasksFrom(math.MaxInt))
				feed := randomFeed(t, y.Graph())
				for range 6 {
					feed[mask] = exec.Array{Shape: of, Data: windowOfKeys(r, of)}
					want, err := whole.Run(context.Background(), feed)
					require.NoError(t, err)
					got, err := masked.Run(context.Background(), feed)
					require.NoError(t, err)
					require.Equal(t, bitsOf(exec.ArrayOf(t, want, y).Data), bitsOf(exec.ArrayOf(t, got, y).Data),
						"%v %v %s", sizes, of, dtype)
				}
			}
		}
	}
}

// maskedAttention is attention of a few queries over many keys, with a mask of some shape that is fed. The sizes are
// those of the batch, queries, keys and width.
func maskedAttention(dtype graph.DType, sizes [4]int, of []int, inverted bool) (y, mask *graph.Node) {
	g := graph.New("attention")
	input := func(name string, dtype graph.DType, sizes ...int) *graph.Node {
		shape := make(graph.Shape, len(sizes))
		for i, n := range sizes {
			shape[i] = graph.Dim(n)
		}
		return g.Input(name, dtype, shape...)
	}
	q := input("q", dtype, sizes[0], sizes[1], sizes[3])
	k, v := input("k", dtype, sizes[0], sizes[2], sizes[3]), input("v", dtype, sizes[0], sizes[2], sizes[3])
	mask = input("mask", graph.Bool, of...)
	lets := mask
	if inverted {
		lets = ops.Not(lets)
	}
	return ops.ScaledDotProductAttention(q, k, v, ops.AttentionMask(lets)), mask
}

// sessionOf compiles a program that has no chain in blocks.
func sessionOf(t *testing.T, y *graph.Node, options ...exec.Option) *exec.Session {
	p, err := exec.Compile(y.Graph(), append(options, exec.Outputs(y), exec.ChainsOf(0))...)
	require.NoError(t, err)
	return p.NewSession(exec.Threads(2))
}

// windowOfKeys draws a mask that lets through a part of the keys, holes and all, or nothing.
func windowOfKeys(r *rand.Rand, of []int) []bool {
	keys, count := of[len(of)-1], 1
	for _, n := range of {
		count *= n
	}
	mask := make([]bool, count)
	lo := r.IntN(keys)
	hi := lo + r.IntN(keys-lo+1)
	for i := range mask {
		mask[i] = i%keys >= lo && i%keys < hi && r.IntN(8) > 0
	}
	return mask
}

// A cache of keys and values is read up to where it is filled. Numbers behind that would otherwise be multiplied by 0,
// which gives NaN for these.
func TestCachesAreReadWhereTheyAreFilled(t *testing.T) {
	const heads, keys, width = 4, 512, 16
	g := graph.New("decoding")
	q := g.Input("q", graph.Float32, 1, heads, 1, width)
	k, v := g.Input("k", graph.Float32, 1, heads, keys, width), g.Input("v", graph.Float32, 1, heads, keys, width)
	place := g.Input("place", graph.Int64)
	y := ops.ScaledDotProductAttention(q, k, v, ops.CausalFrom(place))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := p.NewSession()
	data := make([]float32, heads*keys*width)
	for filled := 1; filled <= keys; filled += 73 {
		for i := range data {
			if data[i] = float32(i % 7); i/width%keys >= filled {
				data[i] = float32(math.NaN())
			}
		}
		r, err := s.Run(context.Background(), exec.Feed{q: exec.Array{Shape: []int{1, heads, 1, width},
			Data: data[: heads*width : heads*width]}, k: exec.Array{Shape: []int{1, heads, keys, width}, Data: data},
			v: exec.Array{Shape: []int{1, heads, keys, width}, Data: data}, place: int64(filled - 1)})
		require.NoError(t, err)
		values, err := exec.Values[float32](r, y)
		require.NoError(t, err)
		for _, x := range values[:width] {
			require.False(t, math.IsNaN(float64(x)), "%d keys", filled)
		}
	}
}

// Blocks of rows follow the number of keys in a cache: they give the bits of whole matrices, whatever it was before, do
// not read what is behind it, and allocate nothing.
func TestBlocksFollowTheLengthOfACache(t *testing.T) {
	ofStart := func(start *graph.Node, _ graph.Shape) ops.AttentionOption { return ops.CausalFrom(start) }
	t.Run("mask in memory", func(t *testing.T) { blocksFollow(t, 40, 1100, ofStart) })
	t.Run("mask of positions", func(t *testing.T) { blocksFollow(t, 300, 2100, ofStart) })
	t.Run("mask of places in memory", func(t *testing.T) {
		blocksFollow(t, 300, 2100, func(start *graph.Node, scores graph.Shape) ops.AttentionOption {
			g := start.Graph()
			places := ops.CumSum(ops.Full(g, graph.Int64, 1, scores[0], 1), 0)
			return ops.AttentionMask(ops.Less(ops.Iota(g, 1, 1, scores[1]), ops.Add(places, start)))
		})
	})
}

func blocksFollow(t *testing.T, queries, keys int,
	masked func(start *graph.Node, scores graph.Shape) ops.AttentionOption) {
	const heads, width = 3, 8
	g := graph.New("prompt")
	q := g.Input("q", graph.Float32, 1, heads, graph.Dim(queries), width)
	k := g.Input("k", graph.Float32, 1, heads, graph.Dim(keys), width)
	v := g.Input("v", graph.Float32, 1, heads, graph.Dim(keys), width)
	start := g.Input("start", graph.Int64)
	y := ops.ScaledDotProductAttention(q, k, v, masked(start, graph.Shape{graph.Dim(queries), graph.Dim(keys)}))
	session := func(options ...exec.Option) *exec.Session {
		p, err := exec.Compile(g, append(options, exec.Outputs(y))...)
		require.NoError(t, err)
		return p.NewSession(exec.Threads(1))
	}
	blocks, whole := session(exec.ChainsOf(16)), session(exec.ChainsOf(0), exec.MasksFrom(math.MaxInt))
	feed := randomFeed(t, g)
	for _, at := range []int64{0, 1060, 3, 500, 1024, 31, 32} {
		feed[start] = at
		want, err := whole.Run(t.Context(), feed)
		require.NoError(t, err)
		got, err := blocks.Run(t.Context(), feed)
		require.NoError(t, err)
		require.Equal(t, bitsOf(exec.ArrayOf(t, want, y).Data), bitsOf(exec.ArrayOf(t, got, y).Data), "%d keys", at)
	}
	require.NotZero(t, blocks.Chained())

	values, feeds := feed[v].(exec.Array).Data.([]float32), []exec.Feed{maps.Clone(feed), maps.Clone(feed)}
	feeds[0][start], feeds[1][start] = int64(100), int64(90)
	for i := range values {
		if i/width%keys >= 100+queries+32 { // beyond the unit in which columns are left out
			values[i] = float32(math.NaN())
		}
	}
	i := 0
	step := func() {
		i++
		_, err := blocks.Run(t.Context(), feeds[i%2])
		require.NoError(t, err)
	}
	allocs.RequireNone(t, 20, step)
	r, err := blocks.Run(t.Context(), feeds[0])
	require.NoError(t, err)
	for _, x := range exec.ArrayOf(t, r, y).Data.([]float32) {
		require.False(t, math.IsNaN(float64(x)))
	}
}
