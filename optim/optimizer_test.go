package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

func names(nodes []*graph.Node) (list []string) {
	for _, n := range nodes {
		list = append(list, n.Name())
	}
	return list
}

func TestStateIsNamedAfterItsParameter(t *testing.T) {
	g := graph.New("names")
	var w *graph.Node
	g.Scope("hidden", func() { w = g.Param("weight", graph.Float32, 2) })
	b := g.Param("b", graph.Float64)
	loss := ops.Add(ops.Sum(ops.Square(w)), ops.Cast(ops.Square(b), graph.Float32))
	step := optim.Adam(0.1).Minimize(loss)

	require.NoError(t, g.Err())
	assert.Equal(t, []string{"hidden.weight", "b", "hidden.weight.exp_avg", "hidden.weight.exp_avg_sq", "b.step",
		"b.exp_avg", "b.exp_avg_sq"}, names(g.Params()))
	assert.Len(t, step, 7, "each state is written")
	for i, p := range []*graph.Node{w, b} {
		assert.Same(t, p, step[i].In(0), "parameters come first, in their order")
	}
}

// Running statistics and counters are not trained, and need not be listed as exceptions.
func TestStateIsNotTrained(t *testing.T) {
	g := graph.New("state")
	w, mean := g.Param("w", graph.Float32, 2), g.State("mean", graph.Float32, nil, 2)
	loss := ops.Sum(ops.Square(ops.Sub(w, graph.Num(1))))
	step := optim.SGD(0.1).Minimize(loss)
	require.NoError(t, g.Err())
	require.Len(t, step, 1)
	assert.Same(t, w, step[0].In(0))

	optim.SGD(0.1).Minimize(loss, w, mean)
	assert.ErrorContains(t, g.Err(), "mean is state, which optimisers do not train: declare it with Graph.ParamInit")
}

// Two optimisers in one graph: neither trains the other's state, and their states have
// names of their own.
func TestTwoOptimizers(t *testing.T) {
	g := graph.New("two")
	v, w := g.ParamInit("v", graph.Float32, start(1)), g.ParamInit("w", graph.Float32, start(1))
	loss := ops.Add(ops.Square(v), ops.Square(w))
	first := optim.Adam(0.1).Minimize(loss, v)
	second := optim.Adam(0.2).Minimize(loss, w)
	third := optim.SGD(0.1).Minimize(ops.Mul(loss, graph.Num(2)))

	require.NoError(t, g.Err())
	assert.Equal(t, []string{"v", "w", "v.exp_avg", "v.exp_avg_sq", "v.step", "w.exp_avg", "w.exp_avg_sq", "w.step"},
		names(g.Params()))
	assert.Len(t, third, 2, "state is not trained")
	_, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(append(first, second...)...))
	assert.NoError(t, err)
	_, err = exec.Compile(g, exec.Outputs(loss), exec.Updates(append(first, third...)...))
	assert.ErrorContains(t, err, "BL321", "both write v")
}

