package optim_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// recurrence is an update rule on one number: given the parameter, its gradient and the
// number of the step, it gives the new parameter. It keeps its state in a closure.
type recurrence func(w, grad float64, step int) float64

const rate = 0.05

// formulas are the optimisers, and beside each the rule of PyTorch's documents.
var formulas = map[string]struct {
	optimizer optim.Optimizer
	rule      func() recurrence
}{
	"sgd": {optim.SGD(rate), func() recurrence {
		return func(w, grad float64, _ int) float64 { return w - rate*grad }
	}},
	"sgd with weight decay": {optim.SGD(rate, optim.WeightDecay(0.1)), func() recurrence {
		return func(w, grad float64, _ int) float64 { return w - rate*(grad+0.1*w) }
	}},
	"momentum": {optim.Momentum(rate, 0.9), func() recurrence {
		v := 0.0
		return func(w, grad float64, _ int) float64 {
			v = 0.9*v + grad
			return w - rate*v
		}
	}},
	"nesterov with weight decay": {optim.Momentum(rate, 0.9, optim.Nesterov(), optim.WeightDecay(0.1)), func() recurrence {
		v := 0.0
		return func(w, grad float64, _ int) float64 {
			grad += 0.1 * w
			v = 0.9*v + grad
			return w - rate*(grad+0.9*v)
		}
	}},
	"adam": {optim.Adam(rate), func() recurrence { return adam(0.9, 0.999, 1e-8, 0, 0) }},
	"adam with options": {optim.Adam(rate, optim.Betas(0.8, 0.95), optim.Epsilon(1e-3), optim.WeightDecay(0.1)),
		func() recurrence { return adam(0.8, 0.95, 1e-3, 0.1, 0) }},
	"adamw":               {optim.AdamW(rate, 0.1), func() recurrence { return adam(0.9, 0.999, 1e-8, 0, 0.1) }},
	"adamw without decay": {optim.AdamW(rate, 0), func() recurrence { return adam(0.9, 0.999, 1e-8, 0, 0) }},
}

// adam is Adam with a decay of the gradient (L2) and one of the parameter.
func adam(beta1, beta2, epsilon, l2, decay float64) recurrence {
	m, v := 0.0, 0.0
	return func(w, grad float64, step int) float64 {
		t := float64(step)
		grad += l2 * w
		w *= 1 - rate*decay
		m = beta1*m + (1-beta1)*grad
		v = beta2*v + (1-beta2)*grad*grad
		unbiasedM, unbiasedV := m/(1-math.Pow(beta1, t)), v/(1-math.Pow(beta2, t))
		return w - rate*unbiasedM/(math.Sqrt(unbiasedV)+epsilon)
	}
}

// start is where parameters begin.
type start float64

func (s start) Fill(dst any, _ []int, _ uint64) {
	switch dst := dst.(type) {
	case []float32:
		for i := range dst {
			dst[i] = float32(s) + float32(i)
		}
	case []float64:
		for i := range dst {
			dst[i] = float64(s) + float64(i)
		}
	}
}

func (start) String() string { return "start" }

// A vector and a scalar follow the recurrence of their rule through steps with another
// gradient each: that of sum(x·w²) + x₀·b² is 2·x·w and 2·x₀·b.
func TestFormulas(t *testing.T) {
	for name, f := range formulas {
		for dtype, tolerance := range map[graph.DType]float64{graph.Float64: 1e-12, graph.Float32: 1e-5} {
			t.Run(name+"/"+dtype.String(), func(t *testing.T) {
				g := graph.New("formula")
				x := g.Input("x", dtype, 3)
				w := g.ParamInit("w", dtype, start(-1), 3)
				b := g.ParamInit("b", dtype, start(2))
				loss := ops.Add(ops.Sum(ops.Mul(x, ops.Square(w))), ops.Mul(ops.Select(x, 0, 0), ops.Square(b)))
				step := f.optimizer.Minimize(loss)
				prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(step...))
				require.NoError(t, err)
				sess := prog.NewSession()

				want := []float64{-1, 0, 1, 2}
				rules := []recurrence{f.rule(), f.rule(), f.rule(), f.rule()}
				for i := 1; i <= 30; i++ {
					xs := []float64{1 + math.Sin(float64(i)), 0.5, math.Cos(float64(i)), 0}
					xs[3] = xs[0] // b's
					_, err := sess.Run(context.Background(), exec.Feed{x: array(dtype, xs[:3], 3)})
					require.NoError(t, err)
					for j := range want {
						want[j] = rules[j](want[j], 2*xs[j]*want[j], i)
					}
					got := append(values(t, sess, w), values(t, sess, b)...)
					require.InDeltaSlice(t, want, got, tolerance, "after step %d", i)
				}
			})
		}
	}
}

// The rate may be another one in each step.
func TestRateFrom(t *testing.T) {
	for name, with := range map[string]func(float64, ...optim.Option) optim.Optimizer{
		"sgd":   optim.SGD,
		"adam":  optim.Adam,
		"adamw": func(r float64, opts ...optim.Option) optim.Optimizer { return optim.AdamW(r, 0.1, opts...) },
	} {
		t.Run(name, func(t *testing.T) {
			fixed, scheduled := newQuadratic(t, with(rate), nil), newQuadratic(t, with(0), with)
			for range 5 {
				fixed.step(t, exec.Feed{})
				scheduled.step(t, exec.Feed{scheduled.rate: rate})
			}
			require.InDeltaSlice(t, values(t, fixed.sess, fixed.w), values(t, scheduled.sess, scheduled.w), 1e-6)

			before := values(t, scheduled.sess, scheduled.w)
			scheduled.step(t, exec.Feed{scheduled.rate: 0})
			require.Equal(t, before, values(t, scheduled.sess, scheduled.w), "a rate of 0 changes nothing")
		})
	}
}

// quadratic is the smallest program that trains.
type quadratic struct {
	w, loss, rate *graph.Node
	sess          *exec.Session
}

// newQuadratic uses the optimiser as it is or, where scheduled is given, with a rate
// that is fed.
func newQuadratic(t *testing.T, o optim.Optimizer, scheduled func(float64, ...optim.Option) optim.Optimizer) *quadratic {
	g := graph.New("quadratic")
	q := &quadratic{w: g.ParamInit("w", graph.Float32, start(1), 4)}
	q.loss = ops.Sum(ops.Square(q.w))
	if scheduled != nil {
		q.rate = g.Input("rate", graph.Float32)
		o = scheduled(0, optim.RateFrom(q.rate))
	}
	prog, err := exec.Compile(g, exec.Outputs(q.loss), exec.Updates(o.Minimize(q.loss)...))
	require.NoError(t, err)
	q.sess = prog.NewSession()
	return q
}

func (q *quadratic) step(t *testing.T, feed exec.Feed) {
	_, err := q.sess.Run(context.Background(), feed)
	require.NoError(t, err)
}

func array(t graph.DType, v []float64, shape ...int) exec.Array {
	if t == graph.Float64 {
		return exec.Array{Shape: shape, Data: append([]float64(nil), v...)}
	}
	data := make([]float32, len(v))
	for i := range v {
		data[i] = float32(v[i])
	}
	return exec.Array{Shape: shape, Data: data}
}

func values(t *testing.T, sess *exec.Session, w *graph.Node) (list []float64) {
	a, err := sess.Param(w)
	require.NoError(t, err)
	switch data := a.Data.(type) {
	case []float64:
		return append(list, data...)
	case []float32:
		for _, v := range data {
			list = append(list, float64(v))
		}
	case []int64:
		for _, v := range data {
			list = append(list, float64(v))
		}
	}
	return list
}
