package nn_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// bodies apply a layer in the body of a loop, in a branch, or to one example.
var bodies = map[string]func(h *graph.Node, apply func(*graph.Node) *graph.Node) *graph.Node{
	"Fori": func(h *graph.Node, apply func(*graph.Node) *graph.Node) *graph.Node {
		return ops.Fori(3, []*graph.Node{h}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{apply(c[0])}
		})[0]
	},
	"While": func(h *graph.Node, apply func(*graph.Node) *graph.Node) *graph.Node {
		final, _ := ops.While(3, []*graph.Node{h}, func(c []*graph.Node) *graph.Node {
			return ops.Less(ops.Sum(c[0]), graph.Num(3))
		},
			func(_ *graph.Node, c []*graph.Node) []*graph.Node { return []*graph.Node{apply(c[0])} })
		return final[0]
	},
	"Cond": func(h *graph.Node, apply func(*graph.Node) *graph.Node) *graph.Node {
		return ops.Cond(ops.Less(ops.Sum(h), graph.Num(3)), func() []*graph.Node { return []*graph.Node{apply(h)} },
			func() []*graph.Node { return []*graph.Node{h} })[0]
	},
	"Vmap": func(h *graph.Node, apply func(*graph.Node) *graph.Node) *graph.Node {
		return ops.Vmap([]*graph.Node{ops.Stack(0, h, h)}, func(e []*graph.Node) []*graph.Node {
			return []*graph.Node{apply(e[0])}
		})[0]
	},
}

// A layer that would write its state in each step is refused in one message, which says what can be done.
func TestStatesWrittenInBodies(t *testing.T) {
	for name, layer := range map[string]func(g *graph.Graph) nn.Layer{
		"BatchNorm": func(g *graph.Graph) nn.Layer { return nn.NewBatchNorm(g, "norm", 8) },
		"InstanceNorm": func(g *graph.Graph) nn.Layer {
			return nn.NewInstanceNorm(g, "norm", 8, nn.TrackRunningStats())
		},
	} {
		for body, in := range bodies {
			t.Run(name+" in "+body, func(t *testing.T) {
				g := graph.New("g")
				l, pass := layer(g), nn.Training(g)
				y := in(g.Input("h", graph.Float32, 4, 8, 5), func(x *graph.Node) *graph.Node {
					return l.Apply(pass, x)
				})
				_, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
				require.Len(t, g.Mistakes(), 1, err)
				assert.ErrorContains(t, err, "norm.running_mean")
				assert.ErrorContains(t, err, "passloop_test.go:")
				assert.ErrorContains(t, err, "nn.Evaluation(g)")
				assert.ErrorContains(t, err, "nn.Pass.Carrying")
				if body == "Vmap" {
					assert.ErrorContains(t, err, "the function of an example would write norm.running_mean")
				}

				g = graph.New("cure")
				l, pass = layer(g), nn.Training(g)
				y = in(g.Input("h", graph.Float32, 4, 8, 5), func(x *graph.Node) *graph.Node {
					return l.Apply(nn.Evaluation(g), x)
				})
				_, err = exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
				assert.NoError(t, err)
			})
		}
	}
}

// What is computed of no value of a step is written once in a run.
func TestStatesWrittenAroundBodies(t *testing.T) {
	for name, layer := range map[string]func(g *graph.Graph) nn.Layer{
		"Dropout":      func(*graph.Graph) nn.Layer { return nn.Dropout(0.5) },
		"SpectralNorm": func(g *graph.Graph) nn.Layer { return nn.NewLinear(g, "l", 8, 8, nn.SpectralNorm(1)) },
	} {
		for body, in := range bodies {
			g := graph.New("g")
			l, pass := layer(g), nn.Training(g)
			y := in(g.Input("h", graph.Float32, 4, 8), func(x *graph.Node) *graph.Node { return l.Apply(pass, x) })
			_, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
			assert.NoError(t, err, name+" in "+body)
			assert.NotEmpty(t, pass.Updates())
		}
	}
}

// A loop that carries running statistics leaves those of layers applied one after the other.
func TestCarryingPass(t *testing.T) {
	const steps = 3
	build := func(loops bool) []float32 {
		g := graph.New("g")
		norm, pass := nn.NewBatchNorm(g, "norm", 2), nn.Training(g)
		x := g.Input("x", graph.Float32, 4, 2)
		move := func(y *graph.Node) *graph.Node { return ops.Add(ops.Square(y), x) }
		y := x
		if loops {
			states := []*graph.Node{norm.RunningMean, norm.RunningVar, norm.NumBatchesTracked}
			final := ops.Fori(steps, append([]*graph.Node{x}, states...),
				func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					step := pass.Carrying(states, c[1:])
					y := move(norm.Apply(step, c[0]))
					return []*graph.Node{y, step.Value(states[0]), step.Value(states[1]), step.Value(states[2])}
				})
			y = final[0]
			for i, s := range states {
				pass.Write(s, final[1+i])
			}
		} else {
			for range steps {
				y = move(norm.Apply(pass, y))
			}
		}
		p, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
		require.NoError(t, err)
		s := p.NewSession()
		r, err := s.Run(context.Background(), exec.Feed{x: [][]float32{{1, 2}, {3, -1}, {0.5, 4}, {2, 2}}})
		require.NoError(t, err)
		got, err := exec.Values[float32](r, y)
		require.NoError(t, err)
		for _, n := range []*graph.Node{norm.RunningMean, norm.RunningVar} {
			a, err := s.Param(n)
			require.NoError(t, err)
			got = append(got, a.Data.([]float32)...)
		}
		a, err := s.Param(norm.NumBatchesTracked)
		require.NoError(t, err)
		return append(got, float32(a.Data.([]int64)[0]))
	}
	want, got := build(false), build(true)
	assert.InDeltaSlice(t, want, got, 1e-5)
	assert.Equal(t, float32(steps), got[len(got)-1])
}