func TestUpdatesTakesOwnGradients(t *testing.T) {
	g := graph.New("clipped")
	w := g.ParamInit("w", graph.Float64, start(-3), 5)
	loss := ops.Sum(ops.Square(w))
	params := []*graph.Node{w}
	grads := autodiff.Grad(loss, params)
	clipped := ops.Maximum(ops.Minimum(grads[0], graph.Num(1.0)), graph.Num(-1.0))
	step := optim.SGD(0.5).Updates(params, []*graph.Node{clipped})
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
	require.NoError(t, err)
	sess := prog.NewSession()
	_, err = sess.Run(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{-2.5, -1.5, -0.5, 0, 0.5}, values(t, sess, w))

	assert.Empty(t, optim.SGD(1).Updates(nil, nil))
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		build func(g *graph.Graph, loss, w, x *graph.Node)
		want  string
	}{
		"negative rate": {func(_ *graph.Graph, loss, w, _ *graph.Node) { optim.SGD(-1).Minimize(loss, w) },
			"the learning rate is -1; it must be a number of at least 0"},
		"rate that is no number": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(math.NaN()).Minimize(loss, w)
		},
			"the learning rate is NaN"},
		"momentum of 1": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1, optim.Momentum(1)).Minimize(loss, w)
		},
			"the momentum is 1; it must be at least 0 and less than 1"},
		"beta": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.Adam(0.1, optim.Betas(0.9, 1.5)).Minimize(loss, w)
		}, "the second beta is 1.5"},
		"option of another rule": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1, optim.AMSGrad()).Minimize(loss, w)
		}, "AMSGrad is an option of Adam, AdamW, not of SGD"},
		"factors of steps": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.Rprop(0.1, optim.Etas(1.2, 0.5)).Minimize(loss, w)
		},
			"the factors of steps are 1.2 and 0.5; the first must be between 0 and 1, and the second more than 1"},
		"sizes of steps": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.Rprop(0.1, optim.StepSizes(2, 1)).Minimize(loss, w)
		},
			"the step sizes are limited to 2 to 1"},
		"milestones": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(optim.Sequence([]optim.Schedule{optim.Constant(1, 1, 1), optim.Constant(1, 1, 1)})).Minimize(
				loss, w)
		}, "optim.Sequence has 2 schedules and 0 milestones; there must be one milestone between each two"},
		"milestones that fall": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(optim.Sequence(make([]optim.Schedule, 3), 5, 4)).Minimize(loss, w)
		}, "the milestones of optim.Sequence are [5 4]; they must be ascending, from at least 0"},
		"formula without a value": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(optim.Formula(1, func(*graph.Node) *graph.Node { return nil })).Minimize(loss, w)
		}, "the function of optim.Formula returned a nil node"},
		"formula of a vector": {func(_ *graph.Graph, loss, w, x *graph.Node) {
			optim.SGD(optim.Formula(1, func(*graph.Node) *graph.Node { return w })).Minimize(loss, w)
		}, "the function of optim.Formula returned float32[3]; it must return a floating-point scalar"},
		"share of rising": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(optim.OneCycleWith(1, 100, optim.OneCycleRule{Rising: 1})).Minimize(loss, w)
		}, "the share Rising of optim.OneCycle is 1; it must be more than 0 and less than 1"},
		"cycle that falls": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(optim.Cyclic(1, 0.5, 3, optim.CyclicRule{})).Minimize(loss, w)
		}, "the higher rate of optim.Cyclic is 0.5; it must be a number that is not less than the lower one"},
		"Nesterov without momentum": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1, optim.Nesterov()).Minimize(loss, w)
		}, "Nesterov momentum needs a momentum and no dampening"},
		"parameter twice": {func(_ *graph.Graph, loss, w, _ *graph.Node) { optim.SGD(0.1).Minimize(loss, w, w) },
			"w is listed twice among the parameters"},
		"group of none": {func(_ *graph.Graph, loss, w, x *graph.Node) {
			optim.SGD(0.1, optim.For([]*graph.Node{x}, optim.Frozen())).Minimize(loss, w)
		}, "optim.For names x, which is not among the parameters to update"},
		"name in a group": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1, optim.For([]*graph.Node{w}, optim.Name("a"))).Minimize(loss, w)
		}, "are options of a whole optimiser, not of a group"},
		"negative rate of a group": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1, optim.For([]*graph.Node{w}, optim.LearningRate(-1))).Minimize(loss, w)
		}, "the learning rate is -1"},
		"all frozen": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1, optim.Frozen()).Minimize(loss, w)
		},
			"all parameters are frozen"},
		"condition of some shape": {func(_ *graph.Graph, loss, w, x *graph.Node) {
			optim.SGD(0.1, optim.When(x)).Minimize(loss, w)
		}, "the condition x is float32[3]; it must be a bool scalar"},
		"nil condition": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1, optim.When(nil)).Minimize(loss, w)
		},
			"the condition of optim.When is a nil node"},
		"two optimisers of one parameter": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.Adam(0.1, optim.Name("first")).Minimize(loss, w)
			optim.Adam(0.1).Minimize(loss, w)
			optim.Adam(0.1).Minimize(loss, w)
		}, "use optim.Name to give each optimiser of a parameter its own name"},
		"schedule": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(optim.WarmUp(5, 0.1, optim.Step(0.1, 0.5, 0))).Minimize(loss, w)
		}, "the number of steps of optim.Step is 0; it must be at least 1"},
		"factor of a plateau": {func(g *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(optim.NewPlateau(g, "plateau", 0.1, optim.PlateauRule{Factor: 2}).Rate()).Minimize(loss, w)
		}, "the factor of the plateau is 2; it must be greater than 0 and less than 1"},
		"measure of some shape": {func(g *graph.Graph, _, _, x *graph.Node) {
			optim.NewPlateau(g, "plateau", 0.1, optim.PlateauRule{}).Updates(x)
		}, "the measure x is float32[3]; it must be a floating-point scalar"},
		"limit of 0": {func(_ *graph.Graph, _, w, x *graph.Node) { optim.ClipNorm([]*graph.Node{ops.Mul(w, x)}, 0) },
			"the limit is 0; it must be a number greater than 0"},
		"no micro-batches": {func(_ *graph.Graph, _, w, x *graph.Node) {
			means, full := optim.Accumulate([]*graph.Node{w}, []*graph.Node{x}, 0)
			optim.SGD(0.1, optim.When(full)).Updates([]*graph.Node{w}, means) // which follows, and is not told
		}, "a batch of 0 micro-batches cannot be accumulated; use at least 1"},
		"input": {func(_ *graph.Graph, loss, _, x *graph.Node) { optim.SGD(0.1).Minimize(loss, x) },
			"x is Input(x), not a parameter"},
		"nil parameter": {func(_ *graph.Graph, loss, w, _ *graph.Node) { optim.SGD(0.1).Minimize(loss, w, nil) },
			"parameter 1 is nil"},
		"rate of some shape": {func(_ *graph.Graph, loss, w, x *graph.Node) {
			optim.SGD(x).Minimize(loss, w)
		}, "the learning rate x is float32[3]; it must be a floating-point scalar"},
		"nil rate": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD((*graph.Node)(nil)).Minimize(loss, w)
		}, "the learning rate is a nil node"},
		"gradients": {func(_ *graph.Graph, loss, w, _ *graph.Node) {
			optim.SGD(0.1).Updates([]*graph.Node{w}, nil)
		}, "there are 1 parameters and 0 gradients"},
		"loss that is no scalar": {func(_ *graph.Graph, _, w, x *graph.Node) {
			optim.SGD(0.1).Minimize(ops.Mul(w, x), w)
		},
			"grad can be implicitly created only for scalar outputs"},
		"forgotten parameter": {func(g *graph.Graph, loss, _, _ *graph.Node) {
			g.Param("unused", graph.Float32, 3)
			optim.SGD(0.1).Minimize(loss)
		}, "does not depend on unused"},
		"parameter behind a stopped gradient": {func(g *graph.Graph, loss, _, _ *graph.Node) {
			teacher := g.Param("teacher", graph.Float32, 3)
			optim.SGD(0.1).Minimize(ops.Add(loss, ops.Sum(ops.StopGradient(teacher))))
		}, "StopGradient(teacher), made at optimizer_test.go:"},
		"teacher": {func(g *graph.Graph, loss, w, _ *graph.Node) {
			var answers []*graph.Node
			for _, scope := range []string{"teacher", "student"} {
				g.Scope(scope, func() {
					for _, name := range []string{"a", "b", "c"} {
						answers = append(answers, ops.Square(g.Param(name, graph.Float32)))
					}
				})
			}
			optim.SGD(0.1, optim.For([]*graph.Node{w}, optim.Frozen())).Minimize(
				ops.Sub(ops.Add(answers[3], ops.Add(answers[4], answers[5])), ops.StopGradient(answers[0])))
		}, `help: train the others: Minimize(loss, optim.Trainable(g, "student")...)`},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("mistakes")
			x := g.Input("x", graph.Float32, 3)
			w := g.Param("w", graph.Float32, 3)
			c.build(g, ops.Sum(ops.Mul(x, w)), w, x)
			require.Len(t, g.Mistakes(), 1, "%v", g.Err())
			assert.ErrorContains(t, g.Err(), c.want)
			assert.ErrorContains(t, g.Err(), "optimizer_test.go:")
		})
	}
}

