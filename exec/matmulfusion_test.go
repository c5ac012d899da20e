package exec_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/ops"
)

// fusionCase computes something of a product, which is large, and of other values. The
// factors are computed as well, so that their memory is free afterwards.
type fusionCase struct {
	x, w   []int // the factors' shapes
	others [][]int
	of     func(product *graph.Node, in []*graph.Node) *graph.Node // in: the factors and the others
	fused  manner
}

// manner is how a kernel goes on with a product.
type manner int

const (
	withoutOverlap manner = iota
	byRows
	byTiles     // by rows or apart where there are none
	byTilesOnly // apart where there are none
)

// hasTiles reports whether there is machine code for tiles, and memory to run it in.
func hasTiles() bool {
	const ret = 0xc3
	_, err := jit.New([]byte{ret})
	return err == nil && cpu.JIT() && cpu.Chosen() > cpu.Portable
}

var fusionCases = map[string]fusionCase{
	"bias and activation": {[]int{1200, 90}, []int{90, 260}, [][]int{{260}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Relu(ops.Add(p, in[2]))
		}, byTiles},
	"many terms": {[]int{1200, 600}, []int{600, 260}, [][]int{{260}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Relu(ops.Add(p, in[2]))
		}, byTiles},
	"nothing but itself": {[]int{1200, 90}, []int{90, 260}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Neg(p)
	}, byTiles},
	"one factor is added": {[]int{601, 601}, []int{601, 601}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Add(p, in[0])
	}, byTiles},
	"the other factor is added": {[]int{601, 601}, []int{601, 601}, nil,
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Add(p, ops.Mul(in[1], graph.Num(0.5)))
		}, byTiles},
	"the product is needed too": {[]int{601, 300}, []int{300, 601}, [][]int{{601}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.MatMul(ops.Relu(ops.Add(p, in[2])), p)
		}, byTiles},
	"the product is needed too, and a factor": {
		[]int{601, 601}, []int{601, 601}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.MatMul(ops.Relu(ops.Add(p, in[1])), p)
		}, byTiles},
	"a number for each row": {[]int{1201, 70}, []int{70, 259}, [][]int{{1201, 1}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Mul(p, in[2])
		}, byTiles},
	"a number for each row that is computed after it": {
		[]int{1201, 70}, []int{70, 259}, [][]int{{1201, 1}}, func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Mul(p, ops.Softmax(in[2], 0))
		}, byTiles},
	"sums of rows": {[]int{1201, 70}, []int{70, 259}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Sum(p, -1)
	}, byRows},
	"sums of columns": {[]int{1201, 70}, []int{70, 259}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Sum(p, 0)
	}, byTilesOnly},
	"sums of columns of batches": {[]int{4, 301, 70}, []int{70, 259}, nil,
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Sum(p, 0, 1)
		}, byTilesOnly},
	"sums of some columns": {[]int{4, 301, 70}, []int{70, 259}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Sum(p, 1)
	}, withoutOverlap},
	"sums of columns of a batch of products": {
		[]int{4, 301, 70}, []int{4, 70, 259}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Sum(p, 0, 1)
		}, withoutOverlap},
	"a batch with a number for each matrix": {
		[]int{13, 301, 70}, []int{13, 70, 133}, [][]int{{13, 1, 1}}, func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Mul(p, in[2])
		}, byTiles},
	"a batch with one matrix": {[]int{13, 301, 70}, []int{70, 133}, [][]int{{133}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Add(p, in[2])
		}, byTiles},
	"one matrix for a batch": {[]int{301, 70}, []int{13, 70, 133}, [][]int{{133}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Add(p, in[2])
		}, byTiles},
	"wide": {[]int{61, 70}, []int{70, 9001}, [][]int{{9001}}, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Add(p, in[2])
	}, byTiles},
	"few rows": {[]int{40, 40}, []int{40, 9001}, [][]int{{9001}}, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Add(p, in[2])
	}, byRows},
	"few terms for much from memory": {[]int{1300, 7}, []int{7, 900}, [][]int{{1300, 900}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Add(p, in[2])
		}, byRows},
	"turned": {[]int{1201, 70}, []int{70, 259}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Neg(ops.Transpose(p, 0, 1))
	}, byTiles},
	"a batch, turned": {[]int{3, 401, 70}, []int{3, 70, 259}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Neg(ops.Transpose(p, 1, 2))
	}, byTiles},
	"other axes turned": {[]int{3, 401, 70}, []int{3, 70, 259}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Neg(ops.Transpose(p, 0, 1))
	}, withoutOverlap},
	"as it is and turned": {[]int{601, 70}, []int{70, 601}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Add(p, ops.Transpose(p, 0, 1))
	}, withoutOverlap},
	"as other rows": {[]int{1200, 90}, []int{90, 260}, [][]int{{520}},
		func(p *graph.Node, in []*graph.Node) *graph.Node {
			return ops.Add(ops.Reshape(p, 600, 520), in[2])
		}, byRows},
	"much computed": {[]int{1200, 90}, []int{90, 260}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Tanh(ops.Sin(p))
	}, byTiles},
	"large angles": {[]int{1200, 90}, []int{90, 260}, nil, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Cos(ops.Mul(p, graph.Num(1e5)))
	}, byTiles},
	"small": {[]int{120, 90}, []int{90, 26}, [][]int{{26}}, func(p *graph.Node, in []*graph.Node) *graph.Node {
		return ops.Add(p, in[2])
	}, withoutOverlap},
}

