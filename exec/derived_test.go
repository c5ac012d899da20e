package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestGradientsKeepRequirements runs programs of nothing but gradients: what the differentiated
// value requires of sizes stays, although the value is not computed.
func TestGradientsKeepRequirements(t *testing.T) {
	ones := func(shape ...int) exec.Array {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return exec.Array{Shape: shape, Data: make([]float64, n)}
	}
	for _, c := range []struct {
		name   string
		build  func(g *graph.Graph) (dx, x, other *graph.Node)
		x      [2][]int // sizes that are accepted, and sizes that are not
		other  []int
		refuse string
	}{
		{"a slice", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"), 3)
			y := ops.Sum(ops.Flip(ops.Slice(x, 0, 0, 2, 1), 0))
			return autodiff.Grad(y, []*graph.Node{x})[0], x, nil
		}, [2][]int{{2, 3}, {1, 3}}, nil, "n >= 2 fails: 1 against 2"},
		{"a size less than 0", func(g *graph.Graph) (dx, x, other *graph.Node) {
			n := g.Dim("n", graph.AtLeast(0))
			x = g.Input("x", graph.Float64, n)
			y := ops.Add(ops.Sum(ops.Full(g, graph.Float64, 1, n.Minus(2))), ops.Sum(x))
			return autodiff.Grad(y, []*graph.Node{x})[0], x, nil
		}, [2][]int{{2}, {1}}, nil, "n-2 >= 0 fails"},
		{"an operand that no gradient reads", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"), 2)
			other = g.Input("other", graph.Float64, g.Dim("m"), 2)
			return autodiff.Grad(ops.Sum(ops.Add(x, other)), []*graph.Node{x})[0], x, other
		}, [2][]int{{4, 2}, {3, 2}}, []int{4, 2}, "n == m fails: 3 against 4"},
		{"a given gradient that arrives as it is", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			other = g.Input("other", graph.Float64, g.Dim("m"))
			y := ops.Add(x, other)
			return autodiff.Grad(y, []*graph.Node{x}, autodiff.Upstream(ops.FullLike(y, 2)))[0], x, other
		}, [2][]int{{4}, {3}}, []int{4}, "n == m fails: 3 against 4"},
		{"a given gradient that another value's rule takes on", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			other = g.Input("other", graph.Float64, g.Dim("m"))
			y := ops.Add(ops.Mul(x, graph.Num(3)), other)
			dx = autodiff.Grad(y, []*graph.Node{x}, autodiff.Upstream(ops.FullLike(y, 2)))[0]
			return ops.Mul(dx, graph.Num(0.1)), x, other
		}, [2][]int{{4}, {3}}, []int{4}, "n == m fails: 3 against 4"},
		{"a given gradient with sizes of its own", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"), 3)
			other = g.Input("other", graph.Float64, 4, g.Dim("m"))
			return autodiff.Grad(ops.Square(x), []*graph.Node{x}, autodiff.Upstream(other))[0], x, other
		}, [2][]int{{4, 3}, {5, 3}}, []int{4, 3}, "4 == n fails: 4 against 5"},
		{"a given gradient that does not go on to the value", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			other = g.Input("other", graph.Float64, g.Dim("m"))
			y := ops.Exp(g.Input("y", graph.Float64, 4))
			dx = autodiff.Grad(y, []*graph.Node{other}, autodiff.Upstream(x), autodiff.ZeroForUnused())[0]
			return dx, x, other
		}, [2][]int{{4}, {3}}, []int{2}, "n == 4 fails: 3 against 4"},
		{"a given gradient that a rule of zeros does not read", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			other = g.Input("other", graph.Float64, g.Dim("m"))
			return autodiff.Grad(ops.Floor(other), []*graph.Node{other}, autodiff.Upstream(x),
				autodiff.ZeroForUnused())[0], x, other
		}, [2][]int{{4}, {3}}, []int{4}, "n == m fails: 3 against 4"},
		{"a number in every place of a value", func(g *graph.Graph) (y, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			other = g.Input("other", graph.Float64, g.Dim("m"))
			return ops.Square(ops.FullLike(ops.Exp(ops.Add(x, other)), 2)), x, other
		}, [2][]int{{4}, {3}}, []int{4}, "n == m fails: 3 against 4"},
		{"zeros like the numbers like a slice", func(g *graph.Graph) (y, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			return ops.ZerosLike(ops.FullLike(ops.Slice(x, 0, 0, 4, 1), 2)), x, nil
		}, [2][]int{{4}, {3}}, nil, "n >= 4 fails: 3 against 4"},
		{"a loop over parts that its steps do not read", func(g *graph.Graph) (y, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			other = g.Input("other", graph.Float64, g.Dim("m"))
			over := []*graph.Node{ops.Slice(ops.Add(x, other), 0, 0, 4, 1)}
			final, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{g.Scalar(graph.Float64, 1)}, Over: over},
				func(carry, _ []*graph.Node) (next, out []*graph.Node) {
					return []*graph.Node{ops.Sin(carry[0])}, nil
				})
			return final[0], x, other
		}, [2][]int{{4}, {3}}, []int{4}, "n == m fails: 3 against 4"},
		{"a gradient that computes the body of a loop again", func(g *graph.Graph) (dx, x, other *graph.Node) {
			other = g.Input("other", graph.Float64, g.Dim("m"))
			x = g.Input("x", graph.Float64, g.Dim("t", graph.AtLeast(0)), g.Dim("n"))
			final, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{other}, Over: []*graph.Node{x}},
				func(c, x []*graph.Node) (next, out []*graph.Node) {
					moved, _ := ops.While(5, []*graph.Node{c[0], x[0]}, func(c []*graph.Node) *graph.Node {
						return ops.Any(ops.NotEqual(c[0], c[1]), ops.AllAxes())
					}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
						return []*graph.Node{ops.Sin(ops.Add(c[0], c[1])), c[1]}
					})
					return moved[:1], nil
				})
			return autodiff.Grad(ops.Sum(final[0]), []*graph.Node{x})[0], x, other
		}, [2][]int{{2, 4}, {2, 3}}, []int{4}, "m == n fails: 4 against 3"},
		{"a gradient of a gradient", func(g *graph.Graph) (dx, x, other *graph.Node) {
			x = g.Input("x", graph.Float64, g.Dim("n"))
			other = g.Input("other", graph.Float64, g.Dim("m"))
			dx = autodiff.Grad(ops.Sum(ops.Square(ops.Add(x, other))), []*graph.Node{x})[0]
			return autodiff.Grad(ops.Sum(dx), []*graph.Node{x})[0], x, other
		}, [2][]int{{4}, {3}}, []int{4}, "n == m fails: 3 against 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New("gradients", graph.WithPolicy(graph.Policy{Names: graph.Unify}))
			dx, x, other := c.build(g)
			p, err := exec.Compile(g, exec.Outputs(dx), exec.OnWarning(nil))
			require.NoError(t, err)
			s := p.NewSession()
			feed := exec.Feed{x: ones(c.x[0]...)}
			if other != nil {
				_, err = s.Run(t.Context(), feed)
				require.ErrorContains(t, err, "other", "the size of an input that nobody reads is required")
				feed[other] = ones(c.other...)
			}
			_, err = s.Run(t.Context(), feed)
			require.NoError(t, err)
			feed[x] = ones(c.x[1]...)
			_, err = s.Run(t.Context(), feed)
			require.ErrorContains(t, err, c.refuse)
		})
	}
}
