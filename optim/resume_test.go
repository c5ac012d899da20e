package optim_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/weights"
)

// kept is a network whose training has state of all kinds: random numbers of dropout, running statistics, what the
// optimiser remembers, averages of parameters.
type kept struct {
	x, y, loss *graph.Node
	prog       *exec.Program
	between    *exec.Program // runs after each step, or nil
	shown      *graph.Node   // what it is fed: the loss
}

// updatesOf builds the updates of a loss. The program of the second result, if any, takes the loss after each step.
type updatesOf func(g *graph.Graph, loss, shown *graph.Node) (step, between []*graph.Node)

func newKept(t *testing.T, build updatesOf) *kept {
	g := graph.New("kept")
	k := &kept{x: g.Input("x", graph.Float32, g.Dim("batch"), 3), y: g.Input("y", graph.Float32, g.Dim("batch"), 1),
		shown: g.Input("shown", graph.Float64)}
	pass := nn.Training(g)
	network := nn.Sequential(nn.NewLinear(g, "a", 3, 5), nn.NewBatchNorm(g, "norm", 5), nn.Func(ops.Tanh),
		nn.Dropout(0.3), nn.NewLinear(g, "b", 5, 1))
	k.loss = ops.MSE(network.Apply(pass, k.x), k.y)
	step, between := build(g, k.loss, k.shown)
	step = append(step, pass.Updates()...)
	var err error
	k.prog, err = exec.Compile(g, exec.Outputs(k.loss), exec.Updates(step...))
	require.NoError(t, err)
	if len(between) > 0 {
		k.between, err = exec.Compile(g, exec.Updates(between...))
		require.NoError(t, err)
	}
	return k
}

// train takes the steps from one to another one.
func (k *kept) train(t *testing.T, s *exec.Session, from, to int) {
	var judge *exec.Session
	if k.between != nil {
		judge = k.between.NewSession(exec.ShareParams(s))
	}
	for step := from; step < to; step++ {
		xs, ys := make([]float32, 12), make([]float32, 4)
		for i := range xs {
			xs[i] = float32(math.Sin(float64(step*12 + i)))
			ys[i/3] += xs[i]
		}
		r, err := s.Run(t.Context(), exec.Feed{k.x: xs, k.y: ys})
		require.NoError(t, err)
		if judge == nil {
			continue
		}
		loss, err := r.Scalar(k.loss)
		require.NoError(t, err)
		_, err = judge.Run(t.Context(), exec.Feed{k.shown: loss})
		require.NoError(t, err)
	}
}

// all returns all parameters of a session by their names.
func all(t *testing.T, s *exec.Session) map[string]exec.Array {
	list, err := s.Params()
	require.NoError(t, err)
	values := map[string]exec.Array{}
	for _, p := range list {
		values[p.Name()], err = s.Param(p)
		require.NoError(t, err)
	}
	return values
}

// TestResumedTraining takes steps, saves, loads into a session of another graph with another seed, and takes more: all
// parameters are those of a training that was never stopped, to the last bit.
func TestResumedTraining(t *testing.T) {
	cases := map[string]updatesOf{
		"accumulation, clipping, plateau, stochastic average": func(g *graph.Graph, loss, shown *graph.Node) (
			step, between []*graph.Node) {
			params := optim.Trainable(g)
			plateau := optim.NewPlateau(g, "plateau", 0.1, optim.PlateauRule{Patience: 1, Cooldown: 1})
			grads, full := optim.Accumulate(params, autodiff.Grad(loss, params), 3)
			grads, _ = optim.ClipNorm(grads, 0.5)
			step = optim.AdamW(plateau.Rate(), optim.When(full)).Updates(params, grads)
			return append(step, optim.SWA(params, step).Updates()...), plateau.Updates(shown)
		},
		"groups, schedules": func(g *graph.Graph, loss, _ *graph.Node) (step, _ []*graph.Node) {
			return optim.Adam(optim.WarmUp(3, 0.01, optim.Cosine(0.1, 0, 20)),
				optim.For(optim.Trainable(g, "b"), optim.LearningRate(optim.OneCycle(0.1, 20)))).Minimize(loss), nil
		},
	}
	for name, o := range optimizers {
		cases[name] = func(g *graph.Graph, loss, _ *graph.Node) (step, _ []*graph.Node) {
			step = o.Minimize(loss)
			return append(step, optim.EMA(0.9, optim.Trainable(g), step).Updates()...), nil
		}
	}
	const pause, end = 7, 15
	for name, build := range cases {
		k := newKept(t, build)
		whole := k.prog.NewSession(exec.Seed(3))
		k.train(t, whole, 0, end)
		want := all(t, whole)
		first := k.prog.NewSession(exec.Seed(3))
		k.train(t, first, 0, pause)
		k = newKept(t, build)
		for _, file := range []string{"w.safetensors", "w.npz"} {
			path := filepath.Join(t.TempDir(), file)
			require.NoError(t, weights.Save(path, first))
			second := k.prog.NewSession(exec.Seed(4))
			report, err := weights.LoadFile(second, path)
			require.NoError(t, err, name)
			require.Len(t, report.Loaded, len(want), name)
			k.train(t, second, pause, end)
			require.Equal(t, want, all(t, second), "%s, %s", name, file)
		}
	}
}
