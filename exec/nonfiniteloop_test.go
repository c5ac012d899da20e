package exec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The first NaN in a loop is that of its first step that has one, and of the operation that made it there.
func TestNonFiniteInLoop(t *testing.T) {
	g := graph.New("loop")
	x := g.Input("x", graph.Float32, 3)
	var log *graph.Node
	final := ops.Fori(graph.Dim(5), nodes{x}, func(_ *graph.Node, carry []*graph.Node) []*graph.Node {
		log = ops.Log(carry[0])
		return nodes{ops.Abs(log)}
	})
	p, err := exec.Compile(g, exec.Outputs(ops.Sum(final[0])))
	require.NoError(t, err)
	s := p.NewSession()
	// log of 1, 0 and infinity, and then abs(log(+Inf))
	r, err := s.FirstNonFinite(t.Context(), exec.Feed{x: []float32{0.5, 2, 1}})
	require.NoError(t, err)
	require.NotNil(t, r)
	assert.Same(t, log, r.Node)
	assert.Equal(t, []int{1}, r.Steps)
	assert.Equal(t, []int{2}, r.Index)
	assert.Equal(t, math.Inf(-1), r.Value)
	assert.Contains(t, r.String(), "nonfiniteloop_test.go:22:")
	assert.Contains(t, r.String(), "makes -Inf at [2] (1 of 3 elements), in the step at position 1 of the loop")
	assert.Contains(t, r.String(), "carry[0], float32[3], is 0 there, from 0 to 0.69")

	r, err = s.FirstNonFinite(t.Context(), exec.Feed{x: []float32{1, float32(math.NaN()), 3}})
	require.NoError(t, err)
	assert.Same(t, x, r.Node, "what a loop was given, it did not make")
	assert.Nil(t, r.Steps)
}

