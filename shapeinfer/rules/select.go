package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Select is the shape rule of one index of an axis: the axis is removed.
func Select(c *graph.Call, axis int, index graph.Dim) graph.Shape {
	x := slices.Clone(c.Shape(0))
	if len(x) == 0 {
		c.Fail(&graph.Mistake{Code: graph.CodeSlice, Summary: "select() cannot be applied to a 0-dim tensor."})
		return nil
	}
	at := Axis(c, axis, len(x))
	if at < 0 {
		return unknown(len(x) - 1)
	}
	size := x[at]
	out := slices.Delete(slices.Clone(x), at, at+1)
	start := SelectStart(size, index)
	if size.IsUnknown() {
		return out
	}
	p := prove.NewProver(c.Bounds)
	requireNegation(c, p, index, at, "the index of a select")
	low, high := p.AtLeast(start, 0), p.Judge(graph.Requirement{Kind: graph.MustBeAtLeast, A: size.Minus(1), B: start})
	if low == prove.Refused || high == prove.Refused {
		c.Fail(&graph.Mistake{Code: graph.CodeSlice,
			Summary: fmt.Sprintf("select(): index %s out of range for tensor of size %s at dimension %d", index, x,
				at),
			Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{at}}}})
		return out
	}
	if low == prove.Deferred {
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: start, B: 0, Axis: at, Why: "the index of a select"})
	}
	if high == prove.Deferred {
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: size, B: start.Plus(1), Axis: at,
			Why: "the index of a select"})
	}
	return out
}

// SelectStart counts an index from the first element; a negative number, and minus a sum of
// named sizes, count from the end.
func SelectStart(size, index graph.Dim) graph.Dim {
	if CountsFromEnd(index) {
		return size.Plus(index)
	}
	return index
}

// Diagonal is the shape rule of the diagonal of two axes: they are removed, and the diagonal is the last axis. If
// square, both must have the same size.
func Diagonal(c *graph.Call, offset, a, b int, square bool) graph.Shape {
	x := slices.Clone(c.Shape(0))
	i := Axis(c, a, len(x))
	j := -1
	if i >= 0 {
		j = Axis(c, b, len(x))
	}
	switch {
	case j < 0:
		return unknown(max(len(x)-1, 1))
	case i == j:
		c.Fail(&graph.Mistake{Code: graph.CodeAxis,
			Summary:  fmt.Sprintf("diagonal dimensions cannot be identical %d, %d", a, b),
			Operands: []graph.OperandNote{{Node: c.In(0), Bad: []int{i}}}})
		return unknown(max(len(x)-1, 1))
	}
	rows, cols := x[i], x[j]
	out := graph.Shape{}
	for axis, d := range x {
		if axis != i && axis != j {
			out = append(out, d)
		}
	}
	if square {
		CallRules(c).requireSame(c, rows, cols, len(out), "a repeated subscript stands for one size",
			func() *graph.Mistake {
				return operandMistake(c, graph.CodeBroadcast,
					"a subscript is repeated for an operand but the sizes don't match, %s != %s", cols, rows)
			})
	}
	return append(out, diagonalLength(c, rows, cols, offset))
}

// diagonalLength is the lesser of the rows and columns that are left past the offset.
func diagonalLength(c *graph.Call, rows, cols graph.Dim, offset int) graph.Dim {
	if offset >= 0 {
		cols = cols.Minus(graph.Dim(offset))
	} else {
		rows = rows.Plus(graph.Dim(offset))
	}
	if rows.IsUnknown() || cols.IsUnknown() {
		return graph.UnknownDim
	}
	p := prove.NewProver(c.Bounds)
	var length graph.Dim
	switch {
	case p.AtLeast(cols.Minus(rows), 0) == prove.Proved:
		length = rows
	case p.AtLeast(rows.Minus(cols), 0) == prove.Proved:
		length = cols
	default:
		length = graph.MinDim(rows, cols)
	}
	switch p.AtLeast(length, 0) {
	case prove.Refused:
		return 0
	case prove.Deferred: // there may be no row or no column past the offset
		return graph.MinDim(length.Times(-1), 0).Times(-1)
	}
	return length
}

// AsStrided is the shape rule of elements at given distances in the row-major order of the operand.
func AsStrided(c *graph.Call, size graph.Shape, strides []graph.Dim, offset graph.Dim) graph.Shape {
	overflow := fmt.Sprintf("Storage size calculation overflowed with sizes=%s and strides=%s", size,
		graph.Shape(strides))
	switch {
	case len(size) != len(strides):
		c.Fail(stridedMistake(c, "mismatch in length of strides and shape"))
		return size
	case slices.ContainsFunc(strides, isNegative):
		c.Fail(stridedMistake(c,
			"as_strided: Negative strides are not supported at the moment, got strides: %s", graph.Shape(strides)))
		return size
	case slices.ContainsFunc(size, isNegative):
		c.Fail(stridedMistake(c, "%s", overflow))
		return unknown(len(size))
	case isNegative(offset):
		c.Fail(stridedMistake(c, "Tensor: invalid storage offset %s", offset))
		return size
	}
	p := prove.NewProver(c.Bounds)
	for _, d := range append(slices.Clone(strides), offset) {
		if d.IsSymbolic() {
			requireAtLeast(c, p, d, 0, -1, "as_strided steps forwards")
		}
	}
	if slices.Contains(size, 0) {
		return size
	}
	needed, mayBeEmpty := offset.Plus(1), false
	for i, d := range size {
		needed = needed.Plus(d.Minus(1).Times(strides[i]))
		mayBeEmpty = mayBeEmpty || p.AtLeast(d, 1) != prove.Proved
	}
	if !needed.Valid() {
		c.Fail(stridedMistake(c, "%s", overflow))
		return unknown(len(size))
	}
	have := c.Shape(0).NumElements()
	if mayBeEmpty { // then nothing is needed
		count := size.NumElements()
		have, needed = have.Times(count), needed.Times(count)
	}
	need := graph.Requirement{Kind: graph.MustBeAtLeast, A: have, B: needed,
		Why: "as_strided reads no further than its operand"}
	switch bytes := graph.Dim(c.DType(0).Size()); p.Judge(need) {
	case prove.Refused:
		c.Fail(stridedMistake(c,
			"setStorage: sizes %s, strides %s, storage offset %s, and itemsize %d requiring a storage size of %s are out of bounds for storage of size %s",
			size, graph.Shape(strides), offset, bytes, needed.Times(bytes), have.Times(bytes)))
	case prove.Deferred:
		c.Require(need)
	}
	if c.Failed() {
		return unknown(len(size))
	}
	return size
}

func stridedMistake(c *graph.Call, format string, args ...any) *graph.Mistake {
	return operandMistake(c, graph.CodeSlice, format, args...)
}
