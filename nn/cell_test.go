package nn_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// stepped is a case of a cell: what it gives of a value and a state, side by side.
func stepped(make func(g *graph.Graph) *nn.RecurrentCell) torchCase {
	return func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return ops.Concat(-1, make(g).ApplyFrom(p, x[0], x[1:]...)...)
	}
}

// inEvaluation is a case of a layer that is applied in a pass of evaluation.
func inEvaluation(make func(g *graph.Graph) nn.Layer) torchCase {
	return func(g *graph.Graph, _ *nn.Pass, x []*graph.Node) *graph.Node {
		return make(g).Apply(nn.Evaluation(g), x[0])
	}
}

// cellCases are those that testdata/layers.py writes for cells.
var cellCases = map[string]torchCase{
	"rnn cell": of(func(g *graph.Graph) nn.Layer { return nn.NewRNNCell(g, "", 3, 4, f64) }),
	"rnn cell of relu from a state, without bias": stepped(func(g *graph.Graph) *nn.RecurrentCell {
		return nn.NewRNNCell(g, "", 3, 4, nn.Activation(ops.Relu), nn.NoBias(), f64)
	}),
	"lstm cell": of(func(g *graph.Graph) nn.Layer { return nn.NewLSTMCell(g, "", 3, 4, f64) }),
	"lstm cell from a state": stepped(func(g *graph.Graph) *nn.RecurrentCell {
		return nn.NewLSTMCell(g, "", 3, 4, f64)
	}),
	"gru cell": of(func(g *graph.Graph) nn.Layer { return nn.NewGRUCell(g, "", 3, 4, f64) }),
	"gru cell from a state, without bias": stepped(func(g *graph.Graph) *nn.RecurrentCell {
		return nn.NewGRUCell(g, "", 3, 4, nn.NoBias(), f64)
	}),
	"rnn cell of one example": of(func(g *graph.Graph) nn.Layer {
		return nn.NewRNNCell(g, "", 3, 4, f64)
	}),
	"lstm cell of one example from a state": stepped(func(g *graph.Graph) *nn.RecurrentCell {
		return nn.NewLSTMCell(g, "", 3, 4, f64)
	}),
	"gru cell of one example from a state": stepped(func(g *graph.Graph) *nn.RecurrentCell {
		return nn.NewGRUCell(g, "", 3, 4, f64)
	}),
	"prelu":               of(func(g *graph.Graph) nn.Layer { return nn.NewPRelu(g, "", 1, f64) }),
	"prelu of channels":   of(func(g *graph.Graph) nn.Layer { return nn.NewPRelu(g, "", 3, f64) }),
	"local response norm": of(func(*graph.Graph) nn.Layer { return nn.LocalResponseNorm(3, 0.2, 0.75, 1.5) }),
	"tracked instance norm": of(func(g *graph.Graph) nn.Layer {
		return nn.NewInstanceNorm(g, "", 3, nn.TrackRunningStats(), nn.Momentum(0.3), f64)
	}),
	"tracked instance norm in evaluation": inEvaluation(func(g *graph.Graph) nn.Layer {
		return nn.NewInstanceNorm(g, "", 3, nn.TrackRunningStats(), nn.NoAffine(), nn.Epsilon(1e-3), f64)
	}),
	"adaptive softmax": of(func(g *graph.Graph) nn.Layer {
		return nn.NewAdaptiveLogSoftmax(g, "", 16, 10, []int{3, 6}, f64)
	}),
	"adaptive softmax with a loss": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		output, loss := nn.NewAdaptiveLogSoftmax(
			g, "", 16, 10, []int{3, 6}, nn.DivValue(2.5), nn.HeadBias(), f64).Loss(p, x[0], x[1])
		return ops.Concat(0, output, ops.Unsqueeze(loss, 0))
	},
	"convolutional lstm cell": func(g *graph.Graph, p *nn.Pass, x []*graph.Node) *graph.Node {
		return ops.Concat(1, nn.NewConvLSTMCell(g, "", 2, 3, 3, f64).ApplyFrom(p, x[0], x[1:]...)...)
	},
	"convolutional lstm cell from zeros": of(func(g *graph.Graph) nn.Layer {
		return nn.NewConvLSTMCell(g, "", 2, 3, 3, f64)
	}),
	"rrelu in evaluation": inEvaluation(func(*graph.Graph) nn.Layer { return nn.RRelu(0.1, 0.3) }),
}