// loopsThatFail are programs of which some operation makes what is not finite. Each is given x, [4, 2], and returns
// that operation and the output.
var loopsThatFail = map[string]struct {
	build func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node)
	x     []float32
	steps []int
	index []int
	text  string
}{
	"an output of steps": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		_, outs := ops.Scan(ops.Loop{Over: nodes{x}}, func(_, x []*graph.Node) (next, out []*graph.Node) {
			blamed = ops.Sqrt(x[0])
			return nil, nodes{ops.Neg(blamed)}
		})
		return blamed, outs[0]
	}, []float32{1, 2, 3, 4, 5, -6, -7, 8}, []int{2}, []int{1}, "x[0], float32[2], is -6 there, from -6 to 5"},
	"backwards": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		_, outs := ops.Scan(ops.Loop{Over: nodes{x}, Carry: nodes{ops.Select(x, 0, 0)}, Reverse: true},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				blamed = ops.Sqrt(x[0])
				y := ops.Add(blamed, c[0])
				return nodes{y}, nodes{y}
			})
		return blamed, outs[0]
	}, []float32{1, 2, -3, 4, 5, -6, 7, 8}, []int{2}, []int{1}, "is -6 there"},
	"by a write in a branch": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		_, outs := ops.Scan(ops.Loop{Over: nodes{x}}, func(_, x []*graph.Node) (next, out []*graph.Node) {
			return nil, ops.Cond(ops.Greater(ops.Sum(x[0]), graph.Num(4)), func() []*graph.Node {
				own := ops.Copy(x[0])
				blamed = ops.DivInPlace(own, ops.Sub(x[0], graph.Num(7)))
				return nodes{blamed}
			}, func() []*graph.Node { return nodes{ops.Copy(x[0])} })
		})
		return blamed, outs[0]
	}, []float32{1, 2, 3, 4, 5, 6, 7, 8}, []int{3}, []int{0}, "own, float32[2], from 7 to 8"},
	"what is not given out": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		_, outs := ops.Scan(ops.Loop{Over: nodes{x}}, func(_, x []*graph.Node) (next, out []*graph.Node) {
			masked := ops.Where(ops.Less(x[0], graph.Num(0)), graph.Num(0), ops.Sqrt(x[0]))
			blamed = ops.Div(masked, ops.Sub(x[0], graph.Num(7)))
			return nil, nodes{blamed}
		})
		return blamed, outs[0]
	}, []float32{1, 2, 3, -4, -5, 6, 7, 8}, []int{3}, []int{0}, "makes +Inf"},
	"loops in a branch in a loop": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		final, _ := ops.Scan(ops.Loop{Carry: nodes{g.Scalar(graph.Float32, 1)}, Over: nodes{x}},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				y := ops.Cond(ops.Greater(ops.Sum(x[0]), graph.Num(10)), func() []*graph.Node {
					inner, _ := ops.Scan(ops.Loop{Carry: c, Over: nodes{x[0]}},
						func(d, e []*graph.Node) (next, out []*graph.Node) {
							blamed = ops.Log(ops.Sub(e[0], graph.Num(6)))
							return nodes{ops.Add(d[0], blamed)}, nil
						})
					return inner
				}, func() []*graph.Node { return c })
				return y, nil
			})
		return blamed, ops.Square(final[0])
	}, []float32{1, 2, 3, 4, 50, 5, 7, 8}, []int{2, 1}, []int{},
		"in the step at position 1 of the loop, in the step at position 2 of the loop"},
	"a loop that stops": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		final, _ := ops.While(50, nodes{ops.Sum(x)}, func(c []*graph.Node) *graph.Node {
			return ops.GreaterEqual(c[0], graph.Num(-1))
		}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			blamed = ops.Log(ops.Sub(c[0], graph.Num(1)))
			return nodes{blamed}
		})
		return blamed, final[0]
		// step 7 carries 1.79, and this step -0.23 from then on
	}, []float32{1, 1, 1, 1, 1, 1, 1, 1}, []int{2}, []int{}, "makes NaN at []"},
	"an infinity of steps before": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		final, _ := ops.Scan(ops.Loop{Carry: nodes{ops.Select(x, 0, 0)}, Over: nodes{x}},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				blamed = ops.Sub(c[0], ops.Exp(ops.Mul(x[0], graph.Num(20))))
				return nodes{ops.Where(ops.Greater(x[0], graph.Num(50)), ops.Exp(ops.Mul(x[0], graph.Num(2))),
					blamed)}, nil
			})
		return blamed, final[0]
	}, []float32{1, 2, 60, 4, 100, 6, 7, 8}, []int{3}, []int{0}, "the infinity: "},
	"a gradient": {func(g *graph.Graph, x *graph.Node) (blamed, output *graph.Node) {
		final, _ := ops.Scan(ops.Loop{Carry: nodes{g.Scalar(graph.Float32, 0)}, Over: nodes{x}},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				return nodes{ops.Add(c[0], ops.Sum(ops.Sqrt(x[0])))}, nil
			})
		return nil, autodiff.Grad(final[0], nodes{x})[0]
	}, []float32{1, 2, 0, 4, 5, 6, 0, 8}, []int{3}, []int{0}, "nonfiniteloop_test.go:"}, // gradients go backwards
}

func TestNonFiniteInLoops(t *testing.T) {
	for name, c := range loopsThatFail {
		t.Run(name, func(t *testing.T) {
			g := graph.New("loop")
			x := g.Input("x", graph.Float32, g.Dim("n"), 2)
			blamed, output := c.build(g, x)
			p, err := exec.Compile(g, exec.Outputs(output), exec.OnWarning(nil))
			require.NoError(t, err)
			nodes := len(g.Nodes())
			r, err := p.NewSession().FirstNonFinite(t.Context(), exec.Feed{x: c.x})
			require.NoError(t, err)
			require.NotNil(t, r)
			if blamed != nil {
				assert.Same(t, blamed, r.Node, "%s", r)
			}
			assert.Equal(t, c.steps, r.Steps, "%s", r)
			assert.Equal(t, c.index, r.Index, "%s", r)
			assert.Contains(t, r.String(), c.text)
			assert.Len(t, g.Nodes(), nodes, "the graph stays as it was")
		})
	}
}
