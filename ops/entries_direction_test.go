package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestEntriesInDirections compares the derivative of every row of the table in a random direction, by autodiff.JVP,
// with the central difference along it. Its product with what arrives at the result must be that of the gradients with
// the direction, also where a row has no central difference.
func TestEntriesInDirections(t *testing.T) {
	var compared atomic.Int64
	t.Cleanup(func() { require.Greater(t, compared.Load(), int64(400), "most rows have derivatives") })
	for _, s := range allSamples() {
		if strings.HasPrefix(s.name, "in place ") {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tr := &trial{T: t, sample: s}
			for _, p := range tr.patterns(2, 3) {
				if (slices.Contains([]string{"row", "empty axis"}, p.name) || tr.arity == 1 && p.name == "same") &&
					tr.compareDirection(p) {
					compared.Add(1)
				}
			}
		})
	}
}

// compareDirection compares a pattern in one direction. It is false where it has no derivative.
func (tr *trial) compareDirection(p pattern) bool {
	g, in, y := tr.build(p, graph.Float64)
	if g.Err() != nil || y.DType() != graph.Float64 {
		return false
	}
	rng := rand.New(rand.NewPCG(5, 6))
	fed := feeds{}
	var wrt, tangents []*graph.Node
	for i, x := range in {
		fed[x] = tr.values(x, p.fed(i), i, "random")
		if x.DType().IsFloat() {
			wrt = append(wrt, x)
		}
	}
	if len(wrt) == 0 {
		return false
	}
	tr.smoothPoints(rng, wrt, fed, false)
	if !isSmooth(y, wrt, fed) {
		return false
	}
	for _, x := range wrt {
		v := g.Input(fmt.Sprintf("v%d", len(tangents)), x.DType(), x.Shape()...)
		fed[v] = random(rng, fed[x].Shape...)
		tangents = append(tangents, v)
	}
	arrives := g.Input("arrives", y.DType(), y.Shape()...)
	fed[arrives] = random(rng, evaluateOne(tr, fed, y).Shape...)
	direction := autodiff.JVP([]*graph.Node{y}, wrt, tangents)[0]
	forward, back := ops.Sum(ops.Mul(direction, arrives)), g.Scalar(graph.Float64, 0)
	for i, dx := range autodiff.Grad(y, wrt, autodiff.Upstream(arrives), autodiff.ZeroForUnused()) {
		back = ops.Add(back, ops.Sum(ops.Mul(dx, tangents[i])))
	}
	require.NoError(tr, g.Err())
	got := evaluate(tr.T, fed, direction, forward, back)
	requireClose(tr.T, got[2].Floats(), got[1].Floats(), 1e-8, "forward and back")
	if tr.flat == "" {
		requireClose(tr.T, tr.differenceAlong(fed, y, wrt, tangents), got[0].Floats(), 1e-6, p.name)
	}
	return true
}

// evaluateOne is the value of a node in the reference evaluator.
func evaluateOne(tr *trial, fed feeds, y *graph.Node) reference.Value {
	values, err := reference.Eval([]*graph.Node{y}, fed)
	require.NoError(tr, err)
	return values[0]
}

// differenceAlong is the central difference of y when each value changes by its tangent.
func (tr *trial) differenceAlong(fed feeds, y *graph.Node, wrt, tangents []*graph.Node) []float64 {
	const h = 1e-5
	side := func(h float64) []float64 {
		moved := feeds{}
		for x, v := range fed {
			moved[x] = v
		}
		for i, x := range wrt {
			at := slices.Clone(fed[x].Floats())
			for k, v := range fed[tangents[i]].Floats() {
				at[k] += h * v
			}
			moved[x] = reference.Of(at, fed[x].Shape...)
		}
		return evaluateOne(tr, moved, y).Floats()
	}
	above, below := side(h), side(-h)
	for i := range above {
		above[i] = (above[i] - below[i]) / (2 * h)
	}
	return above
}
