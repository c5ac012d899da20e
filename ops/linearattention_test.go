package ops_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// TestSequencesInParts computes two parts of sequences, the second one from the state behind the first, and the whole:
// the results are the same. The numbers of ONNX's functions stand among its node tests.
func TestSequencesInParts(t *testing.T) {
	g := graph.New("parts")
	draw := func(scale float64, sizes ...graph.Dim) node {
		x := ops.Iota(g, 0, graph.Shape(sizes).NumElements())
		return ops.Reshape(ops.Sin(ops.Mul(ops.Cast(x, graph.Float64), graph.Num(scale))), sizes...)
	}
	q, k, v, beta, decay := draw(0.7, 2, 4, 5, 3), draw(1.3, 2, 2, 5, 3), draw(0.9, 2, 2, 5, 2), draw(0.4, 2, 1, 5, 1),
		draw(0.3, 2, 2, 5, 1)
	attend := func(state node, from, to graph.Dim) (y, last node) {
		part := func(x node) node { return ops.Slice(x, 2, from, to, 1) }
		return ops.LinearAttention(part(q), part(k), part(v), ops.LinearState(state), ops.LinearDecay(part(decay)),
			ops.LinearBeta(part(beta)))
	}
	x, weight := draw(0.8, 2, 3, 5), draw(1.1, 3, 1, 4)
	convolve := func(past node, from, to graph.Dim) (y, next node) {
		return ops.CausalConv1D(ops.Slice(x, 2, from, to, 1), weight, nil, past)
	}
	for _, part := range []func(state node, from, to graph.Dim) (y, last node){attend, convolve} {
		whole, last := part(nil, 0, 5)
		first, state := part(nil, 0, 2)
		second, end := part(state, 2, 5)
		got := evaluate(t, feeds{}, whole, ops.Concat(2, first, second), last, end)
		requireClose(t, got[0].Floats(), got[1].Floats(), 1e-14, "results")
		requireClose(t, got[2].Floats(), got[3].Floats(), 1e-14, "states")
	}
}

// TestSequencesThatAreRefused names the operand and the axis; of named sizes when these are bound.
func TestSequencesThatAreRefused(t *testing.T) {
	g := graph.New("refused")
	in := func(sizes ...graph.Dim) node {
		return g.Input(fmt.Sprint("x", len(g.Inputs())), graph.Float32, sizes...)
	}
	q, k, v := in(2, 4, 5, 3), in(2, 2, 5, 3), in(2, 2, 5, 6)
	attend := func(q, k, v node, opts ...ops.LinearAttentionOption) node {
		y, _ := ops.LinearAttention(q, k, v, opts...)
		return y
	}
	convolve := func(x, weight, bias, past node) node {
		y, _ := ops.CausalConv1D(x, weight, bias, past)
		return y
	}
	x, weight := in(2, 3, 5), in(3, 1, 4)
	for says, y := range map[string]node{
		"heads, which is not a multiple of the 2 of x1":        attend(in(2, 3, 5, 3), k, v),
		"axis 3 of x0 has 3 elements, but must have 4":         attend(q, in(2, 2, 5, 4), v),
		"axis 2 of x2 has 5 elements, but must have 6":         attend(in(2, 2, 6, 3), in(2, 2, 6, 3), v),
		"axis 3 of x9 has 5 elements, but must have 6":         attend(q, k, v, ops.LinearState(in(2, 2, 3, 5))),
		"axis 3 of x10 has 2 elements, but must have 3":        attend(q, k, v, ops.LinearDecay(in(2, 2, 5, 2))),
		"axis 1 of x11 has 4 elements, but must have 2":        attend(q, k, v, ops.LinearBeta(in(2, 4, 5, 1))),
		"operands must have 4 axes, [B, H, T, D], but x12 has": attend(q, k, in(2, 5, 6)),
		"x13 has float64 and x0 has float32":                   attend(q, g.Input("x13", graph.Float64, 2, 2, 5, 3), v),
		"axis 0 of x14 has 2 elements, but must have 3":        convolve(x, in(2, 1, 4), nil, nil),
		"axis 1 of x15 has 2 elements, but must have 1":        convolve(x, in(3, 2, 4), nil, nil),
		"axis 2 of x16 has 4 elements, but must have 3":        convolve(x, weight, nil, in(2, 3, 4)),
		"axis 0 of x17 has 1 elements, but must have 2":        convolve(x, weight, nil, in(1, 3, 3)),
		"x must be [N, C, T], the weight [C, 1, K]":            convolve(in(3, 5), weight, nil, nil),
		"with C and K at least 1":                              convolve(x, in(3, 1, 0), nil, nil),
		"x20 has float64 and ": convolve(
			x, g.Input("x20", graph.Float64, 3, 1, 4), nil, nil),
	} {
		require.ErrorContains(t, y.Err(), says)
	}
	for _, bad := range []node{attend(nil, k, v), attend(q, nil, v), convolve(nil, weight, nil, nil),
		convolve(x, nil, nil, nil)} {
		require.False(t, bad.Judged())
	}
}

