package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/shapeinfer"
)

var recurrentKinds = map[string]func(g *graph.Graph, opts ...nn.Option) *nn.Recurrent{
	"rnn":  func(g *graph.Graph, opts ...nn.Option) *nn.Recurrent { return nn.NewRNN(g, "net", 4, 3, opts...) },
	"lstm": func(g *graph.Graph, opts ...nn.Option) *nn.Recurrent { return nn.NewLSTM(g, "net", 4, 3, opts...) },
	"gru":  func(g *graph.Graph, opts ...nn.Option) *nn.Recurrent { return nn.NewGRU(g, "net", 4, 3, opts...) },
}

// TestRecurrentNetworksGoOn goes over sequences in two parts, the second of which begins with the state
// after the first one, and compares with the whole sequences; parts without a place are among them.
func TestRecurrentNetworksGoOn(t *testing.T) {
	const batch = 2
	for name, build := range recurrentKinds {
		g := graph.New(name)
		l := build(g, nn.Layers(2), f64)
		x := g.Input("x", graph.Float64, batch, g.Dim("t", graph.AtLeast(0)), 4)
		z := g.Input("z", graph.Float64, batch, g.Dim("u", graph.AtLeast(0)), 4)
		p := nn.Evaluation(g)
		whole := l.Apply(p, ops.Concat(1, x, z))
		first, state := l.ApplyFrom(p, x)
		second, _ := l.ApplyFrom(p, z, state...)
		parts := ops.Concat(1, first, second)
		prog, err := exec.Compile(g, exec.Outputs(whole, parts))
		require.NoError(t, err)
		s, rng := prog.NewSession(), rand.New(rand.NewPCG(1, 2))
		for _, places := range [][]int{{3, 4}, {0, 2}, {5, 0}, {0, 0}, {1, 1}, {150, 50}} {
			feed := exec.Feed{}
			for i, n := range []*graph.Node{x, z} {
				values := make([]float64, batch*places[i]*4)
				for j := range values {
					values[j] = rng.NormFloat64()
				}
				feed[n] = exec.Array{Shape: []int{batch, places[i], 4}, Data: values}
			}
			want := resultOf(t, s, whole, feed)
			require.Len(t, want, batch*(places[0]+places[1])*3)
			require.InDeltaSlice(t, want, resultOf(t, s, parts, feed), 1e-12, "%s, %v", name, places)
		}
	}
}

// TestRecurrentNetworksDropBetweenLayers expects another result of each step of training, and none of
// dropout in evaluation or behind the last layer.
func TestRecurrentNetworksDropBetweenLayers(t *testing.T) {
	for layers, differ := range map[int]bool{1: false, 2: true} {
		g := graph.New("dropout")
		l := nn.NewGRU(g, "net", 4, 3, nn.Layers(layers), nn.DropoutRate(0.5), f64)
		x := g.Param("x", graph.Float64, 2, 5, 4)
		train, eval := nn.Training(g), nn.Evaluation(g)
		a, b := ops.Sum(l.Apply(train, x)), ops.Sum(l.Apply(eval, x))
		prog, err := exec.Compile(g, exec.Outputs(a, b), exec.Updates(train.Updates()...))
		require.NoError(t, err)
		s := prog.NewSession()
		values := make([]float64, 40)
		for i := range values {
			values[i] = float64(i%7) - 3
		}
		require.NoError(t, s.SetParam(x, exec.Array{Shape: []int{2, 5, 4}, Data: values}))
		first, second := resultOf(t, s, a, nil), resultOf(t, s, a, nil)
		assert.Equal(t, differ, first[0] != second[0])
		assert.Equal(t, differ, first[0] != resultOf(t, s, b, nil)[0])
	}
}

