package gradcheck_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff/gradcheck"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

type node = *graph.Node

// cubed is x³ with a gradient of slope times x², which is right for 3.
func cubed(slope float64) func(x node) node {
	return func(x node) node {
		return ops.WithGradient("Cubed", []node{x},
			func(in []node) node { return ops.Mul(ops.Square(in[0]), in[0]) },
			func(_, dy node, in []node) []node {
				return []node{ops.Mul(dy, ops.Mul(ops.Square(in[0]), graph.Num(slope)))}
			})
	}
}

func point(t graph.DType) (x, y node, feed exec.Feed) {
	g := graph.New("check")
	x, y = g.Input("x", t, 2, g.Dim("n")), g.Input("y", graph.Float64, g.Dim("n"))
	return x, y, exec.Feed{x: exec.Array{Shape: []int{2, 3}, Data: []float64{-0.7, 0.2, 1.5, 3, -2, 0.4}},
		y: exec.Array{Shape: []int{3}, Data: []float64{1.5, -0.5, 2}}}
}

func TestGradientsThatAreRight(t *testing.T) {
	x, y, feed := point(graph.Float64)
	z := ops.Mul(cubed(3)(x), ops.Exp(y))
	require.NoError(t, gradcheck.Check(t.Context(), z, feed, []node{x, y}, gradcheck.SecondOrder()))
}

func TestAGradientThatIsWrongIsNamed(t *testing.T) {
	x, y, feed := point(graph.Float64)
	err := gradcheck.Check(t.Context(), ops.Mul(cubed(2.9)(x), y), feed, []node{y, x})
	var e *gradcheck.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, x, e.Value)
	assert.Equal(t, 6, e.Count)
	assert.Contains(t, err.Error(), "the gradient with respect to x differs from finite differences in")
	assert.Contains(t, err.Error(), "x[1 0]: the gradient is ")
}

// TestAGradientOfTheGradientThatIsWrong has a backward function that hides x from the next gradient.
func TestAGradientOfTheGradientThatIsWrong(t *testing.T) {
	x, _, feed := point(graph.Float64)
	square := ops.WithGradient("Squared", []node{x},
		func(in []node) node { return ops.Square(in[0]) },
		func(_, dy node, in []node) []node {
			return []node{ops.Mul(dy, ops.Mul(ops.StopGradient(in[0]), graph.Num(2)))}
		})
	require.NoError(t, gradcheck.Check(t.Context(), square, feed, []node{x}))
	err := gradcheck.Check(t.Context(), square, feed, []node{x}, gradcheck.SecondOrder())
	assert.ErrorContains(t, err, "gradient of the gradient with respect to x")
}

func TestWhatCannotBeChecked(t *testing.T) {
	x, y, feed := point(graph.Float64)
	narrow, _, _ := point(graph.Float32)
	for says, check := range map[string]func() error{
		"not a node of a graph":    func() error { return gradcheck.Check(t.Context(), nil, feed, []node{x}) },
		"differences need float64": func() error { return gradcheck.Check(t.Context(), narrow, feed, []node{narrow}) },
		"no value was given":       func() error { return gradcheck.Check(t.Context(), ops.Exp(x), feed, nil) },
		"not an input of the graph": func() error {
			return gradcheck.Check(t.Context(), ops.Exp(x), feed, []node{ops.Exp(x)})
		},
		"is fed <nil>": func() error {
			return gradcheck.Check(t.Context(), ops.Exp(x), exec.Feed{}, []node{x})
		},
		"step 0 and tolerance": func() error {
			return gradcheck.Check(t.Context(), ops.Exp(x), feed, []node{x}, gradcheck.Step(0))
		},
		"tolerance -1: both": func() error {
			return gradcheck.Check(t.Context(), ops.Exp(x), feed, []node{x}, nil, gradcheck.Tolerance(-1))
		},
		context.Canceled.Error(): func() error { return gradcheck.Check(canceled(t), ops.Mul(x, y), feed, []node{x}) },
	} {
		assert.ErrorContains(t, check(), says)
	}
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestValuesOnlyReadByOthersMayBeFed(t *testing.T) {
	x, y, feed := point(graph.Float64)
	require.NoError(t, gradcheck.Check(t.Context(), ops.Sin(x), feed, []node{x}), "y is fed and not read")
	var e *gradcheck.Error
	assert.False(t, errors.As(gradcheck.Check(t.Context(), ops.Sin(x), feed, []node{x, y}), &e))
}
