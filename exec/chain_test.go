package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// attentionCase is attention that is written out: what is done with scores [batch…, queries, keys].
type attentionCase struct {
	name   string
	scores func(g *graph.Graph, s *graph.Node) *graph.Node
}

// positions are those of queries and keys.
func positions(s *graph.Node) (rows, cols *graph.Node) {
	n := s.Rank()
	shape := s.Shape()[n-2:]
	return ops.Iota(s.Graph(), 0, shape...), ops.Iota(s.Graph(), 1, shape...)
}

func maskedBy(s, mask *graph.Node) *graph.Node {
	return ops.MaskedFill(s, mask, graph.Num(math.Inf(-1)))
}

var attentionCases = []attentionCase{
	{"all", func(_ *graph.Graph, s *graph.Node) *graph.Node { return s }},
	{"causal", func(_ *graph.Graph, s *graph.Node) *graph.Node {
		rows, cols := positions(s)
		return maskedBy(s, ops.Greater(cols, rows))
	}},
	{"last queries", func(_ *graph.Graph, s *graph.Node) *graph.Node {
		rows, cols := positions(s)
		n := s.Rank()
		offset := ops.Size(s.Graph(), graph.Int64, s.Shape()[n-1].Minus(s.Shape()[n-2]))
		return maskedBy(s, ops.Greater(cols, ops.Add(rows, offset)))
	}},
	{"window", func(_ *graph.Graph, s *graph.Node) *graph.Node {
		rows, cols := positions(s)
		far := ops.Greater(ops.Sub(rows, cols), graph.Num(300))
		return maskedBy(s, ops.Or(far, ops.Greater(cols, rows)))
	}},
	{"added", func(g *graph.Graph, s *graph.Node) *graph.Node {
		rows, cols := positions(s)
		return ops.Add(s, ops.Where(ops.LessEqual(cols, rows), g.Scalar(s.DType(), 0),
			g.Scalar(s.DType(), math.Inf(-1))))
	}},
	{"finite", func(_ *graph.Graph, s *graph.Node) *graph.Node {
		rows, cols := positions(s)
		return ops.MaskedFill(s, ops.Greater(cols, rows), graph.Num(-1e4))
	}},
	{"fed", func(g *graph.Graph, s *graph.Node) *graph.Node {
		n := s.Rank()
		return maskedBy(s, g.Input("mask", graph.Bool, s.Shape()[n-1]))
	}},
	{"soft cap", func(_ *graph.Graph, s *graph.Node) *graph.Node {
		rows, cols := positions(s)
		return maskedBy(ops.Mul(ops.Tanh(ops.Div(s, graph.Num(5.))), graph.Num(5.)), ops.Greater(cols, rows))
	}},
}

// attention returns softmax(scores of q·kᵀ)·v and the gradients of its sum times u for q, k and v.
func writtenAttention(g *graph.Graph, c attentionCase, q, k, v, u *graph.Node) []*graph.Node {
	width, _ := q.Shape()[q.Rank()-1].Int()
	s := ops.Mul(ops.MatMul(q, ops.Transpose(k, -1, -2)), graph.Num(1/math.Sqrt(float64(width))))
	y := ops.MatMul(ops.Softmax(c.scores(g, s), -1), v)
	return append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Mul(y, u)), []*graph.Node{q, k, v})...)
}

// chainThreads are the numbers of threads on which chains are compared with whole matrices, which one thread computes.
func chainThreads() []int {
	if testing.Short() {
		return []int{3}
	}
	return []int{1, 3}
}

// Attention that is written out runs in blocks of rows, with the bits of whole matrices, on any number
// of threads.
func TestChainsHaveTheBitsOfWholeMatrices(t *testing.T) {
	type sizes struct {
		batch             []int
		queries, keys, qk int
	}
	for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
		for _, c := range attentionCases {
			for _, n := range []sizes{{[]int{2, 3}, 70, 70, 16}, {nil, 130, 600, 33}, {[]int{1}, 1300, 1300, 8},
				{[]int{5}, 2, 1, 1}, {[]int{3}, 1, 40, 4}, {[]int{2}, 0, 7, 3}, {[]int{0}, 4, 4, 4}} {
				if (dt == graph.Float64 || testing.Short()) && n.queries > 1000 {
					continue
				}
				t.Run(fmt.Sprint(dt, " ", c.name, n), func(t *testing.T) {
					g := graph.New("attention")
					input := func(name string, rows, cols int) *graph.Node {
						return g.Input(name, dt, graph.MakeShape(append(slices.Clone(n.batch), rows, cols)...)...)
					}
					q, k, v, u := input("q", n.queries, n.qk), input("k", n.keys, n.qk), input("v", n.keys, n.qk+5),
						input("u", n.queries, n.qk+5)
					outputs := writtenAttention(g, c, q, k, v, u)
					feed := randomFeed(t, g)
					whole := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
					for _, rows := range []int{1, 14, 30, 500} {
						if rows == 1 && n.queries > 200 {
							continue
						}
						for _, threads := range chainThreads() {
							got := results(t, g, outputs, feed, threads, exec.ChainsOf(rows))
							for i := range outputs {
								requireBits(t, whole[i], got[i],
									fmt.Sprintf("output %d, blocks of %d rows, %d threads", i, rows, threads))
							}
						}
					}
				})
			}
		}
	}
}

