package exec_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// sums are what kernels sum of columns of a matrix that a product reads too.
var sums = map[string]func(x *graph.Node, in others) []*graph.Node{
	"elements": func(x *graph.Node, in others) []*graph.Node { return one(ops.Sum(x, 0)) },
	"squares and largest": func(x *graph.Node, in others) []*graph.Node {
		return []*graph.Node{ops.Mean(ops.Square(x), 0), ops.Max(x, 0)}
	},
	"with others": func(x *graph.Node, in others) []*graph.Node {
		return one(ops.Sum(ops.Relu(ops.Add(ops.Mul(ops.Sub(x, in.cols), in.rows), in.one)), 0))
	},
}

// seconds are second matrices of products, of k rows and n columns.
var seconds = map[string]func(input func(name string, shape ...int) *graph.Node, k, n int) *graph.Node{
	"given": func(input func(string, ...int) *graph.Node, k, n int) *graph.Node { return input("b", k, n) },
	"turned": func(input func(string, ...int) *graph.Node, k, n int) *graph.Node {
		return ops.Transpose(input("b", n, k), 0, 1)
	},
	"joined": func(input func(string, ...int) *graph.Node, k, n int) *graph.Node {
		return ops.Concat(1, input("b", k, n-5), input("c", k, 5))
	},
	"a part": func(input func(string, ...int) *graph.Node, k, n int) *graph.Node {
		return ops.Slice(ops.Slice(input("b", k+2, n+3), 0, 1, graph.Dim(k+1), 1), 1, 2, graph.Dim(n+2), 1)
	},
}

// TestSumsOfFactors expects the same bits as from a kernel apart from the product: of second
// matrices with all orders of elements, of sums in several pieces, with an epilogue and without.
func TestSumsOfFactors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	if !hasTiles() {
		t.Skip("there is no machine code for tiles")
	}
	for name, of := range sums {
		for _, dtype := range floats() {
			for second, b := range seconds {
				t.Run(fmt.Sprint(name, " ", dtype, " ", second), func(t *testing.T) {
					for _, z := range [][3]int{{20, 32, 50}, {50, 64, 300}, {100, 70, 600}, {33, 40, 1700},
						{400, 100, 256}} {
						for _, isFused := range []bool{false, true} {
							rng := rand.New(rand.NewPCG(uint64(z[0]), uint64(z[1])))
							g, feed := graph.New("sums"), exec.Feed{}
							input := inputs(g, feed, rng, dtype)
							m, n, k := z[0], z[1], z[2]
							x := b(input, k, n)
							y := ops.MatMul(input("a", m, k), x)
							if isFused {
								y = ops.Abs(y)
							}
							sums := of(x, others{one: input("one"), cols: input("cols", n), rows: input("rows", k, 1)})
							s := requireTiles(t, fmt.Sprint(z, isFused), g, feed, append(sums, y)...)
							if second != "turned" || name != "elements" { // whose sums run along rows in memory
								require.Equal(t, 1, s.FactorSums(), "%v", z)
							}
							require.Equal(t, isFused, s.Tiled() > 0, "%v", z)
						}
					}
				})
			}
		}
	}
}

// TestSumsOfTwoMatricesAreNoSumsOfFactors expects sums of what two matrices make together to be right,
// one of which may be the product itself.
func TestSumsOfTwoMatricesAreNoSumsOfFactors(t *testing.T) {
	for name, of := range map[string]func(x, y, other *graph.Node) *graph.Node{
		"another":     func(x, y, other *graph.Node) *graph.Node { return ops.Mul(x, other) },
		"the product": func(x, y, other *graph.Node) *graph.Node { return ops.Mul(x, y) },
		"a row of the product": func(x, y, other *graph.Node) *graph.Node {
			return ops.Mul(x, ops.Select(y, 0, 79))
		},
		"a column of the product": func(x, y, other *graph.Node) *graph.Node {
			return ops.Mul(x, ops.Slice(y, 1, 63, 64, 1))
		},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		g, feed := graph.New("two"), exec.Feed{}
		input := inputs(g, feed, rng, graph.Float32)
		x, other := input("x", 80, 64), input("other", 80, 64)
		y := ops.MatMul(input("a", 80, 80), x)
		s := requireTiles(t, name, g, feed, y, ops.Sum(of(x, y, other), 0))
		require.Zero(t, s.FactorSums(), name)
	}
}

// TestSumsOfFactorsDependOnNoEpilogue updates a bias by the sum of what is also a factor, which
// goes on with what needs the bias.
func TestSumsOfFactorsDependOnNoEpilogue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	g, feed := graph.New("dependent"), exec.Feed{}
	input := inputs(g, feed, rng, graph.Float32)
	x := input("x", 90, 64)
	sum := ops.Sum(x, 0)
	y := ops.Add(ops.MatMul(input("a", 70, 90), x), sum)
	s := requireTiles(t, "the sum is added", g, feed, y)
	require.Zero(t, s.Tiled())
}

// TestGradientsOfBiases trains layers whose gradients come by all ways: from a kernel that goes
// on with a product, from a product that others need too, and from a join.
func TestGradientsOfBiases(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	rng := rand.New(rand.NewPCG(1, 2))
	g, feed := graph.New("layers"), exec.Feed{}
	input := inputs(g, feed, rng, graph.Float32)
	var weights []*graph.Node
	layer := func(x *graph.Node, name string, in, out int) *graph.Node {
		w, b := input("w"+name, in, out), input("b"+name, out)
		weights = append(weights, w, b)
		return ops.Add(ops.MatMul(x, w), b)
	}
	x := ops.Relu(layer(input("x", 300, 40), "1", 40, 64))
	x = layer(layer(x, "2", 64, 96), "3", 96, 64)
	both := layer(x, "4", 64, 128)
	half := func(from graph.Dim) *graph.Node { return ops.Slice(both, 1, from, from+64, 1) }
	loss := ops.Mean(ops.Mul(ops.Tanh(half(0)), ops.Sigmoid(half(64))))
	s := requireTiles(t, "layers", g, feed, append(autodiff.Grad(loss, weights), loss)...)
	if hasTiles() {
		require.Equal(t, 1, s.FactorSums())
		require.Equal(t, 4+3, s.Tiled(), "biases of all layers, and gradients from products of all but the first")
	}
}
