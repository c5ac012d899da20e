package ops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// compiled evaluates nodes by a compiled program on a number of threads; the reference is
// too slow for what is large.
func compiled(t *testing.T, threads int, in feeds, nodes ...*graph.Node) []reference.Value {
	t.Helper()
	prog, err := exec.Compile(nodes[0].Graph(), exec.Outputs(nodes...))
	require.NoError(t, err)
	feed := exec.Feed{}
	for n, v := range in {
		feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	got, err := prog.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
	require.NoError(t, err)
	values := make([]reference.Value, len(nodes))
	for i, n := range nodes {
		a, err := got.Array(n)
		require.NoError(t, err)
		values[i] = reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}
	}
	return values
}

// sweep is a random convolution that is large enough for vectors, blocks and threads.
type sweep struct {
	*rand.Rand
	x, w                      []int // shapes with two axes of places; the first is 1 for one axis
	stride, padding, dilation [2]int
	groups                    int
	oneAxis, symbolic         bool
}

func newSweep(seed uint64) *sweep {
	s := &sweep{Rand: rand.New(rand.NewPCG(seed, 17)), groups: 1}
	s.oneAxis, s.symbolic = seed%3 == 0, seed%4 == 1
	channels, filters := 1+s.IntN(20), 1+s.IntN(70)
	switch s.IntN(4) {
	case 0: // each channel by itself
		s.groups, channels, filters = channels, 1, 1+s.IntN(2)
	case 1:
		s.groups = 2 + s.IntN(2)
	}
	s.stride, s.padding, s.dilation = [2]int{1, 1 + s.IntN(3)}, [2]int{0, s.IntN(3)}, [2]int{1, 1 + s.IntN(2)}
	kernel, size := [2]int{1, 1 + s.IntN(5)}, [2]int{1, 10 + s.IntN(200)}
	if !s.oneAxis {
		s.stride[0], s.padding[0], s.dilation[0] = 1+s.IntN(3), s.IntN(3), 1+s.IntN(2)
		kernel[0], size[0], size[1] = 1+s.IntN(5), 9+s.IntN(25), 9+s.IntN(25)
	}
	s.x = []int{1 + s.IntN(4), s.groups * channels, size[0], size[1]}
	s.w = []int{s.groups * filters, channels, kernel[0], kernel[1]}
	return s
}

func (s *sweep) String() string {
	return fmt.Sprintf("x %v, w %v, stride %v, padding %v, dilation %v, groups %d, one axis %v, symbolic %v",
		s.x, s.w, s.stride, s.padding, s.dilation, s.groups, s.oneAxis, s.symbolic)
}

// axes leaves the first axis of places out if there is only one.
func (s *sweep) axes(shape []int) []int {
	if s.oneAxis {
		return []int{shape[0], shape[1], shape[3]}
	}
	return shape
}

func (s *sweep) steps(pair [2]int) []int {
	if s.oneAxis {
		return pair[1:]
	}
	return pair[:]
}

// network is a convolution in a graph: its result y, and the gradients of the sum of y·u
// with respect to x, w and the bias b.
type network struct {
	x, w, b, u *graph.Node
	results    []*graph.Node
}

func (s *sweep) network(dtype graph.DType, y []int) *network {
	g := graph.New("conv")
	shape := graph.MakeShape(s.axes(s.x)...)
	if s.symbolic {
		shape[0], shape[len(shape)-1] = g.Dim("n"), g.Dim("width", graph.AtLeast(int64(s.x[3])))
	}
	n := &network{
		x: g.Input("x", dtype, shape...),
		w: g.Input("w", dtype, graph.MakeShape(s.axes(s.w)...)...),
		b: g.Input("b", dtype, graph.Dim(s.w[0])),
	}
	options := []ops.ConvOption{
		ops.Stride(s.steps(s.stride)...), ops.Padding(s.steps(s.padding)...), ops.Dilation(s.steps(s.dilation)...),
		ops.Groups(s.groups),
	}
	conv := ops.Conv2D
	if s.oneAxis {
		conv = ops.Conv1D
	}
	out := conv(n.x, n.w, n.b, options...)
	n.u = g.Input("u", dtype, out.Shape()...)
	n.results = append([]*graph.Node{out}, autodiff.Grad(ops.Sum(ops.Mul(out, n.u)), []*graph.Node{n.x, n.w, n.b})...)
	return n
}

