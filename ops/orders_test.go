package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestFunctionsOfOrders compares values and derivatives with those of 40 digits.
func TestFunctionsOfOrders(t *testing.T) { compareSeveral(t, "orders.json") }

// TestEdgesOfCombinatorialFunctions wants SciPy's values where functions are whole, infinite or none.
func TestEdgesOfCombinatorialFunctions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		call     func(in []node) node
		a, b, to []float64
	}{
		"factorial": {func(in []node) node { return ops.Factorial(in[0]) }, []float64{-1, -0.5, 0, 3, 12, 14, nan, inf},
			nil, []float64{0, 0, 1, 6, 479001600, 87178291200, nan, inf}},
		"comb": {func(in []node) node { return ops.Comb(in[0], in[1]) }, []float64{5, 5, 5, -3, 40, 3, nan, 0},
			[]float64{2, 6, -1, 1, 8, 3, 1, 0},
			[]float64{10, 0, 0, 0, 76904685, 1, nan, 1}},
		"poch": {func(in []node) node { return ops.Poch(in[0], in[1]) }, []float64{-3, -3, 2.5, 0, -2, nan, 4, -3},
			[]float64{2, 4, -3.5, 3, 0, 1, 3, 3},
			[]float64{6, 0, inf, 0, 1, nan, 120, -6}},
		"sign": {func(in []node) node { return ops.GammaSign(in[0]) },
			[]float64{0, math.Copysign(0, -1), -1, -0.5, -1.5, 2, nan}, nil, []float64{1, -1, nan, -1, 1, 1, nan}},
		"owens": {func(in []node) node { return ops.OwensT(in[0], in[1]) }, []float64{0, inf, 1, 1, nan, 3},
			[]float64{1, 1, inf, 0, 1, -inf}, []float64{0.125, 0, 0.07932762696572854, 0, nan, -0.0006749490158156634}},
		"gammaincinv": {func(in []node) node { return ops.GammaIncInv(in[0], in[1]) },
			[]float64{0, 0, inf, inf, 2, 2, 2, 2, -1, nan, 0, 1},
			[]float64{0, 1, 0, 0.5, 0, 1, -0.1, 1.1, 0, 0, 0.5, nan},
			[]float64{0, inf, 0, nan, 0, inf, nan, nan, nan, nan, nan, nan}},
		"gammainccinv": {func(in []node) node { return ops.GammaIncCInv(in[0], in[1]) }, []float64{0, 2, 2, 2, -1},
			[]float64{1, 0, 1, 1.1, 1},
			[]float64{0, inf, 0, nan, nan}},
		"betaincinv": {func(in []node) node {
			return ops.BetaIncInv(in[0], in[0].Graph().Scalar(graph.Float64, 2), in[1])
		}, []float64{2, 2, inf, inf, 0, -1, nan, 2, 2, 2},
			[]float64{0, 1, 1, 0.5, 0, 0, 0, -0.1, 1.1, nan}, []float64{0, 1, 1, nan, nan, nan, nan, nan, nan, nan}},
		"bessel": {func(in []node) node { return ops.BesselJ(4, in[0]) }, []float64{0, inf, -inf, nan}, nil,
			[]float64{0, 0, 0, nan}},
	} {
		g, fed := graph.New("edges"), feeds{}
		var in []node
		for i, data := range [][]float64{c.a, c.b} {
			if data != nil {
				in = append(in, g.Input(string(rune('a'+i)), graph.Float64, graph.Dim(len(data))))
				fed[in[i]] = reference.Of(data, len(data))
			}
		}
		requireClose(t, c.to, value(t, fed, c.call(in)).Floats(), 1e-13, name)
	}
	g := graph.New("refused")
	x := g.Input("x", graph.Float32, 3)
	require.ErrorContains(t, ops.BesselJ(65, x).Err(), "the order must be from 0 to 64")
	require.ErrorContains(t, ops.SphericalHarmonic(2, -3, x, x).Err(), "the order from -n to n")
}

