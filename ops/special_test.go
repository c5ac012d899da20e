package ops_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// specialFunctions are those of testdata/special.json, with how many units in the last place they may
// be off. Where they are differences of larger numbers the unit is at least that of a number.
var specialFunctions = map[string]struct {
	build       func(x node) node
	ulps, least float64
}{
	"erfc": {build: ops.Erfc, ulps: 3}, "erfcx": {build: ops.Erfcx, ulps: 4}, "erfinv": {build: ops.Erfinv, ulps: 4},
	"ndtr": {build: ops.Ndtr, ulps: 4}, "log_ndtr": {build: ops.LogNdtr, ulps: 4}, "ndtri": {build: ops.Ndtri, ulps: 4},
	"lgamma": {build: ops.LGamma, ulps: 8, least: 1}, "digamma": {build: ops.Digamma, ulps: 8, least: 1},
	"polygamma1": {build: polygamma(1), ulps: 8}, "polygamma2": {build: polygamma(2), ulps: 8},
	"polygamma5": {build: polygamma(5), ulps: 8},
	"i0":         {build: ops.I0, ulps: 6}, "i0e": {build: ops.I0e, ulps: 6}, "i1": {build: ops.I1, ulps: 6},
	"i1e":  {build: ops.I1e, ulps: 6},
	"sinc": {build: ops.Sinc, ulps: 4, least: 0.01},
	"j0":   {build: ops.J0, ulps: 4, least: 1}, "j1": {build: ops.J1, ulps: 4, least: 1},
	"y0": {build: ops.Y0, ulps: 6, least: 1}, "y1": {build: ops.Y1, ulps: 4, least: 1},
	"k0": {build: ops.K0, ulps: 8}, "k0e": {build: ops.K0e, ulps: 8}, "k1": {build: ops.K1, ulps: 8},
	"k1e":          {build: ops.K1e, ulps: 8},
	"spherical_j0": {build: ops.SphericalJ0, ulps: 2}, "airy_ai": {build: ops.AiryAi, ulps: 8, least: 1},
	"airy_ai_slope": {build: ops.AiryAiSlope, ulps: 12, least: 1},
	"exp1":          {build: ops.Exp1, ulps: 8}, "expi": {build: ops.Expi, ulps: 8, least: 0.2},
	"spence": {build: ops.Spence, ulps: 8}, "dawsn": {build: ops.Dawsn, ulps: 8},
	"sine_integral":   {build: ops.SineIntegral, ulps: 4},
	"cosine_integral": {build: ops.CosineIntegral, ulps: 4, least: 1},
	"fresnel_s":       {build: ops.FresnelS, ulps: 4}, "fresnel_c": {build: ops.FresnelC, ulps: 4},
	"gamma": {build: ops.Gamma, ulps: 30}, "exprel": {build: ops.ExpRel, ulps: 3},
	"log1mexp": {build: ops.Log1mExp, ulps: 4},
}

func polygamma(n int) func(node) node { return func(x node) node { return ops.Polygamma(n, x) } }

// TestSpecialFunctions compares values with those of 40 digits: in Float64 within the units above, in
// Float32 within one, of a value rounded once.
func TestSpecialFunctions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "special.json"))
	require.NoError(t, err)
	var rows map[string][][2]float64
	require.NoError(t, json.Unmarshal(text, &rows))
	require.Len(t, rows, len(specialFunctions))
	for name, f := range specialFunctions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, rows[name])
			var x, want, narrow []float64
			for _, r := range rows[name] {
				x, want = append(x, r[0]), append(want, r[1])
				narrow = append(narrow, float64(float32(r[0])))
			}
			g := graph.New("special")
			in, half := g.Input("x", graph.Float64, graph.Dim(len(x))),
				g.Input("half", graph.Float32, graph.Dim(len(x)))
			fed := feeds{in: reference.Of(x, len(x)), half: reference.FromFloats(graph.Float32, x, len(x))}
			for i, got := range value(t, fed, f.build(in)).Floats() {
				unit := ulp(max(math.Abs(want[i]), f.least))
				assert.LessOrEqual(t, math.Abs(got-want[i])/unit, f.ulps, "%s(%v) is %v, want %v", name, x[i], got,
					want[i])
			}
			exact := value(t, feeds{in: reference.Of(narrow, len(x))}, f.build(in)).Floats()
			for i, got := range value(t, fed, f.build(half)).Floats() {
				require.Equal(t, float32(exact[i]), float32(got), "%s(%v) in float32", name, narrow[i])
			}
		})
	}
}

// TestSecondDerivativesFarOut compares with the limits' expansions where parts of the formulas overflow, vanish or
// cancel.
func TestSecondDerivativesFarOut(t *testing.T) {
	for _, c := range []struct {
		f       func(node) node
		x, want float64
	}{
		{ops.LogNdtr, -1e4, -0.99999999}, {ops.LogNdtr, -300, -0.999988889}, {ops.LogNdtr, -20, -0.997536738},
		{ops.LogNdtr, 0, -0.636619772}, {ops.LogNdtr, 8, -4.04181687e-14}, {ops.LogNdtr, 12, -2.57566048e-31},
		{ops.LogNdtr, 14, 0}, {ops.LogNdtr, 100, 0}, {ops.Erfcx, 30, 4.16530924e-5}, {ops.Erfcx, 1000, 1.12837578e-9},
	} {
		for _, dtype := range []graph.DType{graph.Float32, graph.Float64} {
			g := graph.New("far out")
			x := g.Input("x", dtype)
			slope := autodiff.Grad(c.f(x), []node{x})[0]
			second := autodiff.Grad(slope, []node{x})[0]
			got := value(t, feeds{x: reference.FromFloats(dtype, []float64{c.x})}, second).Floats()[0]
			assert.InDelta(t, c.want, got, 3e-5*math.Abs(c.want)+1e-40, "%s at %v", dtype, c.x)
		}
	}
}

// ulp is the distance from a number to the next one.
func ulp(x float64) float64 { return math.Nextafter(x, math.Inf(1)) - x }
