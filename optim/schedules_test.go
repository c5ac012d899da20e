package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// schedules are those of testdata/steps.py.
var schedules = map[string]optim.Schedule{
	"step":             optim.Step(0.1, 0.5, 7),
	"multistep":        optim.MultiStep(0.1, 0.3, 5, 20, 21),
	"exponential":      optim.Exponential(0.1, 0.9),
	"linear":           optim.Linear(0.1, 0.25, 0.75, 30),
	"polynomial":       optim.Polynomial(0.1, 1.5, 50),
	"cosine":           optim.Cosine(0.1, 0.01, 59),
	"restarts":         optim.CosineRestarts(0.1, 0.01, 10, 1),
	"growing restarts": optim.CosineRestarts(0.1, 0.01, 3, 2),
	"tripled restarts": optim.CosineRestarts(0.1, 0, 1, 3),
	"one cycle":        optim.OneCycle(0.1, 61),
	"one cycle lines": optim.OneCycleWith(
		0.1, 61, optim.OneCycleRule{Rising: 0.4, Lines: true, Start: 10, End: 100}),
	"one cycle of three": optim.OneCycleWith(0.1, 61, optim.OneCycleRule{Three: true}),
	"constant":           optim.Constant(0.1, 0.25, 9),
	"cyclic":             optim.Cyclic(0.01, 0.1, 7, optim.CyclicRule{}),
	"cyclic halved":      optim.Cyclic(0.01, 0.1, 3, optim.CyclicRule{Down: 8, Halved: true}),
	"cyclic falling":     optim.Cyclic(0.01, 0.1, 6, optim.CyclicRule{Down: 2, Factor: 0.95}),
	"formula": optim.Formula(0.1, func(s *graph.Node) *graph.Node {
		return ops.Rsqrt(ops.Add(s, graph.Num(1)))
	}),
	"sequence": optim.Sequence(
		[]optim.Schedule{optim.Constant(0.1, 0.1, 20), optim.Step(0.1, 0.5, 4), optim.Exponential(0.1, 0.9)}, 20, 41),
	"chained": optim.Chained(optim.Constant(0.1, 0.1, 20), optim.Exponential(1, 0.9), optim.Step(1, 0.5, 7)),
	"warm-up": optim.WarmUp(10, 0.1, optim.Exponential(0.1, 0.9)),
}

// Each schedule gives the rates of PyTorch's, by itself and as the rate of an optimiser: SGD
// moves a parameter whose gradient is 1 by the sum of the rates.
func TestSchedulesOfPyTorch(t *testing.T) {
	answers := pytorch[map[string][]float64](t, "schedules")
	require.Len(t, answers, len(schedules))
	for name, rates := range answers {
		g := graph.New("schedule")
		w, s := g.Param("w", graph.Float64), g.Input("s", graph.Int64)
		rate := schedules[name].At(s)
		sess := session(t, g, exec.Outputs(rate), exec.Updates(optim.SGD(schedules[name]).Minimize(w)...))
		moved := 0.0
		for i, want := range rates {
			r, err := sess.Run(t.Context(), exec.Feed{s: int64(i)})
			require.NoError(t, err)
			got, err := r.Scalar(rate)
			require.NoError(t, err)
			require.InDelta(t, want, got, 1e-12, "%s, step %d", name, i)
			moved -= want
			require.InDelta(t, moved, values(t, sess, w)[0], 1e-12, "%s, step %d", name, i)
		}
	}
}

// After their last step schedules stay where they are.
func TestSchedulesEnd(t *testing.T) {
	for name, c := range map[string]struct {
		optim.Schedule
		last float64
	}{
		"linear": {optim.Linear(0.1, 1, 0.5, 10), 0.05}, "polynomial": {optim.Polynomial(0.1, 2, 10), 0},
		"cosine": {optim.Cosine(0.1, 0.01, 10), 0.01}, "one cycle": {optim.OneCycle(0.1, 10), 0.1 / 25e4},
		"warm-up": {optim.WarmUp(10, 0, 0.1), 0.1}, "no milestone": {optim.MultiStep(0.1, 0.5), 0.1},
	} {
		g := graph.New(name)
		s := g.Input("s", graph.Int64)
		rate := c.At(s)
		r, err := session(t, g, exec.Outputs(rate)).Run(t.Context(), exec.Feed{s: int64(1000)})
		require.NoError(t, err)
		got, err := r.Scalar(rate)
		require.NoError(t, err)
		assert.InDelta(t, c.last, got, 1e-15, name)
	}
}