// TestSequencesOfNamedSizes runs with sizes that are named, and refuses those of which nothing says that they are
// equal.
func TestSequencesOfNamedSizes(t *testing.T) {
	g := graph.New("named")
	time := g.Dim("t", graph.AtLeast(0))
	heads := func(name string, width graph.Dim) node {
		return g.Input(name, graph.Float32, g.Dim("b"), g.Dim("h"), time, width)
	}
	q, k, v := heads("q", g.Dim("d")), heads("k", g.Dim("d")), heads("v", 1)
	y, last := ops.LinearAttention(q, k, v)
	prog, err := exec.Compile(g, exec.Outputs(y, last), exec.OnWarning(nil))
	require.NoError(t, err)
	array := func(width int, data ...float32) exec.Array {
		return exec.Array{Shape: []int{1, 1, len(data) / width, width}, Data: data}
	}
	session := prog.NewSession()
	r, err := session.Run(context.Background(),
		exec.Feed{q: array(4, 1, 1, 1, 1, 0, 2, 0, 0), k: array(4, 1, 2, 3, 4, 1, 1, 0, 0), v: array(1, 3, 5)})
	require.NoError(t, err)
	got, err := r.Array(y)
	require.NoError(t, err)
	require.Equal(t, []float32{15, 11}, got.Data) // (1+2+3+4)·3/√4 and 2·(2·3+5)/√4
	_, err = session.Run(context.Background(), exec.Feed{q: array(4), k: array(4), v: array(1)})
	require.NoError(t, err, "no time")

	x, past := g.Input("x", graph.Float32, g.Dim("n"), 1, g.Dim("s")), g.Input("past", graph.Float32, g.Dim("m"), 1, 1)
	weight := graph.Constant(g, []float32{1, 2}, 1, 1, 2)
	z, _ := ops.CausalConv1D(x, weight, nil, past)
	_, err = exec.Compile(g, exec.Outputs(z), exec.OnWarning(nil))
	require.ErrorContains(t, err, `CausalConv1D(x, weight, nil, past): the sizes "m" and "n" meet on axis 0`)
}

// TestCausalConvolutionOfNamedChannels wants the same, and the same gradients, where the numbers of channels and of
// taps are known in a run alone.
func TestCausalConvolutionOfNamedChannels(t *testing.T) {
	for _, hasState := range []bool{false, true} {
		var got [2][][]float64
		for i, isNamed := range []bool{false, true} {
			g := graph.New("causal")
			channels, taps, before := graph.Dim(3), graph.Dim(4), graph.Dim(3)
			if isNamed {
				channels, taps = g.Dim("c"), g.Dim("k")
				before = taps.Minus(1)
			}
			x, weight, bias := g.Input("x", graph.Float64, 2, channels, g.Dim("t")),
				g.Input("weight", graph.Float64, channels, 1, taps), g.Input("bias", graph.Float64, channels)
			in := feeds{x: reference.Of(rising(30), 2, 3, 5), weight: reference.Of(rising(12), 3, 1, 4),
				bias: reference.Of(rising(3), 3)}
			wrt := []node{x, weight, bias}
			var past node
			if hasState {
				past = g.Input("past", graph.Float64, 2, channels, before)
				in[past], wrt = reference.Of(rising(18), 2, 3, 3), append(wrt, past)
			}
			y, next := ops.CausalConv1D(x, weight, bias, past)
			require.NoError(t, g.Err())
			loss := ops.Add(ops.Sum(ops.Square(y)), ops.Sum(ops.Mul(next, graph.Num(3))))
			for _, v := range evaluate(t, in, append([]node{y, next}, autodiff.Grad(loss, wrt)...)...) {
				got[i] = append(got[i], v.Floats())
			}
		}
		for k := range got[0] {
			requireClose(t, got[0][k], got[1][k], 1e-12, "result")
		}
	}
}

func rising(n int) (list []float64) {
	for i := range n {
		list = append(list, float64(i%7)-2.5+0.1*float64(i))
	}
	return list
}
