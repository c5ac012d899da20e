package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

// epilogues are what kernels do with tiles of a product. They may use values of one element,
// of one for each column, and of one for each row.
var epilogues = map[string]func(p *graph.Node, in others) []*graph.Node{
	"bias and activation": func(p *graph.Node, in others) []*graph.Node { return one(ops.Relu(ops.Add(p, in.cols))) },
	"scale":               func(p *graph.Node, in others) []*graph.Node { return one(ops.Mul(p, graph.Num(0.3))) },
	"scale by an input":   func(p *graph.Node, in others) []*graph.Node { return one(ops.Mul(p, in.one)) },
	"rows":                func(p *graph.Node, in others) []*graph.Node { return one(ops.Sub(in.rows, p)) },
	"all": func(p *graph.Node, in others) []*graph.Node {
		return one(ops.Maximum(ops.Add(ops.Mul(p, in.rows), in.cols), in.one))
	},
	"twice": func(p *graph.Node, in others) []*graph.Node { return one(ops.Mul(ops.Sub(p, in.cols), p)) },
	"twice, reshaped": func(p *graph.Node, in others) []*graph.Node {
		flat := ops.Reshape(p, p.Shape().NumElements())
		return one(ops.Sub(ops.Mul(p, in.rows), ops.Reshape(flat, p.Shape()...)))
	},
	"condition": func(p *graph.Node, in others) []*graph.Node {
		return one(ops.Where(ops.Greater(p, in.cols), p, in.one))
	},
	"residual": func(p *graph.Node, in others) []*graph.Node { return one(ops.Add(ops.Mul(p, in.rows), in.same)) },
	"gradient of ReLU": func(p *graph.Node, in others) []*graph.Node {
		return one(ops.Where(ops.Greater(in.same, graph.Num(0)), p, graph.Num(0)))
	},
	"mask": func(p *graph.Node, in others) []*graph.Node {
		z := ops.Add(p, in.cols)
		return []*graph.Node{ops.Relu(z), ops.Greater(z, graph.Num(0))}
	},
	"GELU":          func(p *graph.Node, in others) []*graph.Node { return one(ops.Gelu(ops.Add(p, in.cols))) },
	"GELU and rows": func(p *graph.Node, in others) []*graph.Node { return one(ops.Gelu(ops.Mul(p, in.rows))) },
	"gradients of ReLU and bias": func(p *graph.Node, in others) []*graph.Node {
		dz := ops.Where(ops.Greater(in.same, graph.Num(0)), p, graph.Num(0))
		return []*graph.Node{dz, sumOfRows(dz)}
	},
	"sums": func(p *graph.Node, in others) []*graph.Node { return one(sumOfRows(p)) },
	"more sums": func(p *graph.Node, in others) []*graph.Node {
		z := ops.Mul(ops.Add(p, in.cols), in.rows)
		return []*graph.Node{sumOfRows(ops.Square(z)), sumOfRows(z)}
	},
	"largest of functions": func(p *graph.Node, in others) []*graph.Node {
		y := ops.Gelu(ops.Add(p, in.cols))
		return []*graph.Node{y, ops.Max(y, allRows(y)...), ops.Mul(y, in.one)}
	},
	"three results": func(p *graph.Node, in others) []*graph.Node {
		return []*graph.Node{ops.Tanh(ops.Add(p, in.same)), ops.Mul(p, in.same), ops.Exp(ops.Mul(p, in.rows))}
	},
}

// others are what comes after a product besides: a number, one for each column, one for each row,
// and one for each element.
type others struct{ one, cols, rows, same *graph.Node }

// floats lists the types of products' tiles; one where time is short.
func floats() []graph.DType {
	if testing.Short() {
		return []graph.DType{graph.Float32}
	}
	return []graph.DType{graph.Float32, graph.Float64}
}

// allRows lists all axes but the last one, columns.
func allRows(x *graph.Node) (axes []ops.Axis) {
	for axis := range len(x.Shape()) - 1 {
		axes = append(axes, ops.Axis(axis))
	}
	return axes
}

