package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// foldsOfPairs fold values for all pairs of rows of x and y along the rows, and along the axes of the pairs. w is a
// vector of the rows' axis, and m a value for each pair.
var foldsOfPairs = map[string]func(x, y, w, m *graph.Node) *graph.Node{
	"distances": func(x, y, w, m *graph.Node) *graph.Node { return ops.CDist(x, y, 2) },
	"absolute":  func(x, y, w, m *graph.Node) *graph.Node { return ops.CDist(x, y, 1) },
	"least sum": func(x, y, w, m *graph.Node) *graph.Node {
		return ops.Min(ops.Add(ops.Unsqueeze(x, 1), y), -1)
	},
	"greatest product": func(x, y, w, m *graph.Node) *graph.Node {
		return ops.Max(ops.Mul(ops.Mul(ops.Unsqueeze(x, 1), y), w), -1, ops.KeepDims())
	},
	"product": func(x, y, w, m *graph.Node) *graph.Node {
		return ops.Prod(ops.Add(ops.Mul(difference(x, y), graph.Num(0.01)), graph.Num(1)), 2)
	},
	"additive attention": func(x, y, w, m *graph.Node) *graph.Node {
		return ops.Sum(ops.Mul(ops.Tanh(ops.Add(difference(x, y), ops.Unsqueeze(m, -1))), w), -1)
	},
	"columns": func(x, y, w, m *graph.Node) *graph.Node {
		x, y = ops.Transpose(x, 0, 1), ops.Transpose(y, 0, 1)
		return ops.Sum(ops.Abs(ops.Sub(ops.Unsqueeze(x, -1), ops.Unsqueeze(y, 1))), 0)
	},
	"first of the pair": func(x, y, w, m *graph.Node) *graph.Node {
		return ops.Sum(ops.Mul(ops.Sign(difference(x, y)), ops.Unsqueeze(m, -1)), 0)
	},
	"batch": func(x, y, w, m *graph.Node) *graph.Node {
		both := ops.Stack(0, x, ops.Mul(x, w), ops.Sin(x))
		d := ops.Sub(ops.Unsqueeze(both, 2), y)
		return ops.Sum(ops.Mul(d, d), -1)
	},
	"integers": func(x, y, w, m *graph.Node) *graph.Node {
		i := func(v *graph.Node) *graph.Node { return ops.Cast(ops.Mul(v, graph.Num(100)), graph.Int32) }
		return ops.Sum(ops.Xor(ops.Unsqueeze(i(x), 1), i(y)), -1)
	},
}

// Folds of values for all pairs agree with the reference for sizes of all kinds, known and named.
func TestFoldsOfPairs(t *testing.T) {
	for name, of := range foldsOfPairs {
		for _, size := range [][3]int{{5, 40, 33}, {20, 17, 64}, {0, 20, 12}, {20, 0, 12}, {6, 21, 0}, {1, 33, 20},
			{33, 1, 20}, {4, 18, 600}, {7, 16, 9}, {64, 65, 10}} {
			for _, named := range []string{"", "n", "m", "k", "nmk"} {
				t.Run(fmt.Sprint(name, size, named), func(t *testing.T) {
					g := graph.New("pairs")
					dim := func(axis int) graph.Dim {
						if letter := "nmk"[axis : axis+1]; slices.Contains([]string{letter, "nmk"}, named) {
							return g.Dim(letter, graph.AtLeast(0))
						}
						return graph.Dim(size[axis])
					}
					n, m, k := dim(0), dim(1), dim(2)
					in := newReferenceInputs(g, rand.New(rand.NewPCG(1, 2)))
					y := of(in.input("x", graph.Shape{n, k}, size[0], size[2]),
						in.input("y", graph.Shape{m, k}, size[1], size[2]),
						in.input("w", graph.Shape{k}, size[2]), in.input("m", graph.Shape{n, m}, size[0], size[1]))
					if (name == "least sum" || name == "greatest product") && size[2] == 0 {
						return // of nothing
					}
					requireReference(t, []*graph.Node{y}, in.values, 1e-9)
				})
			}
		}
	}
}

// NaN wins among the elements of a pair, and -0 is less than 0.
func TestExtremaOfPairsKnowNaN(t *testing.T) {
	g := graph.New("extrema")
	x, y := g.Input("x", graph.Float32, 3, 20), g.Input("y", graph.Float32, 40, 20)
	sum := ops.Add(ops.Unsqueeze(x, 1), y)
	most, least := ops.Max(sum, -1), ops.Min(ops.Mul(ops.Unsqueeze(x, 1), y), -1)
	p, err := exec.Compile(g, exec.Outputs(most, least))
	require.NoError(t, err)
	xs, ys := make([]float32, 3*20), make([]float32, 40*20)
	for i := range ys {
		ys[i] = 1
	}
	xs[7], xs[25] = float32(math.NaN()), float32(math.Copysign(0, -1))
	ys[20+3] = float32(math.NaN())
	out, err := p.NewSession().Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{3, 20}, Data: xs},
		y: exec.Array{Shape: []int{40, 20}, Data: ys}})
	require.NoError(t, err)
	for i := range 3 {
		for j := range 40 {
			isNaN := i == 0 || j == 1
			a, err := exec.Values[float32](out, most)
			require.NoError(t, err)
			require.Equal(t, isNaN, math.IsNaN(float64(a[i*40+j])), "%d %d", i, j)
			b, err := exec.Values[float32](out, least)
			require.NoError(t, err)
			require.Equal(t, isNaN, math.IsNaN(float64(b[i*40+j])), "%d %d", i, j)
			require.Equal(t, i == 1 && !isNaN, math.Signbit(float64(b[i*40+j])) && !isNaN, "%d %d", i, j)
		}
	}
}

// A value for all pairs is folded with vectors along the pairs, and none of its size is stored.
func TestPairsAreFoldedAcrossRows(t *testing.T) {
	for name, of := range foldsOfPairs {
		g := graph.New("pairs")
		x, y := g.Input("x", graph.Float32, 40, 32), g.Input("y", graph.Float32, 50, 32)
		z := of(x, y, g.Input("w", graph.Float32, 32), g.Input("m", graph.Float32, 40, 50))
		p, err := exec.Compile(g, exec.Outputs(z))
		require.NoError(t, err)
		for _, n := range nodesBehind(t, p, "dce") {
			if n.Op().Class == graph.Reduce && n.In(0).Rank() > 2 {
				require.Equal(t, []int{n.In(0).Rank() - 2}, n.Op().Axes(n), "%s: %s", name, graph.Describe(n))
			}
		}
		footprint, err := p.Footprint(nil)
		require.NoError(t, err)
		require.Less(t, footprint.Arena, 40*50*32, name)
	}
}

// Elements that depend on their position, such as draws and indices, keep it.
func TestPairsKeepPositions(t *testing.T) {
	g := graph.New("positions")
	x, y := g.Input("x", graph.Float64, 20, 24), g.Input("y", graph.Float64, 30, 24)
	index := ops.Cast(ops.Iota(g, 2, 20, 30, 24), graph.Float64)
	z := ops.Sum(ops.Mul(difference(x, y), index), -1)
	rng := rand.New(rand.NewPCG(1, 2))
	in := map[*graph.Node]reference.Value{x: normals(rng, 20, 24), y: normals(rng, 30, 24)}
	requireReference(t, []*graph.Node{z}, in, 1e-9)
}
