package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// smallNet makes layers with fixed parameters for images [N, C, H, W].
type smallNet struct {
	g     *graph.Graph
	count int
}

func (s *smallNet) param(shape ...graph.Dim) *graph.Node {
	s.count++
	return s.g.Param(fmt.Sprint("p", s.count), graph.Float64, shape...)
}

func (s *smallNet) conv(x *graph.Node, filters graph.Dim, kernel int, opts ...ops.ConvOption) *graph.Node {
	k := graph.Dim(kernel)
	return ops.Conv2D(x, s.param(filters, x.Shape()[1], k, k), s.param(filters), append(opts, ops.Padding(kernel/2))...)
}

func (s *smallNet) depthwise(x *graph.Node, kernel int, opts ...ops.ConvOption) *graph.Node {
	c, k := x.Shape()[1], graph.Dim(kernel)
	channels, _ := c.Int()
	return ops.Conv2D(x, s.param(c, 1, k, k), s.param(c),
		append(opts, ops.Padding(kernel/2), ops.Groups(int(channels)))...)
}

// smallNets read what convolutions of few places give in all ways: some with the channels last, others not, and both.
var smallNets = map[string]func(s *smallNet, x *graph.Node) []*graph.Node{
	"bottleneck": func(s *smallNet, x *graph.Node) []*graph.Node {
		x = s.conv(x, 70, 1)
		y := s.conv(ops.Relu(s.conv(ops.Relu(s.conv(x, 66, 1)), 64, 3)), 70, 1)
		y = ops.Relu(ops.Add(y, x))
		return []*graph.Node{ops.Mean(y, 2, 3), ops.Sum(ops.Relu(s.conv(y, 80, 3, ops.Stride(2))), 0, 2, 3)}
	},
	"inverted residual": func(s *smallNet, x *graph.Node) []*graph.Node {
		x = s.conv(x, 65, 1)
		y := ops.HardSwish(s.depthwise(ops.HardSwish(s.conv(x, 72, 1)), 5))
		scale := ops.Mean(y, ops.Axis(2), ops.Axis(3), ops.KeepDims())
		scale = ops.Sigmoid(s.conv(ops.Relu(s.conv(scale, 64, 1)), 72, 1))
		y = ops.Add(x, s.conv(ops.Mul(scale, y), 65, 1))
		y = ops.Relu(s.depthwise(ops.Relu(s.conv(y, 96, 1)), 3, ops.Stride(2)))
		return []*graph.Node{ops.Sum(s.conv(y, 64, 1), 2, 3)}
	},
	"all kinds of readers": func(s *smallNet, x *graph.Node) []*graph.Node {
		y := ops.Mul(s.conv(x, 66, 1), graph.Num(0.1))
		wide := ops.Concat(1, y, s.conv(ops.Concat(1, y, x), 65, 1))
		z := s.conv(ops.Relu(y), 64, 1)
		return []*graph.Node{y, ops.Sum(wide, 2, 3), ops.Max(y, 2), ops.Sum(y, 1), ops.ArgMax(ops.Abs(y), 1),
			ops.Flip(ops.Exp(y), 3), ops.Sub(ops.Square(z), z),
			ops.Where(ops.Greater(z, s.param(64, 1, 1)), z, s.param(1)), ops.Flatten(ops.Neg(z), 1, 3),
			ops.MoveAxis(ops.Neg(z), 1, -1), ops.Transpose(ops.Relu(z), 2, 3),
			ops.Roll(z, 1, 3), ops.Softmax(z, 1), ops.Pad(ops.Relu(z), 2, 1, 2, 5), ops.Cast(z, graph.Int32),
			s.conv(ops.Pad(z, 1, 1, 0, 3), 64, 3)}
	},
	"other operands": func(s *smallNet, x *graph.Node) []*graph.Node {
		y := s.conv(x, 70, 1)
		h, w := x.Shape()[2], x.Shape()[3]
		y = ops.Add(ops.Mul(y, s.param(h, w)), s.param(1, 70, h, 1))
		y = ops.Sub(y, s.param(70, h, w))
		y = ops.Div(y, ops.Add(ops.Abs(x), graph.Num(1)))
		return []*graph.Node{ops.Mean(s.conv(ops.Maximum(y, s.param(1)), 64, 1), 2, 3)}
	},
}

// What is computed with the channels last has the values of the definition, whatever reads it, and the same bits on any
// number of threads.
func TestChannelsLast(t *testing.T) {
	for name, of := range smallNets {
		for _, shape := range [][]int{{1, 70, 2, 2}, {1, 70, 4, 4}, {2, 70, 1, 1}, {3, 70, 2, 3}, {1, 70, 7, 5},
			{1, 70, 1, 6}, {2, 70, 7, 7}, {1, 70, 9, 9}, {0, 70, 2, 2}} {
			t.Run(fmt.Sprint(name, shape), func(t *testing.T) {
				s := &smallNet{g: graph.New("net")}
				x := s.g.Input("x", graph.Float64, graph.MakeShape(shape...)...)
				outputs := of(s, x)
				rng := rand.New(rand.NewPCG(1, 2))
				in := map[*graph.Node]reference.Value{x: normals(rng, shape...)}
				p, err := exec.Compile(s.g, exec.Outputs(outputs...))
				require.NoError(t, err)
				first := p.NewSession(exec.Threads(1))
				for _, w := range p.Params() {
					shape, _ := w.Shape().Ints()
					v := normals(rng, shape...)
					in[w] = v
					require.NoError(t, first.SetParam(w, exec.Array{Shape: v.Shape, Data: v.Data}))
				}
				want, err := reference.Eval(outputs, in)
				require.NoError(t, err)
				more := p.NewSession(exec.Threads(3), exec.ShareParams(first))
				feed := exec.Feed{x: exec.Array{Shape: in[x].Shape, Data: in[x].Data}}
				for range 3 { // what is kept and laid out is there from the second run on
					got, err := first.Run(t.Context(), feed)
					require.NoError(t, err)
					same, err := more.Run(t.Context(), feed)
					require.NoError(t, err)
					for i, n := range outputs {
						a := arrayOf(t, got, n)
						require.Equal(t, want[i].Shape, a.Shape)
						requireNear(t, want[i].Floats(),
							reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}.Floats(), i)
						require.Equal(t, a.Data, arrayOf(t, same, n).Data, "output %d", i)
					}
				}
			})
		}
	}
}

// requireNear compares floating-point numbers, relative to the greatest.
func requireNear(t *testing.T, want, got []float64, output int) {
	t.Helper()
	greatest := 1.0
	for _, v := range want {
		greatest = max(greatest, v, -v)
	}
	for i := range want {
		require.InDelta(t, want[i], got[i], 1e-11*greatest, "output %d, element %d", output, i)
	}
}

// A network of convolutions of few places has a product and an elementwise kernel for each, none that copies: the last
// has the sums of the places too.
func TestChannelsStayLast(t *testing.T) {
	s := &smallNet{g: graph.New("net")}
	y := s.g.Input("x", graph.Float64, 1, 64, 2, 2)
	for range 3 {
		y = ops.Relu(s.conv(y, 64, 1))
	}
	p, err := exec.Compile(s.g, exec.Outputs(ops.Sum(y, 2, 3)))
	require.NoError(t, err)
	require.Equal(t, 6, p.Kernels(), p)
}