// Attention needs memory that is linear in the number of positions, and allocates nothing.
func TestChainsTakeLinearMemory(t *testing.T) {
	arena := func(length int) int {
		g := graph.New("attention")
		input := func(name string) *graph.Node { return g.Input(name, graph.Float32, 1, 2, graph.Dim(length), 32) }
		q, k, v, u := input("q"), input("k"), input("v"), input("u")
		outputs := writtenAttention(g, attentionCases[1], q, k, v, u)
		p, err := exec.Compile(g, exec.Outputs(outputs...))
		require.NoError(t, err)
		s := p.NewSession(exec.Threads(1))
		feed := randomFeed(t, g)
		run := func() {
			_, err := s.Run(t.Context(), feed)
			require.NoError(t, err)
		}
		run()
		require.Equal(t, 7, s.Chained(), "\n%s", p)
		allocs.RequireNone(t, 3, run)
		f, err := p.Footprint(nil)
		require.NoError(t, err)
		return f.Arena
	}
	short, long := arena(1024), arena(4096)
	require.Less(t, long, 5*short)
	require.Less(t, long, 16<<20, "a matrix of scores has 128 MB")
}

// requireBits compares elements and names the first that differs.
func requireBits(t *testing.T, want, got []uint64, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	for i := range want {
		if want[i] != got[i] {
			require.Failf(t, "not the same bits", "%s: element %d is %v, not %v", what, i, math.Float64frombits(got[i]),
				math.Float64frombits(want[i]))
		}
	}
}

// results compiles, runs twice and copies the outputs of the second run.
func results(t *testing.T, g *graph.Graph, outputs []*graph.Node, feed exec.Feed, threads int,
	options ...exec.Option) (list [][]uint64) {
	t.Helper()
	return resultsOf(t, programOf(t, g, outputs, options...), outputs, feed, threads)
}

func programOf(t *testing.T, g *graph.Graph, outputs []*graph.Node, options ...exec.Option) *exec.Program {
	t.Helper()
	p, err := exec.Compile(g, append(options, exec.Outputs(outputs...))...)
	require.NoError(t, err)
	return p
}

// resultsOf returns them of a program for the same outputs.
func resultsOf(t *testing.T, p *exec.Program, outputs []*graph.Node, feed exec.Feed, threads int) (list [][]uint64) {
	t.Helper()
	s := p.NewSession(exec.Threads(threads))
	for range 2 {
		out, err := s.Run(t.Context(), feed)
		require.NoError(t, err)
		list = list[:0]
		for _, n := range outputs {
			list = append(list, bitsOf(exec.ArrayOf(t, out, n).Data))
		}
	}
	return list
}

// randomFeed makes normal numbers for all inputs, and a mask of few elements.
func randomFeed(t *testing.T, g *graph.Graph) exec.Feed {
	r := rand.New(rand.NewPCG(3, 5))
	feed := exec.Feed{}
	for _, n := range g.Inputs() {
		shape, whole := n.Shape().Ints()
		require.True(t, whole)
		count := 1
		for _, d := range shape {
			count *= d
		}
		a := exec.Array{Shape: shape}
		switch n.DType() {
		case graph.Float32:
			data := make([]float32, count)
			for i := range data {
				data[i] = float32(r.NormFloat64())
			}
			a.Data = data
		case graph.Float64:
			data := make([]float64, count)
			for i := range data {
				data[i] = r.NormFloat64()
			}
			a.Data = data
		case graph.Int64:
			a.Data = make([]int64, count)
		default:
			data := make([]bool, count)
			for i := range data {
				data[i] = i > 0 && r.IntN(4) == 0
			}
			a.Data = data
		}
		feed[n] = a
	}
	return feed
}

// Weights that several examples share multiply a matrix whose columns run over two axes of memory. These have tables of
// offsets, and products of chains strides alone.
func TestProductsOfSeveralAxesAreNoMembersOfChains(t *testing.T) {
	g := graph.New("shared weights")
	q, k, v := g.Input("q", graph.Float64, 40, 8), g.Input("k", graph.Float64, 50, 8),
		g.Input("v", graph.Float64, 3, 50, 4)
	weights := ops.Softmax(ops.MatMul(q, ops.Transpose(k, 0, 1)), -1)
	outputs := []*graph.Node{ops.Einsum("qk,bke->bqe", weights, v), ops.MatMul(weights, ops.Select(v, 0, 0))}
	feed := randomFeed(t, g)
	want, got := results(t, g, outputs, feed, 1, exec.ChainsOf(0)), results(t, g, outputs, feed, 1, exec.ChainsOf(14))
	for i := range outputs {
		requireBits(t, want[i], got[i], outputs[i].Label())
	}
}
