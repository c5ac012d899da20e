package exec_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Products of integers by weights that are set between runs, and that sessions share, have the bits of those by the
// same numbers fed.
func TestIntegerWeightsFollowTheParameter(t *testing.T) {
	const in, out = 150, 170
	for _, dtypes := range [][2]graph.DType{
		{graph.Uint8, graph.Int8}, {graph.Uint8, graph.Uint8}, {graph.Int8, graph.Int8}, {graph.Int8, graph.Uint8},
		{graph.Int32, graph.Int8}, {graph.Int16, graph.Int16}} {
		for _, transposed := range []bool{false, true} {
			t.Run(fmt.Sprint(dtypes, transposed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				shape := []int{in, out}
				if transposed {
					shape = []int{out, in}
				}
				g := graph.New("weights")
				x, zero := g.Input("x", dtypes[0], g.Dim("batch"), in), g.Input("zero", dtypes[0])
				fed, w := g.Input("fed", dtypes[1], graph.MakeShape(shape...)...),
					g.Param("w", dtypes[1], graph.MakeShape(shape...)...)
				layer := func(w *graph.Node) *graph.Node {
					if transposed {
						w = ops.Transpose(w, 0, 1)
					}
					wide := func(x *graph.Node) *graph.Node { return ops.Cast(x, graph.Int32) }
					return ops.MatMul(ops.Sub(wide(x), wide(zero)), wide(w))
				}
				y, want := layer(w), layer(fed)
				use, err := exec.Compile(g, exec.Outputs(y))
				require.NoError(t, err)
				reference, err := exec.Compile(g, exec.Outputs(want))
				require.NoError(t, err)
				session, plain := use.NewSession(), reference.NewSession()
				sharing := use.NewSession(exec.ShareParams(session))
				for i, batch := range []int{5, 1, 16, 3, 64, 1, 300} {
					v := drawn(rng, dtypes[0], []int{batch, in})
					feed := exec.Feed{x: exec.Array{Shape: v.Shape, Data: v.Data},
						zero: exec.Array{Shape: []int{}, Data: drawn(rng, dtypes[0], []int{}).Data}}
					if i%2 == 0 {
						v := drawn(rng, dtypes[1], shape)
						require.NoError(t, session.SetParam(w, exec.Array{Shape: shape, Data: v.Data}))
					}
					withWeight := maps.Clone(feed)
					withWeight[fed], err = session.Param(w)
					require.NoError(t, err)
					expected, err := plain.Run(t.Context(), withWeight)
					require.NoError(t, err)
					for again := range 3 { // the second run packs the weight, the third one uses that
						for _, s := range []*exec.Session{session, sharing} {
							got, err := s.Run(t.Context(), feed)
							require.NoError(t, err)
							require.Equal(t, arrayOf(t, expected, want).Data, arrayOf(t, got, y).Data,
								"batch %d, time %d", batch, again)
						}
					}
				}
			})
		}
	}
}

// What is computed of parameters alone follows these, in sessions that share them, and whatever ran between: other
// sizes, a profile, a program that writes them.
func TestValuesOfParametersFollowThem(t *testing.T) {
	g := graph.New("norm")
	x, w := g.Input("x", graph.Float32, g.Dim("batch"), 8), g.Param("w", graph.Float32, 4, 8)
	norms := ops.Sqrt(ops.Sum(ops.Square(w), 0))
	scaled := ops.MatMul(ops.Div(x, norms), ops.Transpose(w, 0, 1))
	use, err := exec.Compile(g, exec.Outputs(scaled, ops.Add(x, ops.Softmax(norms, -1))))
	require.NoError(t, err)
	write, err := exec.Compile(g, exec.Updates(ops.AddInPlace(w, ops.Mean(x))))
	require.NoError(t, err)
	session := write.NewSession()
	sharing := use.NewSession(exec.ShareParams(session))
	rng := rand.New(rand.NewPCG(1, 2))
	for i, batch := range []int{3, 3, 5, 3, 3, 5} {
		v := drawn(rng, graph.Float32, []int{batch, 8})
		feed := exec.Feed{x: exec.Array{Shape: v.Shape, Data: v.Data}}
		if i != 1 {
			_, err := session.Run(t.Context(), feed)
			require.NoError(t, err)
		}
		value, err := session.Param(w)
		require.NoError(t, err)
		fresh := use.NewSession()
		require.NoError(t, fresh.SetParam(w, value))
		want, err := fresh.Run(t.Context(), feed)
		require.NoError(t, err)
		if i%2 == 0 {
			_, err := sharing.Profile(t.Context(), feed, 2)
			require.NoError(t, err)
		}
		for range 2 {
			got, err := sharing.Run(t.Context(), feed)
			require.NoError(t, err)
			require.Equal(t, arrayOf(t, want, scaled).Data, arrayOf(t, got, scaled).Data)
		}
	}
}

// TestManyValuesOfParameters compiles products of parameters, each of the two before it: what is kept of them takes
// memory for each, not for each way to the parameters.
func TestManyValuesOfParameters(t *testing.T) {
	g := graph.New("products")
	a, b := g.Param("a", graph.Float64, 4, 4), g.Param("b", graph.Float64, 4, 4)
	x, y := a, b
	for range 36 {
		x, y = y, ops.MatMul(x, y)
	}
	out := ops.Tanh(y)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	prog, err := exec.Compile(g, exec.Outputs(out))
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
	session := prog.NewSession()
	for _, v := range []float64{0, 1} { // the values follow the parameters
		ones := slices.Repeat([]float64{v / 4}, 16)
		require.NoError(t, session.SetParam(a, ones))
		require.NoError(t, session.SetParam(b, ones))
		r, err := session.Run(t.Context(), nil)
		require.NoError(t, err)
		require.InDelta(t, math.Tanh(v/4), arrayOf(t, r, out).Data.([]float64)[0], 1e-12)
	}
}
