package nn_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/shapeinfer"
)

// wave are the sines of numbers that follow each other, as in testdata/functional.py.
func wave(start, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.Sin(float64(start + i))
	}
	return list
}

// functional is what testdata/functional.py writes.
type functional map[string]map[string][][]float64

// TestWithParams compares layers with other parameters with torch.func.functional_call.
func TestWithParams(t *testing.T) {
	text, err := os.ReadFile("testdata/functional.json")
	require.NoError(t, err)
	compareFunctional(t, text)
}

// TestWithParamsOfPyTorchNow is TestWithParams with what PyTorch says now.
func TestWithParamsOfPyTorchNow(t *testing.T) { compareFunctional(t, torch(t, "functional.py")) }

func compareFunctional(t *testing.T, text []byte) {
	var want functional
	require.NoError(t, json.Unmarshal(text, &want))
	compareMAML(t, false, want["maml"])
	compareMAML(t, true, want["norm"])
	compareEnsemble(t, want["ensemble"])
}

// adapted are parameters after a step of gradient descent.
func adapted(loss *graph.Node, values []*graph.Node) []*graph.Node {
	next := make([]*graph.Node, len(values))
	for i, dw := range autodiff.Grad(loss, values) {
		next[i] = ops.Sub(values[i], ops.Mul(graph.Num(0.1), dw))
	}
	return next
}

func compareMAML(t *testing.T, withNorm bool, want map[string][][]float64) {
	g := graph.New("maml")
	up, norm, middle := nn.NewLinear(g, "up", 3, 4, f64), (*nn.BatchNorm)(nil), nn.Layer(nn.Func(ops.Tanh))
	if withNorm {
		norm = nn.NewBatchNorm(g, "norm", 4, f64)
		middle = nn.Sequential(norm, middle)
	}
	model, params := nn.Sequential(up, middle, nn.NewLinear(g, "down", 4, 2, f64)), optim.Trainable(g)
	x, target, query := graph.Constant(g, wave(1, 15), 5, 3), graph.Constant(g, wave(2, 10), 5, 2),
		graph.Constant(g, wave(3, 12), 4, 3)

	pass, values := nn.Training(g), params
	for range 2 {
		y := nn.WithParams(model, params, values).Apply(pass, x)
		values = adapted(ops.MSE(y, target), values)
	}
	y := nn.WithParams(model, params, values).Apply(pass, query)
	grads := autodiff.Grad(ops.Mean(ops.Square(y), ops.AllAxes()), params)
	results := append([]*graph.Node{y}, grads...)
	if !withNorm {
		var squares []*graph.Node
		for _, dw := range grads {
			squares = append(squares, ops.Sum(ops.Square(dw), ops.AllAxes()))
		}
		results = append(results, autodiff.Grad(ops.Sum(ops.Stack(0, squares...), ops.AllAxes()), params)...)
	}
	prog, err := exec.Compile(g, exec.Outputs(results...), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	session := prog.NewSession()
	for i, w := range params {
		n, _ := w.Shape().NumElements().Int()
		require.NoError(t, session.SetParam(w, wave(10*i, int(n))))
	}
	r, err := session.Run(t.Context(), nil)
	require.NoError(t, err)
	for i, wanted := range slices.Concat(want["y"], want["gradients"], want["again"]) {
		got, err := exec.Values[float64](r, results[i])
		require.NoError(t, err)
		require.InDeltaSlice(t, wanted, got, 1e-9, "result %d", i)
	}
	for i, wanted := range want["buffers"] {
		s := []*graph.Node{norm.RunningMean, norm.RunningVar}[i]
		got, err := session.Param(s)
		require.NoError(t, err)
		require.InDeltaSlice(t, wanted, got.Data, 1e-9, s.Name())
	}
}

func compareEnsemble(t *testing.T, want map[string][][]float64) {
	g := graph.New("ensemble")
	layer := nn.NewLinear(g, "layer", 3, 2, f64)
	weights, biases := graph.Constant(g, wave(1, 24), 4, 2, 3), graph.Constant(g, wave(2, 8), 4, 2)
	pass, x := nn.Evaluation(g), graph.Constant(g, wave(3, 12), 4, 3)
	y := ops.Vmap([]*graph.Node{weights, biases, x}, func(e []*graph.Node) []*graph.Node {
		with := nn.WithParams(layer, []*graph.Node{layer.Weight, layer.Bias}, e[:2])
		return []*graph.Node{with.Apply(pass, e[2])}
	})[0]
	cubes := ops.Sum(ops.Pow(y, graph.Num(3)), ops.AllAxes())
	results := append([]*graph.Node{y}, autodiff.Grad(cubes, []*graph.Node{weights, biases})...)
	wanted := slices.Concat(want["y"], want["gradients"])
	for i, got := range evaluated(t, g, results...) {
		require.InDeltaSlice(t, wanted[i], got, 1e-9, "result %d", i)
	}
}

// evaluated are the values of a program without inputs.
func evaluated(t *testing.T, g *graph.Graph, results ...*graph.Node) (values [][]float64) {
	t.Helper()
	prog, err := exec.Compile(g, exec.Outputs(results...))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), nil)
	require.NoError(t, err)
	for _, n := range results {
		got, err := exec.Values[float64](r, n)
		require.NoError(t, err)
		values = append(values, got)
	}
	return values
}

