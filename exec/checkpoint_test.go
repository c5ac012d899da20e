package exec_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// blocks builds random functions of square matrices, some within others.
type blocks struct {
	r    *rand.Rand
	w    *graph.Node
	wrap func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node // is given each function
}

// build builds a function of x. Depth is how many are around it.
func (b *blocks) build(x *graph.Node, depth int) *graph.Node {
	values := nodes{x}
	pick := func() *graph.Node { return values[b.r.IntN(len(values))] }
	transposed := func(x *graph.Node) *graph.Node { return ops.Transpose(x, 0, 1) }
	kinds := []func() *graph.Node{
		func() *graph.Node { return ops.Sigmoid(pick()) },
		func() *graph.Node { return ops.Tanh(pick()) },
		func() *graph.Node { return ops.Mul(pick(), pick()) },
		func() *graph.Node { return ops.Add(pick(), pick()) },
		func() *graph.Node { return ops.Sub(pick(), ops.Mean(pick(), -1, ops.KeepDims())) },
		func() *graph.Node { return ops.Tanh(ops.MatMul(pick(), b.w)) },
		func() *graph.Node { return ops.Softmax(pick(), -1) },
		func() *graph.Node { return ops.Relu(pick()) },
		func() *graph.Node { return transposed(ops.Sin(transposed(pick()))) },
		func() *graph.Node { return ops.Sub(graph.Num(1), pick()) },
		func() *graph.Node { return ops.Gelu(pick()) },
		func() *graph.Node { return transposed(ops.Mul(transposed(pick()), transposed(pick()))) },
		func() *graph.Node { return ops.Flip(pick(), 1) },
		func() *graph.Node {
			if depth == 2 {
				return ops.Square(pick())
			}
			return b.wrap(pick(), func(x *graph.Node) *graph.Node { return b.build(x, depth+1) })
		},
	}
	for range 2 + b.r.IntN(6) {
		values = append(values, kinds[b.r.IntN(len(kinds))]())
	}
	return ops.Tanh(ops.Add(ops.Add(values[len(values)-1], pick()), pick()))
}

// wraps are ways to build a function of a value, of which the others have the values and gradients of the first.
var wraps = []func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node{
	func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node { return f(x) },
	autodiff.Checkpoint,
}

// Random programs have the values and gradients with checkpoints that they have without, and both can be compiled.
func TestRandomCheckpoints(t *testing.T) {
	const size = 6
	seeds := []uint64{228, 369, 372, 561, 585} // values that a kernel computes again in several stages
	for seed := range uint64(150) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		var want [][]float64
		for form, wrap := range wraps {
			r := rand.New(rand.NewPCG(seed, 1))
			g := graph.New("random")
			x, w := g.Input("x", graph.Float64, size, size), g.Input("w", graph.Float64, size, size)
			b := blocks{r, w, wrap}
			y := x
			for range 2 {
				y = wrap(y, func(x *graph.Node) *graph.Node { return b.build(x, 0) })
			}
			outputs := append(nodes{y}, autodiff.Grad(ops.Sum(ops.Square(y)), nodes{x, w}, autodiff.ZeroForUnused())...)
			if seed%3 == 0 {
				slope := ops.Add(ops.Sum(ops.Square(outputs[1])), ops.Sum(ops.Square(outputs[2])))
				outputs = append(outputs, autodiff.Grad(slope, nodes{x, w}, autodiff.ZeroForUnused())...)
			}
			prog, err := exec.Compile(g, exec.Outputs(outputs...))
			require.NoError(t, err, "seed %d, form %d", seed, form)
			dx, dw := make([]float64, size*size), make([]float64, size*size)
			for i := range dx {
				dx[i], dw[i] = r.NormFloat64(), r.NormFloat64()
			}
			result, err := prog.NewSession().Run(t.Context(), exec.Feed{x: dx, w: dw})
			require.NoError(t, err)
			for i, n := range outputs {
				a, err := result.Array(n)
				require.NoError(t, err)
				if form == 0 {
					want = append(want, slices.Clone(a.Data.([]float64)))
					continue
				}
				for k, v := range a.Data.([]float64) {
					require.InDelta(t, want[i][k], v, 1e-7*(1+max(v, -v)), "seed %d, output %d", seed, i)
				}
			}
		}
	}
}

