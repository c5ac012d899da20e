package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// differentiate compares first and second gradients with central differences, in double
// precision at points where the operation is smooth.
func (tr *trial) differentiate() {
	switch {
	case tr.outOfPlace != nil:
		tr.differentiateInPlace()
		return
	case tr.flat != "":
		return
	}
	for _, p := range tr.patterns(2, 3) {
		for _, signed := range []bool{false, true} {
			g, in, y := tr.build(p, graph.Float64)
			if g.Err() != nil || !y.DType().IsFloat() {
				return
			}
			rng := rand.New(rand.NewPCG(5, 6))
			fed := feeds{}
			var wrt []*graph.Node
			for i, x := range in {
				fed[x] = tr.values(x, p.fed(i), i, "random")
				if x.DType().IsFloat() {
					wrt = append(wrt, x)
				}
			}
			tr.smoothPoints(rng, wrt, fed, signed)
			if (signed || p.symbolic) && !isSmooth(y, wrt, fed) {
				continue // outside of where it is defined
			}
			requireGradients(tr.T, fed, y, wrt...)
			tr.reached.note(g)
		}
	}
}

// differentiateInPlace compares the gradients of a write in place with those of the same
// operation without writing, where nothing that they need is overwritten.
func (tr *trial) differentiateInPlace() {
	for _, p := range tr.patterns(2, 3) {
		var byGraph [2][]float64
		for i, call := range []func(in ...*graph.Node) *graph.Node{tr.outOfPlace, tr.call} {
			tr := &trial{T: tr.T, sample: tr.sample}
			tr.sample.call = call
			g, in, y := tr.build(p, graph.Float64)
			if g.Err() != nil || y.DType() != graph.Float64 {
				break
			}
			fed := feeds{}
			var wrt []*graph.Node
			for i, x := range in {
				fed[x] = tr.values(x, p.fed(i), i, "random")
				if x.DType().IsFloat() {
					wrt = append(wrt, x)
				}
			}
			tr.smoothPoints(rand.New(rand.NewPCG(5, 6)), wrt, fed, false)
			grads := autodiff.Grad(ops.Sum(ops.Mul(y, y)), wrt, autodiff.ZeroForUnused())
			if err := shapeinfer.Check(g).Err(); shapeinfer.IsMistake(err, graph.CodeOrder) {
				break
			}
			for _, v := range evaluate(tr.T, fed, grads...) {
				byGraph[i] = append(byGraph[i], v.Floats()...)
			}
		}
		if byGraph[1] != nil {
			requireClose(tr.T, byGraph[0], byGraph[1], 1e-12,
				fmt.Sprintf("%s %v: gradients in place", p.name, p.shapes))
		}
	}
}

// smoothPoints feeds numbers that are all different from one another, in the row's range,
// or with both signs.
func (tr *trial) smoothPoints(rng *rand.Rand, wrt []*graph.Node, fed feeds, signed bool) {
	total := 0
	for _, x := range wrt {
		total += len(fed[x].Floats())
	}
	low, high := 0.25, 0.8
	if tr.points != [2]float64{} {
		low, high = tr.points[0], tr.points[1]
	}
	if signed {
		low = -high
	}
	order := rng.Perm(total)
	for _, x := range wrt {
		data := make([]float64, len(fed[x].Floats()))
		for i := range data {
			data[i] = low + (high-low)*(float64(order[0])+0.37)/float64(total)
			order = order[1:]
		}
		fed[x] = reference.Of(data, fed[x].Shape...)
	}
}

// isSmooth reports whether value and gradients are numbers.
func isSmooth(y *graph.Node, wrt []*graph.Node, fed feeds) bool {
	grads := autodiff.Grad(ops.Sum(y), wrt, autodiff.ZeroForUnused())
	values, err := reference.Eval(append(grads, y), fed)
	if err != nil {
		return false
	}
	for _, v := range values {
		for _, f := range v.Floats() {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				return false
			}
		}
	}
	return true
}
