package rules

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// GatherND is the shape rule of elements or slices of operand 0 selected by index vectors, the last axis of operand
// 1: one number for each axis after those of the batch, which both have.
func GatherND(c *graph.Call, batch int) graph.Shape {
	x, index := c.Shape(0), c.Shape(1)
	k, ok := indexTuple(c, batch)
	if !ok {
		return nil
	}
	r, last := CallRules(c), len(index)-1
	for i := range batch {
		same := r.requireSame(c, x[i], index[i], i, "operand and indices must have the same batch axes",
			func() *graph.Mistake {
				m := operandMistake(c, graph.CodeBroadcast,
					"axis %d of %d batch axes has size %s in the operand and %s in the indices",
					i, batch, x[i], index[i])
				m.Operands[0].Bad, m.Operands[1].Bad = []int{i}, []int{i}
				return m
			})
		if !same {
			return nil
		}
	}
	return slices.Concat(index[:last], x[batch+k:])
}

// ScatterND is the shape rule of elements or slices of operand 2 that are written into operand 0 at index vectors,
// the last axis of operand 1: the shape of operand 0.
func ScatterND(c *graph.Call) graph.Shape {
	x, index, src := c.Shape(0), c.Shape(1), c.Shape(2)
	k, ok := indexTuple(c, 0)
	switch {
	case !ok:
		return x
	case c.DType(0) != c.DType(2):
		RefuseDType(c, "operand and updates must have the same dtype")
		return x
	}
	want := slices.Concat(index[:len(index)-1], x[k:])
	refuse := func() *graph.Mistake {
		return operandMistake(c, graph.CodeBroadcast,
			"indices %s into an operand %s need updates %s, but they are %s", index, x, want, src)
	}
	if len(src) != len(want) {
		m := refuse()
		m.Code = graph.CodeRank
		c.Fail(m)
		return x
	}
	r := CallRules(c)
	for i, d := range want {
		same := r.requireSame(c, src[i], d, i,
			"there must be one update for each index, of the operand's shape after the indexed axes",
			func() *graph.Mistake {
				m := refuse()
				m.Operands[2].Bad = []int{i}
				return m
			})
		if !same {
			return x
		}
	}
	return x
}

// indexTuple returns how many axes of operand 0, behind those of the batch, the numbers along the
// last axis of operand 1 index.
func indexTuple(c *graph.Call, batch int) (k int, ok bool) {
	x, index := c.Shape(0), c.Shape(1)
	last := len(index) - 1
	switch {
	case !c.DType(1).IsIndex():
		refuseIndex(c, 1, "Expected dtype int32 or int64 for index")
		return 0, false
	case last < 0:
		c.Fail(operandMistake(c, graph.CodeRank,
			"the indices of an element must be along the last axis, but a scalar has none"))
		return 0, false
	case batch < 0 || batch > last || batch > len(x):
		c.Fail(operandMistake(c, graph.CodeAxis,
			"there are %d batch axes, but the operand has rank %d and the indices rank %d, whose last axis cannot be a batch axis",
			batch, len(x), last+1))
		return 0, false
	case index[last].IsUnknown():
		return 0, false
	}
	n, known := c.In(1).Graph().Known(index[last])
	if !known {
		m := operandMistake(c, graph.CodeSize,
			"the last axis of the indices is the number of indexed axes, but its size %s is not known",
			QuoteName(index[last]))
		m.Operands[1].Bad = []int{last}
		c.Fail(m)
		return 0, false
	}
	if n > int64(len(x)-batch) {
		m := operandMistake(c, graph.CodeRank,
			"the last axis of the indices has %d elements, one for each indexed axis, but the operand has %d axes",
			n, len(x)-batch)
		m.Operands[1].Bad = []int{last}
		c.Fail(m)
		return 0, false
	}
	for i := range int(n) {
		requireChoice(c, 0, batch+i, index[:last],
			fmt.Sprintf("index is out of bounds for dimension %d with size 0", batch+i))
	}
	return int(n), !c.Failed()
}

