package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/optim/lbfgs"
)

// L-BFGS takes the steps of torch.optim.LBFGS.
func TestLBFGSOfPyTorch(t *testing.T) {
	for name, change := range map[string]func(m *lbfgs.Minimizer){
		"lbfgs":       func(*lbfgs.Minimizer) {},
		"lbfgs short": func(m *lbfgs.Minimizer) { m.Rate, m.Iterations, m.Evaluations, m.History = 0.5, 1, 1, 3 },
	} {
		answers := pytorch[map[string]answer](t, name)
		for problem, build := range problems {
			t.Run(name+"/"+problem, func(t *testing.T) {
				g := graph.New(problem)
				loss, params := build(g, graph.Float64)
				grads := autodiff.Grad(loss, params)
				sess := session(t, g, exec.Outputs(append(grads, loss)...))
				m, err := lbfgs.New(sess, loss, params, grads)
				require.NoError(t, err)
				change(m)
				var losses, got []float64
				for range 50 {
					v, err := m.Step(t.Context(), nil)
					require.NoError(t, err)
					losses = append(losses, v)
				}
				for _, w := range params {
					got = append(got, values(t, sess, w)...)
				}
				require.InDeltaSlice(t, answers[problem].Losses, losses, 1e-6)
				require.InDeltaSlice(t, answers[problem].Params, got, 1e-6)
			})
		}
	}
}

func TestLBFGSMistakes(t *testing.T) {
	g := graph.New("mistakes")
	loss, params := problems["quadratic"](g, graph.Float64)
	grads := autodiff.Grad(loss, params)
	sess := session(t, g, exec.Outputs(loss))
	_, err := lbfgs.New(sess, loss, params, nil)
	require.ErrorContains(t, err, "1 parameters and 0 gradients")
	_, err = lbfgs.New(sess, loss, []*graph.Node{loss}, grads)
	require.ErrorContains(t, err, "is no floating-point parameter")
	m, err := lbfgs.New(sess, loss, params, grads)
	require.NoError(t, err)
	before := values(t, sess, params[0])
	_, err = m.Step(t.Context(), nil)
	require.Error(t, err, "the gradient is no output")
	require.Equal(t, before, values(t, sess, params[0]))
}