// TestKernelsFusedWithAProduct expects the same bits as where the product and what comes after it
// are programs of their own.
func TestKernelsFusedWithAProduct(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for name, c := range fusionCases {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			var data []exec.Array
			for _, shape := range append([][]int{c.x, c.w}, c.others...) {
				v := drawn(rng, graph.Float32, shape)
				data = append(data, exec.Array{Shape: v.Shape, Data: v.Data})
			}
			factors := func(in []*graph.Node) []*graph.Node {
				return append([]*graph.Node{ops.Tanh(ops.Sin(in[0])), ops.Tanh(ops.Sin(in[1]))}, in[2:]...)
			}
			product := computeAll(t, 1, data[:2], func(in []*graph.Node) *graph.Node {
				return ops.MatMul(factors(in)[0], factors(in)[1])
			}, nil)
			want := computeAll(t, 1, append([]exec.Array{product}, data...), func(in []*graph.Node) *graph.Node {
				return c.of(in[0], factors(in[1:]))
			}, nil)
			for _, threads := range []int{1, 2, 3, 8} {
				got := computeAll(t, threads, data, func(in []*graph.Node) *graph.Node {
					in = factors(in)
					return c.of(ops.MatMul(in[0], in[1]), in)
				}, func(s *exec.Session) {
					if threads == 1 {
						tiled := (c.fused == byTiles || c.fused == byTilesOnly) && hasTiles()
						require.Equal(t, tiled, s.Tiled() > 0)
						if c.fused != byTiles || hasTiles() {
							require.Equal(t, tiled || c.fused == byRows, s.FusedWithMatMul() > 0)
						}
					}
				})
				require.Equal(t, want, got, "%d threads", threads)
			}
		})
	}
}

// computeAll runs a program of inputs twice, and gives a copy of its result.
func computeAll(t *testing.T, threads int, data []exec.Array, of func(in []*graph.Node) *graph.Node,
	look func(*exec.Session)) exec.Array {
	g := graph.New("fused")
	feed := exec.Feed{}
	var in []*graph.Node
	for i, v := range data {
		n := g.Input(string(rune('a'+i)), graph.Float32, graph.MakeShape(v.Shape...)...)
		feed[n] = v
		in = append(in, n)
	}
	z := of(in)
	prog, err := exec.Compile(g, exec.Outputs(z), exec.RowsFrom(1<<20))
	require.NoError(t, err)
	s := prog.NewSession(exec.Threads(threads))
	var result exec.Array
	for range 2 {
		out, err := s.Run(context.Background(), feed)
		require.NoError(t, err)
		array := arrayOf(t, out, z)
		result = exec.Array{Shape: array.Shape, Data: append([]float32{}, array.Data.([]float32)...)}
	}
	if look != nil {
		look(s)
	}
	return result
}

// TestAWeightWrittenFromItsProduct subtracts from a parameter what was computed with it.
func TestAWeightWrittenFromItsProduct(t *testing.T) {
	g := graph.New("square")
	w := g.Param("w", graph.Float32, 601, 601)
	prog, err := exec.Compile(g, exec.Updates(ops.SubInPlace(w, ops.MatMul(w, w))), exec.RowsFrom(1<<20))
	require.NoError(t, err)
	s := prog.NewSession()
	before, err := s.Param(w)
	require.NoError(t, err)
	x := exec.Array{Shape: before.Shape, Data: append([]float32{}, before.Data.([]float32)...)}
	want := computeAll(t, 1, []exec.Array{x}, func(in []*graph.Node) *graph.Node {
		return ops.Sub(in[0], ops.MatMul(in[0], in[0]))
	}, nil)
	_, err = s.Run(context.Background(), nil)
	require.NoError(t, err)
	require.Zero(t, s.FusedWithMatMul(), "other rows still need the weight")
	after, err := s.Param(w)
	require.NoError(t, err)
	require.Equal(t, want.Data, after.Data)
}

// TestRowsBesideExchangedAxes multiplies a product by a value whose axes lie in another order in memory, row by row of
// the product as these become whole.
func TestRowsBesideExchangedAxes(t *testing.T) {
	for _, size := range [][3]int{{16, 20, 64}, {40, 24, 48}, {9, 33, 8}, {16, 70, 33}} {
		for _, axes := range [][]int{{2, 1, 0}, {2, 0, 1}, {1, 0, 2}} {
			g := graph.New("rows")
			b, m, n, k := size[0], size[1], size[2], 24
			shape := make([]int, 3) // of what is permuted to [b, m, n]
			for i, axis := range axes {
				shape[axis] = size[i]
			}
			rng, feed := rand.New(rand.NewPCG(1, 2)), exec.Feed{}
			input := func(name string, shape ...int) *graph.Node {
				v, in := drawn(rng, graph.Float32, shape), g.Input(name, graph.Float32, graph.MakeShape(shape...)...)
				feed[in] = exec.Array{Shape: shape, Data: v.Data}
				return in
			}
			y := ops.Mul(ops.MatMul(input("x", b, m, k), input("w", b, k, n)),
				ops.Permute(input("z", shape...), axes...))
			run := func(threads int, options ...exec.Option) any {
				p, err := exec.Compile(g, append(options, exec.Outputs(y))...)
				require.NoError(t, err)
				out, err := p.NewSession(exec.Threads(threads)).Run(t.Context(), feed)
				require.NoError(t, err)
				return arrayOf(t, out, y).Data
			}
			want := run(1)
			for threads := range 3 {
				require.Equal(t, want, run(1+threads, exec.RowsFrom(0)), "%v, %v, %d threads", size, axes, 1+threads)
			}
		}
	}
}
