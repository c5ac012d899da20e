package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// In Float32 the series have fewer terms, summed in another way. The result still is that in Float64, rounded once, but
// for numbers that lie very near the middle between two.
func TestSpecialFunctionsInFloat32AreRoundedOnce(t *testing.T) {
	const points, half = 4000, 0.51
	var x []float64
	for i := range points {
		wide := math.Exp(float64(i%(points/4))/(points/4)*14 - 9) // from 1e-4 to 150
		x = append(x, float64(float32([]float64{wide, -wide, wide / 200, 1 - wide/200}[i*4/points])))
	}
	for name, f := range specialFunctions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := graph.New("special")
			in, short := g.Input("x", graph.Float64, points), g.Input("short", graph.Float32, points)
			fed := feeds{in: reference.Of(x, points), short: reference.FromFloats(graph.Float32, x, points)}
			exact, got := value(t, fed, f.build(in)).Floats(), value(t, fed, f.build(short)).Floats()
			for i, want := range exact {
				if math.IsNaN(want) || math.Abs(want) > math.MaxFloat32 || math.Abs(want) < 0x1p-126 {
					continue
				}
				unit := math.Max(ulp(math.Abs(want))*0x1p29, ulp(f.least)) // of Float32
				assert.LessOrEqual(t, math.Abs(got[i]-want)/unit, half, "%s(%v) is %v, want %v", name, x[i], got[i], want)
			}
		})
	}
}