func TestNothingToTrain(t *testing.T) {
	g := graph.New("empty")
	x := g.Input("x", graph.Float32)
	optim.SGD(0.1).Minimize(x)
	assert.ErrorContains(t, g.Err(), `graph "empty" has no floating-point parameters`)

	step := optim.SGD(0.1).Minimize(nil)
	_, err := exec.Compile(graph.New("other"), exec.Updates(step...))
	assert.ErrorContains(t, err, "operand 0 is nil")
}

func TestTrainableOfScopes(t *testing.T) {
	g := graph.New("scopes")
	a, b := g.Param("enc.weight", graph.Float32, 2), g.Param("encoder.1.weight", graph.Float32, 2)
	c := g.Param("head", graph.Float32, 2)
	g.State("encoder.1.seen", graph.Float32, nil, 2)
	require.Equal(t, []*graph.Node{a, b, c}, optim.Trainable(g))
	require.Equal(t, []*graph.Node{b}, optim.Trainable(g, "encoder"))
	require.Equal(t, []*graph.Node{a, c}, optim.Trainable(g, "enc", "head"))
	require.NoError(t, g.Err())
	require.Len(t, optim.Trainable(g, "head", "decoder"), 1)
	require.ErrorContains(t, g.Err(), `no parameter of graph "scopes" is in scope "decoder"`)
	require.ErrorContains(t, g.Err(), `scopes of trainable parameters are "enc", "encoder"`)

	// What is given the result says nothing more.
	wrong, loss := optim.Trainable(g, "decoder"), ops.Sum(ops.Mul(a, c))
	told := len(g.Mistakes())
	optim.SGD(0.1).Minimize(loss, wrong...)
	optim.SGD(0.1, optim.For(wrong, optim.Frozen())).Minimize(loss, a)
	optim.SGD(0.1).Updates(wrong, wrong)
	optim.Accumulate(wrong, wrong, 2)
	require.Len(t, g.Mistakes(), told, "%v", g.Err())
}