// TestWithParamsInALoop computes the inner steps of MAML, with their gradients, as a loop and one after the other.
func TestWithParamsInALoop(t *testing.T) {
	g := graph.New("loop")
	model := nn.Sequential(nn.NewLinear(g, "up", 3, 4, f64), nn.Func(ops.Tanh),
		nn.Checkpoint(nn.NewLinear(g, "down", 4, 2, f64)))
	params, pass := optim.Trainable(g), nn.Training(g)
	x, target := graph.Constant(g, wave(1, 15), 5, 3), graph.Constant(g, wave(2, 10), 5, 2)
	step := func(values []*graph.Node) []*graph.Node {
		return adapted(ops.MSE(nn.WithParams(model, params, values).Apply(pass, x), target), values)
	}
	query := func(values []*graph.Node) []*graph.Node {
		loss := ops.Mean(nn.WithParams(model, params, values).Apply(pass, ops.Neg(x)), ops.AllAxes())
		return append(autodiff.Grad(loss, params), loss)
	}
	looped := ops.Fori(3, params, func(_ *graph.Node, c []*graph.Node) []*graph.Node { return step(c) })
	unrolled := step(step(step(params)))
	a, b := query(looped), query(unrolled)
	values := evaluated(t, g, append(a, b...)...)
	for i := range a {
		require.InDeltaSlice(t, values[i+len(a)], values[i], 1e-12, "result %d", i)
	}
}

// TestWithParamsTakesPartOfTheParameters replaces some parameters, in an evaluation pass and within another
// replacement. Two parameters take each other's values.
func TestWithParamsTakesPartOfTheParameters(t *testing.T) {
	g := graph.New("part")
	a, b := g.Param("a", double, 2), g.Param("b", double, 2)
	two, three := graph.Constant(g, []float64{2, 2}, 2), graph.Constant(g, []float64{3, 3}, 2)
	x := graph.Constant(g, []float64{10, 100}, 2)
	layer := nn.Func(func(x *graph.Node) *graph.Node { return ops.Sub(ops.Mul(x, a), b) })
	own := nn.Func(func(*graph.Node) *graph.Node { return a })
	pass := nn.Evaluation(g)
	list := func(nodes ...*graph.Node) []*graph.Node { return nodes }
	inner := nn.WithParams(layer, list(a), list(three))
	exchanged := nn.WithParams(layer, list(a, b), list(b, a))
	both := nn.WithParams(nn.WithParams(layer, list(a), list(b)), list(b), list(two))
	results := list(
		nn.WithParams(layer, list(b), list(two)).Apply(pass, x),
		nn.WithParams(inner, list(b), list(two)).Apply(pass, x),
		exchanged.Apply(pass, x),
		both.Apply(pass, x),
		nn.WithParams(own, list(a), list(two)).Apply(pass, x),
		layer.Apply(pass, x),
	)
	prog, err := exec.Compile(g, exec.Outputs(results...))
	require.NoError(t, err)
	session := prog.NewSession()
	require.NoError(t, session.SetParam(a, []float64{5, 5}))
	require.NoError(t, session.SetParam(b, []float64{1, 1}))
	r, err := session.Run(t.Context(), nil)
	require.NoError(t, err)
	for i, want := range [][]float64{{48, 498}, {28, 298}, {5, 95}, {18, 198}, {2, 2}, {49, 499}} {
		got, err := exec.Values[float64](r, results[i])
		require.NoError(t, err)
		require.Equal(t, want, got, "result %d", i)
	}
}

