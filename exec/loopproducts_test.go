package exec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
)

// productBodies are steps of small products: each is given the shapes of what is carried and of a matrix of outside,
// and a step.
var productBodies = map[string]struct {
	carried, matrix graph.Shape
	step            func(c, w, x *graph.Node) *graph.Node
}{
	"a row and a matrix": {graph.Shape{1, 9}, graph.Shape{9, 9}, func(c, w, x *graph.Node) *graph.Node {
		return ops.Tanh(ops.Add(ops.MatMul(c, w), x))
	}},
	"rows and a matrix that is transposed": {
		graph.Shape{5, 8}, graph.Shape{8, 8}, func(c, w, x *graph.Node) *graph.Node {
			return ops.Sin(ops.Add(ops.MatMul(c, ops.Transpose(w, 0, 1)), x))
		}},
	"a batch of matrices": {graph.Shape{3, 4, 4}, graph.Shape{3, 4, 4}, func(c, w, x *graph.Node) *graph.Node {
		return ops.Tanh(ops.Add(ops.MatMul(ops.MatMul(w, c), ops.Transpose(w, 1, 2)), x))
	}},
	"2 by 2": {graph.Shape{2, 2}, graph.Shape{2, 2}, func(c, w, x *graph.Node) *graph.Node {
		return ops.Mul(ops.Add(ops.MatMul(ops.MatMul(w, c), ops.Transpose(c, 0, 1)), x), graph.Num(0.125))
	}},
}

// Small products in steps that are taken together have the bits of steps that are written out.
func TestProductsInStepsTakenTogether(t *testing.T) {
	for name, body := range productBodies {
		for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
			t.Run(fmt.Sprint(name, " ", dtype), func(t *testing.T) {
				for _, length := range []int{0, 1, 2, 17, 200} {
					g := graph.New("products")
					begin, matrix := g.Input("c", dtype, body.carried...), g.Input("w", dtype, body.matrix...)
					over := g.Input("x", dtype, append(graph.Shape{graph.Dim(length)}, body.carried...)...)
					final, all := ops.Scan(ops.Loop{Carry: nodes{begin}, Over: nodes{over}},
						func(c, x nodes) (next, out nodes) {
							h := body.step(c[0], matrix, x[0])
							return nodes{h}, nodes{h}
						})
					outputs := nodes{final[0], all[0]}
					if length > 0 {
						outputs = append(outputs, autodiff.Grad(ops.Sum(ops.Square(all[0])), nodes{begin, over})...)
					}
					written := begin
					for i := range min(length, 17) {
						written = body.step(written, matrix, ops.Select(over, 0, graph.Dim(i)))
					}
					p, err := exec.Compile(g, exec.Outputs(append(outputs, written)...), exec.OnWarning(nil))
					require.NoError(t, err)
					feed := feedOf(g, length, 4)
					together, single := p.NewSession(), p.NewSession(exec.GuardOperands())
					require.Equal(t, arraysOf(t, single, feed, outputs), arraysOf(t, together, feed, outputs),
						"%d steps", length)
					if length <= 17 {
						require.Equal(t, arraysOf(t, single, feed, nodes{written}),
							arraysOf(t, together, feed, nodes{final[0]}), "%d steps written out", length)
					}
					allocs.RequireNone(t, 3, func() {
						if _, err := together.Run(t.Context(), feed); err != nil {
							t.Fatal(err)
						}
					})
				}
			})
		}
	}
}
