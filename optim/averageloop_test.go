package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestAveragesInLoops evaluates values of loops by averages, and finds what a session finds whose parameters are the
// averages.
func TestAveragesInLoops(t *testing.T) {
	models := map[string]func(g *graph.Graph, x, w *graph.Node) *graph.Node{
		"recurrent": func(g *graph.Graph, x, w *graph.Node) *graph.Node {
			return nn.NewGRU(g, "gru", 3, 4, nn.Bidirectional(), nn.Layers(2)).Apply(
				nn.Evaluation(g), ops.Unsqueeze(ops.MatMul(x, w), 0))
		},
		"a loop in a loop, of which the inner one alone reads the parameter": func(g *graph.Graph, x,
			w *graph.Node) *graph.Node {
			final, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, graph.Float32, 3)}, Over: []*graph.Node{x}},
				func(carry, part []*graph.Node) (next, out []*graph.Node) {
					return ops.Fori(2, []*graph.Node{ops.Add(carry[0], part[0])},
						func(i *graph.Node, c []*graph.Node) []*graph.Node {
							return []*graph.Node{ops.Tanh(ops.Add(ops.MatMul(c[0], w), ops.Cast(i, graph.Float32)))}
						}), nil
				})
			return final[0]
		},
		"the first value": func(_ *graph.Graph, x, w *graph.Node) *graph.Node {
			return ops.Fori(3, []*graph.Node{ops.MatMul(x, w)}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
				return []*graph.Node{ops.Sin(c[0])}
			})[0]
		},
		"while": func(_ *graph.Graph, x, w *graph.Node) *graph.Node {
			final, steps := ops.While(20, []*graph.Node{x}, func(c []*graph.Node) *graph.Node {
				return ops.Greater(ops.Max(ops.Abs(c[0])), graph.Num(0.1))
			}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
				return []*graph.Node{ops.Mul(ops.MatMul(c[0], w), graph.Num(0.3))}
			})
			return ops.Add(final[0], ops.Cast(steps, graph.Float32))
		},
		"a branch that is not computed": func(g *graph.Graph, x, w *graph.Node) *graph.Node {
			return ops.Cond(ops.Greater(ops.Sum(x), graph.Num(0)),
				func() []*graph.Node { return []*graph.Node{ops.MatMul(x, w)} },
				func() []*graph.Node { // whose row is not there
					row := ops.Cast(ops.Add(ops.Select(x, 1, 0), graph.Num(100)), graph.Int64)
					return []*graph.Node{ops.MatMul(ops.Take(x, 0, row), w)}
				})[0]
		},
	}
	for name, build := range models {
		t.Run(name, func(t *testing.T) {
			g := graph.New("loops")
			x := g.Input("x", graph.Float32, 2, 3)
			w := g.ParamInit("w", graph.Float32, nn.Orthogonal(1), 3, 3)
			answer := build(g, x, w)
			params := optim.Trainable(g)
			loss := ops.Sum(ops.Square(ops.Add(answer, ops.Mul(graph.Num(1e-3), ops.Sum(w)))))
			step := optim.Adam(0.1).Minimize(loss)
			ema := optim.EMA(0.8, params, step)
			averaged := ema.Evaluate(answer)
			require.NoError(t, g.Err())
			sess := session(t, g, exec.Updates(append(step, ema.Updates()...)...))
			feed := exec.Feed{x: []float32{1, -2, 3, 0.5, 0.25, 1}}
			for range 4 {
				_, err := sess.Run(t.Context(), feed)
				require.NoError(t, err)
			}
			for _, p := range params {
				require.NotNil(t, ema.Of(p))
			}
			requireAveraged(t, sess, ema, answer, averaged, feed)
		})
	}
}
