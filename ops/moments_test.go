package ops_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// numbers are the arguments behind the function's name.
func (c choiceCase) numbers(t *testing.T) (list []float64) {
	for _, w := range c.words() {
		v, err := strconv.ParseFloat(w, 64)
		require.NoError(t, err)
		list = append(list, v)
	}
	return list
}

// axes are the arguments of the case from one on.
func (c choiceCase) axes(t *testing.T, from int) (list []ops.Axis) {
	for _, v := range c.numbers(t)[from:] {
		list = append(list, ops.Axis(v))
	}
	return list
}

// reducedBy calls a reduction over the axes of a case.
func reducedBy(f func(x *graph.Node, axes ...ops.Axis) *graph.Node) func(*testing.T, choiceCase, []node) []node {
	return func(t *testing.T, c choiceCase, in []node) []node { return []node{f(in[0], c.axes(t, 0)...)} }
}

// ofBoth calls a function of two operands.
func ofBoth(f func(x, y *graph.Node) *graph.Node) func(*testing.T, choiceCase, []node) []node {
	return func(_ *testing.T, _ choiceCase, in []node) []node { return []node{f(in[0], in[1])} }
}

// momentCalls build the functions of the cases in testdata/moments.json.
var momentCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"NanSum": reducedBy(ops.NanSum), "NanMean": reducedBy(ops.NanMean), "CountNonzero": reducedBy(ops.CountNonzero),
	"VarMean": func(t *testing.T, c choiceCase, in []node) []node {
		return two(ops.VarMean(in[0], c.numbers(t)[0], c.axes(t, 1)...))
	},
	"StdMean": func(t *testing.T, c choiceCase, in []node) []node {
		return two(ops.StdMean(in[0], c.numbers(t)[0], c.axes(t, 1)...))
	},
	"NanMedian": func(t *testing.T, c choiceCase, in []node) []node { return two(ops.NanMedian(in[0], c.axis(t))) },
	"MinMax":    func(t *testing.T, c choiceCase, in []node) []node { return two(ops.MinMax(in[0], c.axes(t, 0)...)) },
	"Cov": func(_ *testing.T, c choiceCase, in []node) []node {
		words, weights := c.words(), []node{nil, nil}
		for i, w := range words[1:] {
			weights[map[string]int{"f": 0, "w": 1}[w]] = in[i+1]
		}
		correction, _ := strconv.ParseFloat(words[0], 64)
		return []node{ops.Cov(in[0], correction, weights[0], weights[1])}
	},
	"CorrCoef": func(_ *testing.T, _ choiceCase, in []node) []node { return []node{ops.CorrCoef(in[0])} },
	"Diff": func(t *testing.T, c choiceCase, in []node) []node {
		times, axis := int(c.numbers(t)[0]), int(c.numbers(t)[1])
		if !c.Out[0].Whole || len(c.In[0].Data) == 0 || c.words()[1] == "1" {
			return []node{ops.Diff(in[0], times, axis)}
		}
		return []node{ops.Cast(ops.Diff(ops.Greater(in[0], graph.Num(0)), times, axis), graph.Int64)}
	},
	"Trapezoid": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.Trapezoid(in[0], in[1], c.axis(t))}
	},
	"CumulativeTrapezoid": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.CumulativeTrapezoid(in[0], in[1], c.axis(t))}
	},
	"GradientAlong": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.GradientAlong(in[0], in[1], c.axis(t), int(c.numbers(t)[1]))}
	},
	"UniqueConsecutive": func(_ *testing.T, c choiceCase, in []node) []node {
		values, inverse, counts := ops.UniqueConsecutive(in[0], graph.Dim(c.Out[0].Shape[0]), graph.Num(0))
		return []node{values, inverse, counts}
	},
	"IsIn": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.Cast(ops.IsIn(in[0], in[1]), graph.Int64)}
	},
	"Histc": func(t *testing.T, c choiceCase, in []node) []node {
		v := c.numbers(t)
		return []node{ops.Histc(in[0], graph.Dim(v[0]), v[1], v[2])}
	},
	"LogAddExp2": ofBoth(ops.LogAddExp2),
	"FloatPower": ofBoth(ops.FloatPower),
}

// TestMomentsAsPyTorch compares reductions beside NaN, statistics and differences along axes with PyTorch's, values and
// gradients.
func TestMomentsAsPyTorch(t *testing.T) { runCases(t, "moments", momentCalls) }

// TestMomentsOfNamedSizes wants the same of sizes that runs decide, and the gradients of gradients of central
// differences.
func TestMomentsOfNamedSizes(t *testing.T) {
	runNamed(t, "moments", momentCalls, "Diff 4 1")
}

