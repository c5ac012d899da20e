package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/train/data"
	"github.com/broadloom/broadloom/weights"
)

// model is a network with dropout and batch normalization, so that random numbers and running statistics are
// among what a training must take up again.
type model struct {
	loss, size *graph.Node
	training   *exec.Program
	batches    Source
	plateau    *optim.Plateau
}

func newModel(t *testing.T) *model {
	g := graph.New("model")
	x, y := g.Input("x", graph.Float32, g.Dim("batch"), 3), g.Input("y", graph.Float32, g.Dim("batch"), 1)
	pass := nn.Training(g)
	network := nn.Sequential(nn.NewLinear(g, "a", 3, 8), nn.NewBatchNorm(g, "norm", 8), nn.Func(ops.Relu),
		nn.Dropout(0.2), nn.NewLinear(g, "b", 8, 1))
	m := &model{loss: ops.MSE(network.Apply(pass, x), y).Named("loss")}
	m.size = ops.Size(g, graph.Float32, g.Dim("batch")).Named("size")
	m.plateau = optim.NewPlateau(g, "plateau", 0.01, optim.PlateauRule{Patience: -1, Threshold: 0.9, Factor: 0.5})
	var err error
	m.training, err = exec.Compile(g, exec.Outputs(m.loss, m.size),
		exec.Updates(append(optim.AdamW(m.plateau.Rate()).Minimize(m.loss), pass.Updates()...)...))
	require.NoError(t, err)

	const n = 22
	inputs, targets := make([]float32, 3*n), make([]float32, n)
	for i := range inputs {
		inputs[i] = float32(math.Sin(float64(i * i)))
		targets[i/3] += inputs[i]
	}
	columns := make([]data.Column, 2)
	columns[0], err = data.Of(inputs, 3)
	require.NoError(t, err)
	columns[1], err = data.Of(targets, 1)
	require.NoError(t, err)
	loader, err := data.New(4, columns, data.Shuffled(5), data.Prefetched(2))
	require.NoError(t, err)
	m.batches, err = loader.Feeds(x, y)
	require.NoError(t, err)
	return m
}

// loop trains for some epochs, from the beginning.
func (m *model) loop(epochs int) *Loop {
	return &Loop{Session: m.training.NewSession(exec.Seed(3)), Loss: m.loss, Measures: []*graph.Node{m.size},
		Batches: m.batches, Epochs: epochs}
}

// params returns all parameters of a session.
func params(t *testing.T, s *exec.Session) map[string]exec.Array {
	list, err := s.Params()
	require.NoError(t, err)
	values := map[string]exec.Array{}
	for _, p := range list {
		values[p.Name()], err = s.Param(p)
		require.NoError(t, err)
	}
	return values
}

func TestLoop(t *testing.T) {
	l := newModel(t).loop(3)
	var steps []string
	evaluations := 0
	l.Observers = []Observer{OnStep(func(s Step) error {
		steps = append(steps, fmt.Sprint(s.Epoch, s.Number, s.Total, s.Measures["size"]))
		return nil
	}), OnEpoch(func(e Epoch) error {
		assert.Equal(t, []any{6, float64(evaluations), 22.0 / 6},
			[]any{e.Steps, e.Measures["accuracy"], e.Measures["size"]})
		return nil
	})}
	l.Evaluate = func(context.Context) (map[string]float64, error) {
		evaluations++
		return map[string]float64{"accuracy": float64(evaluations)}, nil
	}
	r, err := l.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, steps, 18)
	assert.Equal(t, []string{"0 0 1 4", "0 1 2 4"}, steps[:2])
	assert.Equal(t, "2 5 18 2", steps[17])
	require.Len(t, r.Epochs, 3)
	assert.Equal(t, 18, r.Total)
	assert.Less(t, r.Epochs[2].Loss, r.Epochs[0].Loss)
}

