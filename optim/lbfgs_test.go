package optim_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/optim/lbfgs"
	"github.com/broadloom/broadloom/weights"
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

// TestResumedLBFGS saves the parameters and the method's state, and goes on in another session.
func TestResumedLBFGS(t *testing.T) {
	newMinimizer := func() (*lbfgs.Minimizer, *exec.Session) {
		g := graph.New("resumed")
		loss, params := problems["mlp"](g, graph.Float32)
		grads := autodiff.Grad(loss, params)
		sess := session(t, g, exec.Outputs(append(grads, loss)...))
		m, err := lbfgs.New(sess, loss, params, grads)
		require.NoError(t, err)
		m.Iterations, m.History = 3, 4
		return m, sess
	}
	steps := func(m *lbfgs.Minimizer, count int) {
		for range count {
			_, err := m.Step(t.Context(), nil)
			require.NoError(t, err)
		}
	}
	for _, file := range []string{"w.safetensors", "w.npz"} {
		for _, pause := range []int{0, 1, 4} {
			m, whole := newMinimizer()
			steps(m, 9)
			m, first := newMinimizer()
			steps(m, pause)
			path := filepath.Join(t.TempDir(), file)
			var values []weights.Named
			for name, a := range all(t, first) {
				values = append(values, weights.Named{Name: name, Value: a})
			}
			for name, a := range m.State() {
				values = append(values, weights.Named{Name: name, Value: a})
			}
			require.NoError(t, weights.Write(path, values))

			m, second := newMinimizer()
			f, err := weights.Open(path)
			require.NoError(t, err)
			_, err = weights.Load(second, f, weights.AllowUnexpected())
			require.NoError(t, err)
			state := map[string]exec.Array{}
			for _, info := range f.Tensors() {
				if strings.HasPrefix(info.Name, "lbfgs.") {
					state[info.Name], err = f.Read(info.Name)
					require.NoError(t, err)
				}
			}
			require.NoError(t, f.Close())
			require.NoError(t, m.SetState(state))
			steps(m, 9-pause)
			require.Equal(t, all(t, whole), all(t, second), "%s, %d", file, pause)

			delete(state, "lbfgs.turns")
			require.ErrorContains(t, m.SetState(state), "lbfgs: the state has no lbfgs.turns")
			state["lbfgs.turns"] = exec.Array{Shape: []int{1, 7}, Data: make([]float64, 7)}
			require.ErrorContains(t, m.SetState(state), "lbfgs: lbfgs.turns is []float64 of shape [1 7]; it must be []float64 of shape")
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
