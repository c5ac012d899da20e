package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

var quantizedDTypes = []graph.DType{graph.Int8, graph.Uint8, graph.Int16, graph.Uint16}

// integerProgram is a program of integers with its inputs.
type integerProgram struct {
	g      *graph.Graph
	random *rand.Rand
	feed   Feed
	in     map[*graph.Node]reference.Value
}

func newIntegerProgram(seed uint64) *integerProgram {
	return &integerProgram{graph.New("integers"), rand.New(rand.NewPCG(seed, 5)), Feed{},
		map[*graph.Node]reference.Value{}}
}

// input adds an input with the least and the greatest numbers of its dtype among others.
func (p *integerProgram) input(t graph.DType, shape ...int) *graph.Node {
	n := 1
	for _, size := range shape {
		n *= size
	}
	data := extremes(t, n, p.random)
	x := p.g.Input(fmt.Sprint("x", len(p.feed)), t, graph.MakeShape(shape...)...)
	p.feed[x], p.in[x] = Array{shape, data}, reference.Value{DType: t, Shape: shape, Data: data}
	return x
}

// check compares with the evaluator, with the pass that narrows factors and without.
func (p *integerProgram) check(t *testing.T, y *graph.Node, what string) {
	t.Helper()
	want, err := reference.Eval([]*graph.Node{y}, p.in)
	require.NoError(t, err, what)
	for _, without := range []string{"", "narrow-factors"} {
		restore := WithoutPass(without)
		prog, err := Compile(p.g, Outputs(y))
		restore()
		require.NoError(t, err, what)
		out, err := prog.NewSession().Run(context.Background(), p.feed)
		require.NoError(t, err, what)
		require.Equal(t, want[0].Data, ArrayOf(t, out, y).Data, "%s without %q", what, without)
	}
}

// Products of integers of 8 and 16 bits are exact modulo 2^32, whatever the zero points and the arrangement of the
// matrices.
func TestProductsOfNarrowFactors(t *testing.T) {
	sizes := [][3]int{{1, 1, 1}, {5, 7, 3}, {33, 34, 70}, {40, 1, 64}, {1, 40, 130}, {3, 4, 0}, {0, 4, 3}, {70, 33, 65}}
	for i, tx := range quantizedDTypes {
		for k, ty := range quantizedDTypes {
			for s, size := range sizes {
				m, n, sums := size[0], size[1], size[2]
				for zero := range 6 {
					p := newIntegerProgram(uint64(i*100 + k*10 + s))
					x, y := p.input(tx, m, sums), p.input(ty, sums, n)
					if zero%2 == 1 { // transposed in memory
						y = ops.Transpose(p.input(ty, n, sums), 0, 1)
					}
					var zx, zy *graph.Node
					switch zero {
					case 1:
						zx = p.input(tx)
					case 2:
						zx, zy = p.input(tx, m, 1), p.input(ty, n)
					case 3:
						zx, zy = p.input(tx), p.input(ty)
					case 4:
						zy = p.input(ty, 1)
					case 5:
						x, y = ops.Unsqueeze(x, 0), ops.Expand(ops.Unsqueeze(y, 0), 2, graph.Dim(sums), graph.Dim(n))
						zx = p.input(tx, 1, 1, 1)
					}
					p.check(t, ops.MatMulInteger(x, y, zx, zy),
						fmt.Sprintf("%s by %s, %v, zero points %d", tx, ty, size, zero))
				}
			}
		}
	}
}

