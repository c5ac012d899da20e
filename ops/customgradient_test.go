package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// clipped is x with gradients brought between -1 and 1.
func clipped(x node) node {
	return ops.WithGradient("ClipGradient", []node{x},
		func(in []node) node { return in[0] },
		func(_, dy node, _ []node) []node { return []node{ops.Clamp(dy, -1, 1)} })
}

func TestAGradientOfOnesOwn(t *testing.T) {
	g := graph.New("own")
	x, scale := g.Input("x", graph.Float64, 3), g.Input("scale", graph.Float64)
	in := feeds{x: reference.Of([]float64{0.4, -1.6, 2.5}, 3), scale: reference.Of([]float64{3})}
	rounded := ops.WithGradient("RoundThrough", []node{x},
		func(in []node) node { return ops.Round(in[0]) },
		func(_, dy node, _ []node) []node { return []node{dy} })
	require.Equal(t, []float64{0, -2, 2}, value(t, in, rounded).Data)
	dx := autodiff.Grad(ops.Sum(ops.Mul(rounded, scale)), []node{x})[0]
	require.Equal(t, []float64{3, 3, 3}, value(t, in, dx).Data)
	dx = autodiff.Grad(ops.Sum(ops.Mul(clipped(x), graph.Num(-5.))), []node{x})[0]
	require.Equal(t, []float64{-1, -1, -1}, value(t, in, dx).Data)
}

// TestOwnGradientsOfOwnGradients differentiates what the backward function builds, also with respect to
// the result that it is given.
func TestOwnGradientsOfOwnGradients(t *testing.T) {
	g := graph.New("own")
	x := g.Input("x", graph.Float64, 2)
	in := feeds{x: reference.Of([]float64{0.5, -1}, 2)}
	y := ops.WithGradient("Exponential", []node{x},
		func(in []node) node { return ops.Exp(in[0]) },
		func(y, dy node, _ []node) []node { return []node{ops.Mul(dy, y)} })
	requireGradients(t, in, y, x)
}

func TestMistakesOfOwnGradients(t *testing.T) {
	build := func() (x, w node) {
		g := graph.New("own")
		return g.Input("x", graph.Float64, 3), g.Param("w", graph.Float64, 3)
	}
	same := func(in []node) node { return in[0] }
	pass := func(_, dy node, in []node) []node { return []node{dy} }
	x, _ := build()
	requireMistake(t, ops.WithGradient("Own", []node{x}, nil, pass), "Own lacks a function")
	requireMistake(t, ops.WithGradient("Own", []node{x, nil}, same, pass), "operand 1 is nil")
	requireMistake(t, ops.WithGradient("Own", []node{x}, func([]node) node { panic("ouch") }, pass), "the forward function of Own panics at customgradient_test.go:57: ouch")
	requireMistake(t, ops.WithGradient("Own", []node{x}, func([]node) node { return nil }, pass), "the forward function of Own returns nil")
	x, w := build()
	requireMistake(t, ops.WithGradient("Own", []node{x}, func(in []node) node { return ops.Mul(in[0], w) }, pass),
		"Own reads w, which is none of its operands: no gradient would reach it")
	x, w = build()
	y := ops.WithGradient("Own", []node{x}, func(in []node) node { return ops.Mul(in[0], ops.StopGradient(w)) }, pass)
	require.NoError(t, y.Err())
	two := ops.WithGradient("Own", []node{x}, same, func(_, dy node, _ []node) []node { return []node{dy, dy} })
	requireMistake(t, autodiff.Grad(ops.Sum(two), []node{x})[0], "the backward function of Own returns 2 gradients for 1 operands")
	x, _ = build()
	wrong := ops.WithGradient("Own", []node{x}, same, func(_, dy node, _ []node) []node { return []node{ops.Sum(dy)} })
	require.ErrorContains(t, autodiff.Grad(ops.Sum(wrong), []node{x})[0].Err(), "gives for operand 1 shape [] of an operand of shape [3]")
}
