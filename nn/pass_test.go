package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

// TestDropoutDrawsAnew sees to it that each step drops other elements, alike for the same seed and
// where a session goes on from the state of another, and that evaluation drops none.
func TestDropoutDrawsAnew(t *testing.T) {
	g := graph.New("dropout")
	layer := nn.Dropout(0.5)
	train, x := nn.Training(g), ops.Full(g, graph.Float32, 1, 64)
	y, whole := layer.Apply(train, x), layer.Apply(nn.Evaluation(g), x)
	require.Same(t, x, whole)
	prog, err := exec.Compile(g, exec.Outputs(y), exec.Updates(train.Updates()...))
	require.NoError(t, err)
	step := func(s *exec.Session) []float32 {
		r, err := s.Run(t.Context(), nil)
		require.NoError(t, err)
		v, err := r.Array(y)
		require.NoError(t, err)
		return append([]float32(nil), v.Data.([]float32)...)
	}
	s, same, resumed := prog.NewSession(exec.Seed(1)), prog.NewSession(exec.Seed(1)), prog.NewSession(exec.Seed(2))
	first := step(s)
	assert.Equal(t, first, step(same))
	assert.NotEqual(t, first, step(resumed))
	state, err := s.Param(train.Seed())
	require.NoError(t, err)
	require.NoError(t, resumed.SetParam(train.Seed(), state))
	second := step(s)
	assert.NotEqual(t, first, second)
	assert.Equal(t, second, step(resumed))
}

// TestPassesOfSeveralPrograms writes one state in two passes, as the two steps of adversarial training do:
// that is no mistake until one program is given both.
func TestPassesOfSeveralPrograms(t *testing.T) {
	g := graph.New("two")
	x := ops.Full(g, graph.Float32, 1, 8, 3)
	norm := nn.NewBatchNorm(g, "norm", 3)
	first, second := nn.Training(g), nn.Training(g)
	a, b := nn.Dropout(0.5).Apply(first, norm.Apply(first, x)), nn.Dropout(0.5).Apply(second, norm.Apply(second, x))
	shapetest.Check(t, g)
	for _, program := range [][]*graph.Node{first.Updates(), second.Updates()} {
		_, err := exec.Compile(g, exec.Outputs(a, b), exec.Updates(program...))
		require.NoError(t, err)
	}
	_, err := exec.Compile(g, exec.Outputs(a, b), exec.Updates(append(first.Updates(), second.Updates()...)...))
	require.ErrorContains(t, err, "BL321")
}

// TestUpdatesOfAPassLeftOut: one warning names all states that the pass writes, and says how to give a program its
// updates.
func TestUpdatesOfAPassLeftOut(t *testing.T) {
	g := graph.New("forgotten")
	x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(2)), 3)
	pass := nn.Training(g)
	y := nn.Sequential(nn.NewLinear(g, "fc", 3, 4), nn.NewBatchNorm(g, "norm", 4), nn.Dropout(0.5)).Apply(pass, x)
	loss := ops.Mean(ops.Square(y), ops.AllAxes())
	step := optim.SGD(0.1).Minimize(loss)
	var told []*graph.Mistake
	_, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...),
		exec.OnWarning(func(m *graph.Mistake) { told = append(told, m) }))
	require.NoError(t, err)
	require.Len(t, told, 1)
	require.Equal(t, graph.CodeLeftOut, told[0].Code)
	for _, want := range []string{"norm.running_mean", "nor that of norm.running_var", "nor that of random_state",
		"exec.Updates(pass.Updates()...)"} {
		require.Contains(t, told[0].Error(), want)
	}
	_, err = exec.Compile(g, exec.Outputs(loss), exec.Updates(step...), exec.Updates(pass.Updates()...),
		exec.WarningsAreErrors())
	require.NoError(t, err)
}