func TestPlateauOfPyTorch(t *testing.T) {
	answers := pytorch[struct{ Measures, Usual, Largest, Absolute []float64 }](t, "plateau")
	for name, c := range map[string]struct {
		rule           optim.PlateauRule
		rate, sign     float64
		measures, want []float64
	}{
		"usual": {optim.PlateauRule{}, 0.1, 1, answers.Measures, answers.Usual},
		"largest": {optim.PlateauRule{Largest: true, Patience: 3, Factor: 0.5, Cooldown: 2, Least: 0.01}, 0.1, -1,
			answers.Measures, answers.Largest},
		"absolute": {optim.PlateauRule{Absolute: true, Threshold: 0.02, Patience: 2}, 0.1, 1, answers.Measures,
			answers.Absolute},
		"impatient": {optim.PlateauRule{Patience: -1}, 1, 1, []float64{3, math.NaN()}, []float64{1, 0.1}},
	} {
		g := graph.New(name)
		p, m := optim.NewPlateau(g, "plateau", c.rate, c.rule), g.Input("m", graph.Float64)
		sess := session(t, g, exec.Updates(p.Updates(m)...))
		for i, v := range c.measures {
			_, err := sess.Run(t.Context(), exec.Feed{m: c.sign * v})
			require.NoError(t, err)
			assert.InDelta(t, c.want[i], values(t, sess, p.Rate())[0], 1e-15, "%s, %d", name, i)
		}
	}
}

// A rate that is fed, a number and a schedule that does not change are the same.
func TestRates(t *testing.T) {
	for name, with := range map[string]func(any) optim.Optimizer{
		"sgd": func(r any) optim.Optimizer {
			return with(r, optim.SGD[float64], optim.SGD[*graph.Node], optim.SGD[optim.Schedule])
		},
		"adam": func(r any) optim.Optimizer {
			return with(r, optim.Adam[float64], optim.Adam[*graph.Node], optim.Adam[optim.Schedule])
		},
		"adamw": func(r any) optim.Optimizer {
			return with(r, optim.AdamW[float64], optim.AdamW[*graph.Node], optim.AdamW[optim.Schedule])
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixed := newQuadratic(t, func(r *graph.Node) optim.Optimizer { return with(rate) })
			fed := newQuadratic(t, func(r *graph.Node) optim.Optimizer { return with(r) })
			scheduled := newQuadratic(t, func(r *graph.Node) optim.Optimizer {
				return with(optim.Exponential(rate, 1))
			})
			for range 5 {
				fixed.step(t, nil)
				scheduled.step(t, nil)
				fed.step(t, exec.Feed{fed.rate: rate})
			}
			require.InDeltaSlice(t, values(t, fixed.sess, fixed.w), values(t, fed.sess, fed.w), 1e-6)
			require.InDeltaSlice(t, values(t, fixed.sess, fixed.w), values(t, scheduled.sess, scheduled.w), 1e-6)

			before := values(t, fed.sess, fed.w)
			fed.step(t, exec.Feed{fed.rate: 0})
			require.Equal(t, before, values(t, fed.sess, fed.w), "a rate of 0 changes nothing")
		})
	}
}

type maker[R optim.Rate] func(R, ...optim.Option) optim.Optimizer

func with(r any, number maker[float64], node maker[*graph.Node], schedule maker[optim.Schedule]) optim.Optimizer {
	switch r := r.(type) {
	case float64:
		return number(r)
	case *graph.Node:
		return node(r)
	}
	return schedule(r.(optim.Schedule))
}

// Each group has its own rate, decay and count of nothing else; frozen parameters stay.
func TestGroups(t *testing.T) {
	g := graph.New("groups")
	a, b, c := g.ParamInit("a", graph.Float64, start(1)), g.ParamInit("b", graph.Float64, start(1)),
		g.ParamInit("c", graph.Float64, start(1))
	unused := g.Param("unused", graph.Float64)
	loss := ops.Add(ops.Add(a, b), c)
	slow := []*graph.Node{b, c}
	step := optim.SGD(0.1, optim.For(slow, optim.LearningRate(optim.Step(0.01, 0.5, 1))),
		optim.For(slow[1:], optim.WeightDecay(1)), optim.For([]*graph.Node{unused}, optim.Frozen())).Minimize(loss)
	require.Len(t, step, 4, "three parameters and the count")
	sess := session(t, g, exec.Updates(step...))
	for range 2 {
		_, err := sess.Run(t.Context(), nil)
		require.NoError(t, err)
	}
	assert.InDelta(t, 0.8, values(t, sess, a)[0], 1e-15)
	assert.InDelta(t, 1-0.01-0.005, values(t, sess, b)[0], 1e-15)
	first := 1 - 0.01*2
	assert.InDelta(t, first-0.005*(1+first), values(t, sess, c)[0], 1e-15)
}
