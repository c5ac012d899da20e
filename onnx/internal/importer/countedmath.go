package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// reduced are reductions, and the numbers that do not change them.
var reduced = map[string]float64{"ReduceSum": 0, "ReduceMean": 0, "ReduceProd": 1, "ReduceL1": 0, "ReduceL2": 0,
	"ReduceMax": math.Inf(-1), "ReduceMin": math.Inf(1), "ReduceLogSum": 0, "ReduceLogSumExp": math.Inf(-1),
	"ReduceSumSquare": 0}

// reduceCounted reduces what counts.
func reduceCounted(empty float64) func(c *call) []*value {
	return func(c *call) []*value {
		shape, over := c.shapeOf(c.value(0)), c.listOr(1, "axes")
		if len(over) == 0 && c.int("noop_with_empty_axes", 0) == 1 {
			return c.operands[:1]
		}
		var to graph.Shape
		for i, d := range shape {
			isReduced := len(over) == 0 ||
				slices.ContainsFunc(over, func(axis int) bool { return wrapped(axis, len(shape)) == i })
			switch {
			case !isReduced:
				to = append(to, d)
			case c.int("keepdims", 1) == 1:
				to = append(to, 1)
			}
		}
		if c.countedIn(to) != nil {
			return c.shaped(c.computed(), to)
		}
		all, size := c.value(0).node.Shape()[c.value(0).counted.axis], c.value(0).counted.size
		c.fill(0, empty)
		y := c.computed()
		if c.from.Op == "ReduceMean" {
			if y[0].node.DType().IsInt() {
				refuse("a mean of integers of which the number is known only when the model runs: %s", selectBefore)
			}
			t := y[0].node.DType() // of which all elements were counted
			by := ops.Div(ops.Size(c.g, graph.Float64, all), ops.Cast(c.countOf(size), graph.Float64))
			y = ofNodes([]node{ops.Cast(ops.Mul(y[0].node, by), t)})
		}
		return y
	}
}

// extremeCounted is the place of an extreme among what counts.
func extremeCounted(empty float64) func(c *call) []*value {
	return func(c *call) []*value {
		v, axis := c.value(0), c.axis(0)
		shape := c.shapeOf(v)
		if v.counted.axis == axis {
			if c.int("select_last_index", 0) == 1 {
				refuse("it takes the last of a number of elements that is known only when the model runs: %s",
					selectBefore)
			}
			c.fill(0, empty)
			return c.computed()
		}
		if shape[axis] = 1; c.int("keepdims", 1) == 0 {
			shape = slices.Delete(shape, axis, axis+1)
		}
		return c.shaped(c.computed(), shape)
	}
}

func softmaxCounted(c *call) []*value {
	shape := c.shapeOf(c.value(0))
	if c.version < 13 {
		refuse("it is of an opset before 13, and has a size that is known only when the model runs: export it anew")
	}
	if c.axis(-1) == c.value(0).counted.axis {
		c.fill(0, math.Inf(-1))
	}
	return c.shaped(c.computed(), shape)
}

// alongCounted is an operator of which each result depends on what is before it.
func alongCounted(empty float64) func(c *call) []*value {
	return func(c *call) []*value {
		shape := c.shapeOf(c.value(0))
		c.fill(0, empty)
		return c.shaped(c.computed(), shape)
	}
}

// topKCounted takes the greatest or the least of what counts.
func topKCounted(c *call) []*value {
	axis, k := c.axis(-1), graph.Dim(c.int("k", 0))
	if c.has(1) {
		k = c.sizesIn(1)[0]
	}
	shape := c.shapeOf(c.value(0))
	least := math.Inf(-1)
	if c.int("largest", 1) == 0 {
		least = math.Inf(1)
	}
	v := c.value(0)
	isAlong := v.counted != nil && v.counted.axis == axis
	x, n := c.nodeOf(v), shape[axis]
	if isAlong {
		x = c.filled(v, least)
	}
	wide := c.longest(k)
	if most := x.Shape()[axis]; !c.isOpen(k) && isAlong {
		if is, known := c.less(most, k); !known || is {
			wide = graph.MinDim(k, most)
		}
	}
	values, indices := ops.TopK(x, wide, axis, c.int("largest", 1) == 1)
	if isAlong && !c.isOpen(k) {
		enough := ops.LessEqual(c.length(k), c.countOf(n))
		values = ops.Assert(values, enough, "TopK: there are fewer elements than it takes")
		indices = ops.Assert(indices, enough, "TopK: there are fewer elements than it takes")
	}
	shape[axis] = k
	return c.shaped(ofNodes([]node{values, indices}), shape)
}

// matMulCounted multiplies matrices. What does not count is 0 where products are summed.
func matMulCounted(c *call) []*value {
	return c.product(c.value(0), c.value(1))
}

// product is that of two operands. A vector is a row in the first place, and a column in the second.
func (c *call) product(a, b *value) []*value {
	x, y := c.shapeOf(a), c.shapeOf(b)
	isRow, isColumn := len(x) == 1, len(y) == 1
	if isRow {
		x = slices.Insert(x, 0, 1)
	}
	if isColumn {
		y = append(y, 1)
	}
	inner, outer := x[len(x)-1], y[len(y)-2]
	if inner != outer && (c.isOpen(inner) || c.isOpen(outer)) {
		refuse("whether the sizes %s and %s are equal is known only when the model runs: %s", inner, outer,
			selectBefore)
	}
	shape := append(c.broadcast(x[:len(x)-2], y[:len(y)-2]), x[len(x)-2], y[len(y)-1])
	if isRow {
		shape = slices.Delete(shape, len(shape)-2, len(shape)-1)
	}
	if isColumn {
		shape = shape[:len(shape)-1]
	}
	if c.isOpen(inner) {
		return c.shaped(ofNodes([]node{ops.MatMul(c.filled(a, 0), c.filled(b, 0))}), shape)
	}
	return c.shaped(ofNodes([]node{ops.MatMul(c.nodeOf(a), c.nodeOf(b))}), shape)
}

func gemmCounted(c *call) []*value {
	turned := func(i int, name string) *value {
		v := c.value(i)
		if c.int(name, 0) == 0 {
			return v
		}
		y := ofNode(ops.Transpose(c.nodeOf(v), 0, 1))
		if v.counted != nil {
			y.counted = &counted{1 - v.counted.axis, v.counted.size}
		}
		return y
	}
	y := c.product(turned(0, "transA"), turned(1, "transB"))[0]
	shape := c.shapeOf(y)
	y.node = times(y.node, c.float("alpha", 1))
	if bias := c.at(2); bias != nil {
		shape = c.broadcast(shape, c.shapeOf(c.operands[2]))
		y.node = ops.Add(y.node, times(bias, c.float("beta", 1)))
	}
	return c.shaped([]*value{y}, shape)
}

// roiCounted takes parts of images for boxes.
func roiCounted(c *call) []*value {
	if c.value(0).counted != nil || c.value(1).counted == nil || c.value(1).counted.axis != 0 {
		refuse("the number of images is known only when the model runs: %s", selectBefore)
	}
	rois := c.value(1).counted
	c.fill(1, 0)
	c.fill(2, 0)
	y := c.computed()
	y[0].counted = rois
	return y
}