// TestGradientsWithinWithParams has layers that compute gradients themselves: of a replaced parameter, and of a value
// that was built outside, where the parameter is read.
func TestGradientsWithinWithParams(t *testing.T) {
	g := graph.New("gradients")
	w := g.ParamInit("w", double, nn.Ones())
	five, x := g.Scalar(double, 5), g.Scalar(double, 2)
	outside := ops.Mul(ops.Square(x), w) // with the gradient 2·x·w = 4
	var results []*graph.Node
	g.WithParams([]*graph.Node{w}, []*graph.Node{five}, func() {
		inside := ops.Mul(x, ops.Square(w)) // with the gradient 2·x·w = 20 of w
		results = append(autodiff.Grad(inside, []*graph.Node{w}), autodiff.Grad(outside, []*graph.Node{x})...)
		results = append(results, autodiff.JVP([]*graph.Node{inside}, []*graph.Node{w}, []*graph.Node{x})...)
		results = append(results, autodiff.Hessian(inside, []*graph.Node{w})[0]...)
		results = append(results, ops.Vmap([]*graph.Node{ops.Stack(0, x, x)}, func(e []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Mul(e[0], w), w}
		})...)
		rounded := ops.WithGradient("Rounded", []*graph.Node{w}, func(in []*graph.Node) *graph.Node {
			return ops.Round(in[0])
		}, func(_, dy *graph.Node, _ []*graph.Node) []*graph.Node { return []*graph.Node{ops.Mul(dy, x)} })
		results = append(results, autodiff.Grad(rounded, []*graph.Node{w})...)
		results = append(results, ops.Cond(ops.Greater(x, graph.Num(0)), func() []*graph.Node {
			return []*graph.Node{ops.Mul(w, w)}
		}, func() []*graph.Node { return []*graph.Node{w} })...)
	})
	for i, want := range [][]float64{{20}, {4}, {40}, {4}, {10, 10}, {5, 5}, {2}, {25}} {
		require.Equal(t, want, evaluated(t, g, results...)[i], "result %d", i)
	}
}

// TestLoopsWithinWithParams goes over a replaced parameter.
func TestLoopsWithinWithParams(t *testing.T) {
	g := graph.New("loops")
	w := g.Param("w", double, 3)
	var results []*graph.Node
	g.WithParams([]*graph.Node{w}, []*graph.Node{graph.Constant(g, []float64{1, 2, 3}, 3)}, func() {
		over := []*graph.Node{w}
		results = append(results, ops.Vmap(over, func(e []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Square(e[0])}
		})...)
		last, sums := ops.Scan(ops.Loop{Carry: over, Over: over}, func(c, e []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Add(c[0], w)}, []*graph.Node{ops.Add(e[0], ops.Sum(w)), w}
		})
		results = append(append(results, last...), sums...)
	})
	wanted := [][]float64{{1, 4, 9}, {4, 8, 12}, {7, 8, 9}, {1, 2, 3, 1, 2, 3, 1, 2, 3}}
	require.Equal(t, wanted, evaluated(t, g, results...))
}

