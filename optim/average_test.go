package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// Averages follow the parameter after each step, and a loss is evaluated with them.
func TestAverages(t *testing.T) {
	g := graph.New("average")
	w := g.ParamInit("w", graph.Float64, start(1), 2)
	loss := ops.Sum(ops.Square(w))
	params := []*graph.Node{w}
	step := optim.SGD(0.1).Minimize(loss, w)
	ema, swa := optim.EMA(0.75, params, step), optim.SWA(params, step)
	evaluated := ema.Evaluate(loss)
	require.NoError(t, g.Err())
	sess := session(t, g, exec.Updates(append(step, append(ema.Updates(), swa.Updates()...)...)...))
	var mean, sum float64
	for i := range 4 {
		_, err := sess.Run(t.Context(), nil)
		require.NoError(t, err)
		now := values(t, sess, w)[0]
		sum += now
		if i == 0 {
			mean = now
		}
		mean = 0.75*mean + 0.25*now
		require.InDelta(t, mean, values(t, sess, ema.Of(w))[0], 1e-12)
		require.InDelta(t, sum/float64(i+1), values(t, sess, swa.Of(w))[0], 1e-12)
	}
	prog, err := exec.Compile(g, exec.Outputs(evaluated))
	require.NoError(t, err)
	r, err := prog.NewSession(exec.ShareParams(sess)).Run(t.Context(), nil)
	require.NoError(t, err)
	got, err := r.Scalar(evaluated)
	require.NoError(t, err)
	a := values(t, sess, ema.Of(w))
	require.InDelta(t, a[0]*a[0]+a[1]*a[1], got, 1e-12)

	optim.EMA(1, params, step)
	require.ErrorContains(t, g.Err(), "the decay is 1; it must be at least 0 and less than 1")
}

// Averages follow the steps, and not the runs in which a condition holds them back.
func TestAveragesOfStepsHeldBack(t *testing.T) {
	for name, o := range map[string]func(opts ...optim.Option) optim.Optimizer{
		"SGD":  func(opts ...optim.Option) optim.Optimizer { return optim.SGD(0.1, opts...) },
		"Adam": func(opts ...optim.Option) optim.Optimizer { return optim.AdamW(0.1, opts...) },
		"rows of SGD": func(opts ...optim.Option) optim.Optimizer {
			return optim.SGD(0.1, append(opts, optim.UsedRows())...)
		},
		"rows of AdamW": func(opts ...optim.Option) optim.Optimizer {
			return optim.AdamW(0.1, append(opts, optim.UsedRows())...)
		},
	} {
		for _, dtype := range []graph.DType{graph.Float64, graph.Float16} {
			g := graph.New("average")
			w, b := g.Param("w", dtype, 2, 1), g.Param("b", dtype)
			when := g.Input("when", graph.Bool)
			params := []*graph.Node{w, b}
			loss := ops.Add(
				ops.Sum(ops.Square(ops.Sub(ops.Take(w, 0, graph.Constant(g, []int64{1}, 1)), graph.Num(3.0)))), b)
			step := o(optim.When(when)).Minimize(loss, params...)
			ema, swa := optim.EMA(0.75, params, step), optim.SWA(params, step)
			require.NoError(t, g.Err(), name)
			tolerance := map[graph.DType]float64{graph.Float64: 1e-12, graph.Float16: 4e-3}[dtype]
			for _, p := range params {
				sess := session(t, g, exec.Updates(step...), exec.Updates(ema.Updates()...),
					exec.Updates(swa.Updates()...))
				last := p.Shape().NumElements() // the place of the element that is trained
				at, _ := last.Int()
				var mean, sum float64
				n := 0
				for i, steps := range []bool{false, true, false, false, true, true, false} {
					_, err := sess.Run(t.Context(), exec.Feed{when: steps})
					require.NoError(t, err)
					now := values(t, sess, p)[at-1]
					if steps {
						if n++; n == 1 {
							mean = now
						}
						mean, sum = 0.75*mean+0.25*now, sum+now
					}
					if n == 0 {
						continue
					}
					require.InDelta(t, mean, values(t, sess, ema.Of(p))[at-1], tolerance, "%s of %s, run %d", name,
						p.Name(), i)
					require.InDelta(t, sum/float64(n), values(t, sess, swa.Of(p))[at-1], tolerance, "%s of %s, run %d",
						name, p.Name(), i)
				}
			}
		}
	}

	g := graph.New("apart")
	a, b := g.Param("a", graph.Float32), g.Param("b", graph.Float32)
	x, y := g.Input("x", graph.Bool), g.Input("y", graph.Bool)
	step := append(optim.SGD(0.1, optim.When(x)).Minimize(a, a), optim.SGD(0.1, optim.When(y)).Minimize(b, b)...)
	optim.EMA(0.9, []*graph.Node{a, b}, step)
	require.ErrorContains(
		t, g.Err(), "the steps of a and b have different conditions, optim.When: average them in separate calls")
}