// TestRecurrentNetworksTrainWithoutAllocation counts the allocations of training over 60 places.
func TestRecurrentNetworksTrainWithoutAllocation(t *testing.T) {
	for name, build := range recurrentKinds {
		g := graph.New(name)
		x := g.Input("x", graph.Float32, 2, g.Dim("t", graph.AtLeast(0)), 4)
		p := nn.Training(g)
		loss := ops.Mean(ops.Square(build(g, nn.Layers(2), nn.Bidirectional()).Apply(p, x)))
		prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(1e-3).Minimize(loss)...))
		require.NoError(t, err)
		s, feed := prog.NewSession(exec.Threads(1)),
			exec.Feed{x: exec.Array{Shape: []int{2, 60, 4}, Data: make([]float32, 480)}}
		allocs.RequireNone(t, 5, func() {
			if _, err := s.Run(t.Context(), feed); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRecurrentNetworksLearnToRemember what stood at the first place of a sequence, and to leave out what came after:
// who guesses has a loss of log 2.
func TestRecurrentNetworksLearnToRemember(t *testing.T) {
	const places, batch, steps = 10, 32, 400
	for name, declare := range map[string]func(g *graph.Graph) *nn.Recurrent{
		"rnn":  func(g *graph.Graph) *nn.Recurrent { return nn.NewRNN(g, "net", 1, 16) },
		"lstm": func(g *graph.Graph) *nn.Recurrent { return nn.NewLSTM(g, "net", 1, 16) },
		"gru":  func(g *graph.Graph) *nn.Recurrent { return nn.NewGRU(g, "net", 1, 16) },
	} {
		g := graph.New(name)
		x, first := g.Input("x", graph.Float32, batch, places, 1), g.Input("first", graph.Int64, batch)
		p := nn.Training(g)
		states := declare(g).Apply(p, x)
		loss := ops.CrossEntropy(nn.NewLinear(g, "head", 16, 2).Apply(p, ops.Select(states, 1, -1)), first)
		prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.Adam(1e-2).Minimize(loss)...))
		require.NoError(t, err)
		s, random, sum := prog.NewSession(exec.Seed(1), exec.Threads(1)), rand.New(rand.NewPCG(1, 1)), 0.0
		for step := range steps {
			xs, firsts := [batch][places][1]float32{}, [batch]int64{}
			for i := range xs {
				for j := range xs[i] {
					xs[i][j][0] = float32(2*random.IntN(2) - 1)
				}
				firsts[i] = int64(xs[i][0][0]+1) / 2
			}
			r, err := s.Run(t.Context(), exec.Feed{x: xs, first: firsts})
			require.NoError(t, err)
			v, err := r.Scalar(loss)
			require.NoError(t, err)
			if step >= steps-50 {
				sum += v / 50
			}
		}
		assert.Less(t, sum, 0.05, name)
	}
}

// TestRecurrentNetworksCompileInTheTimeOfOneStep compiles training over 4 and over 4,000 places, by turns, since the
// machine may have other work to do.
func TestRecurrentNetworksCompileInTheTimeOfOneStep(t *testing.T) {
	compile := func(places graph.Dim) {
		g := graph.New("lstm")
		l := nn.NewLSTM(g, "net", 128, 256)
		loss := ops.Sum(l.Apply(nn.Training(g), g.Input("x", graph.Float32, 32, places, 128)))
		_, err := exec.Compile(g, exec.Outputs(autodiff.Grad(loss, g.Params())...))
		require.NoError(t, err)
	}
	allocations := func(places graph.Dim) float64 { return testing.AllocsPerRun(1, func() { compile(places) }) }
	require.Less(t, allocations(4000), 1.2*allocations(4))

	few, many := time.Hour, time.Hour
	for range 10 {
		start := time.Now()
		compile(4)
		between := time.Now()
		compile(4000)
		few, many = min(few, between.Sub(start)), min(many, time.Since(between))
	}
	t.Logf("4 places %v, 4,000 places %v", few, many)
	require.Less(t, many, 4*few)
}

