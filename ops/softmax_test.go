package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Scores that are masked by -100 get weights of 0: exp(-100) is a denormal number of float32, and slows down what is
// computed with it.
func TestMaskedScoresHaveNoWeight(t *testing.T) {
	g := graph.New("weights")
	x := g.Input("x", graph.Float32, 2, 4)
	scores := []float32{0, -100, -86, -1e4, -88, 3, -87.5, 3}
	outputs := []*graph.Node{ops.Softmax(x, 1), ops.Exp(ops.LogSoftmax(x, 1)), ops.LogSumExp(x, 1)}
	outputs = append(outputs, autodiff.Grad(ops.Sum(outputs[2]), []*graph.Node{x})...)
	p, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(), exec.Feed{x: scores})
	require.NoError(t, err)
	want := []float32{1, 0, float32(math.Exp(-86)), 0, 0, 0.5, 0, 0.5}
	for i, n := range outputs {
		got, err := exec.Values[float32](r, n)
		require.NoError(t, err)
		switch i {
		case 2:
			require.Equal(t, []float32{0, 3 + float32(math.Ln2)}, got)
		case 1:
			require.InDeltaSlice(t, want, got, 1e-6)
		default:
			require.InDeltaSlice(t, want, got, 1e-6)
			for k, w := range want {
				if w < 1e-30 {
					require.InDelta(t, w, got[k], 1e-38, "%v of %v", n, scores[k])
				}
			}
		}
	}
}

// LogSumExp of infinities and NaN, of which no shift makes numbers up to 0.
func TestLogSumExpOfInfinities(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	g := graph.New("infinities")
	x := g.Input("x", graph.Float64, 6, 3)
	rows := []float64{inf, 1e300, 0, -inf, -inf, -inf, inf, -inf, inf, nan, 1, inf, -inf, 2, -inf, nan, nan, nan}
	y := ops.LogSumExp(x, 1)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(), exec.Feed{x: rows})
	require.NoError(t, err)
	got, err := exec.Values[float64](r, y)
	require.NoError(t, err)
	requireClose(t, []float64{inf, -inf, inf, nan, 2, nan}, got, 0, "LogSumExp")
}