// Checkpoints may begin anywhere in attention, also where its scores are computed again anyway.
func TestCheckpointsOfAttention(t *testing.T) {
	const heads, places, width = 2, 256, 16 // whose scores have enough elements to be computed again
	for _, begins := range []string{"queries", "scores", "weights", "result"} {
		var want [][]float64
		for form, wrap := range wraps {
			r := rand.New(rand.NewPCG(7, 1))
			g := graph.New("attention")
			var in nodes
			feed := exec.Feed{}
			for _, name := range []string{"q", "k", "v"} {
				x := g.Input(name, graph.Float64, heads, places, width)
				in = append(in, x)
				numbers := make([]float64, heads*places*width)
				for i := range numbers {
					numbers[i] = r.NormFloat64()
				}
				feed[x] = numbers
			}
			steps := []func(x *graph.Node) *graph.Node{
				func(q *graph.Node) *graph.Node {
					return ops.Mul(ops.MatMul(q, ops.Transpose(in[1], -1, -2)), graph.Num(0.25))
				},
				func(scores *graph.Node) *graph.Node { return ops.Softmax(scores, -1) },
				func(weights *graph.Node) *graph.Node { return ops.MatMul(weights, in[2]) },
				func(y *graph.Node) *graph.Node { return ops.Tanh(y) },
			}
			y := in[0]
			first := slices.Index([]string{"queries", "scores", "weights", "result"}, begins)
			for _, step := range steps[:first] {
				y = step(y)
			}
			y = wrap(y, func(x *graph.Node) *graph.Node {
				for _, step := range steps[first:] {
					x = step(x)
				}
				return x
			})
			outputs := append(nodes{y}, autodiff.Grad(ops.Sum(ops.Square(y)), in)...)
			prog, err := exec.Compile(g, exec.Outputs(outputs...))
			require.NoError(t, err, "from the %s", begins)
			result, err := prog.NewSession().Run(t.Context(), feed)
			require.NoError(t, err)
			for i, n := range outputs {
				a, err := result.Array(n)
				require.NoError(t, err)
				if form == 0 {
					want = append(want, slices.Clone(a.Data.([]float64)))
					continue
				}
				require.InDeltaSlice(t, want[i], a.Data, 1e-9, "from the %s, output %d", begins, i)
			}
		}
	}
}

// A loop that a checkpoint computes once more reads values of outside that wait for the gradient: the loop does then.
func TestLoopsWithinCheckpoints(t *testing.T) {
	build := func(wrap func(x *graph.Node, f func(x *graph.Node) *graph.Node) *graph.Node) (outputs nodes) {
		g := graph.New("loops")
		x, w := g.Input("x", graph.Float64, 3, 2), g.Input("w", graph.Float64, 2, 2)
		y := wrap(ops.Sin(x), func(x *graph.Node) *graph.Node {
			last, _ := ops.Scan(ops.Loop{Carry: nodes{ops.Mean(x, 0)}, Over: nodes{ops.Transpose(x, 0, 1)}, Axis: 1},
				func(c, row []*graph.Node) (next, out []*graph.Node) {
					y := wrap(c[0], func(c *graph.Node) *graph.Node {
						return ops.Cond(ops.Less(ops.Sum(c), graph.Num(0.5)), func() []*graph.Node {
							return nodes{ops.Tanh(ops.MatMul(c, w))}
						},
							func() []*graph.Node { return nodes{ops.Mul(c, ops.Sum(x))} })[0]
					})
					return nodes{ops.Add(y, row[0])}, nil
				})
			return last[0]
		})
		return append(nodes{y}, autodiff.Grad(ops.Sum(ops.Square(y)), nodes{x, w})...)
	}
	run := func(outputs nodes) [][]uint64 {
		g := outputs[0].Graph()
		return results(t, g, outputs, exec.Feed{
			g.ByName("x"): []float64{1, 2, -1, 0.5, 0.25, -2}, g.ByName("w"): []float64{1, -1, 2, 0.5}}, 1)
	}
	want, got := run(build(wraps[0])), run(build(wraps[1]))
	for i := range want {
		for k, bits := range want[i] {
			require.InDelta(t, math.Float64frombits(bits), math.Float64frombits(got[i][k]), 1e-12)
		}
	}
}

// Where nothing that a checkpoint reads has a gradient through it, it has none, as without it.
func TestCheckpointsWithoutGradients(t *testing.T) {
	g := graph.New("cut")
	x := g.Input("x", graph.Float64, 2)
	y := autodiff.Checkpoint(ops.Sin(x), func(x *graph.Node) *graph.Node { return ops.Tanh(ops.StopGradient(x)) })
	dx := autodiff.Grad(ops.Sum(ops.Mul(y, x)), nodes{x})
	got := results(t, g, append(dx, y), exec.Feed{x: []float64{1, 2}}, 1)
	require.Equal(t, got[1], got[0])
}