// TestRecurrentNetworksThatCannotBe tells what is wrong, once, at the line of the user.
func TestRecurrentNetworksThatCannotBe(t *testing.T) {
	single := func(g *graph.Graph, name string, shape ...graph.Dim) *graph.Node {
		return g.Input(name, graph.Float32, shape...)
	}
	for want, build := range map[string]func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent, x *graph.Node,
		batch graph.Dim){
		`LSTM net takes x as "batch t in": axis 2 is 5, not 4`: func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent,
			_ *graph.Node, batch graph.Dim) {
			l.Apply(p, single(g, "y", batch, 7, 5))
		},
		`LSTM net takes x as "batch t in": it has 1 axis`: func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent,
			_ *graph.Node, _ graph.Dim) {
			l.Apply(p, single(g, "y", 4))
		},
		`LSTM net takes x as "t in": axis 1 is 5, not 4`: func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent,
			_ *graph.Node, _ graph.Dim) {
			l.Apply(p, single(g, "y", 7, 5))
		},
		`LSTM net takes state 0 as "cells hidden": it has 3 axes`: func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent,
			_ *graph.Node, _ graph.Dim) {
			l.ApplyFrom(p, single(g, "y", 7, 4), single(g, "h", 1, 1, 3), single(g, "c", 1, 3))
		},
		`LSTM net takes x as "batch t in": it has 2 axes`: func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent,
			_ *graph.Node, _ graph.Dim) {
			l.ApplyPadded(p, single(g, "y", 7, 4), g.Input("lengths", graph.Int64, 1))
		},
		"x is float64, but the parameters are float32": func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent, _ *graph.Node,
			batch graph.Dim) {
			l.Apply(p, g.Input("y", graph.Float64, batch, 7, 4))
		},
		"state 1 is float64, but the parameters are float32": func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent,
			x *graph.Node, batch graph.Dim) {
			l.ApplyFrom(p, x, single(g, "h", 1, batch, 3), g.Input("c", graph.Float64, 1, batch, 3))
		},
		`LSTM net takes state 0 as "cells batch hidden": it has 2 axes`: func(g *graph.Graph, p *nn.Pass,
			l *nn.Recurrent, x *graph.Node, batch graph.Dim) {
			l.ApplyFrom(p, x, single(g, "h", batch, 3), single(g, "c", 1, batch, 3))
		},
		`LSTM net takes state 1 as "cells batch hidden", and it is nil`: func(g *graph.Graph, p *nn.Pass,
			l *nn.Recurrent, x *graph.Node, batch graph.Dim) {
			y, last := l.ApplyFrom(p, x, single(g, "h", 1, batch, 3), nil)
			ops.Add(y, last[1])
		},
		"got 1 states, but the layer has 2": func(g *graph.Graph, p *nn.Pass, l *nn.Recurrent, x *graph.Node,
			batch graph.Dim) {
			l.ApplyFrom(p, x, single(g, "h", 1, batch, 3))
		},
		"the number of layers is 5000; it must be from 1 to 4096": func(g *graph.Graph, _ *nn.Pass, _ *nn.Recurrent,
			_ *graph.Node, _ graph.Dim) {
			nn.NewRNN(g, "a", 1, 1, nn.Layers(5000))
		},
		"Activation is not an option of GRU": func(g *graph.Graph, p *nn.Pass, _ *nn.Recurrent, x *graph.Node,
			_ graph.Dim) {
			nn.NewGRU(g, "a", 4, 3, nn.Activation(ops.Relu)).Apply(p, x)
		},
		"ProjSize is not an option of GRU": func(g *graph.Graph, p *nn.Pass, _ *nn.Recurrent, x *graph.Node,
			_ graph.Dim) {
			nn.NewGRU(g, "a", 4, 3, nn.ProjSize(2)).Apply(p, x)
		},
		"the state is projected to 3 elements; this must be at least 1 and less than its 3": func(g *graph.Graph,
			p *nn.Pass, _ *nn.Recurrent, x *graph.Node, _ graph.Dim) {
			nn.NewLSTM(g, "a", 4, 3, nn.ProjSize(3)).Apply(p, x)
		},
		`LSTM a takes state 0 as "cells batch projection": axis 2 is 3, not 2`: func(g *graph.Graph, p *nn.Pass,
			_ *nn.Recurrent, x *graph.Node, batch graph.Dim) {
			nn.NewLSTM(g, "a", 4, 3, nn.ProjSize(2)).ApplyFrom(
				p, x, single(g, "h", 1, batch, 3), single(g, "c", 1, batch, 3))
		},
		"lengths must be whole numbers, one for each sequence, but these are float32[batch]: use ops.Cast(lengths, graph.Int64)": func(g *graph.Graph,
			p *nn.Pass, l *nn.Recurrent, x *graph.Node, batch graph.Dim) {
			l.ApplyPadded(p, x, single(g, "lengths", batch))
		},
		`LSTM net takes lengths as "batch", and it is nil`: func(_ *graph.Graph, p *nn.Pass, l *nn.Recurrent,
			x *graph.Node, _ graph.Dim) {
			l.ApplyPadded(p, x, nil)
		},
		"the layer was made without a graph": func(_ *graph.Graph, p *nn.Pass, _ *nn.Recurrent, x *graph.Node,
			_ graph.Dim) {
			(&nn.Recurrent{}).Apply(p, x)
		},
	} {
		g := graph.New("wrong")
		batch := g.Dim("batch")
		build(g, nn.Training(g), nn.NewLSTM(g, "net", 4, 3), single(g, "x", batch, 7, 4), batch)
		err := shapeinfer.Check(g).Err()
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "recurrent_test.go:", want)
		require.ErrorContains(t, err, "1 error, 0 warnings", want)
	}
}

