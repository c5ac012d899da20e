package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Take is the shape rule of slices selected along an axis: the axes of operand 1, the indices, replace the axis of
// operand 0.
func Take(c *graph.Call, axis int) graph.Shape {
	x, index := c.Shape(0), c.Shape(1)
	if len(x) == 0 {
		c.Fail(operandMistake(c, graph.CodeRank, "take: a scalar has no axis to pick from"))
		return index
	}
	at := Axis(c, axis, len(x))
	if at < 0 {
		return unknown(len(x) - 1 + len(index))
	}
	if !c.DType(1).IsIndex() {
		refuseIndex(c, 1, "take: Expected dtype int32 or int64 for index")
	}
	requireChoice(c, 0, at, index, "index out of range in self")
	return slices.Replace(slices.Clone(x), at, at+1, index...)
}

// requireChoice refuses to pick from an axis of an operand that has no elements, or to write there, unless what is
// written is left out.
func requireChoice(c *graph.Call, operand, axis int, index graph.Shape, sentence string) {
	if a, is := c.Attrs().(interface{ DropsOutside() bool }); is && a.DropsOutside() {
		return
	}
	if c.Shape(operand)[axis] == 0 && !slices.Contains(index, 0) && index.IsStatic() && !c.Failed() {
		m := operandMistake(c, graph.CodeEmpty, "%s", sentence)
		m.Operands[operand].Bad = []int{axis}
		c.Fail(m)
	}
}

// Segments is the shape rule of the adjoint of [Take]: one axis of the given size replaces the axes of operand 0 that
// match those of the indices, operand 1. The axis counts in the result.
func Segments(c *graph.Call, name string, axis int, size graph.Dim) graph.Shape {
	x, index := c.Shape(0), c.Shape(1)
	if len(x) < len(index) {
		c.Fail(operandMistake(c, graph.CodeRank,
			"%s: indices of rank %d do not fit operand of rank %d", name, len(index), len(x)))
		return nil
	}
	rank := len(x) - len(index) + 1
	if axis = Axis(c, axis, rank); axis < 0 {
		return unknown(rank)
	}
	if !c.DType(1).IsIndex() {
		refuseIndex(c, 1, name+": Expected dtype int32 or int64 for index")
	}
	r := CallRules(c)
	for i, d := range index {
		r.requireSame(c, x[axis+i], d, axis+i, "one index for each element", func() *graph.Mistake {
			m := operandMistake(c, graph.CodeBroadcast,
				"%s: there are %s indices, but %s elements along axis %d", name, d, x[axis+i], axis+i)
			m.Operands[0].Bad, m.Operands[1].Bad = []int{axis + i}, []int{i}
			return m
		})
	}
	return slices.Replace(slices.Clone(x), axis, axis+len(index), size)
}

// Compress is the shape rule of the slices of operand 0 for which the mask, operand 1, is true: one axis of the given
// size replaces the axes that match those of the mask, starting with the given one. Operand 2 is the padding.
func Compress(c *graph.Call, axis int, size graph.Dim) graph.Shape {
	x, mask := c.Shape(0), c.Shape(1)
	switch {
	case c.DType(1) != graph.Bool:
		refuseFor(c, 1, graph.Bool, "compress: expected a Bool mask, but got "+c.DType(1).TorchName())
	case len(mask) == 0 || len(mask) > len(x):
		c.Fail(operandMistake(c, graph.CodeRank,
			"compress: a mask of rank %d cannot select slices of an operand of rank %d", len(mask), len(x)))
	}
	if c.Failed() || !mayFill(c, "compress", size) {
		return nil
	}
	rank := len(x) - len(mask) + 1
	if axis = Axis(c, axis, rank); axis < 0 {
		return unknown(rank)
	}
	r := CallRules(c)
	for i, d := range mask {
		r.requireSame(c, x[axis+i], d, axis+i, "a mask must have one element for each slice", func() *graph.Mistake {
			m := operandMistake(c, graph.CodeBroadcast,
				"compress: the mask has %s elements along axis %d, but there are %s slices", d, i, x[axis+i])
			m.Operands[0].Bad, m.Operands[1].Bad = []int{axis + i}, []int{i}
			return m
		})
	}
	return slices.Replace(slices.Clone(x), axis, axis+len(mask), size)
}