func sumOfRows(x *graph.Node) *graph.Node { return ops.Sum(x, allRows(x)...) }

func one(y *graph.Node) []*graph.Node { return []*graph.Node{y} }

// TestTilesOfProducts expects the same bits as from a product and a kernel apart from each
// other: of tiles with all numbers of rows, at all edges, of sums of one block and of more, and
// where the product is needed too.
func TestTilesOfProducts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	if !hasTiles() {
		t.Skip("there is no machine code for tiles")
	}
	type size struct {
		batch   []int
		m, n, k int
	}
	sizes := []size{{nil, 2, 32, 1}, {nil, 100, 96, 300}, {nil, 61, 100, 600}, {nil, 500, 64, 20}, {nil, 40, 5024, 7},
		{nil, 700, 70, 9}, {[]int{3}, 7, 35, 40}, {[]int{2, 3}, 50, 32, 9}}
	for m := 2; m <= 13; m++ {
		if !testing.Short() || m%4 == 0 {
			sizes = append(sizes, size{nil, m, 15 + 3*m, 30 - m})
		}
	}
	for name, of := range epilogues {
		for _, dtype := range floats() {
			t.Run(fmt.Sprint(name, " ", dtype), func(t *testing.T) {
				tiled := 0
				for _, z := range sizes {
					rng := rand.New(rand.NewPCG(uint64(z.m), uint64(z.n)))
					g, feed := graph.New("tiles"), exec.Feed{}
					input := inputs(g, feed, rng, dtype)
					x, w := input("x", append(append([]int{}, z.batch...), z.m, z.k)...),
						input("w", append(append([]int{}, z.batch...), z.k, z.n)...)
					p := ops.MatMul(x, w)
					y := of(p, others{input("one"), input("cols", z.n), input("rows", z.m, 1),
						input("same", append(append([]int{}, z.batch...), z.m, z.n)...)})
					s := requireTiles(t, fmt.Sprint(z), g, feed, y...)
					tiled += s.Tiled()
					require.Equal(t, s.Tiled(), requireTiles(
						t, fmt.Sprint(z, " and the product"), g, feed, append(y, p)...).Tiled())
				}
				require.GreaterOrEqual(t, tiled, 7) // of 20: the others have fewer columns than tiles
			})
		}
	}
}

// requireTiles runs a program with all that may follow from products apart from these, and
// not, and expects the same bits. It gives the session that was the last to run it.
func requireTiles(t *testing.T, name string, g *graph.Graph, feed exec.Feed, y ...*graph.Node) (s *exec.Session) {
	t.Helper()
	prog, err := exec.Compile(g, exec.Outputs(y...), exec.AllTiles())
	require.NoError(t, err)
	want := make([][]uint64, len(y))
	counts := []int{0, 1, 2, 3, 8} // none for all apart
	if testing.Short() {
		counts = []int{0, 3}
	}
	for _, threads := range counts {
		s = prog.NewSession(exec.Threads(max(threads, 1)))
		run := s.Run
		if threads == 0 {
			run = s.RunApart
		}
		for range 2 {
			out, err := run(context.Background(), feed)
			require.NoError(t, err)
			for i, y := range y {
				got := bitsOf(arrayOf(t, out, y).Data)
				if threads == 0 {
					want[i] = got
				} else if !slices.Equal(want[i], got) { // a comparison by reflection takes longer than the run
					require.Equal(t, want[i], got, "%s, %d threads", name, threads)
				}
			}
		}
	}
	return s
}