// TestResumedTrainingIsTheSameToTheLastBit cancels trainings after each of their steps.
func TestResumedTrainingIsTheSameToTheLastBit(t *testing.T) {
	m := newModel(t)
	// lowered has a loop observed by a plateau too.
	lowered := func(l *Loop) *Loop {
		o, err := Plateau(l.Session, m.plateau, "")
		require.NoError(t, err)
		l.Observers = []Observer{o}
		return l
	}
	whole := lowered(m.loop(3))
	want, err := whole.Run(t.Context())
	require.NoError(t, err)
	require.Less(t, params(t, whole.Session)["plateau.rate"].Data.([]float64)[0], 0.01)
	for _, every := range []int{0, 4} {
		for last := 1; last <= 18; last += 1 + 2*every {
			folder := t.TempDir()
			part := lowered(m.loop(3))
			part.Checkpoints, part.Every = weights.NewCheckpoints(folder, 2), every
			ctx, cancel := context.WithCancel(t.Context())
			part.Observers = append(part.Observers, OnStep(func(s Step) error {
				if s.Total == last {
					cancel()
				}
				return nil
			}))
			_, err := part.Run(ctx)
			require.ErrorIs(t, err, context.Canceled)

			rest := lowered(m.loop(3))
			rest.Checkpoints, rest.Every = part.Checkpoints, every
			got, err := rest.Run(t.Context())
			require.NoError(t, err)
			assert.Equal(t, last, got.Resumed)
			assert.Equal(t, params(t, whole.Session), params(t, rest.Session), "stopped after step %d", last)
			final, wanted := got.Epochs[len(got.Epochs)-1], want.Epochs[2]
			assert.Equal(t, []any{wanted.Loss, wanted.Measures, 18}, []any{final.Loss, final.Measures, final.Total})

			again, err := rest.Run(t.Context())
			require.NoError(t, err)
			assert.Empty(t, again.Epochs, "a training at its end does nothing")
		}
	}
}

func TestMoreEpochsGoOn(t *testing.T) {
	m := newModel(t)
	whole := m.loop(3)
	_, err := whole.Run(t.Context())
	require.NoError(t, err)
	folder := t.TempDir()
	for _, epochs := range []int{1, 3} {
		l := m.loop(epochs)
		l.Checkpoints = weights.NewCheckpoints(folder, 1)
		r, err := l.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 6*epochs, r.Total)
		if epochs == 3 {
			assert.Equal(t, params(t, whole.Session), params(t, l.Session))
		}
	}
}

func TestStop(t *testing.T) {
	m := newModel(t)
	scores := []float64{1, 3, 2.9, math.NaN(), 3.05, 9}
	newLoop := func(evaluated *int) *Loop {
		l := m.loop(10)
		l.Stop = &Stop{Measure: "score", Higher: true, Patience: 3, Least: 0.1}
		l.Evaluate = func(context.Context) (map[string]float64, error) {
			*evaluated++
			return map[string]float64{"score": scores[*evaluated-1]}, nil
		}
		return l
	}
	evaluated := 0
	l := newLoop(&evaluated)
	l.Best = filepath.Join(t.TempDir(), "best.safetensors")
	var second map[string]exec.Array
	l.Observers = []Observer{OnEpoch(func(e Epoch) error {
		if e.Number == 1 {
			second = params(t, l.Session)
		}
		return nil
	})}
	r, err := l.Run(t.Context())
	require.NoError(t, err)
	assert.True(t, r.Stopped)
	assert.Len(t, r.Epochs, 5, "the second is the best, and three more were not better")
	best := m.training.NewSession()
	_, err = weights.LoadFile(best, l.Best)
	require.NoError(t, err)
	assert.Equal(t, second, params(t, best))

	// What Stop remembers outlives a pause.
	evaluated = 0
	checkpoints := weights.NewCheckpoints(t.TempDir(), 1)
	total := 0
	for range 8 {
		l := newLoop(&evaluated)
		ctx, cancel := context.WithCancel(t.Context())
		l.Checkpoints = checkpoints
		l.Observers = []Observer{OnEpoch(func(Epoch) error { cancel(); return nil })}
		if r, err = l.Run(ctx); err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
		total += len(r.Epochs)
	}
	assert.True(t, r.Stopped)
	assert.Equal(t, 5, total)

	// Where Best cannot be written, no step is taken; its folder is made.
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	for path, want := range map[string]string{
		"best.pt": "is unknown", "file/best.npz": "not a directory", "new/best.npz": ""} {
		evaluated = 0
		l = newLoop(&evaluated)
		l.Best = filepath.Join(folder, path)
		r, err = l.Run(t.Context())
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
		require.Nil(t, r)
		require.Zero(t, evaluated)
	}

	l = m.loop(1)
	l.Stop = &Stop{Measure: "f1", Patience: 1}
	_, err = l.Run(t.Context())
	require.ErrorContains(t, err, `Stop uses measure "f1", but the epoch has ["size"]`)
}