// Convolutions of integers read windows of bytes where they lie.
func TestConvolutionsOfNarrowFactors(t *testing.T) {
	for _, tx := range quantizedDTypes {
		for _, tw := range quantizedDTypes {
			for c, opts := range [][]ops.ConvOption{
				nil, {ops.Padding(1, 2)}, {ops.Stride(2), ops.Padding(1)}, {ops.Dilation(2), ops.Padding(2)},
				{ops.Groups(2)}} {
				for zero := range 4 {
					p := newIntegerProgram(uint64(c))
					x, w := p.input(tx, 2, 4, 19, 21), p.input(tw, 6, 4, 3, 3)
					if c == 4 {
						w = p.input(tw, 6, 2, 3, 3)
					}
					var zx, zw *graph.Node
					if zero%2 == 1 {
						zx = p.input(tx)
					}
					if zero == 2 {
						zw = p.input(tw)
					}
					if zero == 3 {
						zw = p.input(tw, 6)
					}
					p.check(t, ops.ConvInteger(x, w, zx, zw, opts...),
						fmt.Sprintf("%s by %s, options %d, zero points %d", tx, tw, c, zero))
				}
			}
		}
	}
}

// Products of a dtype of 8 bits, whose factors no operation converts by itself, and of what is known to be small.
func TestFactorsKnownToBeNarrow(t *testing.T) {
	p := newIntegerProgram(1)
	x, y := p.input(graph.Uint8, 20, 30), p.input(graph.Uint8, 30, 40)
	p.check(t, ops.MatMul(x, y), "wraps around to uint8")
	wide := func(x *graph.Node) *graph.Node { return ops.Cast(x, graph.Int32) }
	p.check(t, ops.MatMul(ops.Neg(wide(x)), ops.Sub(graph.Num(255), wide(y))), "differences")
	p.check(t, ops.MatMul(ops.Mul(wide(x), wide(x)), wide(y)), "of which one has more bits")
	p.check(t, ops.MatMul(ops.Clamp(p.input(graph.Int32, 20, 30), -5, 90), wide(y)), "clamped")
}

// A factor's memory may be written once the product has read it, and not before.
func TestNarrowFactorsThatAreWrittenLater(t *testing.T) {
	p := newIntegerProgram(1)
	x, y := p.input(graph.Uint8, 20, 30), p.input(graph.Int8, 30, 40)
	z := ops.Copy(ops.Add(x, graph.Num(1)))
	product := ops.MatMulInteger(z, y, nil, nil)
	zeroed := ops.InPlace(ops.Lookup("mul"), nil, z, graph.Num(0))
	want, err := reference.Eval([]*graph.Node{product}, p.in)
	require.NoError(t, err)
	prog, err := Compile(p.g, Outputs(product, zeroed))
	require.NoError(t, err)
	out, err := prog.NewSession().Run(context.Background(), p.feed)
	require.NoError(t, err)
	require.Equal(t, want[0].Data, ArrayOf(t, out, product).Data)
	require.Equal(t, make([]uint8, 600), ArrayOf(t, out, zeroed).Data)
}

// The factors of products of bytes are these bytes: nothing is converted.
func TestBytesAreFactors(t *testing.T) {
	build := func(dtypes ...graph.DType) func() (*graph.Graph, []*graph.Node, []*graph.Node) {
		return func() (*graph.Graph, []*graph.Node, []*graph.Node) {
			p := newIntegerProgram(1)
			return p.g, []*graph.Node{
				ops.MatMulInteger(p.input(dtypes[0], 20, 30), p.input(dtypes[1], 30, 40), nil, nil),
				ops.ConvInteger(p.input(dtypes[0], 1, 4, 9, 9), p.input(dtypes[1], 3, 4, 3, 3), nil, nil,
					ops.Padding(1))}, nil
		}
	}
	for _, x := range quantizedDTypes {
		for _, y := range quantizedDTypes {
			u, _ := compiled(t, "dce", build(x, y))
			for _, n := range u.Graph.Nodes() {
				if n.Op().Class == graph.Contract {
					require.ElementsMatch(t, []graph.DType{x, y}, []graph.DType{n.In(0).DType(), n.In(1).DType()})
				}
				require.NotEqual(t, graph.Elementwise, n.Op().Class, "%v", n)
			}
		}
	}
}
