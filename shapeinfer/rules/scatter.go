package rules

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Scatter is the shape rule of elements of operand 2 that are written into operand 0 at the indices of operand 1
// along an axis: the shape of operand 0.
func Scatter(c *graph.Call, name string, axis int) graph.Shape {
	x, index, src := c.Shape(0), c.Shape(1), c.Shape(2)
	at := Axis(c, axis, len(x))
	switch {
	case at < 0:
		return x
	case c.DType(1) != graph.Int64:
		refuseIndex(c, 1, name+"(): Expected dtype int64 for index")
		return x
	case c.DType(0) != c.DType(2):
		RefuseDType(c, name+"(): Expected self.dtype to be equal to src.dtype")
		return x
	case max(len(index), 1) != max(len(x), 1):
		c.Fail(operandMistake(c, graph.CodeRank, "Index tensor must have the same number of dimensions as self tensor"))
		return x
	case max(len(index), 1) != max(len(src), 1):
		c.Fail(operandMistake(c, graph.CodeRank, "Index tensor must have the same number of dimensions as src tensor"))
		return x
	}
	if count, static := index.NumElements().Int(); static && count == 0 {
		return x // nothing is written
	}
	sentence := fmt.Sprintf(
		"Expected index %s to be no larger than self %s apart from dimension %d and to be no larger size than src %s",
		index, x, at, src)
	for i, d := range index {
		if i != at && !noLarger(c, d, sizeOf(x, i), i, 0, sentence) || !noLarger(c, d, sizeOf(src, i), i, 2, sentence) {
			return x
		}
	}
	return x
}

// sizeOf is the size of an axis; a scalar has one element.
func sizeOf(s graph.Shape, axis int) graph.Dim {
	if axis < len(s) {
		return s[axis]
	}
	return 1
}

// noLarger requires that the indices reach no further along an axis than an operand.
func noLarger(c *graph.Call, index, size graph.Dim, axis, operand int, sentence string) bool {
	if index.IsUnknown() || size.IsUnknown() {
		return true
	}
	switch prove.NewProver(c.Bounds).AtLeast(size.Minus(index), 0) {
	case prove.Refused:
		m := operandMistake(c, graph.CodeBroadcast, "%s", sentence)
		m.Operands[operand].Bad, m.Operands[1].Bad = []int{axis}, []int{axis}
		c.Fail(m)
		return false
	case prove.Deferred:
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: size, B: index, Axis: axis,
			Why: "a scatter must not reach beyond its operands"})
	}
	return true
}

// IndexWrite is the shape rule of slices of operand 2 that are written into operand 0 at the vector of indices of
// operand 1 along an axis: the shape of operand 0.
func IndexWrite(c *graph.Call, name string, axis int) graph.Shape {
	x, index, src := c.Shape(0), c.Shape(1), c.Shape(2)
	at := Axis(c, axis, len(x))
	switch {
	case at < 0:
		return x
	case len(index) > 1:
		c.Fail(operandMistake(c, graph.CodeRank, "%s(): Index is supposed to be a vector", name))
		return x
	case !c.DType(1).IsIndex():
		refuseIndex(c, 1, name+"(): Expected dtype int32/int64 for index")
		return x
	case c.DType(0) != c.DType(2):
		RefuseDType(c, name+"(): self and source expected to have the same dtype")
		return x
	case max(len(src), 1) != max(len(x), 1):
		c.Fail(operandMistake(c, graph.CodeRank, "%s(): source and self must have the same number of dimensions", name))
		return x
	}
	r := CallRules(c)
	for i := range max(len(x), 1) {
		want, operand, sentence := sizeOf(x, i), 0,
			fmt.Sprintf(
				"source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = %s source.shape = %s", x, src)
		if i == at {
			want, operand = sizeOf(index, 0), 1
			sentence = fmt.Sprintf(
				"%s(): Number of indices (%s) should be equal to source.size(dim): (%s), for dim: %d", name, want,
				sizeOf(src, i), i)
		}
		r.requireSame(c, sizeOf(src, i), want, i, "one slice for each index, of the operand's shape",
			func() *graph.Mistake {
				m := operandMistake(c, graph.CodeBroadcast, "%s", sentence)
				m.Operands[2].Bad = []int{i}
				if operand == 0 {
					m.Operands[0].Bad = []int{i}
				} else {
					m.Operands[1].Bad = []int{0}
				}
				return m
			})
	}
	return x
}

// MaskedScatter is the shape rule of elements of operand 2 that are written where operand 1, a mask, is true:
// operands 0 and 1 broadcast.
func MaskedScatter(c *graph.Call) graph.Shape {
	b := CallRules(c).BroadcastShapes(c.Shape(0), c.Shape(1))
	switch {
	case c.DType(1) != graph.Bool:
		RefuseDType(c, "masked_scatter_ only supports boolean masks, but got mask with dtype "+c.DType(1).TorchName())
	case c.DType(0) != c.DType(2):
		RefuseDType(c, fmt.Sprintf("masked_scatter: expected self and source to have same dtypes but got %s and %s",
			c.DType(0).TorchName(), c.DType(2).TorchName()))
	case len(b.Clashes) > 0:
		c.Fail(clashMistake(c, b, 0, 2))
	}
	for _, need := range b.Needs {
		need.Why = "operand and mask must broadcast"
		c.Require(need)
	}
	return b.Shape
}
