package ops_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestGradientsAreLinearInWhatArrives feeds each row zeros and ones: where its gradients are numbers, so are their
// derivatives by what arrives, also where a rule chooses 0 for a quotient by 0.
func TestGradientsAreLinearInWhatArrives(t *testing.T) {
	for _, s := range allSamples() {
		if s.outOfPlace != nil || s.flat != "" || s.draws {
			continue
		}
		tr := &trial{T: t, sample: s}
		for _, at := range [][2]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}} {
			tr.differentiateByUpstream(at)
		}
	}
}

// TestGradientOfWhatArrivesAtPlacesThatNoIndexNames is that of the others beside it, and 0 there.
func TestGradientOfWhatArrivesAtPlacesThatNoIndexNames(t *testing.T) {
	for name, segments := range map[string]segmentFunc{
		"SegmentMax": ops.SegmentMax, "SegmentMin": ops.SegmentMin, "SegmentMean": ops.SegmentMean,
		"SegmentProd": ops.SegmentProd, "SegmentSum": ops.SegmentSum} {
		g := graph.New("segments")
		x, dy := g.Input("x", graph.Float64, 2), g.Input("dy", graph.Float64, 3)
		y := segments(x, 0, graph.Constant(g, []int64{2, 0}, 2), 3)
		dx := autodiff.Grad(y, []*graph.Node{x}, autodiff.Upstream(dy))[0]
		second := autodiff.Grad(ops.Sum(dx), []*graph.Node{dy})[0]
		in := feeds{x: reference.Of([]float64{1, 1}, 2), dy: reference.Of([]float64{1, 1, 1}, 3)}
		requireClose(t, []float64{1, 0, 1}, value(t, in, second).Floats(), 0, name)
	}
}

// differentiateByUpstream differentiates the gradients at equal numbers by what arrives.
func (tr *trial) differentiateByUpstream(at [2]float64) {
	p := tr.patterns(2, 3)[0]
	g, in, y := tr.build(p, graph.Float64)
	if g.Err() != nil || !y.DType().IsFloat() {
		return
	}
	fed := feeds{}
	var wrt []*graph.Node
	for i, x := range in {
		fed[x] = tr.values(x, p.fed(i), i, "random")
		if x.DType().IsFloat() {
			wrt = append(wrt, x)
			fed[x] = reference.Of(slices.Repeat([]float64{at[i%2]}, len(fed[x].Floats())), p.fed(i)...)
		}
	}
	dy := ops.OnesLike(y)
	first := autodiff.Grad(y, wrt, autodiff.Upstream(dy), autodiff.ZeroForUnused())
	sum := g.Scalar(graph.Float64, 0)
	for _, dx := range first {
		sum = ops.Add(sum, ops.Sum(dx))
	}
	second := autodiff.Grad(sum, []*graph.Node{dy}, autodiff.ZeroForUnused())
	if g.Err() != nil {
		return
	}
	values, err := reference.Eval(append(first, second...), fed)
	if err == nil && areNumbers(values[:len(first)]) && !areNumbers(values[len(first):]) {
		tr.Errorf("%s at %v: the gradients are %v, and their derivatives %v", tr.name, at, told(values[:len(first)]),
			told(values[len(first):]))
	}
}

func areNumbers(values []reference.Value) bool {
	for _, v := range values {
		for _, f := range v.Floats() {
			if math.IsNaN(f) || math.IsInf(f, 0) {
				return false
			}
		}
	}
	return true
}

func told(values []reference.Value) string {
	var words []string
	for _, v := range values {
		words = append(words, v.String())
	}
	return strings.Join(words, ", ")
}