// A checkpoint whose result is itself kept, since what gives it may not run twice, or comes from outside, has the
// values and gradients of the function.
func TestCheckpointsOfWhatIsKept(t *testing.T) {
	double := func(a *graph.Arrays) error {
		for i, v := range graph.Elements[float64](a.In[0]) {
			graph.Elements[float64](a.Out)[i] = 2 * v
		}
		return nil
	}
	twice := func(_, dy *graph.Node, _ []*graph.Node) []*graph.Node { return nodes{ops.Mul(dy, graph.Num(2))} }
	for name, f := range map[string]func(x, w *graph.Node) *graph.Node{
		"callback": func(x, _ *graph.Node) *graph.Node {
			return ops.Callback("twice", nodes{x}, graph.Float64, x.Shape(), double, twice)
		},
		"print": func(x, _ *graph.Node) *graph.Node { return ops.Print(ops.Exp(x), "x") },
		"loop with a print": func(x, _ *graph.Node) *graph.Node {
			return ops.Fori(2, nodes{x}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
				return nodes{ops.Sin(ops.Print(c[0], "x"))}
			})[0]
		},
		"write":        func(x, _ *graph.Node) *graph.Node { return ops.AddInPlace(ops.Mul(x, graph.Num(3)), x) },
		"the operand":  func(x, _ *graph.Node) *graph.Node { return x },
		"from outside": func(_, w *graph.Node) *graph.Node { return w },
	} {
		var want [][]uint64
		for _, wrap := range wraps {
			g := graph.New(name)
			x, w := g.Input("x", graph.Float64, 3), g.Input("w", graph.Float64, 3)
			y := wrap(ops.Tanh(x), func(x *graph.Node) *graph.Node { return f(x, w) })
			grads := autodiff.Grad(ops.Sum(ops.Square(y)), nodes{x, w}, autodiff.ZeroForUnused())
			got := results(t, g, append(grads, y), exec.Feed{x: []float64{1, 2, 3}, w: []float64{-1, 0.5, 4}}, 1)
			if want == nil {
				want = got
			}
			require.Equal(t, want, got, name)
		}
	}
}

// Random numbers differ from step to step of all loops around them, and are the same where a gradient computes them
// again: each of these programs multiplies x by some of them, so that its gradient is y/x.
func TestDrawsThatGradientsComputeAgain(t *testing.T) {
	type step = func(x *graph.Node) *graph.Node
	loop := func(x *graph.Node, body func(i, x *graph.Node) *graph.Node) *graph.Node {
		return ops.Fori(3, nodes{x}, func(i *graph.Node, c []*graph.Node) []*graph.Node {
			return nodes{body(i, c[0])}
		})[0]
	}
	inSecond := func(i, x *graph.Node, f step) *graph.Node {
		return ops.Cond(ops.Equal(i, graph.Num(1)), func() []*graph.Node { return nodes{f(x)} }, func() []*graph.Node {
			return nodes{ops.Mul(x, graph.Num(2))}
		})[0]
	}
	slope := func(x *graph.Node, f step) *graph.Node {
		return ops.Mul(x, autodiff.Grad(ops.Sum(f(x)), nodes{x})[0])
	}
	for name, build := range map[string]func(x *graph.Node, draw step) *graph.Node{
		"checkpoint in a branch of a step": func(x *graph.Node, draw step) *graph.Node {
			return loop(x, func(i, x *graph.Node) *graph.Node {
				return inSecond(i, x, func(x *graph.Node) *graph.Node { return autodiff.Checkpoint(x, draw) })
			})
		},
		"checkpoint of a branch of a step": func(x *graph.Node, draw step) *graph.Node {
			return loop(x, func(i, x *graph.Node) *graph.Node {
				return autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node { return inSecond(i, x, draw) })
			})
		},
		"checkpoint in a loop of a step": func(x *graph.Node, draw step) *graph.Node {
			return loop(x, func(_, x *graph.Node) *graph.Node {
				return loop(x, func(_, x *graph.Node) *graph.Node { return autodiff.Checkpoint(x, draw) })
			})
		},
		"checkpoint of a loop of a step": func(x *graph.Node, draw step) *graph.Node {
			return loop(x, func(_, x *graph.Node) *graph.Node {
				return autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node {
					return loop(x, func(_, x *graph.Node) *graph.Node { return draw(x) })
				})
			})
		},
		"gradient of a branch within the step": func(x *graph.Node, draw step) *graph.Node {
			return loop(x, func(i, x *graph.Node) *graph.Node {
				return slope(x, func(x *graph.Node) *graph.Node { return inSecond(i, x, draw) })
			})
		},
		"gradient of a branch of a loop within the step": func(x *graph.Node, draw step) *graph.Node {
			return loop(x, func(i, x *graph.Node) *graph.Node {
				return slope(x, func(x *graph.Node) *graph.Node {
					return loop(x, func(_, x *graph.Node) *graph.Node { return inSecond(i, x, draw) })
				})
			})
		},
		"gradient within a checkpoint": func(x *graph.Node, draw step) *graph.Node {
			return loop(x, func(i, x *graph.Node) *graph.Node {
				return autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node {
					return slope(x, func(x *graph.Node) *graph.Node { return inSecond(i, x, draw) })
				})
			})
		},
	} {
		g := graph.New("draws")
		x, seed := g.Input("x", graph.Float64, 3), g.Input("seed", graph.Int64)
		y := build(x, func(x *graph.Node) *graph.Node { return ops.Mul(ops.Uniform(seed, graph.Float64, 3), x) })
		dx := autodiff.Grad(ops.Sum(y), nodes{x})[0]
		prog, err := exec.Compile(g, exec.Outputs(y, ops.Mul(x, dx)))
		require.NoError(t, err, name)
		r, err := prog.NewSession().Run(t.Context(), exec.Feed{x: []float64{1, 2, -3}, seed: 5})
		require.NoError(t, err, name)
		want, err := exec.Values[float64](r, y)
		require.NoError(t, err)
		got, err := exec.Values[float64](r, prog.Plan().Results[1])
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-12, name)
	}
}
