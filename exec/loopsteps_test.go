package exec_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/kernels/clock"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/ops"
)

// smallBodies are steps of small kernels alone. Each is given two carried values of [3, 4] and a part of as many
// elements.
var smallBodies = map[string]func(i *graph.Node, c nodes, x *graph.Node) (next, out nodes){
	"decays": func(_ *graph.Node, c nodes, x *graph.Node) (next, out nodes) {
		h := ops.Add(ops.Mul(c[0], graph.Num(0.9)), x)
		return nodes{h, c[1]}, nodes{h}
	},
	"exchanges": func(_ *graph.Node, c nodes, x *graph.Node) (next, out nodes) {
		return nodes{ops.Sub(c[1], x), c[0]}, nodes{ops.Tanh(c[1])}
	},
	"columns, rows and the step": func(i *graph.Node, c nodes, x *graph.Node) (next, out nodes) {
		y := ops.Softmax(
			ops.Add(c[0], ops.Mul(ops.Transpose(ops.Reshape(x, 4, 3), 0, 1), ops.Cast(i, graph.Float32))), 1)
		return nodes{ops.Flip(y, 0), ops.Add(c[1], ops.Max(y, 1, ops.KeepDims()))}, nodes{ops.Sum(y, 0), x}
	},
	"sums over rows": func(_ *graph.Node, c nodes, x *graph.Node) (next, out nodes) {
		y := ops.LogSumExp(ops.Add(c[0], ops.Mul(c[1], x)), 0, ops.KeepDims())
		return nodes{ops.Sub(x, y), ops.Mul(c[0], graph.Num(0.5))}, nodes{ops.Sum(x, 0), y}
	},
	"a loop within": func(_ *graph.Node, c nodes, x *graph.Node) (next, out nodes) {
		inner, rows := ops.Scan(
			ops.Loop{Carry: nodes{ops.Select(c[0], 0, 0), ops.Select(x, 0, 1)}, Over: nodes{ops.Concat(0, c[1], x)}},
			func(h, row nodes) (next, out nodes) {
				s := ops.Sin(ops.Add(ops.Mul(h[0], row[0]), h[1]))
				return nodes{s, ops.Mul(h[1], graph.Num(0.5))}, nodes{s}
			})
		return nodes{ops.Sub(c[0], inner[0]),
			ops.Mul(ops.Add(ops.Slice(rows[0], 0, 1, 4, 1), inner[1]), graph.Num(0.5))}, nodes{rows[0]}
	},
	"hands on what it gives out": func(_ *graph.Node, c nodes, x *graph.Node) (next, out nodes) {
		y := ops.Where(ops.Greater(x, graph.Num(0)), c[0], ops.Sin(c[1]))
		return nodes{y, x}, nodes{y, x, c[0]}
	},
}

// Steps that are taken together give the bits of steps that are taken one by one, as those are in which Go functions
// are looked at.
func TestStepsTakenTogether(t *testing.T) {
	for name, body := range smallBodies {
		t.Run(name, func(t *testing.T) {
			g := graph.New(name)
			T := g.Dim("T", graph.AtLeast(0))
			x, count := g.Input("x", graph.Float32, T, 3, 4), g.Input("count", graph.Int64)
			begin := nodes{g.Input("a", graph.Float32, 3, 4), g.Input("b", graph.Float32, 3, 4)}
			var outputs nodes
			for _, reverse := range []bool{false, true} {
				final, outs := ops.Scan(ops.Loop{Carry: begin, Over: nodes{ops.Iota(g, 0, T), x}, Reverse: reverse},
					func(c, x nodes) (next, out nodes) { return body(x[0], c, x[1]) })
				outputs = slices.Concat(outputs, final, outs,
					autodiff.Grad(ops.Sum(ops.Mul(final[0], final[1])), begin, autodiff.ZeroForUnused()))
			}
			final, steps := ops.While(T, append(nodes{count}, begin...), func(c nodes) *graph.Node {
				return ops.Greater(c[0], graph.Num(0))
			}, func(i *graph.Node, c nodes) nodes {
				next, _ := body(i, c[1:], ops.Mul(c[1], graph.Num(0.25)))
				return append(nodes{ops.Sub(c[0], graph.Num(1))}, next...)
			})
			outputs = append(append(outputs, final...), steps)
			p, err := exec.Compile(g, exec.Outputs(outputs...), exec.OnWarning(nil))
			require.NoError(t, err)
			together, single := p.NewSession(), p.NewSession(exec.GuardOperands())
			for _, length := range []int{0, 1, 2, 5, 6, 7, 700, 3} {
				feed := feedOf(g, length, 4)
				for _, n := range []int64{0, 1, 5, int64(length) - 1, int64(length), 300} {
					feed[count] = n
					require.Equal(t, arraysOf(t, single, feed, outputs), arraysOf(t, together, feed, outputs),
						"%d steps, of While %d", length, n)
				}
				allocs.RequireNone(t, 3, func() {
					if _, err := together.Run(t.Context(), feed); err != nil {
						t.Fatal(err)
					}
				})
			}
		})
	}
}

func arraysOf(t *testing.T, s *exec.Session, feed exec.Feed, outputs nodes) (all []string) {
	r, err := s.Run(t.Context(), feed)
	require.NoError(t, err)
	for _, n := range outputs {
		a, err := r.Array(n)
		require.NoError(t, err)
		all = append(all, fmt.Sprint(a.Shape, a.Data))
	}
	return all
}

// A step of few elements takes little more time than they do.
func TestSmallStepsTakeLittleTime(t *testing.T) {
	if !cpu.JIT() || cpu.Chosen() < cpu.AVX2 {
		t.Skip("there is no machine code")
	}
	for name, body := range map[string]func(i, x *graph.Node) *graph.Node{
		"arithmetic": func(_, x *graph.Node) *graph.Node { return ops.Mul(ops.Add(x, graph.Num(0.1)), graph.Num(0.5)) },
		"a ring buffer": func(i, x *graph.Node) *graph.Node {
			at := ops.Remainder(i, graph.Num(4))
			return ops.DynamicUpdateSlice(x, ops.Unsqueeze(ops.Mul(ops.Take(x, 0, at), graph.Num(0.5)), 0), at)
		},
	} {
		t.Run(name, func(t *testing.T) { takesLittleTime(t, body) })
	}
}

func takesLittleTime(t *testing.T, body func(i, x *graph.Node) *graph.Node) {
	g := graph.New("small")
	x := g.Input("x", graph.Float32, 4)
	f := ops.Fori(20_000, nodes{x}, func(i *graph.Node, c nodes) nodes { return nodes{body(i, c[0])} })
	p, err := exec.Compile(g, exec.Outputs(f[0]))
	require.NoError(t, err)
	least := func(options ...exec.SessionOption) time.Duration {
		s, d := p.NewSession(options...), time.Hour
		for range 8 {
			began := clock.Now()
			_, err := s.Run(t.Context(), exec.Feed{x: []float32{1, 2, 3, 4}})
			require.NoError(t, err)
			d = min(d, clock.Now()-began)
		}
		return d
	}
	together, single := least(exec.Threads(1)), least(exec.Threads(1), exec.GuardOperands())
	t.Logf("20,000 steps take %v, and one by one %v", together, single)
	require.Less(t, 2*together, single)
}