// mayFill requires that operand 2 can fill elements of operand 0, in a result of the given size.
func mayFill(c *graph.Call, name string, size graph.Dim) bool {
	switch {
	case c.DType(2) != c.DType(0) || len(c.Shape(2)) > 0:
		RefuseDType(c, fmt.Sprintf("%s: the fill must be a number or a scalar of dtype %s", name, c.DType(0)))
	case !size.IsSize():
		c.Fail(operandMistake(c, graph.CodeSize, "%s: %s is not a valid size", name, size))
	}
	return !c.Failed()
}

// RepeatBy is the shape rule of the slices of operand 0 along an axis, repeated by the counts of operand 1: the axis
// gets the given size. Operand 2 is the padding.
func RepeatBy(c *graph.Call, axis int, size graph.Dim) graph.Shape {
	const name = "repeat_interleave"
	x, counts := slices.Clone(c.Shape(0)), c.Shape(1)
	switch {
	case !c.DType(1).IsIndex():
		refuseIndex(c, 1, name+": repeats has to be Long or Int tensor")
	case len(counts) != 1:
		c.Fail(operandMistake(c, graph.CodeRank, name+" only accept 1D vector as repeat"))
	case len(x) == 0:
		c.Fail(operandMistake(c, graph.CodeRank, name+": a scalar has no axis to repeat along"))
	}
	if c.Failed() || !mayFill(c, name, size) {
		return nil
	}
	if axis = Axis(c, axis, len(x)); axis < 0 {
		return unknown(len(x))
	}
	CallRules(c).requireSame(c, x[axis], counts[0], axis, "a count for each slice", func() *graph.Mistake {
		m := operandMistake(c, graph.CodeBroadcast,
			"%s: there are %s counts, but %s slices along axis %d", name, counts[0], x[axis], axis)
		m.Operands[0].Bad, m.Operands[1].Bad = []int{axis}, []int{0}
		return m
	})
	x[axis] = size
	return x
}

// IndexSelect is the shape rule of picking along an axis by a vector of indices. A scalar
// counts as a vector of one element on both sides.
func IndexSelect(c *graph.Call, axis int) graph.Shape {
	x, index := slices.Clone(c.Shape(0)), c.Shape(1)
	at := Axis(c, axis, len(x))
	switch {
	case at < 0:
		return x
	case len(index) > 1:
		c.Fail(operandMistake(c, graph.CodeRank, "index_select(): Index is supposed to be a vector"))
	}
	count := graph.Dim(1)
	if len(index) == 1 {
		count = index[0]
	}
	if len(x) == 0 && !count.IsUnknown() {
		switch prove.NewProver(c.Bounds).Equal(count, 1) {
		case prove.Refused:
			c.Fail(operandMistake(c, graph.CodeRank,
				"index_select(): Index to scalar can have only 1 value, got %s value(s)", count))
		case prove.Deferred:
			c.Require(graph.Requirement{Kind: graph.MustEqual, A: count, B: 1,
				Why: "a scalar has only one element to select"})
		}
	}
	if !c.DType(1).IsIndex() && !c.Failed() {
		refuseIndex(c, 1, "index_select(): Expected dtype int32 or int64 for index")
	}
	if len(x) == 0 {
		return x
	}
	requireChoice(c, 0, at, index, "index_select(): self indexing axis dim should be positive")
	x[at] = count
	return x
}

