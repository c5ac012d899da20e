package exec_test

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

// Short rows between channels and a batch, and what meets them: values of channels in all forms, and folds over the
// batch and the rows.
var shortRows = map[string]func(x, c, m *graph.Node) []*graph.Node{
	"batch norm and its gradient": func(x, c, m *graph.Node) []*graph.Node {
		y, mean, variance := ops.BatchNorm(x, c, ops.Neg(c), 1e-5)
		grads := autodiff.Grad(ops.Sum(ops.Mul(ops.Relu(y), ops.Cos(x))), []*graph.Node{x, c})
		return append(grads, y, mean, variance)
	},
	"values of channels": func(x, c, m *graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(ops.Mul(ops.Sub(x, m), m), x), ops.Where(ops.Greater(x, m), x, m),
			ops.Pow(ops.Abs(m), ops.Tanh(x))}
	},
	"folds": func(x, c, m *graph.Node) []*graph.Node {
		return []*graph.Node{ops.Sum(ops.Mul(x, m), 0, 2, 3), ops.Max(ops.Sub(m, x), 0, 2, 3), ops.Min(x, 0, 2, 3),
			ops.Prod(ops.Tanh(ops.Add(x, m)), 0, 2, 3),
			ops.Sum(x, 0), ops.Sum(x, 2, 3), ops.Sum(x, 0, 2), ops.Mean(x), ops.ArgMax(x, 0, 2, 3)}
	},
	"whole numbers and truths": func(x, c, m *graph.Node) []*graph.Node {
		i := ops.Cast(ops.Mul(x, graph.Num(9)), graph.Int32)
		return []*graph.Node{ops.Sum(i, 0, 2, 3), ops.Mul(i, ops.Cast(ops.Mul(m, graph.Num(5)), graph.Int32)),
			ops.Cast(ops.Any(ops.Greater(x, m), 0, 2, 3), graph.Int32),
			ops.Cast(ops.All(ops.Less(x, m), 0, 2, 3), graph.Int32)}
	},
	"channels last before": func(x, c, m *graph.Node) []*graph.Node {
		y := ops.Relu(
			ops.Copy(ops.Permute(ops.Mul(ops.Permute(x, 0, 2, 3, 1), ops.Reshape(m, m.Shape()[0])), 0, 3, 1, 2)))
		return []*graph.Node{ops.Sum(ops.Square(y), 0, 2, 3), ops.Sub(y, m)}
	},
}

func TestShortRows(t *testing.T) {
	for name, of := range shortRows {
		for _, shape := range [][]int{{9, 17, 2, 2}, {8, 16, 1, 3}, {13, 33, 4, 8}, {9, 16, 5, 7}, {2, 16, 2, 2},
			{9, 3, 2, 2}, {16, 16, 1, 1}} {
			t.Run(fmt.Sprint(name, shape), func(t *testing.T) {
				g := graph.New("rows")
				rng := rand.New(rand.NewPCG(1, 2))
				batch := graph.Dim(shape[0])
				if shape[0] == 9 {
					batch = g.Dim("n")
				}
				x := g.Input("x", graph.Float64, append(graph.Shape{batch}, graph.MakeShape(shape[1:]...)...)...)
				c, m := g.Input("c", graph.Float64, x.Shape()[1]), g.Input("m", graph.Float64, x.Shape()[1], 1, 1)
				outputs := of(x, c, m)
				in := map[*graph.Node]reference.Value{
					x: normals(rng, shape...), c: normals(rng, shape[1]), m: normals(rng, shape[1], 1, 1)}
				want, err := reference.Eval(outputs, in)
				require.NoError(t, err)
				p, err := exec.Compile(g, exec.Outputs(outputs...))
				require.NoError(t, err)
				feed := exec.Feed{}
				for n, v := range in {
					feed[n] = exec.Array{Shape: v.Shape, Data: v.Floats()}
				}
				r, err := p.NewSession().Run(context.Background(), feed)
				require.NoError(t, err)
				for i, y := range outputs {
					require.InDeltaSlice(t, want[i].Data, arrayOf(t, r, y).Data, 1e-9, "result %d", i)
				}
			})
		}
	}
}

func normals(rng *rand.Rand, shape ...int) reference.Value {
	count := 1
	for _, d := range shape {
		count *= d
	}
	list := make([]float64, count)
	for i := range list {
		list[i] = rng.NormFloat64()
	}
	return reference.Of(list, shape...)
}
