package optim_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// optimizers are those of testdata/steps.py, by the names that they have there.
var optimizers = map[string]optim.Optimizer{
	"sgd":                    optim.SGD(0.02),
	"sgd decay":              optim.SGD(0.02, optim.WeightDecay(0.1)),
	"sgd momentum dampening": optim.SGD(0.02, optim.Momentum(0.9), optim.Dampening(0.3), optim.WeightDecay(0.1)),
	"sgd nesterov":           optim.SGD(0.02, optim.Momentum(0.9), optim.Nesterov()),
	"adam":                   optim.Adam(0.02),
	"adam options":           optim.Adam(0.02, optim.Betas(0.8, 0.95), optim.Epsilon(1e-3), optim.WeightDecay(0.1)),
	"amsgrad":                optim.Adam(0.02, optim.AMSGrad()),
	"adamw":                  optim.AdamW(0.02),
	"adamw amsgrad":          optim.AdamW(0.02, optim.WeightDecay(0.1), optim.AMSGrad()),
	"adamax":                 optim.Adamax(0.02, optim.WeightDecay(0.1)),
	"nadam":                  optim.NAdam(0.02),
	"nadam decoupled":        optim.NAdam(0.02, optim.WeightDecay(0.1), optim.MomentumDecay(0.01), optim.Decoupled()),
	"radam":                  optim.RAdam(0.02, optim.WeightDecay(0.1)),
	"radam certain":          optim.RAdam(0.02, optim.Betas(0.9, 0.9), optim.WeightDecay(0.1), optim.Decoupled()),
	"rmsprop":                optim.RMSProp(0.02),
	"rmsprop options": optim.RMSProp(0.02, optim.Smoothing(0.9), optim.Centered(), optim.Momentum(0.5),
		optim.WeightDecay(0.1)),
	"adagrad": optim.Adagrad(0.02),
	"adagrad options": optim.Adagrad(0.2, optim.RateDecay(0.1), optim.InitialAccumulator(0.5), optim.WeightDecay(0.1),
		optim.Epsilon(1e-6)),
	"adadelta":         optim.Adadelta(1),
	"adadelta options": optim.Adadelta(0.5, optim.Smoothing(0.8), optim.Epsilon(1e-4), optim.WeightDecay(0.1)),
	"adafactor":        optim.Adafactor(0.02),
	"adafactor options": optim.Adafactor(0.5, optim.Beta2Decay(-0.5), optim.LeastScale(1e-2), optim.Threshold(1.2),
		optim.WeightDecay(0.1)),
	"rprop":         optim.Rprop(0.02),
	"rprop options": optim.Rprop(0.05, optim.Etas(0.3, 1.5), optim.StepSizes(0.01, 0.2)),
	"asgd":          optim.ASGD(0.02),
	"asgd options": optim.ASGD(0.05, optim.Lambda(0.1), optim.RatePower(0.5), optim.AverageFrom(10),
		optim.WeightDecay(0.1)),
	"sgd maximize":   optim.SGD(1e-5, optim.Maximize(), optim.WeightDecay(0.1)),
	"adamw maximize": optim.AdamW(1e-3, optim.Maximize(), optim.WeightDecay(0.1)),
	"lamb":           optim.Lamb(0.02),
	"lamb options":   optim.Lamb(0.05, optim.Betas(0.8, 0.95), optim.Epsilon(1e-3), optim.WeightDecay(0.1)),
	"lars":           optim.Lars(1),
	"lars options": optim.Lars(0.5, optim.TrustCoefficient(0.02), optim.Epsilon(0.01), optim.Momentum(0.7),
		optim.Nesterov(), optim.WeightDecay(0.1)),
	"lars plain": optim.Lars(0.5, optim.TrustCoefficient(0.02), optim.Momentum(0)),
	"lion":       optim.Lion(0.02),
	"lion decay": optim.Lion(0.02, optim.Betas(0.8, 0.95), optim.WeightDecay(0.1)),
}

// ramp fills a parameter with scale·sin(1), scale·sin(2), …
type ramp float64

func (r ramp) at(i int) float64 { return float64(r) * math.Sin(float64(i+1)) }

func (r ramp) Fill(dst any, _ []int, _ uint64) {
	fill(dst, r.at)
}

func (ramp) String() string { return "ramp" }

// from fills a parameter with given numbers.
type from []float64

func (f from) Fill(dst any, _ []int, _ uint64) { fill(dst, func(i int) float64 { return f[i] }) }

func (from) String() string { return "from" }

func fill(dst any, at func(i int) float64) {
	switch dst := dst.(type) {
	case []float32:
		for i := range dst {
			dst[i] = float32(at(i))
		}
	case []float64:
		for i := range dst {
			dst[i] = at(i)
		}
	}
}

