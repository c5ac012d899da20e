package rules

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// AlongTogether is the shape rule of an operation along an axis on two operands of the same floating-point dtype and
// shape.
func AlongTogether(c *graph.Call, axis int) graph.Shape {
	a, x := c.Shape(0), c.Shape(1)
	if t := c.DType(0); !t.IsFloat() {
		RefuseDType(c, "floating-point numbers are needed, but the operands have dtype "+t.String())
		return x
	}
	if len(a) != len(x) {
		c.Fail(operandMistake(c, graph.CodeRank,
			"operands must have the same shape, but have %d and %d axes", len(a), len(x)))
		return x
	}
	if Axis(c, axis, len(x)) >= 0 {
		sameAxes(c, a, x, "operands must have the same shape")
	}
	return x
}

// SearchSorted is the shape rule of a search for values, operand 1, in a sorted sequence, operand 0: the shape of the
// values.
func SearchSorted(c *graph.Call) graph.Shape {
	sorted, values := c.Shape(0), c.Shape(1)
	switch {
	case len(sorted) == 0:
		c.Fail(operandMistake(c, graph.CodeRank,
			"torch.searchsorted(): sorted_sequence should be a vector, or have the values' axes"))
	case len(sorted) > 1 && len(sorted) != len(values):
		c.Fail(operandMistake(c, graph.CodeRank,
			"torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match"))
	case len(sorted) > 1:
		last := len(sorted) - 1
		sameAxes(c, sorted[:last], values[:last], "all axes but the last must be those of the values")
	}
	return values
}

// sameAxes requires that the axes of operands 0 and 1 have the same sizes.
func sameAxes(c *graph.Call, a, b graph.Shape, why string) {
	r := CallRules(c)
	for i := range a {
		same := r.requireSame(c, a[i], b[i], i, why, func() *graph.Mistake {
			m := operandMistake(c, graph.CodeBroadcast, "%s: axis %d has sizes %s and %s", why, i, a[i], b[i])
			m.Operands[0].Bad, m.Operands[1].Bad = []int{i}, []int{i}
			return m
		})
		if !same {
			return
		}
	}
}

// Quantile is the shape rule of quantiles along an axis of operand 0, for a scalar or vector operand 1: the axis is
// removed, and that of the vector is the first.
func Quantile(c *graph.Call, name string, axis int) graph.Shape {
	x, q := c.Shape(0), c.Shape(1)
	at := Axis(c, axis, len(x))
	switch {
	case at < 0:
		return nil
	case !c.DType(0).IsFloat():
		RefuseDType(c, name+"() input tensor must be either float or double dtype")
	case len(q) > 1:
		c.Fail(operandMistake(c, graph.CodeRank, "%s() q must be a scalar or 1D tensor", name))
		return nil
	case len(x) > 0:
		NonEmpty(c, name, []int{at})
	}
	return append(slices.Clone(q), Reduced(x, []int{at}, false)...)
}