// IndexedAxis returns the position in the result of the axes of indices into several axes: that of the indexed axes,
// if they are neighbours, otherwise 0, as in NumPy and PyTorch.
func IndexedAxis(axes []int) int {
	if len(axes) == 0 || axes[len(axes)-1]-axes[0] >= len(axes) {
		return 0
	}
	return axes[0]
}

// Index is the shape rule of elements of operand 0 that the other operands name, an index for each of
// the axes, which rise. Indices broadcast.
func Index(c *graph.Call, axes []int) graph.Shape {
	x := c.Shape(0)
	if n := len(axes); n > 0 && axes[n-1] >= len(x) {
		c.Fail(operandMistake(c, graph.CodeRank,
			"too many indices for tensor of dimension %d (got %d)", len(x), axes[n-1]+1))
		return nil
	}
	indices := make([]graph.Shape, len(axes))
	for i := range axes {
		indices[i] = c.Shape(i + 1)
		switch t := c.DType(i + 1); {
		case t == graph.Bool:
			refuseIndex(
				c, i+1,
				"the number of elements that a mask selects depends on its values, but sizes of results must be known")
			return nil
		case !t.IsIndex():
			refuseIndex(c, i+1, "tensors used as indices must be long or int tensors")
			return nil
		}
	}
	b := CallRules(c).BroadcastShapes(indices...)
	if len(b.Clashes) > 0 {
		c.Fail(clashMistake(c, b, 1, len(axes)+1))
		return nil
	}
	for _, need := range b.Needs {
		need.Why = "indices broadcast"
		c.Require(need)
	}
	for _, axis := range axes {
		requireChoice(c, 0, axis, b.Shape, fmt.Sprintf("index is out of bounds for dimension %d with size 0", axis))
	}
	var rest graph.Shape
	for axis, d := range x {
		if !slices.Contains(axes, axis) {
			rest = append(rest, d)
		}
	}
	return slices.Insert(rest, IndexedAxis(axes), b.Shape...)
}

// IndexPut is the shape rule of the last operand written into operand 0 at the indices between them, as in [Index]:
// the shape of operand 0.
func IndexPut(c *graph.Call, axes []int) graph.Shape {
	x, last := c.Shape(0), c.NumIn()-1
	to := Index(c, axes)
	switch from := c.DType(last); {
	case c.Failed():
	case c.DType(0) != from:
		RefuseDType(
			c,
			fmt.Sprintf(
				"Index put requires the source and destination dtypes match, got %s for the destination and %s for the source.",
				c.DType(0).CppName(), from.CppName()))
	default:
		repeatsTo(c, last, to)
	}
	return x
}

// repeatsTo requires that an operand is repeated to what is indexed.
func repeatsTo(c *graph.Call, operand int, to graph.Shape) {
	from, r := c.Shape(operand), CallRules(c)
	lead := len(to) - len(from)
	refuse := func(code graph.Code) *graph.Mistake {
		return operandMistake(c, code,
			"shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape %s", from, to)
	}
	if lead < 0 {
		c.Fail(refuse(graph.CodeRank))
		return
	}
	for axis, have := range from {
		want := to[lead+axis]
		if have == want || have == 1 || have.IsUnknown() || want.IsUnknown() {
			continue
		}
		switch verdict, names := r.destination(want, have); {
		case verdict == prove.Deferred:
			kind := graph.MustEqual
			if r.repeatsAtRun(have) {
				kind = graph.MustEqualOrOne
			}
			c.Require(graph.Requirement{Kind: kind, A: want, B: have, Axis: lead + axis, Why: "a value for each index"})
		case verdict == prove.Refused:
			m := refuse(graph.CodeBroadcast)
			m.Operands[operand].Bad = []int{axis}
			if names {
				m.Code, m.Summary, m.Sizes = graph.CodeNames, namesMeet(have, want, axis-len(from)),
					addNames(nil, have, want)
			}
			c.Fail(m)
			return
		}
	}
}
