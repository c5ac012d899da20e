package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// findCounted finds elements of what counts, of an operand that has a counted axis.
func findCounted(i int) func(c *call) []*value {
	return func(c *call) []*value {
		c.fill(i, 0)
		return valueRules[c.from.Op](c)
	}
}

// nonZero are the indices of elements that are not 0: of a known tensor, or of one in which all are counted, which is
// how old models count, they are known; else their number is open.
func nonZero(c *call) []*value {
	if c.value(0).isFilled {
		shape := c.in(0).Shape()
		var rows []node
		for axis := range shape {
			rows = append(rows, ops.Flatten(ops.Iota(c.g, axis, shape...), 0, -1))
		}
		return ofNodes([]node{ops.Stack(0, rows...)})
	}
	if a, ok := c.arrayOf(c.operands[0]); ok {
		return ofNodes([]node{nonZeroSizes(a.Data, a.Shape).node(c.g)})
	}
	x := c.in(0)
	index, size := c.found(x)
	y := ofNode(ops.Transpose(index, 0, 1))
	y.counted = &counted{1, size}
	return []*value{y}
}

// places are the indices of the elements of a node that are not 0, and their number.
type places struct {
	index node
	size  graph.Dim
}

// found are the indices of elements that are not 0. Those of one node have one size: a mask may select rows of several
// tensors, which are computed together then.
func (b *builder) found(x node) (index node, size graph.Dim) {
	if p, done := b.places[x]; done && b.isHere(p.index) {
		return p.index, p.size
	}
	most := x.Shape().NumElements()
	index, count := ops.Nonzero(x, most, graph.Num(0))
	size = b.newSize(count, most)
	b.places[x] = places{index, size}
	return index, size
}

// compress takes the slices of an axis where a condition is true. If it is not known, their number is open.
func compress(c *call) []*value {
	x, axis := c.in(0), 0
	if c.given("axis") {
		axis = c.axis(0)
	} else {
		x = ops.Flatten(x, 0, -1)
	}
	if _, isKnown := c.arrayOf(c.value(1)); isKnown {
		var at []int64
		for i, v := range c.floats(1) {
			if v != 0 {
				at = append(at, int64(i))
			}
		}
		return ofNodes([]node{ops.IndexSelect(x, axis, graph.Constant(c.g, at, graph.Dim(len(at))))})
	}
	mask := c.in(1)
	if missing := x.Shape()[axis].Minus(mask.Shape()[0]); missing != 0 { // what is not said is not taken
		mask = ops.Pad(mask, 0, 0, missing, 0)
	}
	index, size := c.found(mask)
	y := ofNode(ops.IndexSelect(x, axis, ops.Select(index, 1, 0)))
	y.counted = &counted{axis, size}
	return []*value{y}
}

// nonMaxSuppression are the boxes that remain. If they are not known, their number is open.
func nonMaxSuppression(c *call) []*value {
	n, threshold := graph.Dim(0), 0.0
	if list := c.dims(2); len(list) > 0 {
		n = list[0]
	}
	if list := c.floats(3); len(list) > 0 {
		threshold = list[0]
	}
	opts := []ops.NMSOption{ops.NMSLimit(n)}
	if list := c.floats(4); len(list) > 0 {
		opts = append(opts, ops.NMSScore(list[0]))
	}
	if c.int("center_point_box", 0) == 1 {
		opts = append(opts, ops.NMSCenters())
	}
	most := c.in(1).Shape().NumElements()
	index, count := ops.NonMaxSuppression(c.in(0), c.in(1), threshold, most, graph.Num(0), opts...)
	if a, ok := c.arrayOf(ofNode(count)); ok {
		remain, _ := graph.NumberAt(a.Data, 0)
		return ofNodes([]node{ops.Slice(index, 0, 0, graph.Dim(remain), 1)})
	}
	y := ofNode(index)
	y.counted = &counted{0, c.newSize(count, most)}
	return []*value{y}
}

// nmsCounted leaves out boxes that do not count by their scores.
func nmsCounted(c *call) []*value {
	c.fill(0, 0)
	if scores := c.value(1); scores.counted != nil {
		if !c.has(4) { // all boxes would remain that do not overlap, whatever their scores
			x := c.nodeOf(scores)
			low, _ := x.DType().Range()
			c.operands = append(c.operands, nil, nil, nil, nil)[:5]
			c.operands[4] = ofNode(graph.Constant(c.g, []float32{float32(max(low, -math.MaxFloat32))}))
		}
		c.fill(1, math.Inf(-1))
	}
	return nonMaxSuppression(c)
}

