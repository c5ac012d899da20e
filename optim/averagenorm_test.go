package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestAveragesWithBatchNorm evaluates a network by its averages, beside the running statistics of the training, and
// finds what it finds with the averages in the places of the parameters.
func TestAveragesWithBatchNorm(t *testing.T) {
	g := graph.New("averages")
	x, y := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(2)), 3),
		g.Input("y", graph.Float32, g.Dim("batch"), 2)
	network := nn.Sequential(nn.NewLinear(g, "a", 3, 5), nn.NewBatchNorm(g, "norm", 5), nn.Func(ops.Tanh),
		nn.Dropout(0.2), nn.NewLinear(g, "b", 5, 2))
	pass := nn.Training(g)
	loss, answer := ops.MSE(network.Apply(pass, x), y), network.Apply(nn.Evaluation(g), x)
	params := optim.Trainable(g)
	step := optim.Adam(0.1).Minimize(loss)
	ema := optim.EMA(0.8, params, step)
	averaged := ema.Evaluate(answer)
	sess := session(t, g, exec.Outputs(loss),
		exec.Updates(append(append(step, ema.Updates()...), pass.Updates()...)...))
	feed := exec.Feed{x: []float32{1, 2, 3, 4, 5, 6, 7, 8, 10}, y: []float32{1, 2, 3, 4, 5, 6}}
	for range 5 {
		_, err := sess.Run(t.Context(), feed)
		require.NoError(t, err)
	}
	delete(feed, y)
	requireAveraged(t, sess, ema, answer, averaged, feed)
}

// requireAveraged asserts that averaged, which is the answer by the averages of a session's parameters, is what a
// session finds that has these in their places, and not what the parameters themselves give.
func requireAveraged(t *testing.T, sess *exec.Session, ema optim.Averages, answer, averaged *graph.Node,
	feed exec.Feed) {
	t.Helper()
	compiled := func(n *graph.Node) *exec.Program {
		p, err := exec.Compile(n.Graph(), exec.Outputs(n))
		require.NoError(t, err)
		return p
	}
	output := func(s *exec.Session, n *graph.Node) []float32 {
		r, err := s.Run(t.Context(), feed)
		require.NoError(t, err)
		v, err := exec.Values[float32](r, n)
		require.NoError(t, err)
		return v
	}
	plain := compiled(answer)
	copied := plain.NewSession()
	for _, p := range plain.Params() {
		from := p
		if a := ema.Of(p); a != nil {
			from = a
		}
		v, err := sess.Param(from)
		require.NoError(t, err)
		require.NoError(t, copied.SetParam(p, v))
	}
	got := output(compiled(averaged).NewSession(exec.ShareParams(sess)), averaged)
	require.Equal(t, output(copied, answer), got)
	require.NotEqual(t, output(plain.NewSession(exec.ShareParams(sess)), answer), got)
}
