package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// randomParts are values of a random program that puts values together, takes them apart, and computes element by
// element.
type randomParts struct {
	rng    *rand.Rand
	values []*graph.Node
}

// step computes another value; nil where what was picked does not suit.
func (r *randomParts) step() *graph.Node {
	x, y := pickOf(r.rng, r.values), pickOf(r.rng, r.values)
	if !x.DType().IsFloat() || !y.DType().IsFloat() || x.Rank() == 0 {
		return nil
	}
	axis := r.rng.IntN(x.Rank())
	size, known := x.Shape()[axis].Int()
	some := func(most int64) graph.Dim { return graph.Dim(r.rng.Int64N(most + 1)) }
	switch r.rng.IntN(15) {
	case 0, 1, 2, 3:
		if suit(x.Shape(), y.Shape()) {
			return []func(x, y *graph.Node) *graph.Node{ops.Add, ops.Sub, ops.Mul, ops.Maximum}[r.rng.IntN(4)](x, y)
		}
	case 4, 5:
		return []func(x *graph.Node) *graph.Node{ops.Tanh, ops.Sin, ops.Neg, ops.Sigmoid}[r.rng.IntN(4)](x)
	case 6, 7, 8:
		return ops.Roll(x, axis, r.rng.IntN(5)-2)
	case 9:
		if known {
			return ops.Pad(ops.Slice(x, axis, some(1), x.Shape()[axis].Minus(some(1)), 1), axis, some(2), some(1),
				float64(r.rng.IntN(2)))
		}
	case 10:
		if known && size > 1 {
			at := graph.Dim(1 + r.rng.Int64N(size-1))
			return ops.Concat(axis, ops.Slice(x, axis, at, x.Shape()[axis], 1), ops.Neg(ops.Slice(x, axis, 0, at, 1)))
		}
	case 11:
		if known && size > 2 {
			return ops.Sub(ops.Slice(x, axis, 1, x.Shape()[axis], 1),
				ops.Slice(x, axis, 0, x.Shape()[axis].Minus(1), 1))
		}
	case 12:
		return ops.Mean(x, ops.Axis(axis), ops.KeepDims())
	case 13:
		if x.Shape().Equal(y.Shape()) {
			return ops.Where(ops.Greater(x, ops.Roll(y, axis, 1)), y, ops.Roll(x, axis, 1))
		}
	case 14:
		if last := x.Rank() - 1; x.Shape().Equal(y.Shape()) && x.Shape()[last].IsConst() && x.Shape()[last] < 40 {
			shape := slices.Clone(x.Shape())
			shape[last] = 2 * shape[last]
			return ops.Reshape(ops.Stack(r.rng.IntN(2)+last, ops.Sin(x), ops.Mul(x, y)), shape...)
		}
	}
	return nil
}

// Random programs of values that are put together compute what an evaluator does that shares no code with the compiler.
func TestRandomAssembled(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 9))
			g := graph.New("parts")
			n, m := 3+rng.IntN(8), 4+rng.IntN(30)
			rows := graph.Dim(n)
			if rng.IntN(3) == 0 {
				rows = g.Dim("n", graph.AtLeast(3))
			}
			in := newReferenceInputs(g, rng)
			x, y, w := in.input("x", graph.Shape{rows, graph.Dim(m)}, n, m),
				in.input("y", graph.Shape{rows, graph.Dim(m)}, n, m), in.input("w", graph.Shape{graph.Dim(m)}, m)
			r := &randomParts{rng: rng, values: []*graph.Node{x, y, w}}
			build := func(steps int) {
				for range steps {
					if z := r.step(); z != nil && z.Err() == nil {
						r.values = append(r.values, z)
					}
				}
			}
			build(6)
			last := ops.Fori(2, []*graph.Node{x}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
				inside := &randomParts{rng: rng, values: []*graph.Node{c[0], y, w}}
				z := c[0]
				for range 8 {
					if s := inside.step(); s != nil {
						if inside.values = append(inside.values, s); s.Shape().Equal(z.Shape()) {
							z = s
						}
					}
				}
				return []*graph.Node{z}
			})
			r.values = append(r.values, last...)
			build(12)
			require.Empty(t, g.Mistakes())
			outputs := []*graph.Node{r.values[len(r.values)-1], last[0]}
			sum := g.Scalar(graph.Float64, 0)
			for _, z := range r.values {
				sum = ops.Add(sum, ops.Sum(ops.Tanh(z)))
			}
			outputs = append(outputs, autodiff.Grad(sum, []*graph.Node{x, y, w}, autodiff.ZeroForUnused())...)
			requireReference(t, outputs, in.values, 1e-8)
		})
	}
}