// gatherCounted picks along an axis.
func gatherCounted(c *call) []*value {
	x, index, axis := c.value(0), c.value(1), c.axis(0)
	shape := c.shapeOf(x)
	to := slices.Concat(shape[:axis], c.shapeOf(index), shape[axis+1:])
	c.fill(1, 0)
	if x.counted == nil || x.counted.axis != axis {
		return c.shaped(c.computed(), to)
	}
	n := c.countOf(x.counted.size)
	at := nonNegative(ops.Cast(c.in(1), graph.Int64), n)
	if index.counted == nil {
		at = ops.Assert(at, ops.And(ops.Less(at, n), ops.GreaterEqual(at, whole(0))),
			"Gather: an index is out of range")
	}
	return c.shaped(ofNodes([]node{ops.Take(c.in(0), axis, at)}), to)
}

func gatherNDCounted(c *call) []*value {
	x, index := c.shapeOf(c.value(0)), c.shapeOf(c.value(1))
	last := len(index) - 1
	width, isKnown := index[last].Int()
	if !isKnown || c.int("batch_dims", 0) != 0 || int(width) > len(x) {
		refuse("its indices have sizes that are known only when the model runs: %s", selectBefore)
	}
	c.fill(1, 0)
	return c.shaped(c.computed(), slices.Concat(index[:last], x[width:]))
}

// gatherElementsCounted picks along an axis that is not the counted one, which both operands have.
func gatherElementsCounted(c *call) []*value {
	x, index, axis := c.shapeOf(c.value(0)), c.shapeOf(c.value(1)), c.axis(0)
	for i := range x {
		if (c.isOpen(x[i]) || c.isOpen(index[i])) && (i == axis || x[i] != index[i]) {
			refuse("its operands have different sizes that are known only when the model runs: %s", selectBefore)
		}
	}
	c.fill(1, 0)
	return c.shaped(c.computed(), index)
}

// scatterNDCounted writes what counts.
func scatterNDCounted(c *call) []*value {
	x, index := c.value(0), c.value(1)
	to := c.shapeOf(x)
	at, src := ops.Cast(c.nodeOf(index), graph.Int64), c.in(2)
	if index.counted != nil {
		at = ops.Where(c.valid(at, index.counted), at, whole(most)) // which is outside
		at, src = c.sameCount(at, index.counted, c.value(2))
	} else if c.value(2).counted != nil {
		refuse("its elements have a size that is known only when the model runs: %s", selectBefore)
	}
	return c.shaped(ofNodes([]node{c.scatteredND(at, src, ops.DropOutside())}), to)
}

// sameCount brings elements to the length of their indices in the graph. Whether as many of them count is known when
// the model runs.
func (c *call) sameCount(index node, of *counted, src *value) (indices, elements node) {
	x := c.nodeOf(src)
	size := c.shapeOf(src)[of.axis]
	if size == of.size {
		return index, x
	}
	index = ops.Assert(index, ops.Equal(c.countOf(of.size), c.countOf(size)),
		"ScatterND: it has another number of indices than of elements")
	missing := index.Shape()[of.axis].Minus(x.Shape()[of.axis])
	if is, known := c.less(missing, 0); known && is {
		return index, ops.Narrow(x, of.axis, 0, index.Shape()[of.axis])
	} else if !known {
		refuse("its indices and elements have different sizes that are known only when the model runs: %s", selectBefore)
	}
	if missing == 0 {
		return index, x
	}
	return index, ops.Pad(x, of.axis, 0, missing, 0)
}

func scatterElementsCounted(c *call) []*value {
	x, index, axis := c.value(0), c.value(1), c.axis(0)
	to, shape, src := c.shapeOf(x), c.shapeOf(index), c.shapeOf(c.value(2))
	for i := range shape {
		if (c.isOpen(shape[i]) || c.isOpen(src[i])) && shape[i] != src[i] ||
			i != axis && (c.isOpen(shape[i]) || c.isOpen(to[i])) &&
				shape[i] != to[i] {
			refuse("its operands have different sizes that are known only when the model runs: %s", selectBefore)
		}
	}
	n := c.length(x.node.Shape()[axis])
	if x.counted != nil && x.counted.axis == axis {
		n = c.countOf(x.counted.size)
	}
	at := nonNegative(ops.Cast(c.in(1), graph.Int64), n)
	if index.counted != nil {
		at = ops.Where(c.valid(at, index.counted), at, whole(most)) // which is outside
	}
	return c.shaped(ofNodes([]node{c.scattered(axis, at, ops.DropOutside())}), to)
}