func TestErrorsEndATraining(t *testing.T) {
	m := newModel(t)
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		change func(*Loop)
		want   error
	}{
		"of steps": {func(l *Loop) { l.Observers = []Observer{OnStep(func(Step) error { return broken })} },
			broken},
		"of epochs": {func(l *Loop) { l.Observers = []Observer{OnEpoch(func(Epoch) error { return broken })} },
			broken},
		"of evaluations": {func(l *Loop) {
			l.Evaluate = func(context.Context) (map[string]float64, error) { return nil, broken }
		}, broken},
		"of batches": {func(l *Loop) {
			l.Batches = func(context.Context, int, int) iter.Seq2[exec.Feed, error] {
				return func(yield func(exec.Feed, error) bool) { yield(nil, broken) }
			}
		}, broken},
	} {
		l := m.loop(2)
		c.change(l)
		_, err := l.Run(t.Context())
		require.ErrorIs(t, err, c.want, name)
	}
	for want, change := range map[string]func(*Loop){
		"has no Session":                        func(l *Loop) { l.Session = nil },
		"has no Loss":                           func(l *Loop) { l.Loss = nil },
		"has no Batches":                        func(l *Loop) { l.Batches = nil },
		"has 0 Epochs":                          func(l *Loop) { l.Epochs = 0 },
		"every -1 steps":                        func(l *Loop) { l.Every = -1 },
		"both Blame":                            func(l *Loop) { l.Blame, l.AllowNonFinite = true, true },
		`the name "loss" of a node of Measures`: func(l *Loop) { l.Measures = []*graph.Node{l.Loss} },
		`the name "size" of a node of Measures`: func(l *Loop) { l.Measures = []*graph.Node{m.size, m.size} },
		`Evaluate returned "loss"`:              func(l *Loop) { l.Evaluate = returned("loss") },
		`Evaluate returned "size"`:              func(l *Loop) { l.Evaluate = returned("size") },
		"a patience of 0":                       func(l *Loop) { l.Stop = &Stop{} },
		"Best needs a Stop":                     func(l *Loop) { l.Best = "x.npz" },
		"a node of Measures is nil":             func(l *Loop) { l.Measures = []*graph.Node{nil} },
		"an observer is nil":                    func(l *Loop) { l.Observers = []Observer{nil} },
		"observer is nil":                       func(l *Loop) { l.Observers = []Observer{OnStep(nil)} },
		"returned nil for epoch 0": func(l *Loop) {
			l.Batches = func(context.Context, int, int) iter.Seq2[exec.Feed, error] { return nil }
		},
		"the log has no writer":                   func(l *Loop) { l.Observers = []Observer{NewLog(nil)} },
		"is not an output of the program":         func(l *Loop) { l.Loss = m.loss.In(0) },
		"epoch 0 has no batches":                  func(l *Loop) { l.Batches = none },
		"the checkpoint has no training progress": func(l *Loop) { l.Checkpoints = saved(t, l, nil) },
		`string "train": unexpected end`: func(l *Loop) {
			l.Checkpoints = saved(t, l, map[string]string{stateKey: ""})
		},
		"says step -1 of epoch 0": func(l *Loop) {
			l.Checkpoints = saved(t, l, map[string]string{stateKey: `{"number":-1}`})
		},
	} {
		l := m.loop(1)
		change(l)
		_, err := l.Run(t.Context())
		assert.ErrorContains(t, err, want)
	}
}

func returned(name string) func(context.Context) (map[string]float64, error) {
	return func(context.Context) (map[string]float64, error) { return map[string]float64{name: 1}, nil }
}

func none(context.Context, int, int) iter.Seq2[exec.Feed, error] {
	return func(func(exec.Feed, error) bool) {}
}

func saved(t *testing.T, l *Loop, pairs map[string]string) *weights.Checkpoints {
	c := weights.NewCheckpoints(t.TempDir(), 1)
	require.NoError(t, c.Save(l.Session, 1, pairs))
	return c
}

