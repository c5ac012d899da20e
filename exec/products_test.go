package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// factor is an operand of a product: its shape in memory, whether its last axes are
// exchanged, and whether it is turned around along an axis.
type factor struct {
	shape      []int
	transposed bool
	flipped    bool
}

func (f factor) node(g *graph.Graph, name string, dtype graph.DType) (input, used *graph.Node) {
	input = g.Input(name, dtype, graph.MakeShape(f.shape...)...)
	used = input
	if f.flipped {
		used = ops.Flip(used, -1)
	}
	if f.transposed {
		used = ops.Transpose(used, -1, -2)
	}
	return input, used
}

// productCases are large enough for several threads, but for the last one, and lie in all
// the ways in which threads may divide them.
var productCases = []struct {
	about string
	a, b  factor
}{
	{"by rows", factor{shape: []int{150, 100}}, factor{shape: []int{100, 80}}},
	{"both transposed", factor{shape: []int{100, 149}, transposed: true},
		factor{shape: []int{81, 100}, transposed: true}},
	{"wide", factor{shape: []int{5, 200}}, factor{shape: []int{200, 1300}}},
	{"tall", factor{shape: []int{1300, 200}}, factor{shape: []int{200, 3}}},
	{"deep", factor{shape: []int{20, 5000}}, factor{shape: []int{13, 5000}, transposed: true}},
	{"a row", factor{shape: []int{1, 1200}}, factor{shape: []int{1200, 1001}}},
	{"a vector", factor{shape: []int{1001, 1200}}, factor{shape: []int{1200}}},
	{"a column", factor{shape: []int{3, 301, 1200}}, factor{shape: []int{1200, 1}}},
	{"a row along rows", factor{shape: []int{4, 1, 300}}, factor{shape: []int{4, 201, 300}, transposed: true}},
	{"a vector along rows", factor{shape: []int{300}}, factor{shape: []int{2, 401, 300}, transposed: true}},
	{"a column by a row", factor{shape: []int{3, 301, 1}}, factor{shape: []int{1, 270}}},
	{"two vectors", factor{shape: []int{40000}}, factor{shape: []int{40000}}},
	{"short rows", factor{shape: []int{2000, 33}}, factor{shape: []int{33}}},
	{"few short rows", factor{shape: []int{64, 3, 33}}, factor{shape: []int{33, 1}}},
	{"a batch of small ones", factor{shape: []int{64, 9, 40}}, factor{shape: []int{64, 40, 33}}},
	{"many tiny ones", factor{shape: []int{700, 3, 4}}, factor{shape: []int{700, 5, 4}, transposed: true}},
	{"many tiny ones of a batch that stretches", factor{shape: []int{1, 30, 2, 3}, flipped: true},
		factor{shape: []int{20, 1, 3, 2}}},
	{"many columns that meet columns", factor{shape: []int{300, 500, 1}, transposed: true},
		factor{shape: []int{300, 500, 1}}},
	{"two batches that stretch", factor{shape: []int{3, 1, 50, 30}}, factor{shape: []int{4, 30, 65}}},
	{"one matrix for all", factor{shape: []int{60, 30}}, factor{shape: []int{20, 20, 30}, transposed: true}},
	{"backwards", factor{shape: []int{100, 157}, flipped: true}, factor{shape: []int{157, 90}, flipped: true}},
	{"small", factor{shape: []int{2, 3}}, factor{shape: []int{3, 2}}},
}

// TestProductsOnThreads expects the same bits on every number of threads, and those numbers
// that the reference gives.
func TestProductsOnThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	rng := rand.New(rand.NewPCG(1, 2))
	dtypes := []graph.DType{graph.Float32, graph.Float64, graph.Int64}
	if testing.Short() {
		dtypes = dtypes[:1] // the reference is slow
	}
	for _, dtype := range dtypes {
		for _, c := range productCases {
			about := fmt.Sprint(dtype, " ", c.about)
			g := graph.New("products")
			x, a := c.a.node(g, "x", dtype)
			y, b := c.b.node(g, "y", dtype)
			z := ops.MatMul(a, b)
			prog, err := exec.Compile(g, exec.Outputs(z))
			require.NoError(t, err, about)
			in := map[*graph.Node]reference.Value{x: drawn(rng, dtype, c.a.shape), y: drawn(rng, dtype, c.b.shape)}
			feed := exec.Feed{}
			for n, v := range in {
				feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
			}
			want, err := reference.Eval([]*graph.Node{z}, in)
			require.NoError(t, err, about)
			var first []float64
			for _, threads := range []int{1, 2, 3, 8} {
				out, err := prog.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
				require.NoError(t, err, about)
				array := arrayOf(t, out, z)
				require.Equal(t, want[0].Shape, array.Shape, about)
				got := reference.Value{DType: dtype, Shape: array.Shape, Data: array.Data}.Floats()
				if first == nil {
					first = got
					require.InDeltaSlice(t, want[0].Floats(), got, 1e-3, about)
				}
				require.Equal(t, first, got, "%s: %d threads", about, threads)
			}
		}
	}
}