// TestWithParamsOfRandomLayers keeps the state of a layer: the same draws and statistics as without it.
func TestWithParamsOfRandomLayers(t *testing.T) {
	g := graph.New("random")
	norm := nn.NewBatchNorm(g, "norm", 3, f64)
	layer, x := nn.Sequential(nn.Dropout(0.5), norm), graph.Constant(g, wave(1, 60), 20, 3)
	pass, eval := nn.Training(g), nn.Evaluation(g)
	ones := ops.Full(g, double, 2, 3)
	y := nn.WithParams(layer, []*graph.Node{norm.Weight}, []*graph.Node{ones}).Apply(pass, x)
	later := nn.WithParams(layer, []*graph.Node{norm.Weight}, []*graph.Node{ones}).Apply(eval, x)
	require.Len(t, pass.Updates(), 4, "three of the norm, and that of the draws")
	prog, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	session := prog.NewSession(exec.Seed(1))
	first, err := session.Run(t.Context(), nil)
	require.NoError(t, err)
	a, err := exec.Values[float64](first, y)
	require.NoError(t, err)
	a = slices.Clone(a)
	second, err := session.Run(t.Context(), nil)
	require.NoError(t, err)
	b, err := exec.Values[float64](second, y)
	require.NoError(t, err)
	require.NotEqual(t, a, b, "each step draws other numbers")
	mean, err := session.Param(norm.RunningMean)
	require.NoError(t, err)
	require.NotEqual(t, []float64{0, 0, 0}, mean.Data)
	evaluated(t, g, later)
}

// TestHypernetwork trains a network that makes the parameters of another one, which does not read its own.
func TestHypernetwork(t *testing.T) {
	g := graph.New("hyper")
	layer := nn.NewLinear(g, "main", 2, 1, f64)
	hyper := nn.NewLinear(g, "hyper", 1, 3, f64)
	pass, task := nn.Training(g), graph.Constant(g, []float64{1}, 1)
	made := hyper.Apply(pass, task)
	values := []*graph.Node{ops.Reshape(ops.Slice(made, 0, 0, 2, 1), 1, 2), ops.Slice(made, 0, 2, 3, 1)}
	x, target := graph.Constant(g, []float64{0, 0, 0, 1, 1, 0}, 3, 2), graph.Constant(g, []float64{1, 3, 0}, 3, 1)
	y := nn.WithParams(layer, []*graph.Node{layer.Weight, layer.Bias}, values).Apply(pass, x)
	loss := ops.MSE(y, target)
	step := optim.Adam(0.1).Updates(optim.Trainable(g, "hyper"), autodiff.Grad(loss, optim.Trainable(g, "hyper")))
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
	require.NoError(t, err)
	require.Contains(t, g.String(), "main.weight.substitute:f64[1,2] = reshape")
	session := prog.NewSession(exec.Seed(1))
	var last float64
	for range 300 {
		r, err := session.Run(t.Context(), nil)
		require.NoError(t, err)
		last, err = r.Scalar(loss)
		require.NoError(t, err)
	}
	require.Less(t, last, 1e-4)
}

