package optim_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestMuon compares steps with those of testdata/muon.py, on matrices of several forms.
func TestMuon(t *testing.T) {
	text, err := os.ReadFile("testdata/muon.json")
	require.NoError(t, err)
	var answers map[string]answer
	require.NoError(t, json.Unmarshal(text, &answers))
	for name, c := range map[string]struct {
		o             optim.Optimizer
		rows, columns graph.Dim
	}{
		"wide": {optim.Muon(0.02), 2, 3}, "tall": {optim.Muon(0.02), 5, 3}, "square": {optim.Muon(0.02), 3, 3},
		"column": {optim.Muon(0.02), 4, 1},
		"options": {optim.Muon(0.05, optim.Momentum(0.8), optim.WeightDecay(0), optim.NewtonSchulz(3),
			optim.Epsilon(1e-2), optim.MatchRMS()), 5, 3},
	} {
		for _, dt := range []graph.DType{graph.Float64, graph.Float32} {
			g := graph.New(name)
			w := g.ParamInit("w", dt, ramp(1), c.rows, c.columns)
			scale := constant(g, dt, func(i *graph.Node) *graph.Node { return ops.Add(i, graph.Num(1.0)) }, c.rows,
				c.columns)
			loss := ops.Sum(ops.Mul(scale, ops.Square(ops.Sub(w, graph.Num(0.5)))))
			sess := session(t, g, exec.Outputs(loss), exec.Updates(c.o.Minimize(loss)...))
			tolerance := map[graph.DType]float64{graph.Float64: 1e-10, graph.Float32: 2e-3}[dt]
			for _, want := range answers[name].Losses {
				r, err := sess.Run(t.Context(), exec.Feed{})
				require.NoError(t, err)
				got, err := r.Scalar(loss)
				require.NoError(t, err)
				require.InEpsilon(t, want, got, tolerance, name)
			}
			require.InDeltaSlice(t, answers[name].Params, values(t, sess, w), tolerance, name)
			require.NotNil(t, g.ByName("w.momentum_buffer"))
		}
	}
}

// TestMuonBesideAnother trains matrices by Muon and all else by AdamW, and says what Muon does not take.
func TestMuonBesideAnother(t *testing.T) {
	g := graph.New("beside")
	x, y := g.Input("x", graph.Float32, g.Dim("batch"), 4), g.Input("y", graph.Float32, g.Dim("batch"), 1)
	net := nn.Sequential(nn.NewLinear(g, "a", 4, 16), nn.Func(ops.Tanh), nn.NewLinear(g, "b", 16, 1))
	loss := ops.MSE(net.Apply(nn.Training(g), x), y)
	var hidden, others []*graph.Node
	for _, w := range optim.Trainable(g) {
		if w.Rank() == 2 {
			hidden = append(hidden, w)
		} else {
			others = append(others, w)
		}
	}
	step := append(optim.Muon(optim.Cosine(0.05, 0, 200)).Minimize(loss, hidden...),
		optim.AdamW(0.01).Minimize(loss, others...)...)
	sess := session(t, g, exec.Outputs(loss), exec.Updates(step...))
	feed := exec.Feed{x: []float32{1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0}, y: []float32{1, -1, 0.5}}
	last := 0.0
	for range 200 {
		r, err := sess.Run(t.Context(), feed)
		require.NoError(t, err)
		last, err = r.Scalar(loss)
		require.NoError(t, err)
	}
	require.Less(t, last, 1e-3)

	optim.Muon(0.02).Minimize(loss)
	require.ErrorContains(t, g.Err(), "optim.Muon needs matrices, but a.bias has shape [16]")
	require.ErrorContains(t, g.Err(), "muon_test.go")
	g = graph.New("wrong")
	w := g.Param("w", graph.Float32, 2, 2)
	optim.Muon(0.02, optim.NewtonSchulz(0)).Minimize(ops.Sum(w), w)
	require.ErrorContains(t, g.Err(), "optim.NewtonSchulz is 0")
	g = graph.New("other")
	w = g.Param("w", graph.Float32, 2, 2)
	optim.SGD(0.02, optim.MatchRMS()).Minimize(ops.Sum(w), w)
	require.ErrorContains(t, g.Err(), "MatchRMS is an option of Muon, not of SGD")
}

// TestMuonOfHalves keeps the norm and the products in Float32, and a gradient of zeros makes no NaN.
func TestMuonOfHalves(t *testing.T) {
	g := graph.New("halves")
	w, x := g.Param("w", graph.Float16, 3, 2), g.Input("x", graph.Float16, 3, 2)
	sess := session(t, g, exec.Updates(optim.Muon(0.5, optim.WeightDecay(0)).Minimize(ops.Sum(ops.Mul(w, x)), w)...))
	for _, grad := range [][]float64{{0, 0, 0, 0, 0, 0}, {300, 0, 0, 400, 0, 0}} {
		_, err := sess.Run(t.Context(), exec.Feed{x: array(graph.Float16, grad, 3, 2)})
		require.NoError(t, err)
	}
	got := values(t, sess, w)
	for i, want := range []float64{-0.6, 0, 0, -0.6, 0, 0} { // 0.5·√(3/2), of singular values near 1
		require.InDelta(t, want, got[i], 0.25)
	}
}

// TestMuonWithinAutocast expects the products of an update in Float32, wherever it is built.
func TestMuonWithinAutocast(t *testing.T) {
	g := graph.New("muon")
	w := g.Param("w", graph.Float32, 4, 3)
	g.Autocast(graph.BFloat16, func() { optim.Muon(0.1).Minimize(ops.Sum(ops.Square(w))) })
	require.NoError(t, g.Err())
	for _, n := range g.Nodes() {
		require.NotEqual(t, graph.BFloat16, n.DType(), n.Label())
	}
}