// TestPaddedSequencesAreThoseWithoutPadding goes over sequences of different lengths at once and one by one. What
// stands behind them is no number; a length that is none stops the run.
func TestPaddedSequencesAreThoseWithoutPadding(t *testing.T) {
	const batch, places = 3, 6
	for name, build := range recurrentKinds {
		g := graph.New(name)
		l := build(g, nn.Layers(2), nn.Bidirectional(), f64)
		x, lengths := g.Input("x", graph.Float64, g.Dim("batch"), g.Dim("t"), 4),
			g.Input("lengths", graph.Int32, g.Dim("batch"))
		p := nn.Evaluation(g)
		sums := func(y *graph.Node, final []*graph.Node) *graph.Node {
			parts := []*graph.Node{ops.Sum(ops.Square(y), 1)}
			for _, s := range final {
				parts = append(parts, ops.Flatten(ops.Transpose(s, 0, 1), 1, -1))
			}
			return ops.Concat(1, parts...)
		}
		padded, whole := sums(l.ApplyPadded(p, x, lengths)), sums(l.ApplyFrom(p, x))
		weight := l.Cells[0][1].WeightIH
		progs := map[*graph.Node]*exec.Session{}
		slopes := map[*graph.Node]*graph.Node{}
		first := (*exec.Session)(nil)
		for _, y := range []*graph.Node{padded, whole} {
			slopes[y] = autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{weight})[0]
			prog, err := exec.Compile(g, exec.Outputs(y, slopes[y]))
			require.NoError(t, err)
			require.Empty(t, prog.Warnings())
			var options []exec.SessionOption
			if first != nil {
				options = append(options, exec.ShareParams(first))
			}
			progs[y] = prog.NewSession(options...)
			first = progs[y]
		}
		rng, of := rand.New(rand.NewPCG(3, 4)), []int32{4, 6, 1}
		all := make([]float64, batch*places*4)
		var want, slope []float64
		for i := range batch {
			for j := range places * 4 {
				all[i*places*4+j] = rng.NormFloat64()
				if j >= int(of[i])*4 {
					all[i*places*4+j] = math.NaN()
				}
			}
			one := exec.Feed{x: exec.Array{Shape: []int{1, int(of[i]), 4}, Data: all[i*places*4:][:of[i]*4]}}
			want = append(want, resultOf(t, progs[whole], whole, one)...)
			part := resultOf(t, progs[whole], slopes[whole], one)
			if slope == nil {
				slope = make([]float64, len(part))
			}
			for j, v := range part {
				slope[j] += v
			}
		}
		feed := exec.Feed{x: exec.Array{Shape: []int{batch, places, 4}, Data: all}, lengths: of}
		require.InDeltaSlice(t, want, resultOf(t, progs[padded], padded, feed), 1e-12, name)
		require.InDeltaSlice(t, slope, resultOf(t, progs[padded], slopes[padded], feed), 1e-11, name)
		for _, wrong := range []int32{0, -1, 7} {
			feed[lengths] = []int32{6, wrong, 2}
			_, err := progs[padded].Run(t.Context(), feed)
			require.ErrorContains(t, err, "the length of a sequence must be from 1 to the number of steps")
			require.ErrorContains(t, err, "recurrent_test.go:")
		}
	}
}

