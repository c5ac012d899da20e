package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// aboutAxes are programs that draw each warning about axes, the field of the policy that decides about
// it, and the node at which it can be silenced.
var aboutAxes = []struct {
	code  graph.Code
	set   func(*graph.Policy, graph.WarnChoice)
	build func(g *graph.Graph, b, t graph.Dim) *graph.Node
}{
	{graph.CodeAxisMixing, func(p *graph.Policy, c graph.WarnChoice) { p.AxisMixing = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Reshape(g.Input("x", f32, b, 8, t, 64), b, t, 512)
		}},
	{graph.CodeReducedAxis, func(p *graph.Policy, c graph.WarnChoice) { p.ReducedAxis = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			x := g.Input("x", f32, t, t)
			return ops.Sub(x, ops.Mean(x, 1))
		}},
	{graph.CodeVectorAxis, func(p *graph.Policy, c graph.WarnChoice) { p.VectorAxis = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Sub(g.Input("x", f32, b, 3, 3, 3), g.Input("mean", f32, 3))
		}},
	{graph.CodeOverExamples, func(p *graph.Policy, c graph.WarnChoice) { p.OverExamples = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node { return ops.Softmax(g.Input("x", f32, b, 10), 0) }},
	{graph.CodeAttentionOverExamples, func(p *graph.Policy, c graph.WarnChoice) { p.AttentionOverExamples = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			x := ops.Transpose(g.Input("x", f32, b, t, 8), 0, 1)
			return ops.Softmax(ops.Einsum("tbd,tcd->tbc", x, x), -1)
		}},
	{graph.CodeExamplePositions, func(p *graph.Policy, c graph.WarnChoice) { p.ExamplePositions = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			at := ops.Cast(ops.Reshape(ops.Iota(g, 0, b), b, 1, 1), f32)
			return ops.Add(g.Input("x", f32, b, t, 8), ops.Sin(ops.Mul(at, g.Param("rates", f32, 8))))
		}},
	{graph.CodeOnePosition, func(p *graph.Policy, c graph.WarnChoice) { p.OnePosition = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			row := ops.Select(g.Param("table", f32, 100, 8), 0, t)
			ops.Add(g.Input("x", f32, b, t, 8), row)
			return row
		}},
	{graph.CodeMaskedRows, func(p *graph.Policy, c graph.WarnChoice) { p.MaskedRows = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			scores := ops.Where(g.Input("keep", graph.Bool, b, t, 1), g.Input("scores", f32, b, t, t), graph.Num(-1e9))
			ops.Softmax(scores, -1)
			return scores
		}},
	{graph.CodeKeptWeights, func(p *graph.Policy, c graph.WarnChoice) { p.KeptWeights = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			x := g.Input("x", f32, b, t, 8)
			weights := ops.Softmax(ops.MatMul(x, ops.Transpose(x, 1, 2)), 1)
			ops.MatMul(weights, x)
			return weights
		}},
	{graph.CodeOtherOrder, func(p *graph.Policy, c graph.WarnChoice) { p.OtherOrder = c },
		func(g *graph.Graph, b, t graph.Dim) *graph.Node {
			return ops.Sub(ops.Flatten(g.Input("x", f32, b, t), 0, 1), ops.Flatten(g.Input("y", f32, t, b), 0, 1))
		}},
}

func TestWarningsAboutAxesAreChosen(t *testing.T) {
	for _, c := range aboutAxes {
		t.Run(string(c.code), func(t *testing.T) {
			for choice, want := range map[graph.WarnChoice][2]int{
				graph.WarnByDefault: {0, 1}, graph.AllowSilently: {0, 0}, graph.RefuseAlways: {1, 0}} {
				p := graph.Policy{}
				c.set(&p, choice)
				g := graph.New("axes", graph.WithPolicy(p))
				y := c.build(g, g.Dim("batch"), g.Dim("seq", graph.AtMost(99)))
				r := shapeinfer.Check(g)
				require.Equal(t, want, [2]int{len(r.Errors), len(r.Warnings)}, "%v: %s", choice, r)
				for _, m := range append(r.Errors, r.Warnings...) {
					assert.Equal(t, c.code, m.Code)
					assert.Contains(t, m.Error(), "axeslint_test.go:")
				}
				y.Silence(c.code)
				r = shapeinfer.Check(g)
				assert.Empty(t, append(r.Errors, r.Warnings...))
			}
		})
	}
}

// A warning of a loop along the examples is silenced at any result of the loop, or of the layer that has it, whatever
// the number of its parts.
func TestLoopsOverExamplesAreSilenced(t *testing.T) {
	for name, result := range map[string]func(g *graph.Graph, x *graph.Node) *graph.Node{
		"of a layer": func(g *graph.Graph, x *graph.Node) *graph.Node {
			return nn.NewLSTM(g, "lstm", 8, 16, nn.Layers(4), nn.Bidirectional()).Apply(nn.Evaluation(g), x)
		},
		"of states": func(g *graph.Graph, x *graph.Node) *graph.Node {
			_, final := nn.NewLSTM(g, "lstm", 8, 16, nn.Layers(4)).ApplyFrom(nn.Evaluation(g), x)
			return final[1]
		},
		"of layers": func(g *graph.Graph, x *graph.Node) *graph.Node {
			return nn.Sequential(nn.NewLSTM(g, "lstm", 8, 16), nn.NewLSTM(g, "more", 16, 16, nn.Layers(4)),
				nn.NewLinear(g, "fc", 16, 3)).Apply(nn.Evaluation(g), x)
		},
		"of a loop": func(g *graph.Graph, x *graph.Node) *graph.Node {
			final, _ := ops.Scan(
				ops.Loop{Carry: []*graph.Node{ops.Zeros(g, f32, x.Shape()[1], 8)}, Over: []*graph.Node{x}},
				func(carry, x []*graph.Node) (next, out []*graph.Node) {
					h := ops.Tanh(ops.Add(carry[0], x[0]))
					return []*graph.Node{h}, []*graph.Node{h}
				})
			return final[0]
		},
	} {
		for _, silenced := range []bool{false, true} {
			g := graph.New("loops")
			batch, seq := g.Dim("batch"), g.Dim("seq")
			x := g.Input("x", f32, seq, batch, 8)
			if name == "of a loop" {
				x = g.Input("y", f32, batch, seq, 8)
			}
			if y := result(g, x); silenced {
				y.Silence(graph.CodeAttentionOverExamples)
			}
			warns := false
			for _, m := range shapeinfer.Check(g).Warnings {
				warns = warns || m.Code == graph.CodeAttentionOverExamples
			}
			require.Equal(t, !silenced, warns, "%s, silenced: %v", name, silenced)
		}
	}
}

// A number that was computed from all examples is noted, refused or let pass.
func TestNoteOfWholeBatchIsChosen(t *testing.T) {
	for choice, want := range map[graph.WarnChoice][2]int{
		graph.WarnByDefault: {0, 1}, graph.AllowSilently: {0, 0}, graph.RefuseAlways: {1, 0}} {
		g := graph.New("whole", graph.WithPolicy(graph.Policy{WholeBatch: choice}))
		b := g.Dim("batch")
		y := ops.Sub(g.Input("target", f32, b), ops.Sum(g.Input("q", f32, b, 4)))
		r := shapeinfer.Check(g)
		require.Equal(t, want, [2]int{len(r.Errors), len(r.Notes)}, "%v: %s", choice, r)
		y.Silence(graph.CodeWholeBatch)
		r = shapeinfer.Check(g)
		assert.Empty(t, append(r.Errors, r.Notes...))
	}
}