// TestWrongWithParams has every mistake. The values that are not wrong are still replaced, and nothing else is told.
func TestWrongWithParams(t *testing.T) {
	for name, c := range map[string]struct {
		build func(g *graph.Graph, l *nn.Linear, x *graph.Node)
		want  []string
	}{
		"shape": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			w := g.Input("w", double, 3, 4)
			nn.WithParams(l, []*graph.Node{l.Weight}, []*graph.Node{w}).Apply(nn.Training(g), x)
		}, []string{"the value for head.weight of layer head is float64[3, 4], but the parameter is float64[4, 3]",
			"ops.Reshape(w, head.weight.Shape()...)", "withparams_test.go"}},
		"order": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			w, b := ops.Neg(l.Weight), ops.Neg(l.Bias)
			nn.WithParams(l, []*graph.Node{l.Weight, l.Bias}, []*graph.Node{b, w}).Apply(nn.Training(g), x)
		}, []string{"the value for head.weight of layer head is float64[4], but the parameter is float64[4, 3]",
			"pass the values in the order of their parameters"}},
		"examples": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			w := g.Input("w", double, g.Dim("models"), 4, 3)
			nn.WithParams(l, []*graph.Node{l.Weight}, []*graph.Node{w}).Apply(nn.Training(g), x)
		}, []string{"float64[models, 4, 3]", "call WithParams in the function of ops.Vmap"}},
		"dtype": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			w := g.Input("w", graph.Float32, 4, 3)
			nn.WithParams(l, []*graph.Node{l.Weight}, []*graph.Node{w}).Apply(nn.Training(g), x)
		}, []string{"is float32[4, 3], but the parameter is float64[4, 3]", "ops.Cast(w, head.weight.DType())"}},
		"unread": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			other := g.Param("other", double, 2)
			nn.WithParams(l, []*graph.Node{l.Weight, other}, []*graph.Node{ops.Neg(l.Weight), ops.Neg(other)}).Apply(
				nn.Training(g), x)
		}, []string{"nothing that is built with these values reads other"}},
		"count": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			nn.WithParams(l, []*graph.Node{l.Weight, l.Bias}, []*graph.Node{l.Weight}).Apply(nn.Training(g), x)
		}, []string{"got 1 values for 2 parameters"}},
		"no parameter": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			nn.WithParams(l, []*graph.Node{x}, []*graph.Node{x}).Apply(nn.Training(g), x)
		}, []string{"x is Input(x), not a parameter"}},
		"state": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			s := g.State("s", double, nil, 4)
			nn.WithParams(l, []*graph.Node{s}, []*graph.Node{l.Bias}).Apply(nn.Training(g), x)
		}, []string{"s is state, which is not replaced", "nn.Pass.Carrying"}},
		"twice": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			b := ops.Neg(l.Bias)
			nn.WithParams(l, []*graph.Node{l.Bias, l.Bias}, []*graph.Node{b, b}).Apply(nn.Training(g), x)
		}, []string{"head.bias is listed twice"}},
		"nil": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			nn.WithParams(l, []*graph.Node{l.Bias}, []*graph.Node{nil}).Apply(nn.Training(g), x)
		}, []string{"the value for head.bias of layer head is nil"}},
		"nil parameter": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			nn.WithParams(l, []*graph.Node{nil}, []*graph.Node{l.Bias}).Apply(nn.Training(g), x)
		}, []string{"parameter 0 is nil"}},
		"number": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			nn.WithParams(l, []*graph.Node{l.Bias}, []*graph.Node{graph.Num(1)}).Apply(nn.Training(g), x)
		}, []string{"is the number 1, but must be a tensor", "ops.FullLike(head.bias, 1)"}},
		"another graph": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			b := graph.New("second").Input("b", double, 4)
			nn.WithParams(l, []*graph.Node{l.Bias}, []*graph.Node{b}).Apply(nn.Training(g), x)
		}, []string{"belongs to another graph"}},
		"no layer": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			nn.WithParams(nil, []*graph.Node{l.Bias}, []*graph.Node{l.Bias}).Apply(nn.Training(g), x)
		}, []string{"the layer is nil"}},
		"write": {func(g *graph.Graph, l *nn.Linear, _ *graph.Node) {
			g.WithParams([]*graph.Node{l.Bias}, []*graph.Node{ops.Neg(l.Bias)}, func() {
				optim.SGD(0.1).Minimize(ops.Sum(l.Bias, ops.AllAxes()), l.Bias)
			})
		}, []string{"head.bias is written where WithParams replaces it by head.bias.substitute"}},
		"a value with a mistake": {func(g *graph.Graph, l *nn.Linear, x *graph.Node) {
			wrong := ops.Add(l.Bias, l.Weight)
			nn.WithParams(l, []*graph.Node{l.Bias}, []*graph.Node{wrong}).Apply(nn.Training(g), x)
		}, []string{"Add(head.bias, head.weight)"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("wrong")
			l := nn.NewLinear(g, "head", 3, 4, f64)
			c.build(g, l, g.Input("x", double, 5, 3))
			report := shapeinfer.Check(g)
			require.Len(t, report.Errors, 1, report.String())
			for _, want := range c.want {
				require.Contains(t, report.String(), want)
			}
		})
	}
}
