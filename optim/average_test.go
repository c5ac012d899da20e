package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// Averages follow the parameter after each step, and a loss is evaluated with them.
func TestAverages(t *testing.T) {
	g := graph.New("average")
	w := g.ParamInit("w", graph.Float64, start(1), 2)
	loss := ops.Sum(ops.Square(w))
	params := []*graph.Node{w}
	step := optim.SGD(0.1).Minimize(loss, w)
	ema, swa := optim.EMA(0.75, params, step), optim.SWA(params, step)
	evaluated := ema.Evaluate(loss)
	require.NoError(t, g.Err())
	sess := session(t, g, exec.Updates(append(step, append(ema.Updates(), swa.Updates()...)...)...))
	var mean, sum float64
	for i := range 4 {
		_, err := sess.Run(t.Context(), nil)
		require.NoError(t, err)
		now := values(t, sess, w)[0]
		sum += now
		if i == 0 {
			mean = now
		}
		mean = 0.75*mean + 0.25*now
		require.InDelta(t, mean, values(t, sess, ema.Of(w))[0], 1e-12)
		require.InDelta(t, sum/float64(i+1), values(t, sess, swa.Of(w))[0], 1e-12)
	}
	prog, err := exec.Compile(g, exec.Outputs(evaluated))
	require.NoError(t, err)
	r, err := prog.NewSession(exec.ShareParams(sess)).Run(t.Context(), nil)
	require.NoError(t, err)
	got, err := r.Scalar(evaluated)
	require.NoError(t, err)
	a := values(t, sess, ema.Of(w))
	require.InDelta(t, a[0]*a[0]+a[1]*a[1], got, 1e-12)

	optim.EMA(1, params, step)
	require.ErrorContains(t, g.Err(), "the decay is 1; it must be at least 0 and less than 1")
}
