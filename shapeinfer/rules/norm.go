package rules

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Normalized is the shape rule of a norm over the trailing axes of operand 0 with the given sizes. The other operands
// have these sizes too; names are PyTorch's names for them.
func Normalized(c *graph.Call, sizes graph.Shape, names ...string) graph.Shape {
	x := c.Shape(0)
	if len(sizes) == 0 {
		c.Fail(operandMistake(c, graph.CodeRank,
			"Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []"))
		return x
	}
	r := CallRules(c)
	for i := 1; i < c.NumIn(); i++ {
		s := c.Shape(i)
		r.requireShape(c, sizes, s, "the operands of a norm", func() *graph.Mistake {
			return operandMistake(c, graph.CodeBroadcast,
				"Expected %s to be of same shape as normalized_shape, but got %s of shape %s and normalized_shape = %s",
				names[i-1], names[i-1], s, sizes)
		})
	}
	refuse := func() *graph.Mistake {
		return operandMistake(c, graph.CodeBroadcast,
			"Given normalized_shape=%s, expected input with shape [*, %s], but got input of size%s",
			sizes, joined(sizes, ", "), x)
	}
	if len(x) < len(sizes) {
		c.Fail(refuse())
		return x
	}
	r.requireShape(c, sizes, x[len(x)-len(sizes):], "the axes of a norm", refuse)
	return x
}

// Channels is the shape rule of a value that is standardized over all axes except axis 1, its channels, none of which
// may have a single element.
func Channels(c *graph.Call) graph.Shape {
	x := c.Shape(0)
	if len(x) < 2 {
		c.Fail(operandMistake(c, graph.CodeRank, "expected 2D or more input (got %dD input)", len(x)))
		return x
	}
	elements := x[0]
	for _, d := range x[2:] {
		elements = elements.Times(d)
	}
	p := prove.NewProver(c.Bounds)
	need := graph.Requirement{Kind: graph.MustDiffer, A: elements, B: 1, Axis: 0,
		Why: "a channel must have more than one element"}
	if p.AtLeast(elements, 1) == prove.Proved {
		need.Kind, need.B = graph.MustBeAtLeast, 2
	}
	switch p.Judge(need) {
	case prove.Refused:
		c.Fail(operandMistake(c, graph.CodeEmpty,
			"Expected more than 1 value per channel when training, got input size torch.Size(%s)", x))
	case prove.Deferred:
		if prove.IsJudgeable(elements) {
			c.Require(need)
		}
	}
	return x
}

// requireShape judges two shapes that must be equal.
func (r Rules) requireShape(c *graph.Call, a, b graph.Shape, why string, refuse func() *graph.Mistake) {
	if len(a) != len(b) {
		c.Fail(refuse())
		return
	}
	for axis, d := range a {
		if c.Failed() || !r.requireSame(c, d, b[axis], axis, why, refuse) {
			return
		}
	}
}

// PerChannel is the shape rule of a vector, operand 0, with one element for each channel, axis 1, of operand 1: it
// gets operand 1's rank. word is PyTorch's name of the vector.
func PerChannel(c *graph.Call, word string) graph.Shape {
	v, x := c.Shape(0), c.Shape(1)
	if len(x) < 2 {
		c.Fail(operandMistake(c, graph.CodeRank, "expected 2D or more input (got %dD input)", len(x)))
		return nil
	}
	out := append(graph.Shape{1, x[1]}, slices.Repeat([]graph.Dim{1}, len(x)-2)...)
	if len(v) != 1 {
		c.Fail(operandMistake(c, graph.CodeRank,
			"%s should have one axis, of %s elements, but has shape %s", word, x[1], v))
		return out
	}
	CallRules(c).requireSame(c, x[1], v[0], 1, "one element for each channel", func() *graph.Mistake {
		return operandMistake(c, graph.CodeBroadcast, "%s should contain %s elements not %s", word, x[1], v[0])
	})
	return out
}