// State of 16 bits begins where it is said to.
func TestFirstStateOfHalves(t *testing.T) {
	g := graph.New("halves")
	w := g.Param("w", graph.BFloat16, 2)
	loss := ops.Sum(ops.Mul(w, graph.Num(3)))
	sess := session(t, g, exec.Outputs(loss),
		exec.Updates(optim.Adagrad(0.1, optim.InitialAccumulator(0.5)).Minimize(loss)...))
	v, err := sess.Param(g.ByName("w.sum"))
	require.NoError(t, err)
	require.Equal(t, []float32{0.5, 0.5}, v.Widened().Data)
}

// Rules that take the size of a tensor keep it in Float32: its squares need not fit into Float16, and a row without a
// gradient makes no NaN. The results are PyTorch's for Adafactor.
func TestSizesOfHalves(t *testing.T) {
	for _, c := range []struct {
		name       string
		o          optim.Optimizer
		steps      int
		begin      []float32
		grad, want []float64
	}{
		{"Adafactor", optim.Adafactor(0.1), 3, []float32{1, 2, 3, 4, 300, 6}, []float64{0.5, -0.25, 0, 0, 20, -1},
			[]float64{-8.09375, 90.1875, 3, 4, 289.75, 15.8281}},
		{"Lars", optim.Lars(100.0, optim.Momentum(0)), 1, []float32{300, 0, 0, 0, 0, 400}, []float64{1, 0, 0, 0, 0, 1},
			[]float64{264.6, 0, 0, 0, 0, 364.6}},
		{"Lamb", optim.Lamb(0.1), 1, []float32{300, 0, 0, 0, 0, 400}, []float64{1, 0, 0, 0, 0, 1},
			[]float64{264.6, 0, 0, 0, 0, 364.6}},
	} {
		g := graph.New("sizes")
		w, x := g.Param("w", graph.Float16, 3, 2), g.Input("x", graph.Float16, 3, 2)
		sess := session(t, g, exec.Updates(c.o.Minimize(ops.Sum(ops.Mul(w, x)), w)...))
		require.NoError(t, sess.SetParam(w, half.ToFloat16(c.begin)))
		for range c.steps {
			_, err := sess.Run(t.Context(), exec.Feed{x: array(graph.Float16, c.grad, 3, 2)})
			require.NoError(t, err)
		}
		assert.InDeltaSlice(t, c.want, values(t, sess, w), 0.2, c.name)
	}
}
