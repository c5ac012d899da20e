package nn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// stacked are models of three layers, each of a kind, for values of some shape.
var stacked = map[string]struct {
	shape []graph.Dim
	layer func(g *graph.Graph, name string) nn.Layer
}{
	"feed forward with dropout": {[]graph.Dim{64, 32}, func(g *graph.Graph, name string) nn.Layer {
		return nn.Residual(nn.Sequential(nn.NewLayerNorm(g, name+"n", 32), nn.NewLinear(g, name+"a", 32, 128),
			nn.Func(ops.Gelu), nn.Dropout(0.3), nn.NewLinear(g, name+"b", 128, 32)))
	}},
	"convolutions with batch norm": {[]graph.Dim{4, 8, 12, 12}, func(g *graph.Graph, name string) nn.Layer {
		return nn.Sequential(nn.NewConv2D(g, name+"a", 8, 16, 3, nn.Padding(1)), nn.NewBatchNorm(g, name+"n", 16),
			nn.Func(ops.Silu), nn.NewConv2D(g, name+"b", 16, 8, 3, nn.Padding(1)), nn.Func(ops.Relu))
	}},
	"transformers": {[]graph.Dim{2, 40, 32}, func(g *graph.Graph, name string) nn.Layer {
		return nn.NewTransformerEncoderLayer(g, name, 32, 4, nn.FeedForward(64), nn.DropoutRate(0.1))
	}},
	"recurrent networks": {[]graph.Dim{3, 20, 16}, func(g *graph.Graph, name string) nn.Layer {
		return nn.NewLSTM(g, name, 16, 16)
	}},
	"spectral norms": {[]graph.Dim{16, 16}, func(g *graph.Graph, name string) nn.Layer {
		return nn.Sequential(nn.NewLinear(g, name, 16, 16, nn.SpectralNorm(1)), nn.Func(ops.Tanh))
	}},
}

// trainedLayers trains three layers, and returns what is then in parameters and states, by name, and the arena's bytes.
func trainedLayers(t *testing.T, model string, threads int, wrap func(nn.Layer) nn.Layer) (values map[string]any,
	peak int) {
	t.Helper()
	m := stacked[model]
	g := graph.New("stacked")
	x := g.Input("x", graph.Float32, m.shape...)
	p := nn.Training(g)
	y := x
	for i := range 3 {
		y = wrap(m.layer(g, fmt.Sprint("layer", i))).Apply(p, y)
	}
	loss := ops.Mean(ops.Square(ops.Sub(y, graph.Num(0.5))), ops.AllAxes())
	prog, err := exec.Compile(g, exec.Outputs(loss),
		exec.Updates(append(optim.SGD(0.05, optim.Momentum(0.9)).Minimize(loss), p.Updates()...)...))
	require.NoError(t, err)
	stats, err := prog.Stats(nil)
	require.NoError(t, err)
	s := prog.NewSession(exec.Threads(threads), exec.Seed(3))
	data := make([]float32, must(x.Shape().NumElements().Int()))
	for step := range 3 {
		for i := range data {
			data[i] = float32((i*7+step*13)%31)/15 - 1
		}
		_, err := s.Run(t.Context(), exec.Feed{x: data})
		require.NoError(t, err)
	}
	values = map[string]any{}
	for _, w := range g.Params() {
		a, err := s.Param(w)
		require.NoError(t, err)
		values[w.Name()] = a.Data
	}
	return values, stats.Peak
}

// oneNodeMore builds as many nodes as [nn.Checkpoint]: what is drawn depends on the number of nodes before.
type oneNodeMore struct{ nn.Layer }

func (l oneNodeMore) Apply(p *nn.Pass, x *graph.Node) *graph.Node {
	y := l.Layer.Apply(p, x)
	x.Graph().Scalar(graph.Float32, 0)
	return y
}

func must(n int64, ok bool) int64 {
	if !ok {
		panic("the size is not known")
	}
	return n
}

// Layers that are computed again are trained as others are, with what is drawn for them and with their statistics. Sums
// of gradients may be rounded in another order.
func TestCheckpointsAreTrainedAsTheirLayers(t *testing.T) {
	for model := range stacked {
		t.Run(model, func(t *testing.T) {
			want, whole := trainedLayers(t, model, 1, func(l nn.Layer) nn.Layer { return oneNodeMore{l} })
			for _, threads := range []int{1, 3} {
				got, peak := trainedLayers(t, model, threads, nn.Checkpoint)
				for name, w := range want {
					if f, is := w.([]float32); is {
						require.InDeltaSlice(t, f, got[name], 1e-6, name)
						continue
					}
					require.Equal(t, w, got[name], name)
				}
				t.Logf("%d bytes, %d without", peak, whole)
			}
		})
	}
}

// A deep network of checkpoints needs memory for the results of its layers, and for the inside of one.
func TestCheckpointsSaveMemory(t *testing.T) {
	peak := func(layers int, wrap func(nn.Layer) nn.Layer) int {
		g := graph.New("deep")
		y := g.Input("x", graph.Float32, 512, 64)
		p := nn.Training(g)
		for i := range layers {
			name := fmt.Sprint("layer", i)
			y = wrap(
				nn.Residual(nn.Sequential(nn.NewLayerNorm(g, name+"n", 64), nn.NewLinear(g, name+"a", 64, 512),
					nn.Func(ops.Gelu), nn.NewLinear(g, name+"b", 512, 64)))).Apply(p, y)
		}
		loss := ops.Mean(ops.Square(y), ops.AllAxes())
		prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.1).Minimize(loss)...))
		require.NoError(t, err)
		s, err := prog.Stats(nil)
		require.NoError(t, err)
		return s.Peak
	}
	const result, inside = 512 * 64 * 4, 512 * 512 * 4
	few, many := peak(4, nn.Checkpoint), peak(20, nn.Checkpoint)
	require.Less(t, many-few, 16*(result+result/4), "only results are kept of each layer")
	require.Less(t, many, 21*result+5*inside)
	require.Greater(t, peak(20, func(l nn.Layer) nn.Layer { return l }), 20*inside)
}