// TestTilesWithRepetitionDecidedInTheRun adds matrices to products, whose rows or columns are
// repeated or not, as sizes of the run say.
func TestTilesWithRepetitionDecidedInTheRun(t *testing.T) {
	for _, of := range []func(p, x *graph.Node) *graph.Node{
		func(p, x *graph.Node) *graph.Node { return ops.Add(p, x) },
		func(p, x *graph.Node) *graph.Node { return ops.Sub(x, p) },
		func(p, x *graph.Node) *graph.Node { return ops.Gelu(ops.Add(x, p)) },
	} {
		g := graph.New("repeated", graph.WithPolicy(
			graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
		a, b, x := g.Input("a", graph.Float32, 60, 9), g.Input("b", graph.Float32, 9, 64),
			g.Input("x", graph.Float32, g.Dim("rows"), g.Dim("cols"))
		y := of(ops.MatMul(a, b), x)
		for _, size := range [][2]int{{60, 64}, {1, 64}, {60, 1}, {1, 1}} {
			feed := exec.Feed{}
			rng := rand.New(rand.NewPCG(1, 2))
			for node, shape := range map[*graph.Node][]int{a: {60, 9}, b: {9, 64}, x: {size[0], size[1]}} {
				v := drawn(rng, graph.Float32, shape)
				feed[node] = exec.Array{Shape: v.Shape, Data: v.Data}
			}
			s := requireTiles(t, fmt.Sprint(size), g, feed, y)
			require.Equal(t, size == [2]int{60, 64} && hasTiles(), s.Tiled() > 0, "%v", size)
		}
	}
}

// TestTilesOfConvolutions adds a bias for each channel to convolutions, of one image and
// of some, with windows that are read where they lie and with others.
func TestTilesOfConvolutions(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	if !hasTiles() {
		t.Skip("there is no machine code for tiles")
	}
	for _, z := range []struct{ images, in, side, out, kernel, stride, padding int }{
		{1, 3, 8, 7, 1, 1, 0}, {3, 5, 9, 13, 3, 1, 1}, {2, 4, 12, 8, 5, 1, 0}, {4, 2, 11, 6, 3, 2, 1},
		{2, 70, 6, 9, 3, 1, 1}, {1, 1, 28, 6, 5, 1, 2},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		g, feed := graph.New("convolution"), exec.Feed{}
		input := inputs(g, feed, rng, graph.Float32)
		y := ops.Relu(ops.Conv2D(input("x", z.images, z.in, z.side, z.side),
			input("w", z.out, z.in, z.kernel, z.kernel), input("b", z.out),
			ops.Padding(z.padding), ops.Stride(z.stride)))
		require.Positive(t, requireTiles(t, fmt.Sprint(z), g, feed, y).Tiled(), "%v", z)
	}
}

// inputs returns what makes inputs of a graph and feeds them with drawn numbers, some special.
func inputs(g *graph.Graph, feed exec.Feed, rng *rand.Rand, dtype graph.DType) func(name string,
	shape ...int) *graph.Node {
	return func(name string, shape ...int) *graph.Node {
		n := g.Input(name, dtype, graph.MakeShape(shape...)...)
		v := drawn(rng, dtype, shape)
		poison(rng, v.Data)
		feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
		return n
	}
}

// poison makes some of many elements infinite, or no numbers.
func poison(rng *rand.Rand, data any) {
	special := [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}
	for _, x := range special {
		switch data := data.(type) {
		case []float32:
			if len(data) > 100 {
				data[rng.IntN(len(data))] = float32(x)
			}
		case []float64:
			if len(data) > 100 {
				data[rng.IntN(len(data))] = x
			}
		}
	}
}

// bitsOf returns the bits of elements, of which all that are no number have the same.
func bitsOf(data any) (bits []uint64) {
	_, count := graph.DTypeOfSlice(data)
	bits = make([]uint64, 0, count)
	put := func(x float64) {
		if x != x {
			x = math.NaN()
		}
		bits = append(bits, math.Float64bits(x))
	}
	switch data := data.(type) {
	case []float32:
		for _, x := range data {
			put(float64(x))
		}
	case []float64:
		for _, x := range data {
			put(x)
		}
	case []half.Float16:
		return bitsOf(half.ToFloat32(data))
	case []half.BFloat16:
		return bitsOf(half.ToFloat32(data))
	case []int64:
		for _, x := range data {
			put(float64(x))
		}
	case []uint8:
		for _, x := range data {
			put(float64(x))
		}
	case []bool:
		for _, x := range data {
			if x {
				put(1)
			} else {
				put(0)
			}
		}
	}
	return bits
}