// naive is the convolution by loops.
func (s *sweep) naive(x, w, b []float64) ([]int, []float64) {
	return naiveConv2D(array{s.x, x, 0}, array{s.w, w, 0}, b, s.stride, s.padding, s.dilation, s.groups)
}

// cost is the number of products of an element and a weight.
func (s *sweep) cost() int {
	cost := s.x[0] * s.w[0] * s.w[1] * s.w[2] * s.w[3]
	for i := range 2 {
		cost *= (s.x[i+2]+2*s.padding[i]-s.dilation[i]*(s.w[i+2]-1)-1)/s.stride[i] + 1
	}
	return cost
}

// TestLargeConvolutions compares with plain loops. A convolution is linear in each operand,
// so the gradients are right if their product with any direction is that of u with the
// convolution of the direction: what a central difference gives, without its error.
func TestLargeConvolutions(t *testing.T) {
	const most = 3_000_000
	done := 0
	for seed := range uint64(60) {
		s := newSweep(seed)
		if s.cost() > most {
			continue
		}
		done++
		x, w, b := random(s.Rand, s.x...).Floats(), random(s.Rand, s.w...).Floats(), random(s.Rand, s.w[0]).Floats()
		roundTo32(x, w, b)
		shape, y := s.naive(x, w, b)
		u := random(s.Rand, shape...).Floats()
		roundTo32(u)

		n := s.network(graph.Float64, shape)
		got := compiled(t, 2, s.feeds(graph.Float64, n, shape, x, w, b, u), n.results...)
		require.Equal(t, s.axes(shape), got[0].Shape, s)
		requireClose(t, y, got[0].Floats(), 1e-11, s.String())
		for i, operand := range [][]float64{x, w, b} {
			direction := random(s.Rand, len(operand)).Floats()
			moved := [][]float64{x, w, make([]float64, len(b))}
			moved[i] = direction
			if i == 2 {
				moved[0] = make([]float64, len(x))
			}
			_, change := s.naive(moved[0], moved[1], moved[2])
			require.InDelta(t, dot(change, u), dot(direction, got[i+1].Floats()), 1e-9*float64(len(u)),
				"%s: gradient %d", s, i)
		}

		single := s.network(graph.Float32, shape)
		in := s.feeds(graph.Float32, single, shape, x, w, b, u)
		var first []reference.Value
		for _, threads := range []int{1, 2, 3, 8} {
			values := compiled(t, threads, in, single.results...)
			if first == nil {
				first = values
				for i := range got {
					requireClose(t, got[i].Floats(), values[i].Floats(), 2e-4,
						fmt.Sprintf("%s: float32, result %d", s, i))
				}
			}
			require.Equal(t, first, values, "%s: %d threads", s, threads)
		}
	}
	require.Greater(t, done, 30, "enough of the cases are small enough")
}

// feeds returns the operands to a network.
func (s *sweep) feeds(dtype graph.DType, n *network, shape []int, x, w, b, u []float64) feeds {
	return feeds{
		n.x: reference.FromFloats(dtype, x, s.axes(s.x)...), n.w: reference.FromFloats(dtype, w, s.axes(s.w)...),
		n.b: reference.FromFloats(dtype, b, s.w[0]), n.u: reference.FromFloats(dtype, u, s.axes(shape)...),
	}
}

func roundTo32(lists ...[]float64) {
	for _, list := range lists {
		for i, v := range list {
			list[i] = float64(float32(v))
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
