package ops_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

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
	"polygamma1": {build: polygamma(1), ulps: 8}, "polygamma2": {build: polygamma(2), ulps: 8}, "polygamma5": {build: polygamma(5), ulps: 8},
	"i0": {build: ops.I0, ulps: 6}, "i0e": {build: ops.I0e, ulps: 6}, "i1": {build: ops.I1, ulps: 6}, "i1e": {build: ops.I1e, ulps: 6},
	"sinc": {build: ops.Sinc, ulps: 4, least: 0.01},
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
			in, half := g.Input("x", graph.Float64, graph.Dim(len(x))), g.Input("half", graph.Float32, graph.Dim(len(x)))
			fed := feeds{in: reference.Of(x, len(x)), half: reference.FromFloats(graph.Float32, x, len(x))}
			for i, got := range value(t, fed, f.build(in)).Floats() {
				unit := ulp(max(math.Abs(want[i]), f.least))
				require.LessOrEqual(t, math.Abs(got-want[i])/unit, f.ulps, "%s(%v) is %v, want %v", name, x[i], got, want[i])
			}
			exact := value(t, feeds{in: reference.Of(narrow, len(x))}, f.build(in)).Floats()
			for i, got := range value(t, fed, f.build(half)).Floats() {
				require.Equal(t, float32(exact[i]), float32(got), "%s(%v) in float32", name, narrow[i])
			}
		})
	}
}

// ulp is the distance from a number to the next one.
func ulp(x float64) float64 { return math.Nextafter(x, math.Inf(1)) - x }