// TestReductionsBesideNaN compares with what NumPy gives.
func TestReductionsBesideNaN(t *testing.T) {
	g := graph.New("beside")
	x := g.Input("x", graph.Float64, 3, 4)
	nan := float64NaN
	in := feeds{x: reference.Of([]float64{1, nan, 5, 2, nan, nan, nan, nan, -3, 0.5, nan, nan}, 3, 4)}
	for name, c := range map[string]struct {
		y    node
		want []float64
	}{
		"prod":    {ops.NanProd(x, 1), []float64{10, 1, -1.5}},
		"max":     {ops.NanMax(x, 1), []float64{5, nan, 0.5}},
		"min":     {ops.NanMin(x, 1), []float64{1, nan, -3}},
		"max all": {ops.NanMax(x), []float64{5}},
		"argmax":  {ops.NanArgMax(x, 1), []float64{2, -1, 1}},
		"argmin":  {ops.NanArgMin(x, 1), []float64{0, -1, 0}},
		"median":  {first(ops.NanMedian(x, 1)), []float64{2, nan, -3}},
		"var":     {ops.NanVar(x, 1, 1), []float64{13.0 / 3, nan, 6.125}},
		"std":     {ops.NanStd(x, 0, 1, ops.KeepDims()), []float64{1.699673171197595, nan, 1.75}},
		"ptp":     {ops.PeakToPeak(ops.Slice(x, 1, 0, 1, 1)), []float64{nan}},
		"interp": {ops.Interp(x, graph.Constant(g, []float64{0, 1, 3}, 3),
			graph.Constant(g, []float64{10, 20, 0}, 3)),
			[]float64{20, nan, 0, 10, nan, nan, nan, nan, 10, 15, nan, nan}},
		"interp 1": {ops.Interp(ops.Select(x, 0, 0), graph.Constant(g, []float64{2}, 1),
			graph.Constant(g, []float64{7}, 1)), []float64{7, nan, 7, 7}},
		"average": {ops.Average(ops.Select(x, 0, 0), graph.Constant(g, []float64{1, 0, 2, 1}, 4)), []float64{nan}},
		"average 0": {ops.Average(graph.Constant(g, []float64{1, 2, 3, 4}, 2, 2), graph.Constant(g, []float64{1, 3}, 2),
			1), []float64{1.75, 3.75}},
		"cbrt": {ops.Cbrt(graph.Constant(g, []float64{-27, 0, 1e-300, 1e300, 8}, 5)),
			[]float64{-3, 0, 1e-100, 1e100, 2}},
	} {
		requireClose(t, c.want, value(t, in, c.y).Floats(), 1e-14, name)
	}
	requireClose(t, []float64{0, 0, 0, 0}, value(t, in, ops.IsIn(ops.Select(x, 0, 1), x)).Floats(), 0,
		"NaN is in nothing")
}

// TestMomentsRefuse wants PyTorch's sentences.
func TestMomentsRefuse(t *testing.T) {
	g := graph.New("refused")
	in := func(dt graph.DType, sizes ...graph.Dim) node { return g.Input("x", dt, sizes...) }
	requireMistake(t, ops.NanMean(in(graph.Int64, 3)),
		"nanmean(): expected input to have floating point or complex dtype but got Long")
	requireMistake(t, ops.Cov(in(graph.Float32, 2, 3, 4), 1, nil, nil),
		"cov(): expected input to have two or fewer dimensions but got an input with 3 dimensions")
	requireMistake(t, ops.Diff(in(graph.Float32, 2), 1, 1),
		"Dimension out of range (expected to be in range of [-1, 0], but got 1)")
	requireMistake(t, ops.GradientAlong(in(graph.Float32, 2), graph.Num(1), 0, 2),
		"torch.gradient expected each dimension size to be at least edge_order+1")
	requireMistake(t, ops.Trapezoid(in(graph.Float32, 4), in(graph.Float32, 3), 0),
		"there are 3 coordinates for 4 elements along axis 0")
	require.ErrorContains(t, ops.NanSum(in(graph.Float32, 2), 3).Err(), "NanSum(x, 3)")
}

// TestGradientAlongLooksToBothSides has no number in the middle of three: of even spacing the difference of its
// neighbours does not see it.
func TestGradientAlongLooksToBothSides(t *testing.T) {
	g := graph.New("gradient")
	y := g.Input("y", graph.Float64, 5)
	in := feeds{y: reference.Of([]float64{1, 2, math.NaN(), 8, 16}, 5)}
	requireClose(t, []float64{1, math.NaN(), 3, math.NaN(), 8},
		value(t, in, ops.GradientAlong(y, graph.Num(1), 0, 1)).Floats(), 0, "gradient")
}