// What calls a user's function, and what is printed, is done once.
func TestCheckpointsCallFunctionsOnce(t *testing.T) {
	g := graph.New("called")
	x := g.Input("x", graph.Float64, 3)
	calls := 0
	y := autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node {
		z := ops.Callback("Noted", []*graph.Node{ops.Exp(x)}, graph.Float64, x.Shape(), func(a *graph.Arrays) error {
			calls++
			copy(graph.Elements[float64](a.Out), graph.Elements[float64](a.In[0]))
			return nil
		}, func(_, dy *graph.Node, _ []*graph.Node) []*graph.Node { return []*graph.Node{dy} })
		return ops.Mul(ops.Sin(z), x)
	})
	dx := autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]
	prog, err := exec.Compile(g, exec.Outputs(y, dx))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: []float64{0, 0.5, -1}})
	require.NoError(t, err)
	require.Equal(t, 1, calls)
	a, err := r.Array(dx)
	require.NoError(t, err)
	require.InDelta(t, 0.8414709848078965, a.Data.([]float64)[0], 1e-12)
}

// Gradients of gradients go through what is computed again, and in the steps of a loop it is computed again too.
func TestGradientsThroughCheckpoints(t *testing.T) {
	for what, model := range map[string]func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node{
		"once":  func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node { return f(x) },
		"twice": func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node { return f(f(x)) },
		"in steps": func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node {
			return ops.Fori(3, []*graph.Node{x}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
				return []*graph.Node{f(c[0])}
			})[0]
		},
		"in a branch": func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node {
			return ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)), func() []*graph.Node {
				return []*graph.Node{f(x)}
			}, func() []*graph.Node { return []*graph.Node{x} })[0]
		},
	} {
		inner := map[string]func(x, w *graph.Node) *graph.Node{
			"elements": func(x, w *graph.Node) *graph.Node {
				return ops.Mul(ops.Sin(ops.Mul(x, w)), ops.Exp(ops.Neg(ops.Square(x))))
			},
			"a loop": func(x, w *graph.Node) *graph.Node {
				return ops.Fori(2, []*graph.Node{x}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					return []*graph.Node{ops.Tanh(ops.Add(ops.Mul(c[0], w), x))}
				})[0]
			},
			"its operand": func(x, _ *graph.Node) *graph.Node { return x },
			"checkpoints": func(x, w *graph.Node) *graph.Node {
				return autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node { return ops.Mul(ops.Sin(x), w) })
			},
			"whole numbers": func(x, w *graph.Node) *graph.Node {
				return ops.Where(ops.Greater(ops.Cast(ops.Mul(x, graph.Num(10)), graph.Int64), graph.Num(4)),
					ops.Mul(x, w), x)
			},
		}
		for of, f := range inner {
			var want [][]float64
			for _, again := range []bool{false, true} {
				g := graph.New("order")
				x, w := g.Input("x", graph.Float64, 4), g.Input("w", graph.Float64, 4)
				y := model(x, func(x *graph.Node) *graph.Node {
					if again {
						return autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node { return f(x, w) })
					}
					return f(x, w)
				})
				first := autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x, w}, autodiff.ZeroForUnused())
				second := autodiff.Grad(ops.Add(ops.Sum(ops.Square(first[0])), ops.Sum(ops.Sin(first[1]))),
					[]*graph.Node{x, w}, autodiff.ZeroForUnused())
				outputs := append(append([]*graph.Node{y}, first...), second...)
				prog, err := exec.Compile(g, exec.Outputs(outputs...))
				require.NoError(t, err, "%s, %s", what, of)
				r, err := prog.NewSession().Run(t.Context(),
					exec.Feed{x: []float64{0.3, -1.2, 0.7, 2}, w: []float64{1.1, 0.4, -0.8, 0.6}})
				require.NoError(t, err)
				for i, n := range outputs {
					a, err := r.Array(n)
					require.NoError(t, err)
					if !again {
						want = append(want, append([]float64{}, a.Data.([]float64)...))
						continue
					}
					require.InDeltaSlice(t, want[i], a.Data, 1e-12, "%s, %s, output %d", what, of, i)
				}
			}
		}
	}
}

// The error about a checkpoint names what is wrong.
func TestCheckpointsThatCannotBe(t *testing.T) {
	for want, build := range map[string]func(x *graph.Node) *graph.Node{
		"Checkpoint(x): the layer is nil": func(x *graph.Node) *graph.Node {
			return nn.Checkpoint(nil).Apply(nn.Training(x.Graph()), x)
		},
		"Checkpoint(x): the function is nil": func(x *graph.Node) *graph.Node { return autodiff.Checkpoint(x, nil) },
		"Checkpoint(x): the function returns nil": func(x *graph.Node) *graph.Node {
			return autodiff.Checkpoint(x, func(*graph.Node) *graph.Node { return nil })
		},
	} {
		g := graph.New("wrong")
		build(g.Input("x", graph.Float32, 2, 3))
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "checkpoint_test.go:")
		require.ErrorContains(t, g.Err(), "help: pass ")
	}
}