// TestLayersThatDraw: they draw in training, other numbers in each step, and give in evaluation what they should.
func TestLayersThatDraw(t *testing.T) {
	for name, c := range map[string]struct {
		layer nn.Layer
		rest  float32 // of -2 in evaluation
	}{
		"FeatureDropout":      {nn.FeatureDropout(0.5), -2},
		"AlphaDropout":        {nn.AlphaDropout(0.5), -2},
		"FeatureAlphaDropout": {nn.FeatureAlphaDropout(0.5), -2},
		"StochasticDepth":     {nn.StochasticDepth(0.5), -2},
		"RRelu":               {nn.RRelu(0.25, 0.75), -1},
	} {
		g := graph.New("drawing")
		x, training := g.Input("x", graph.Float32, 8, 4, 2), nn.Training(g)
		y, rest := c.layer.Apply(training, x), c.layer.Apply(nn.Evaluation(g), x)
		p, err := exec.Compile(g, exec.Outputs(y, rest), exec.Updates(training.Updates()...))
		require.NoError(t, err, name)
		s, data := p.NewSession(exec.Seed(3)), make([]float32, 64)
		for i := range data {
			data[i] = -2
		}
		var before []float32
		for range 2 {
			r, err := s.Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{8, 4, 2}, Data: data}})
			require.NoError(t, err)
			drawn, err := exec.Values[float32](r, y)
			require.NoError(t, err)
			require.NotEqual(t, before, drawn, name)
			before = slices.Clone(drawn)
			kept, err := exec.Values[float32](r, rest)
			require.NoError(t, err)
			for _, v := range kept {
				require.InDelta(t, c.rest, v, 1e-6, name)
			}
		}
		require.ErrorContains(t, c.layer.Apply(nil, x).Err(), "the pass is nil", name)
	}
}

// TestStatesOfACell: as many as it has, of its width and dtype.
func TestStatesOfACell(t *testing.T) {
	g := graph.New("cell")
	x, h := g.Input("x", graph.Float32, g.Dim("batch"), 3), g.Input("h", graph.Float32, g.Dim("batch"), 4)
	cell, p := nn.NewLSTMCell(g, "cell", 3, 4), nn.Evaluation(g)
	next := cell.ApplyFrom(p, x, h, h)
	require.NoError(t, next[0].Err())
	require.Equal(t, h.Shape(), next[1].Shape())
	require.ErrorContains(t, cell.ApplyFrom(p, x, h)[1].Err(), "got 1 states, but the cell has 2")
	require.ErrorContains(t, cell.ApplyFrom(p, x, h, ops.Cast(h, graph.Float64))[0].Err(),
		"but the parameters are float32")
	_, err := exec.Compile(g, exec.Outputs(cell.Apply(p, h)))
	require.ErrorContains(t, err, "LSTMCell cell")
}

// Wrong clusters are reported where the layer is declared, and a wrong class when it runs.
func TestMistakesOfAdaptiveSoftmaxAndConvolutionalCells(t *testing.T) {
	for want, make := range map[string]func(g *graph.Graph, p *nn.Pass, x *graph.Node) *graph.Node{
		"cutoffs should be a sequence of unique": func(g *graph.Graph, p *nn.Pass, x *graph.Node) *graph.Node {
			return nn.NewAdaptiveLogSoftmax(g, "classes", 16, 10, []int{3, 3}).Apply(p, x)
		},
		"would have less than one feature": func(g *graph.Graph, p *nn.Pass, x *graph.Node) *graph.Node {
			return nn.NewAdaptiveLogSoftmax(g, "classes", 16, 10, []int{2, 4, 6}, nn.DivValue(8)).Apply(p, x)
		},
		"classes.Apply(p, x): mat1 and mat2 shapes cannot be multiplied": func(g *graph.Graph, p *nn.Pass,
			x *graph.Node) *graph.Node {
			return nn.NewAdaptiveLogSoftmax(g, "classes", 15, 10, []int{2}).Apply(p, x)
		},
		"got 1 states, but the cell has 2": func(g *graph.Graph, p *nn.Pass, _ *graph.Node) *graph.Node {
			image := g.Input("image", graph.Float32, 2, 3, 4, 5)
			return nn.NewConvLSTMCell(g, "cell", 3, 3, 3).ApplyFrom(p, image, image)[0]
		},
	} {
		g := graph.New("mistakes")
		x := g.Input("x", graph.Float32, 4, 16)
		make(g, nn.Evaluation(g), x)
		require.ErrorContains(t, g.Err(), want)
	}

	g := graph.New("run")
	x, target := g.Input("x", graph.Float32, 16), g.Input("target", graph.Int64)
	_, loss := nn.NewAdaptiveLogSoftmax(g, "classes", 16, 10, []int{3, 6}).Loss(nn.Training(g), x, target)
	prog, err := exec.Compile(g, exec.Outputs(loss))
	require.NoError(t, err)
	_, err = prog.NewSession(exec.Seed(1)).Run(t.Context(), exec.Feed{x: make([]float32, 16), target: int64(10)})
	require.ErrorContains(t, err, "index is out of bounds")
}

// A loop over the batch in place of time gives a cell states of another size: the error says which axis was meant.
func TestCellsInALoopOverTheWrongAxis(t *testing.T) {
	for axis, wrong := range []bool{true, false} {
		g := graph.New("loop")
		x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("time"), 8)
		cell, zero := nn.NewGRUCell(g, "cell", 8, 4), ops.Zeros(g, graph.Float32, x.Shape()[0], 4)
		ops.Scan(ops.Loop{Carry: []*graph.Node{zero}, Over: []*graph.Node{x}, Axis: axis},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				return cell.ApplyFrom(nn.Evaluation(g), x[0], c...), nil
			})
		if report := shapeinfer.Check(g); wrong {
			require.Contains(t, report.String(), "let the loop go over axis 1 of x: ops.Loop{Axis: 1, …} gives slices [batch, 8]")
		} else {
			require.NoError(t, report.Err())
		}
	}
}