// constant returns a tensor of the graph whose elements are known.
func constant(g *graph.Graph, t graph.DType, at func(i *graph.Node) *graph.Node, shape ...graph.Dim) *graph.Node {
	n := graph.Dim(1)
	for _, d := range shape {
		n *= d
	}
	return ops.Reshape(at(ops.Cast(ops.Iota(g, 0, n), t)), shape...)
}

// problems are those of testdata/steps.py. The parameters come in their order there.
var problems = map[string]func(g *graph.Graph, t graph.DType) (loss *graph.Node, params []*graph.Node){
	"quadratic": func(g *graph.Graph, t graph.DType) (*graph.Node, []*graph.Node) {
		w := g.ParamInit("w", t, ramp(1), 2, 3)
		scale := constant(g, t, func(i *graph.Node) *graph.Node { return ops.Add(i, graph.Num(1.0)) }, 2, 3)
		return ops.Sum(ops.Mul(scale, ops.Square(ops.Sub(w, graph.Num(0.5))))), []*graph.Node{w}
	},
	"rosenbrock": func(g *graph.Graph, t graph.DType) (*graph.Node, []*graph.Node) {
		w := g.ParamInit("w", t, from{-1.2, 1}, 2)
		x, y := ops.Select(w, 0, 0), ops.Select(w, 0, 1)
		valley := ops.Mul(graph.Num(100.0), ops.Square(ops.Sub(y, ops.Square(x))))
		return ops.Div(ops.Add(valley, ops.Square(ops.Sub(graph.Num(1.0), x))), graph.Num(100.0)), []*graph.Node{w}
	},
	"mlp": func(g *graph.Graph, t graph.DType) (*graph.Node, []*graph.Node) {
		x := constant(g, t, func(i *graph.Node) *graph.Node { return ops.Sin(ops.Add(i, graph.Num(1.0))) }, 8, 3)
		y := constant(g, t, ops.Cos, 8, 1)
		params := []*graph.Node{
			g.ParamInit("fc1.weight", t, ramp(0.5), 4, 3), g.ParamInit("fc1.bias", t, ramp(0.1), 4),
			g.ParamInit("fc2.weight", t, ramp(0.5), 1, 4), g.ParamInit("fc2.bias", t, ramp(0.1), 1),
		}
		hidden := ops.Tanh(ops.Linear(x, params[0], params[1]))
		return ops.MSE(ops.Linear(hidden, params[2], params[3]), y), params
	},
}

// answer is what PyTorch has of one optimiser on one problem.
type answer struct {
	Losses, Params []float64
}

// pytorch reads a part of testdata/steps.json, or of optax.json, which has the optimisers that PyTorch lacks.
func pytorch[T any](t *testing.T, part string) (v T) {
	all := map[string]json.RawMessage{}
	for _, file := range []string{"testdata/steps.json", "testdata/optax.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &all))
	}
	require.Contains(t, all, part)
	require.NoError(t, json.Unmarshal(all[part], &v))
	return v
}

// Every optimiser takes 50 steps as PyTorch does: the loss before each step and the parameters
// after the last agree, and Float32 follows within its digits.
func TestStepsOfPyTorch(t *testing.T) {
	for name, o := range optimizers {
		answers := pytorch[map[string]answer](t, name)
		for problem, build := range problems {
			want := answers[problem]
			for dtype, tolerance := range map[graph.DType]float64{graph.Float64: 1e-9, graph.Float32: 2e-3} {
				t.Run(name+"/"+problem+"/"+dtype.String(), func(t *testing.T) {
					g := graph.New(problem)
					loss, params := build(g, dtype)
					sess := session(t, g, exec.Outputs(loss), exec.Updates(o.Minimize(loss, params...)...))
					var losses, got []float64
					for range want.Losses {
						r, err := sess.Run(t.Context(), nil)
						require.NoError(t, err)
						v, err := r.Scalar(loss)
						require.NoError(t, err)
						losses = append(losses, v)
					}
					for _, w := range params {
						got = append(got, values(t, sess, w)...)
					}
					require.InDeltaSlice(t, want.Losses, losses, tolerance)
					require.InDeltaSlice(t, want.Params, got, tolerance)
				})
			}
		}
	}
}

// A step of any optimiser allocates nothing.
func TestStepsDoNotAllocate(t *testing.T) {
	for name, o := range optimizers {
		t.Run(name, func(t *testing.T) {
			g := graph.New("allocations")
			loss, params := problems["quadratic"](g, graph.Float32)
			sess := session(t, g, exec.Outputs(loss), exec.Updates(o.Minimize(loss, params...)...))
			allocs.RequireNone(t, 3, func() {
				if _, err := sess.Run(t.Context(), nil); err != nil {
					panic(err)
				}
			})
		})
	}
}

func session(t *testing.T, g *graph.Graph, opts ...exec.Option) *exec.Session {
	prog, err := exec.Compile(g, append(opts, exec.WarningsAreErrors())...)
	require.NoError(t, err)
	return prog.NewSession()
}