// drawn makes numbers of a type.
func drawn(rng *rand.Rand, dtype graph.DType, shape []int) reference.Value {
	count := 1
	for _, d := range shape {
		count *= d
	}
	data := make([]float64, count)
	for i := range data {
		data[i] = rng.NormFloat64()
		if dtype == graph.Int64 {
			data[i] = float64(rng.IntN(2001) - 1000)
		}
	}
	return reference.FromFloats(dtype, data, shape...)
}

// A product of one term a sum is computed with what is computed from it, and has no -0, like every sum of a
// product.
func TestColumnByRowIsFused(t *testing.T) {
	g := graph.New("outer")
	column, row := g.Input("column", graph.Float32, 3, 1), g.Input("row", graph.Float32, 1, 2)
	y := ops.Reciprocal(ops.MatMul(column, row))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.Equal(t, 1, p.Kernels(), "%s", p)
	out, err := p.NewSession().Run(t.Context(), exec.Feed{column: []float32{0, -2, 1}, row: []float32{-1, 4}})
	require.NoError(t, err)
	inf := float32(math.Inf(1))
	require.Equal(t, []float32{inf, inf, 0.5, -0.125, -1, 0.25}, arrayOf(t, out, y).Data)
}

// TestManySmallProductsAreSums multiplies many small matrices element by element, with the batch last: each factor is
// laid out so once, for its gradients too, and one kernel has all products. Vectors that lie side by side are sums.
func TestManySmallProductsAreSums(t *testing.T) {
	g := graph.New("small")
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 3, 3), g.Input("y", graph.Float32, n, 3, 3)
	u, v := g.Input("u", graph.Float32, 50, 100), g.Input("v", graph.Float32, 50, 100)
	product := ops.MatMul(x, y)
	gradients := autodiff.Grad(product, []*graph.Node{x, y}, autodiff.Upstream(ops.Tanh(x)))
	for _, c := range []struct {
		outputs []*graph.Node
		kernels int
	}{
		{[]*graph.Node{ops.Tanh(product)}, 4}, // two copies, the products, and what comes of them
		{append(gradients, product), 8},       // the hyperbolic tangent, three copies, the products, and three results
		{[]*graph.Node{ops.Einsum("ij,ij->j", u, v)}, 1},
	} {
		p, err := exec.Compile(g, exec.Outputs(c.outputs...))
		require.NoError(t, err)
		require.Equal(t, c.kernels, p.Kernels(), "%s", p)
		for _, k := range p.Plan().Kernels {
			require.NotEqual(t, graph.Contract, k.Class)
		}
	}
}

// TestVectorsOfABatchMeetOneMatrixAtOnce multiplies the one row of each example, as a step of a decoder has it, by the
// same matrix: all rows are one product, which reads the matrix once.
func TestVectorsOfABatchMeetOneMatrixAtOnce(t *testing.T) {
	for _, named := range []bool{false, true} {
		g := graph.New("rows")
		batch := graph.Dim(16)
		if named {
			batch = g.Dim("batch")
		}
		x, w := g.Input("x", graph.Float32, batch, 1, 512), g.Input("w", graph.Float32, 300, 512)
		p, err := exec.Compile(g, exec.Outputs(ops.Linear(x, w, nil)))
		require.NoError(t, err)
		require.Equal(t, 1, p.Kernels(), "%s", p)
		require.Equal(t, graph.Contract, p.Plan().Kernels[0].Class)
	}
}
