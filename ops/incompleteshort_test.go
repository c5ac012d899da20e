package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// In Float32 shares of the gamma distribution come from an integral with fewer places. They still are those of Float64,
// rounded once, small ones too.
func TestGammaSharesInFloat32AreRoundedOnce(t *testing.T) {
	const half = 0.53
	var a, x []float32
	for i := range 60 {
		shape := math.Exp(float64(i)/59*math.Log(1e7) - math.Log(1e2)) // from 0.01 to 1e5
		for k := range 60 {
			away := float64(k)/59*16 - 8 // deviations
			a = append(a, float32(shape), float32(shape))
			x = append(x, float32(shape*math.Exp(away/math.Sqrt(1+shape))), float32(shape*math.Exp(away)))
		}
	}
	g := graph.New("shares")
	in, short := [2]node{}, [2]node{}
	feed := exec.Feed{}
	for i, data := range [][]float32{a, x} {
		wide := make([]float64, len(data))
		for k, v := range data {
			wide[k] = float64(v)
		}
		in[i] = g.Input([]string{"a", "x"}[i], graph.Float64, graph.Dim(len(data)))
		short[i] = g.Input([]string{"a32", "x32"}[i], graph.Float32, graph.Dim(len(data)))
		feed[in[i]], feed[short[i]] = wide, data
	}
	outputs := []node{ops.GammaInc(in[0], in[1]), ops.GammaInc(short[0], short[1]), ops.GammaIncC(in[0], in[1]),
		ops.GammaIncC(short[0], short[1])}
	p, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(), feed)
	require.NoError(t, err)
	for i := 0; i < len(outputs); i += 2 {
		exact, err := r.Array(outputs[i])
		require.NoError(t, err)
		got, err := r.Array(outputs[i+1])
		require.NoError(t, err)
		for k, want := range exact.Data.([]float64) {
			if want < 0x1p-126 {
				continue
			}
			unit := ulp(want) * 0x1p29
			rounded := got.Data.([]float32)[k]
			require.LessOrEqual(t, math.Abs(float64(rounded)-want)/unit, half, "%v of %g, %g: %g, want %g",
				outputs[i+1], a[k], x[k], rounded, want)
		}
	}
}
