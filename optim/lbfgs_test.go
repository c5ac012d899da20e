package optim_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
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
				require.Len(t, got, len(answers[problem].Params))
				for i, want := range answers[problem].Params { // 1,000 iterations make more of rounding
					require.InDelta(t, want, got[i], 1e-6*max(1, math.Abs(want)))
				}
			})
		}
	}
}

// TestResumedLBFGS saves the parameters and the method's state in a checkpoint, and goes on in another session.
func TestResumedLBFGS(t *testing.T) {
	newMinimizer := func(problem string) (*lbfgs.Minimizer, *exec.Session) {
		g := graph.New("resumed")
		loss, params := problems[problem](g, graph.Float32)
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
	for _, pause := range []int{0, 1, 4} {
		m, whole := newMinimizer("mlp")
		steps(m, 9)
		m, first := newMinimizer("mlp")
		steps(m, pause)
		checkpoints := weights.NewCheckpoints(t.TempDir(), 1)
		require.NoError(t, checkpoints.Save(first, pause, nil, weights.With(m)))

		m, second := newMinimizer("mlp")
		found, err := checkpoints.Restore(second, weights.With(m))
		require.NoError(t, err)
		steps(m, 9-found.Step)
		require.Equal(t, all(t, whole), all(t, second), "%d", pause)
	}
}

// A file without the state, or with that of other parameters, is an error and changes nothing.
func TestStateOfLBFGSThatDoesNotFit(t *testing.T) {
	newMinimizer := func(size int) (*lbfgs.Minimizer, *exec.Session) {
		g := graph.New("sizes")
		w, v := g.Param("w", graph.Float64), g.Param("v", graph.Float64, graph.Dim(size))
		loss := ops.Add(ops.Square(ops.Sub(w, graph.Num(2))), ops.Sum(ops.Pow(ops.Sub(v, graph.Num(1)), graph.Num(4))))
		params := []*graph.Node{w, v}
		grads := autodiff.Grad(loss, params)
		sess := session(t, g, exec.Outputs(append(grads, loss)...))
		m, err := lbfgs.New(sess, loss, params, grads)
		require.NoError(t, err)
		_, err = m.Step(t.Context(), nil)
		require.NoError(t, err)
		return m, sess
	}
	m, sess := newMinimizer(3)
	plain, whole := filepath.Join(t.TempDir(), "plain.npz"), filepath.Join(t.TempDir(), "whole.npz")
	require.NoError(t, weights.Save(plain, sess))
	require.NoError(t, weights.Save(whole, sess, weights.With(m)))

	before, remembered := all(t, sess), m.State()
	_, err := weights.LoadFile(sess, plain, weights.With(m))
	require.ErrorContains(t, err, "missing in the file: lbfgs.direction of *lbfgs.Minimizer")
	_, err = weights.LoadFile(sess, plain, weights.With(m), weights.AllowMissing("lbfgs.*"))
	require.NoError(t, err)
	_, err = weights.LoadFile(sess, whole)
	require.ErrorContains(t, err, "no parameter: lbfgs.turns F64 [")
	_, err = weights.LoadFile(sess, whole, weights.With(nil))
	require.ErrorContains(t, err, "With got nil")
	other, otherSess := newMinimizer(4)
	values := all(t, otherSess)
	_, err = weights.LoadFile(otherSess, whole, weights.With(other), weights.Only(otherSess.Program().Params()[0]),
		weights.AllowUnexpected())
	require.ErrorContains(t, err, "lbfgs.direction is []float64 of shape [4]; it must be []float64 of shape [5]")
	require.Equal(t, values, all(t, otherSess))
	require.Equal(t, before, all(t, sess))
	require.Equal(t, remembered, m.State())

	state := m.State()
	state["lbfgs.numbers"] = exec.Array{Shape: []int{3}, Data: []float64{math.NaN(), 1, 1}}
	require.ErrorContains(t, m.SetState(state),
		"lbfgs: lbfgs.numbers tells of NaN directions, and lbfgs.direction has 4 elements")
	state["lbfgs.direction"], state["lbfgs.gradient"] = exec.Array{Shape: []int{0}, Data: []float64{}},
		exec.Array{Shape: []int{0}, Data: []float64{}}
	none := exec.Array{Shape: []int{0, 0}, Data: []float64{}}
	state["lbfgs.steps"], state["lbfgs.turns"], state["lbfgs.numbers"] = none, none,
		exec.Array{Shape: []int{3}, Data: []float64{5, 1, 1}}
	require.ErrorContains(t, m.SetState(state), "tells of 5 directions, and lbfgs.direction has 0 elements")
	delete(state, "lbfgs.turns")
	require.ErrorContains(t, m.SetState(state), "lbfgs: the state has no lbfgs.turns")
	state["lbfgs.turns"] = exec.Array{Shape: []int{1, 7}, Data: make([]float64, 7)}
	require.ErrorContains(t, m.SetState(state),
		"lbfgs: lbfgs.turns is []float64 of shape [1 7]; it must be []float64 of shape")
}

func TestLBFGSMistakes(t *testing.T) {
	g := graph.New("mistakes")
	loss, params := problems["quadratic"](g, graph.Float64)
	grads := autodiff.Grad(loss, params)
	sess := session(t, g, exec.Outputs(loss))
	_, err := lbfgs.New(sess, loss, params, nil)
	require.ErrorContains(t, err, "1 parameters and 0 gradients")
	_, err = lbfgs.New(sess, loss, []*graph.Node{loss}, grads)
	require.ErrorContains(t, err, "is not a floating-point parameter")
	_, err = lbfgs.New(sess, loss, params, grads)
	require.ErrorContains(t, err, "lbfgs: gradient 0, gradient of w (pytorch_test.go:")
	require.ErrorContains(t, err, "is not an output of the session's program: pass it to exec.Outputs")
	_, err = lbfgs.New(sess, loss, params, []*graph.Node{nil})
	require.ErrorContains(t, err, "lbfgs: gradient 0 is nil")
	_, err = lbfgs.New(session(t, g, exec.Outputs(grads...)), loss, params, grads)
	require.ErrorContains(t, err, "lbfgs: the loss, Sum(Mul(…)) (pytorch_test.go:")
	_, err = lbfgs.New((*exec.Program)(nil).NewSession(), loss, params, grads)
	require.ErrorContains(t, err, "the session has no program")
}

// A program that moves the parameters itself, or gives its gradients in another order, is refused before the first
// step.
func TestLBFGSOfAProgramThatUpdates(t *testing.T) {
	g := graph.New("updates")
	v, u, count := g.Param("v", graph.Float64, 2), g.Param("u", graph.Float64, 3), g.State("count", graph.Float64, nil)
	loss := ops.Add(ops.Sum(ops.Square(v)), ops.Sum(ops.Square(u)))
	params := []*graph.Node{v, u}
	grads := autodiff.Grad(loss, params)
	outputs := exec.Outputs(append(grads, loss)...)
	_, err := lbfgs.New(session(t, g, outputs, exec.Updates(optim.SGD(0.1).Minimize(loss)...)), loss, params, grads)
	require.ErrorContains(t, err, "lbfgs: the session's program writes v float64[2] (lbfgs_test.go:")
	require.ErrorContains(
		t, err, "in each run, but a line search has many runs: compile a program that does not update it")
	sess := session(t, g, outputs, exec.Updates(ops.AddInPlace(count, graph.Num(1))))
	require.Equal(t, []*graph.Node{count}, sess.Program().Written())
	_, err = lbfgs.New(sess, loss, params, []*graph.Node{grads[1], grads[0]})
	require.ErrorContains(t, err, "lbfgs: gradient 0 is gradient of u float64[3], but parameter 0 is v float64[2]")
	_, err = lbfgs.New(sess, loss, params, grads)
	require.NoError(t, err, "what it counts is no parameter to minimize over")
}

// Parameters of 16 bits are moved too, as far as their digits go.
func TestLBFGSOfHalves(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Float16, graph.BFloat16} {
		g := graph.New("halves")
		w := g.Param("w", dtype, 3)
		loss, params := ops.Sum(ops.Square(ops.Sub(w, graph.Num(2)))), []*graph.Node{w}
		grads := autodiff.Grad(loss, params)
		sess := session(t, g, exec.Outputs(loss, grads[0]))
		m, err := lbfgs.New(sess, loss, params, grads)
		require.NoError(t, err)
		_, err = m.Step(t.Context(), nil)
		require.NoError(t, err)
		v, err := sess.Param(w)
		require.NoError(t, err)
		require.Equal(t, []float32{2, 2, 2}, v.Widened().Data)
	}
}