// TestGradientsOfGradientsOfSpecialFunctions compares second derivatives with differences, in several functions of
// which tables have only the first ones.
func TestGradientsOfGradientsOfSpecialFunctions(t *testing.T) {
	g := graph.New("second")
	a, b, x := g.Input("a", graph.Float64, 3), g.Input("b", graph.Float64, 3), g.Input("x", graph.Float64, 3)
	in := feeds{a: reference.Of([]float64{0.7, 2.5, 9}, 3), b: reference.Of([]float64{1.4, 3.2, 0.6}, 3),
		x: reference.Of([]float64{0.3, 0.55, 0.8}, 3)}
	for name, f := range map[string]struct {
		y   node
		wrt []node
	}{
		"gammainc":  {ops.GammaInc(a, b), []node{a, b}},
		"gammaincc": {ops.GammaIncC(a, b), []node{a, b}},
		"betainc":   {ops.BetaInc(a, b, x), []node{a, b, x}},
		"gammainv":  {ops.Add(ops.GammaIncInv(a, x), ops.GammaIncCInv(b, x)), []node{a, b, x}},
		"betainv":   {ops.BetaIncInv(a, b, x), []node{a, b, x}},
		"zeta":      {ops.Zeta(ops.Add(a, graph.Num(1.5)), b), []node{a, b}},
		"betaln":    {ops.BetaLn(a, b), []node{a, b}},
		"bessels":   {ops.Add(ops.Add(ops.J0(a), ops.J1(b)), ops.Add(ops.Y0(a), ops.Y1(b))), []node{a, b}},
		"modified":  {ops.Add(ops.Add(ops.K0(a), ops.K1e(b)), ops.Add(ops.I0e(a), ops.I1(b))), []node{a, b}},
		"airy":      {ops.Add(ops.AiryAi(a), ops.AiryAiSlope(ops.Neg(b))), []node{a, b}},
		"orders":    {ops.Add(ops.BesselJ(2, a), ops.BesselJ(5, b)), []node{a, b}},
		"harmonic":  {ops.SphericalHarmonic(3, -2, a, b), []node{a, b}},
		"owens":     {ops.OwensT(a, b), []node{a, b}},
		"comb":      {ops.Comb(ops.Add(a, b), b), []node{a, b}},
		"poch":      {ops.Poch(ops.Sub(b, graph.Num(2)), x), []node{b, x}},
		"expn":      {ops.ExpN(3, b), []node{b}},
		"legendre":  {ops.LegendreP(x, 5), []node{x}},
		"exp":       {ops.Add(ops.Exp1(b), ops.Spence(x)), []node{b, x}},
	} {
		t.Run(name, func(t *testing.T) { requireGradients(t, in, f.y, f.wrt...) })
	}
}

// TestSpecialFunctionsOfSeveralInFloat32 wants the numbers of Float64, rounded once.
func TestSpecialFunctionsOfSeveralInFloat32(t *testing.T) {
	numbers := []float64{0.75, 2.5, 9}
	others := []float64{1.5, 3.25, 0.625}
	for name, f := range map[string]func(a, b *graph.Node) *graph.Node{
		"gammainc": ops.GammaInc, "gammaincc": ops.GammaIncC, "betaln": ops.BetaLn,
		"zeta":        func(a, b *graph.Node) *graph.Node { return ops.Zeta(ops.Add(a, graph.Num(1)), b) },
		"betainc":     func(a, b *graph.Node) *graph.Node { return ops.BetaInc(a, b, ops.Mul(b, graph.Num(0.25))) },
		"gammaincinv": func(a, b *graph.Node) *graph.Node { return ops.GammaIncInv(a, ops.Mul(b, graph.Num(0.25))) },
		"betaincinv":  func(a, b *graph.Node) *graph.Node { return ops.BetaIncInv(a, b, ops.Mul(b, graph.Num(0.25))) },
		"boxcox":      ops.BoxCox, "comb": ops.Comb, "poch": ops.Poch, "owens": ops.OwensT,
		"bessel": func(a, _ *graph.Node) *graph.Node { return ops.BesselJ(3, a) },
	} {
		var got [2][]float64
		for i, dt := range []graph.DType{graph.Float32, graph.Float64} {
			g := graph.New("float32")
			a, b := g.Input("a", dt, 3), g.Input("b", dt, 3)
			fed := feeds{a: reference.FromFloats(dt, numbers, 3), b: reference.FromFloats(dt, others, 3)}
			got[i] = value(t, fed, f(a, b)).Floats()
		}
		for i := range numbers {
			require.Equal(t, float32(got[1][i]), float32(got[0][i]), "%s of %v and %v", name, numbers[i], others[i])
		}
	}
}