// Gather is the shape rule of picking along an axis, with an index for every element of
// the result: the result has the indices' shape.
func Gather(c *graph.Call, axis int) graph.Shape {
	x, index := c.Shape(0), c.Shape(1)
	at := Axis(c, axis, len(x))
	if c.DType(1) != graph.Int64 && at >= 0 {
		refuseIndex(c, 1, "gather(): Expected dtype int64 for index")
	}
	switch {
	case at < 0, slices.Contains(index, 0):
		return index
	case max(len(x), 1) != max(len(index), 1):
		c.Fail(operandMistake(c, graph.CodeRank,
			"Index tensor must have the same number of dimensions as input tensor"))
		return index
	}
	p := prove.NewProver(c.Bounds)
	for i := range min(len(index), len(x)) {
		if i == at || index[i].IsUnknown() || x[i].IsUnknown() {
			continue
		}
		switch p.AtLeast(x[i].Minus(index[i]), 0) {
		case prove.Refused:
			m := operandMistake(c, graph.CodeBroadcast,
				"Size does not match at dimension %d expected index %s to be no larger than self %s apart from dimension %d",
				i, index, x, at)
			m.Operands[0].Bad, m.Operands[1].Bad = []int{i}, []int{i}
			c.Fail(m)
			return index
		case prove.Deferred:
			c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: x[i], B: index[i], Axis: i,
				Why: "gather must not read beyond its operand"})
		}
	}
	if len(x) > 0 {
		requireChoice(c, 0, at, index, fmt.Sprintf("index is out of bounds for dimension %d with size 0", at))
	}
	return index
}

// Embedding is the shape rule of rows of a table, operand 1, selected by indices, operand 0.
func Embedding(c *graph.Call, padding []int) graph.Shape {
	index, table := c.Shape(0), c.Shape(1)
	if len(table) != 2 {
		c.Fail(operandMistake(c, graph.CodeRank, "'weight' must be 2-D"))
		return nil
	}
	tableIndex(c, "embedding")
	if len(padding) > 0 {
		paddingRow(c, table[0], max(padding[0], ^padding[0])) // -1 is the last row
	}
	requireChoice(c, 1, 0, index, "index out of range in self")
	return append(slices.Clone(index), table[1])
}

// tableIndex requires that operand 0 holds indices.
func tableIndex(c *graph.Call, name string) {
	if t := c.DType(0); !t.IsIndex() {
		have := "torch." + t.TorchName() + "Tensor"
		if t == graph.Bool {
			have = "CPUBoolType"
		}
		refuseIndex(
			c, 0,
			fmt.Sprintf(
				"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got %s instead (while checking arguments for %s)",
				have, name))
	}
}

// paddingRow requires that a table has more rows than a number.
func paddingRow(c *graph.Call, rows graph.Dim, row int) {
	need := graph.Requirement{Kind: graph.MustBeAtLeast, A: rows.Minus(1), B: graph.Dim(row), Axis: 0,
		Why: "the padding row must be a row of the table"}
	switch verdict := prove.NewProver(c.Bounds).Judge(need); {
	case rows.IsUnknown():
	case verdict == prove.Refused || !need.B.IsSize():
		c.Fail(operandMistake(c, graph.CodeAxis, "Padding_idx must be within num_embeddings"))
	case verdict == prove.Deferred:
		need.A, need.B = rows, need.B.Plus(1)
		c.Require(need)
	}
}

// TopK is the shape rule of k elements of an axis.
func TopK(c *graph.Call, axis int, k graph.Dim) graph.Shape {
	x := slices.Clone(c.Shape(0))
	at := Axis(c, axis, len(x))
	switch {
	case at < 0:
		return x
	case len(x) == 0 && k == 0:
		c.Fail(operandMistake(c, graph.CodeAxis, "selected index k out of range: a scalar has one element, but k is 0"))
		return nil
	case len(x) == 0:
		x = graph.Shape{1}
	}
	need := graph.Requirement{Kind: graph.MustBeAtLeast, A: x[at], B: k, Axis: at, Why: "there must be k elements"}
	switch verdict := prove.NewProver(c.Bounds).Judge(need); {
	case x[at].IsUnknown() || k.IsUnknown():
	case verdict == prove.Refused:
		m := operandMistake(c, graph.CodeAxis,
			"selected index k out of range: k is %s, but axis %d has %s elements", k, at, x[at])
		m.Operands[0].Bad = []int{at}
		c.Fail(m)
	case verdict == prove.Deferred:
		c.Require(need)
	}
	if len(c.Shape(0)) == 0 {
		return nil
	}
	x[at] = k
	return x
}
