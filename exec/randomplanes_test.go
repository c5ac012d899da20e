package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// randomPairs are values that a random program has computed for points and pairs of these.
type randomPairs struct {
	rng    *rand.Rand
	values []*graph.Node
	read   map[*graph.Node]bool
}

func (r *randomPairs) axis(x *graph.Node) ops.Axis { return ops.Axis(r.rng.IntN(x.Rank())) }

// step computes another value; nil where what was picked does not suit.
func (r *randomPairs) step() *graph.Node {
	x, y := pickOf(r.rng, r.values), pickOf(r.rng, r.values)
	r.read[x] = true
	switch r.rng.IntN(12) {
	case 0, 1, 2, 3:
		if !suit(x.Shape(), y.Shape()) {
			return nil
		}
		r.read[y] = true
		return []func(x, y *graph.Node) *graph.Node{ops.Add, ops.Sub, ops.Mul, ops.Maximum}[r.rng.IntN(4)](x, y)
	case 4, 5:
		return []func(x *graph.Node) *graph.Node{ops.Tanh, ops.Sin, ops.Neg, ops.Sigmoid}[r.rng.IntN(4)](x)
	}
	if x.Rank() == 0 {
		return nil
	}
	switch r.rng.IntN(6) {
	case 0:
		return ops.Sum(x, r.axis(x))
	case 1:
		return ops.Mean(x, r.axis(x), ops.KeepDims())
	case 2:
		if size, known := x.Shape()[x.Rank()-1].Int(); known && size > 0 {
			return ops.Select(x, -1, graph.Dim(r.rng.IntN(int(size))))
		}
	case 3:
		if x.Rank() < 4 {
			return ops.Unsqueeze(x, r.rng.IntN(x.Rank()+1))
		}
	case 4:
		return ops.Transpose(x, int(r.axis(x)), int(r.axis(x)))
	case 5:
		if x.Rank() < 4 && suit(x.Shape(), y.Shape()) && x.Shape().Equal(y.Shape()) {
			r.read[y] = true
			return ops.Stack(-1, x, y, x)
		}
	}
	return nil
}

// suit reports whether shapes broadcast without anything left to run time, to not too much.
func suit(x, y graph.Shape) bool {
	for i := 1; i <= min(len(x), len(y)); i++ {
		if a, b := x[len(x)-i], y[len(y)-i]; a != b && a != 1 && b != 1 {
			return false
		}
	}
	return true
}

// Random programs for points of few coordinates, and pairs of them, compute what an evaluator does that shares no code
// with the compiler.
func TestRandomPairsOfPoints(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			g := graph.New("pairs")
			n, m, k := 8+rng.IntN(3), 9+rng.IntN(9), 2+rng.IntN(4)
			rows, columns := graph.Dim(n), graph.Dim(m)
			if rng.IntN(2) == 0 {
				rows, columns = g.Dim("n"), g.Dim("m")
			}
			in := newReferenceInputs(g, rng)
			x, y := in.input("x", graph.Shape{rows, graph.Dim(k)}, n, k),
				in.input("y", graph.Shape{columns, graph.Dim(k)}, m, k)
			w, of := in.input("w", graph.Shape{graph.Dim(k)}, k), in.input("m", graph.Shape{rows, columns}, n, m)
			r := &randomPairs{rng: rng, values: []*graph.Node{
				x, y, w, of, ops.Unsqueeze(x, 1), difference(x, y), ops.Unsqueeze(of, 2)}, read: map[*graph.Node]bool{}}
			for range 25 {
				if z := r.step(); z != nil && z.Rank() <= 4 {
					r.values = append(r.values, z)
				}
			}
			require.Empty(t, g.Mistakes())
			var outputs []*graph.Node
			sum := g.Scalar(graph.Float64, 0)
			for _, z := range r.values {
				if !r.read[z] {
					outputs = append(outputs, z)
					sum = ops.Add(sum, ops.Sum(ops.Tanh(z)))
				}
			}
			outputs = append(outputs, autodiff.Grad(sum, []*graph.Node{x, y, w, of}, autodiff.ZeroForUnused())...)
			requireReference(t, outputs, in.values, 1e-8)
		})
	}
}
