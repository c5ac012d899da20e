package ops_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// feeds are the values of a graph's inputs.
type feeds map[*graph.Node]reference.Value

// evaluate returns the values of nodes by the reference evaluator, and requires that a
// compiled program gives the same.
func evaluate(t *testing.T, in feeds, nodes ...*graph.Node) []reference.Value {
	t.Helper()
	return evaluateWithin(t, 1e-10, in, nodes...)
}

// evaluateWithin is evaluate for results whose sums have other orders in the two.
func evaluateWithin(t *testing.T, tolerance float64, in feeds, nodes ...*graph.Node) []reference.Value {
	t.Helper()
	want, err := reference.Eval(nodes, in)
	require.NoError(t, err)
	prog, err := exec.Compile(nodes[0].Graph(), exec.Outputs(nodes...), exec.OnWarning(nil))
	require.NoError(t, err)
	feed := exec.Feed{}
	for n, v := range in {
		feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
	}
	got, err := prog.NewSession().Run(context.Background(), feed)
	require.NoError(t, err)
	for i, n := range nodes {
		a, err := got.Array(n)
		require.NoError(t, err)
		require.Equal(t, want[i].Shape, a.Shape)
		requireClose(t, want[i].Floats(), reference.Value{DType: n.DType(), Shape: a.Shape, Data: a.Data}.Floats(),
			tolerance, "compiled against reference: "+graph.Describe(n))
	}
	return want
}

// value evaluates one node.
func value(t *testing.T, in feeds, n *graph.Node) reference.Value {
	t.Helper()
	return evaluate(t, in, n)[0]
}

// requireClose compares numbers; NaN equals NaN.
func requireClose(t *testing.T, want, got []float64, tolerance float64, about string) {
	t.Helper()
	require.Len(t, got, len(want), about)
	for i, w := range want {
		same := w == got[i] || math.IsNaN(w) && math.IsNaN(got[i]) ||
			math.Abs(w-got[i]) <= tolerance*max(1, math.Abs(w))
		require.True(t, same, "%s: element %d is %v, want %v", about, i, got[i], w)
	}
}

// random returns numbers in (-1, 1) that are well apart from one another and from 0.
func random(rng *rand.Rand, shape ...int) reference.Value {
	count := 1
	for _, d := range shape {
		count *= d
	}
	data := make([]float64, count)
	for i, k := range rng.Perm(count) {
		data[i] = (float64(k) + 0.2 + 0.6*rng.Float64()) / float64(count)
		if k%2 == 0 {
			data[i] = -data[i]
		}
	}
	return reference.Of(data, shape...)
}

// requireGradients compares the gradients of the sum of y·weights, for random weights,
// with central differences, and those of the gradients' own sum likewise.
func requireGradients(t *testing.T, in feeds, y *graph.Node, wrt ...*graph.Node) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	loss := weighted(t, in, rng, y)
	grads := autodiff.Grad(loss, wrt, autodiff.ZeroForUnused())
	requireFirstOrder(t, in, loss, grads, wrt, "gradient")
	second := graph.Num(0)
	for _, g := range grads {
		second = ops.Add(weighted(t, in, rng, g), second)
	}
	requireFirstOrder(t, in, second, autodiff.Grad(second, wrt, autodiff.ZeroForUnused()), wrt,
		"gradient of the gradient")
}

// requireFirstOrderOf is requireGradients without those of the gradients.
func requireFirstOrderOf(t *testing.T, in feeds, y *graph.Node, wrt ...*graph.Node) {
	t.Helper()
	loss := weighted(t, in, rand.New(rand.NewPCG(3, 4)), y)
	requireFirstOrder(t, in, loss, autodiff.Grad(loss, wrt), wrt, "gradient")
}

// weighted is the sum of n's elements times random numbers.
func weighted(t *testing.T, in feeds, rng *rand.Rand, n *graph.Node) *graph.Node {
	t.Helper()
	v, err := reference.Eval([]*graph.Node{n}, in)
	require.NoError(t, err)
	w := n.Graph().Input(fmt.Sprintf("w%d", len(in)), graph.Float64, n.Shape()...)
	in[w] = random(rng, v[0].Shape...)
	return ops.Sum(ops.Mul(n, w))
}

// requireFirstOrder compares gradients of a scalar with central differences.
func requireFirstOrder(t *testing.T, in feeds, loss *graph.Node, grads, wrt []*graph.Node, about string) {
	t.Helper()
	const h = 1e-5
	got := evaluate(t, in, grads...)
	again, err := reference.Prepare([]*graph.Node{loss}, in)
	require.NoError(t, err)
	for i, x := range wrt {
		data := in[x].Data.([]float64)
		want := make([]float64, len(data))
		for k, v := range data {
			side := func(at float64) float64 {
				again.Set(x, k, at)
				out, err := again.Values()
				require.NoError(t, err)
				return out[0].Floats()[0]
			}
			want[k] = (side(v+h) - side(v-h)) / (2 * h)
			again.Set(x, k, v)
		}
		requireClose(t, want, got[i].Floats(), 1e-6,
			fmt.Sprintf("%s of %s with respect to %s", about, loss.Label(), x.Label()))
	}
}

// requireMistake requires that building the node was refused with a sentence.
func requireMistake(t *testing.T, n *graph.Node, sentence string) {
	t.Helper()
	var m *graph.Mistake
	require.ErrorAs(t, n.Err(), &m)
	require.Equal(t, sentence, m.Summary)
}
