package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// scoresOfAxes is attention whose values have a letter for each axis, in any order: b and h for batch and heads, q and
// k for queries and keys, d and e for the widths.
type scoresOfAxes struct {
	r *rand.Rand
	g *graph.Graph
	n graph.Dim // of queries and keys
}

func (s *scoresOfAxes) shuffled(letters string) string {
	l := []byte(letters)
	s.r.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	return string(l)
}

// input has some axes and perhaps those of batch and heads.
func (s *scoresOfAxes) input(letters string) (x *graph.Node, axes string) {
	for _, c := range "bh" {
		if s.r.IntN(3) > 0 {
			letters += string(c)
		}
	}
	axes = s.shuffled(letters)
	var shape graph.Shape
	for _, c := range axes {
		shape = append(shape, map[rune]graph.Dim{'b': 2, 'h': 3, 'q': s.n, 'k': s.n, 'd': 2, 'e': 2}[c])
	}
	return s.g.Input(fmt.Sprintf("x%d", len(s.g.Inputs())), graph.Float64, shape...), axes
}

// flat changes a value with some axes that follow each other as one.
func (s *scoresOfAxes) flat(x *graph.Node, change func(x *graph.Node) *graph.Node) *graph.Node {
	whole := x.Shape()
	first := s.r.IntN(x.Rank())
	last := first + s.r.IntN(x.Rank()-first)
	merged := graph.Dim(1)
	for _, d := range whole[first : last+1] {
		merged = merged.Times(d)
	}
	x = ops.Reshape(x, slices.Concat(whole[:first], graph.Shape{merged}, whole[last+1:])...)
	return ops.Reshape(change(x), whole...)
}

// outputs are what attention gives, and its gradients.
func (s *scoresOfAxes) outputs() []*graph.Node {
	q, qAxes := s.input("qd")
	k, kAxes := s.input("kd")
	v, vAxes := s.input("ke")
	batch := func(axes string) (b string) {
		for _, c := range "bh" {
			if strings.ContainsRune(axes, c) {
				b += string(c)
			}
		}
		return b
	}
	axes := s.shuffled("qk" + batch(qAxes+kAxes))
	key := strings.IndexByte(axes, 'k')
	change, wrap := s.r.IntN(3), s.r.IntN(2)
	weights := func(x *graph.Node) *graph.Node {
		switch change {
		case 0:
			x = ops.Add(x, ops.Sin(x))
		case 1:
			hidden := ops.Less(ops.Iota(s.g, strings.IndexByte(axes, 'q'), x.Shape()...),
				ops.Iota(s.g, key, x.Shape()...))
			x = ops.MaskedFill(x, hidden, graph.Num(math.Inf(-1)))
		}
		return ops.Softmax(x, key)
	}
	w := s.flat(ops.Einsum(qAxes+","+kAxes+"->"+axes, q, k), func(x *graph.Node) *graph.Node {
		return ops.Mul(x, ops.Cos(x))
	})
	if wrap == 0 {
		w = autodiff.Checkpoint(w, weights)
	} else {
		w = weights(w)
	}
	w = s.flat(w, ops.Square)
	y := ops.Einsum(axes+","+vAxes+"->"+s.shuffled("qe"+batch(axes+vAxes)), w, v)
	return append([]*graph.Node{y}, autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{q, k, v})...)
}

// Scores whose axes stand in any order, be some of them one at times, and that a checkpoint may compute once more, have
// the bits of whole matrices in blocks of rows, and the values of the oracle.
func TestRandomAxesOfAttention(t *testing.T) {
	for seed := range uint64(24) {
		g := graph.New("scores", graph.WithPolicy(graph.Policy{KeptWeights: graph.AllowSilently}))
		s := &scoresOfAxes{rand.New(rand.NewPCG(seed, 1)), g, g.Dim("n")}
		outputs, feed := s.outputs(), feedOf(g, 4, 4)
		want := results(t, g, outputs, feed, 1, exec.ChainsOf(0))
		got := results(t, g, outputs, feed, 2, exec.ChainsOf(1+s.r.IntN(4)))
		given := map[*graph.Node]reference.Value{}
		for n, a := range feed {
			given[n] = reference.Of(a.(exec.Array).Data.([]float64), a.(exec.Array).Shape...)
		}
		oracle, err := reference.Eval(outputs, given)
		require.NoError(t, err)
		for i := range outputs {
			requireBits(t, want[i], got[i], fmt.Sprintf("seed %d, output %d", seed, i))
			for j, v := range oracle[i].Floats() {
				require.InDelta(t, v, math.Float64frombits(got[i][j]), 1e-9*(1+math.Abs(v)), "seed %d, output %d",
					seed, i)
			}
		}
	}
}