func TestALossThatIsNoNumber(t *testing.T) {
	m := newModel(t)
	l := m.loop(2)
	spoil := func(s *exec.Session) {
		all, err := s.Params()
		require.NoError(t, err)
		at := slices.IndexFunc(all, func(p *graph.Node) bool { return p.Name() == "b.bias" })
		require.NoError(t, s.SetParam(all[at], []float32{float32(math.Inf(1))}))
	}
	spoil(l.Session)
	_, err := l.Run(t.Context())
	var bad *NonFiniteError
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, 0, bad.Step.Total-1)
	assert.ErrorContains(t, err, "loop_test.go:")

	l = m.loop(2)
	l.AllowNonFinite = true
	l.Checkpoints = weights.NewCheckpoints(t.TempDir(), 1)
	spoil(l.Session)
	r, err := l.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 12, r.Total)
}

// TestBlame trains with a logarithm whose operand reaches 0 in the fourth step: by a loss that becomes infinite, or
// by a gradient that does while the loss is finite.
func TestBlame(t *testing.T) {
	for name, c := range map[string]struct {
		loss  func(w, x *graph.Node) *graph.Node
		dtype graph.DType
		step  int
		text  string
	}{
		"loss": {func(w, x *graph.Node) *graph.Node { return ops.Add(ops.Log(ops.Sub(graph.Num(3), x)), w) },
			graph.Float64, 3, "Log("},
		"gradient": {func(w, x *graph.Node) *graph.Node { return ops.Sqrt(ops.Mul(w, ops.Sub(graph.Num(3), x))) },
			graph.Float64, 3, "Sqrt("},
		"gradient of 16 bits": {func(w, x *graph.Node) *graph.Node {
			return ops.Sqrt(ops.Mul(w, ops.Sub(graph.Num(3), ops.Cast(x, graph.BFloat16))))
		},
			graph.BFloat16, 3, "Sqrt("},
	} {
		g := graph.New(name)
		x, w := g.Input("x", graph.Float64), g.ParamInit("w", c.dtype, nn.Constant(100))
		loss := c.loss(w, x)
		prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.5).Minimize(loss)...))
		require.NoError(t, err)
		l := &Loop{Session: prog.NewSession(), Loss: loss, Epochs: 1, Blame: true,
			Batches: func(context.Context, int, int) iter.Seq2[exec.Feed, error] {
				return func(yield func(exec.Feed, error) bool) {
					for i := 0; i < 5 && yield(exec.Feed{x: float64(i)}, nil); i++ {
					}
				}
			}}
		var before exec.Array
		l.Observers = []Observer{OnStep(func(Step) (err error) { before, err = l.Session.Param(w); return err })}
		_, err = l.Run(t.Context())
		var bad *NonFiniteError
		require.ErrorAs(t, err, &bad, name)
		assert.Equal(t, c.step, bad.Step.Number, name)
		require.NotNil(t, bad.Found, name)
		assert.Contains(t, err.Error(), c.text, name)
		assert.Contains(t, err.Error(), "loop_test.go:", name)
		after, err := l.Session.Param(w)
		require.NoError(t, err)
		assert.Equal(t, before, after, "the parameters are those before the step")
	}
}

func TestEvaluate(t *testing.T) {
	m := newModel(t)
	s := m.training.NewSession()
	require.ErrorContains(t, Evaluate(t.Context(), s, nil, nil), "nil batches or a nil function")
	before := params(t, s)
	n := 0.0
	require.NoError(t, Evaluate(t.Context(), s, m.batches(t.Context(), 0, 0), func(_ exec.Feed, r *exec.Results) error {
		size, err := r.Scalar(m.size)
		n += size
		return err
	}))
	assert.Equal(t, 22.0, n)
	assert.Equal(t, before, params(t, s))
}

// An error of a run is reported at the line that began the training.
func TestRefusalsNameTheUsersLine(t *testing.T) {
	m := newModel(t)
	l := m.loop(1)
	l.Batches = func(context.Context, int, int) iter.Seq2[exec.Feed, error] {
		return func(yield func(exec.Feed, error) bool) {
			g := m.loss.Graph()
			yield(exec.Feed{g.ByName("x"): [][]float32{{1, 2}}, g.ByName("y"): [][]float32{{0}}}, nil)
		}
	}
	_, err := l.Run(t.Context())
	require.Regexp(t, `^(train/)?loop_test\.go:\d+: error BL501: `, err.Error())
}