// TestSequencesWithoutSteps: states stay as they are given, or 0, and so does a single sequence; their gradients go on.
func TestSequencesWithoutSteps(t *testing.T) {
	for name, build := range recurrentKinds {
		g := graph.New(name)
		l := build(g, nn.Layers(2), nn.Bidirectional(), f64)
		states := 1
		if name == "lstm" {
			states = 2
		}
		x, one := g.Input("x", graph.Float64, 3, g.Dim("t", graph.AtLeast(0)), 4),
			g.Input("one", graph.Float64, g.Dim("u", graph.AtLeast(0)), 4)
		var begin, outputs []*graph.Node
		for i := range states {
			begin = append(begin, g.Input([]string{"h", "c"}[i], graph.Float64, 4, 3, 3))
		}
		p := nn.Training(g)
		y, final := l.ApplyFrom(p, x, begin...)
		z, last := l.ApplyFrom(p, one)
		slopes := autodiff.Grad(ops.Add(ops.Sum(ops.Square(final[0])), ops.Sum(y)),
			[]*graph.Node{begin[0], l.Cells[0][1].WeightHH})
		outputs = append(append(append(outputs, y, z), final...), append(last, slopes...)...)
		prog, err := exec.Compile(g, exec.Outputs(outputs...))
		require.NoError(t, err)
		require.Empty(t, prog.Warnings())
		feed := exec.Feed{x: exec.Array{Shape: []int{3, 0, 4}, Data: []float64{}},
			one: exec.Array{Shape: []int{0, 4}, Data: []float64{}}}
		given := make([]float64, 36)
		for i := range given {
			given[i] = float64(i) - 7
		}
		for _, s := range begin {
			feed[s] = exec.Array{Shape: []int{4, 3, 3}, Data: given}
		}
		r, err := prog.NewSession().Run(t.Context(), feed)
		require.NoError(t, err)
		for i, want := range [][]int{{3, 0, 6}, {0, 6}} {
			a, err := r.Array(outputs[i])
			require.NoError(t, err)
			require.Equal(t, want, a.Shape)
		}
		for i := range states {
			kept, err := exec.Values[float64](r, final[i])
			require.NoError(t, err)
			require.Equal(t, given, kept)
			zeros, err := r.Array(last[i])
			require.NoError(t, err)
			require.Equal(t, exec.Array{Shape: []int{4, 3}, Data: make([]float64, 12)}, zeros)
		}
		slope, err := exec.Values[float64](r, slopes[0])
		require.NoError(t, err)
		for i, v := range slope {
			require.Equal(t, 2*given[i], v)
		}
		weights, err := exec.Values[float64](r, slopes[1])
		require.NoError(t, err)
		require.Equal(t, make([]float64, len(weights)), weights)
	}
}
