package exec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// wholeAndPart runs a program with what it computes of which only a part is used, and with the part alone, and returns
// the operations of both.
func wholeAndPart(t *testing.T, sizes map[string]int,
	build func(g *graph.Graph) (y *graph.Node, feed exec.Feed)) (whole, part int) {
	t.Helper()
	run := func() (values []float32, flops int) {
		g := graph.New("part")
		y, feed := build(g)
		prog, err := exec.Compile(g, exec.Outputs(y))
		require.NoError(t, err)
		r, err := prog.NewSession(exec.Seed(3)).Run(context.Background(), feed)
		require.NoError(t, err)
		values, err = exec.Values[float32](r, y)
		require.NoError(t, err)
		s, err := prog.Stats(sizes)
		require.NoError(t, err)
		return values, int(s.Flops)
	}
	got, part := run()
	restore := exec.WithoutPass("take-parts")
	defer restore()
	want, whole := run()
	require.Equal(t, want, got)
	return whole, part
}

// fedNormal is a fed value of random numbers.
func fedNormal(g *graph.Graph, feed exec.Feed, name string, shape graph.Shape, sizes ...int) *graph.Node {
	n, r := 1, rand.New(rand.NewPCG(1, uint64(len(name))))
	for _, d := range sizes {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(r.NormFloat64())
	}
	x := g.Input(name, graph.Float32, shape...)
	feed[x] = exec.Array{Shape: sizes, Data: data}
	return x
}

// The logits of the last place take one row of the last layers, and no more than keys and values of the others, with
// the same bits: of one sequence, of several, and of as many as are fed.
func TestLogitsOfTheLastPlace(t *testing.T) {
	const length, width = 48, 64
	for _, batch := range []graph.Dim{1, 3, 0} {
		t.Run(batch.String(), func(t *testing.T) {
			whole, part := wholeAndPart(t, map[string]int{"batch": 2}, func(g *graph.Graph) (*graph.Node, exec.Feed) {
				feed, count := exec.Feed{}, int(batch)
				shape := graph.Shape{batch, length, width}
				if batch == 0 {
					shape[0], count = g.Dim("batch"), 2
				}
				x, p := fedNormal(g, feed, "x", shape, count, length, width), nn.Evaluation(g)
				layer := nn.NewTransformerEncoder(
					g, "blocks", 1, width, 4, nn.FeedForward(4*width), nn.NormFirst(), nn.Causal(), nn.RotaryBase(100))
				logits := nn.NewLinear(g, "head", width, 200).Apply(p, layer.Apply(p, x))
				return ops.Select(logits, 1, -1), feed
			})
			require.Less(t, 4*part, whole)
		})
	}
}

// A part that half of the users take, another part, or more than half of all positions leave the whole value as it is.
func TestWholeValuesStay(t *testing.T) {
	for name, take := range map[string]func(y *graph.Node) *graph.Node{
		"two parts":      func(y *graph.Node) *graph.Node { return ops.Add(ops.Select(y, 0, 0), ops.Select(y, 0, 5)) },
		"a part and all": func(y *graph.Node) *graph.Node { return ops.Add(ops.Select(y, 0, 0), ops.Sum(y, 0)) },
		"nearly all":     func(y *graph.Node) *graph.Node { return ops.Sum(ops.Slice(y, 0, 1, ops.End, 1), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			whole, part := wholeAndPart(t, nil, func(g *graph.Graph) (*graph.Node, exec.Feed) {
				feed := exec.Feed{}
				x, w := fedNormal(g, feed, "x", graph.Shape{40, 40}, 40, 40),
					fedNormal(g, feed, "weight", graph.Shape{40, 40}, 40, 40)
				return take(ops.Tanh(ops.MatMul(x, w))), feed
			})
			require.Equal(t, whole, part)
		})
	}
}

// Random chains of operations of which a part is used give its bits.
func TestPartsOfRandomValues(t *testing.T) {
	less := 0
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			whole, part := wholeAndPart(t, nil, func(g *graph.Graph) (*graph.Node, exec.Feed) {
				return randomPart(g, seed)
			})
			if part < whole {
				less++
			}
		})
	}
	require.Greater(t, less, 50)
}

// randomPart is a few positions of an axis of what a chain of operations computes.
func randomPart(g *graph.Graph, seed uint64) (*graph.Node, exec.Feed) {
	r, feed := rand.New(rand.NewPCG(seed, 5)), exec.Feed{}
	y := fedNormal(g, feed, "x", graph.Shape{8, 16, 20}, 8, 16, 20)
	for i := range 2 + r.IntN(6) {
		shape, name := y.Shape(), fmt.Sprint("p", i)
		last := shape[len(shape)-1]
		switch r.IntN(11) {
		case 0:
			y = ops.MatMul(y, fedNormal(g, feed, name, graph.Shape{last, 20}, int(last), 20))
		case 1:
			y = ops.Add(ops.Tanh(y), fedNormal(g, feed, name, graph.Shape{last}, int(last)))
		case 2:
			y = ops.Transpose(y, r.IntN(3), r.IntN(3))
		case 3:
			y = ops.Softmax(y, r.IntN(3))
		case 4:
			y = ops.RMSNorm(y, fedNormal(g, feed, name, graph.Shape{last}, int(last)), 1e-5)
		case 5:
			y = ops.Sub(y, ops.Mean(y, ops.Axis(r.IntN(3)), ops.KeepDims()))
		case 6:
			y = ops.Concat(r.IntN(3), y, ops.Neg(y))
		case 7:
			y = ops.Tanh(ops.Reshape(ops.Exp(ops.Neg(ops.Abs(ops.Reshape(y, shape[0]*shape[1], last)))), shape...))
		case 8:
			y = ops.Mul(ops.Expand(ops.Sum(y, 0, ops.KeepDims()), shape...),
				ops.Cast(ops.Iota(g, r.IntN(3), shape...), graph.Float32))
		case 9:
			y = ops.Where(ops.LessEqual(ops.Iota(g, 1, 1, shape[1], 1), ops.Iota(g, 2, 1, 1, last)), y, graph.Num(-2.0))
		case 10:
			y = ops.MatMul(y, ops.Transpose(ops.Sin(y), 1, 2))
		}
	}
	axis := r.IntN(3)
	if size := int64(y.Shape()[axis]); r.IntN(2) == 0 {
		first := r.Int64N(size)
		return ops.Slice(y, axis, graph.Dim(first), graph.Dim(min(first+1+r.Int64N(3), size)), 1), feed
	}
	return ops.Select(y, axis, graph.Dim(r.IntN(int(y.Shape()[axis])))), feed
}
