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

// TestGradientsOfAFixedPoint differentiates y = tanh(a·y + b) by what holds of it, also with respect to what the
// backward function has computed, and says what to do where it asks for its own gradient.
func TestGradientsOfAFixedPoint(t *testing.T) {
	g := graph.New("fixed point")
	a, b := g.Input("a", graph.Float64, 2), g.Input("b", graph.Float64, 2)
	next := func(y node, in []node) node { return ops.Tanh(ops.Add(ops.Mul(in[0], y), in[1])) }
	repeat := func(begin node, step func(node) node) node {
		return ops.Fori(60, []node{begin}, func(_ node, c []node) []node { return []node{step(c[0])} })[0]
	}
	solved := func(of func(in []node) []node) node {
		return ops.WithGradient("FixedPoint", []node{a, b}, func(in []node) node {
			return repeat(ops.ZerosLike(a), func(y node) node { return next(y, in) })
		}, func(y, dy node, in []node) []node {
			in = of(in)
			z := next(y, in)
			sum := repeat(dy, func(u node) node {
				return ops.Add(dy, autodiff.Grad(z, []node{y}, autodiff.Upstream(u))[0])
			})
			return autodiff.Grad(z, in, autodiff.Upstream(sum))
		})
	}
	in := feeds{a: reference.Of([]float64{0.5, -0.3}, 2), b: reference.Of([]float64{0.2, 1}, 2)}
	y := solved(func(in []node) []node { return []node{ops.Copy(in[0]), ops.Copy(in[1])} })
	requireGradients(t, in, y, a, b)

	autodiff.Grad(ops.Sum(solved(func(in []node) []node { return in })), []node{a})
	err := g.Err()
	require.ErrorContains(t, err, "the gradient of FixedPoint(")
	require.ErrorContains(t, err, `the Grad of "with_gradient", at customgradient_test.go:`)
	require.ErrorContains(t, err, "differentiate with respect to copies, ops.Copy(in[0])")
	require.Less(t, len(g.Nodes()), 2000)
}

func TestMistakesOfOwnGradients(t *testing.T) {
	build := func() (x, w node) {
		g := graph.New("own")
		return g.Input("x", graph.Float64, 3), g.Param("w", graph.Float64, 3)
	}
	same := func(in []node) node { return in[0] }
	pass := func(_, dy node, in []node) []node { return []node{dy} }
	x, _ := build()
	requireMistake(t, ops.WithGradient("Own", []node{x}, nil, pass), "a function of Own is nil")
	requireMistake(t, ops.WithGradient("Own", []node{x, nil}, same, pass), "operand 1 is nil")
	requireMistake(t, ops.WithGradient("Own", []node{x}, func([]node) node { panic("ouch") }, pass),
		"the forward function of Own panics at customgradient_test.go:90: ouch")
	requireMistake(t, ops.WithGradient("Own", []node{x}, func([]node) node { return nil }, pass),
		"the forward function of Own returns nil")
	x, w := build()
	requireMistake(t, ops.WithGradient("Own", []node{x}, func(in []node) node { return ops.Mul(in[0], w) }, pass),
		"Own reads w, which is not among its operands: no gradient would reach it")
	x, w = build()
	y := ops.WithGradient("Own", []node{x}, func(in []node) node { return ops.Mul(in[0], ops.StopGradient(w)) }, pass)
	require.NoError(t, y.Err())
	two := ops.WithGradient("Own", []node{x}, same, func(_, dy node, _ []node) []node { return []node{dy, dy} })
	requireMistake(t, autodiff.Grad(ops.Sum(two), []node{x})[0],
		"the backward function of Own returns 2 gradients for 1 operands")
	x, _ = build()
	wrong := ops.WithGradient("Own", []node{x}, same, func(_, dy node, _ []node) []node { return []node{ops.Sum(dy)} })
	require.ErrorContains(t, autodiff.Grad(ops.Sum(wrong), []node{x})[0].Err(),
		"returns for operand 1 shape [] of an operand of shape [3]")
}
