package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// takesSizes are operators whose operands say the shape of the result.
var takesSizes = map[string]bool{
	"Expand": true, "Reshape": true, "ConstantOfShape": true, "Range": true, "TopK": true, "Slice": true, "Tile": true}

// countedRules are those of operators with an operand that has a [counted] axis.
var countedRules map[string]func(c *call) []*value

func init() {
	countedRules = map[string]func(c *call) []*value{
		"Transpose":       transposeCounted,
		"Squeeze":         squeezeCounted,
		"Unsqueeze":       unsqueezeCounted,
		"Flatten":         flattenCounted,
		"Reshape":         reshapeCounted,
		"Expand":          expandCounted,
		"ConstantOfShape": func(c *call) []*value { return c.shaped(c.computed(), c.sizesIn(0)) },
		"Range":           rangeCounted,
		"Tile":            tileCounted,
		"Concat":          concatCounted,
		"Slice":           sliceCounted,
		"Split":           splitCounted,

		"Gather":          gatherCounted,
		"GatherND":        gatherNDCounted,
		"GatherElements":  gatherElementsCounted,
		"ScatterND":       scatterNDCounted,
		"ScatterElements": scatterElementsCounted,
		"NonZero":         findCounted(0),
		"Compress":        findCounted(0),

		"MatMul":  matMulCounted,
		"Gemm":    gemmCounted,
		"TopK":    topKCounted,
		"CumSum":  alongCounted(0),
		"Softmax": softmaxCounted, "LogSoftmax": softmaxCounted,
		"ArgMax": extremeCounted(math.Inf(-1)), "ArgMin": extremeCounted(math.Inf(1)),
		"NonMaxSuppression": nmsCounted,
		"RoiAlign":          roiCounted,
	}
	for name := range elementRules {
		countedRules[name] = func(c *call) []*value { return c.shaped(c.computed(), c.jointShape(c.operands...)) }
	}
	for name, empty := range reduced {
		countedRules[name] = reduceCounted(empty)
	}
	for _, name := range ofEachExample {
		countedRules[name] = exampleCounted
	}
	for _, name := range []string{"Identity", "Shape", "Size", "SequenceConstruct", "SequenceInsert", "SequenceAt",
		"SequenceErase", "SequenceLength", "Optional", "OptionalGetElement", "OptionalHasElement"} {
		countedRules[name] = func(c *call) []*value { return valueRules[c.from.Op](c) }
	}
}

// ofEachExample are operators that compute each example, along axis 0, by itself.
var ofEachExample = []string{"Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool",
	"BatchNormalization", "InstanceNormalization", "GroupNormalization", "LayerNormalization", "RMSNormalization",
	"DepthToSpace", "SpaceToDepth", "Resize", "Upsample", "Pad", "Dropout"}

// exampleCounted is an operator of [ofEachExample]: its first operand has a counted axis 0.
func exampleCounted(c *call) []*value {
	x := c.value(0)
	isFirst := x.counted != nil && x.counted.axis == 0
	for _, v := range c.operands[1:] {
		isFirst = isFirst && (v == nil || v.counted == nil)
	}
	if !isFirst {
		refuse("an axis other than the first one has a size that is known only when the model runs: %s", selectBefore)
	}
	results := c.computed()
	for _, v := range results {
		if v != nil && v.node.Rank() > 0 && v.node.Shape()[0] == x.node.Shape()[0] {
			v.counted = x.counted
		}
	}
	return results
}

func transposeCounted(c *call) []*value {
	shape := c.shapeOf(c.value(0))
	var to graph.Shape
	for _, axis := range c.ints("perm", backwards(len(shape))...) {
		to = append(to, shape[wrapped(axis, len(shape))])
	}
	return c.shaped(c.computed(), to)
}

func squeezeCounted(c *call) []*value {
	shape, over := c.shapeOf(c.value(0)), c.listOr(1, "axes")
	if over == nil {
		refuse("it removes axes of size 1, but a size is known only when the model runs: %s", selectBefore)
	}
	var to graph.Shape
	for i, d := range shape {
		if !slices.ContainsFunc(over, func(axis int) bool { return wrapped(axis, len(shape)) == i }) {
			to = append(to, d)
		}
	}
	if c.countedIn(to) == nil {
		refuse("it removes an axis whose size is known only when the model runs: %s", selectBefore)
	}
	return c.shaped(c.computed(), to)
}

func unsqueezeCounted(c *call) []*value {
	shape := c.shapeOf(c.value(0))
	for _, axis := range c.newAxes(len(shape)) {
		shape = slices.Insert(shape, axis, 1)
	}
	return c.shaped(c.computed(), shape)
}

func flattenCounted(c *call) []*value {
	shape, axis := c.shapeOf(c.value(0)), c.axis(1)
	return c.reshaped(graph.Shape{shape[:axis].NumElements(), shape[axis:].NumElements()})
}

func reshapeCounted(c *call) []*value {
	shape, to := c.shapeOf(c.value(0)), slices.Clone(c.sizesIn(1))
	free := -1
	for i, d := range to {
		if d == 0 && c.int("allowzero", 0) == 0 && i < len(shape) {
			to[i] = shape[i]
		}
		if d == -1 {
			free, to[i] = i, 1
		}
	}
	if free >= 0 {
		total, others := shape.NumElements(), graph.Shape(to).NumElements()
		n, ok := total.ExactDiv(others)
		if !ok {
			n = total.DividedBy(others)
		}
		to[free] = n
	}
	return c.reshaped(to)
}

// reshaped gives the first operand another shape. In it, the elements that count must be the first along an axis, too.
func (c *call) reshaped(to graph.Shape) []*value {
	v := c.value(0)
	from, after := c.countedIn(c.shapeOf(v)), c.countedIn(to)
	if from == nil || after == nil || to.NumElements() != c.shapeOf(v).NumElements() ||
		to[:after.axis].NumElements() != c.shapeOf(v)[:from.axis].NumElements() {
		refuse("whether %s can become %s is known only when the model runs: %s", c.shapeOf(v), to, selectBefore)
	}
	wide := make([]graph.Dim, len(to))
	for i, d := range to {
		wide[i] = c.longest(d)
	}
	return c.shaped(ofNodes([]node{ops.Reshape(c.nodeOf(v), wide...)}), to)
}

func expandCounted(c *call) []*value {
	return c.shaped(c.computed(), c.broadcast(c.shapeOf(c.value(0)), c.sizesIn(1)))
}

func tileCounted(c *call) []*value {
	shape, times := c.shapeOf(c.value(0)), c.sizesIn(1)
	for i, n := range times {
		if c.isOpen(shape[i]) && n != 1 || c.isOpen(n) {
			refuse("how often it repeats elements is known only when the model runs: %s", selectBefore)
		}
		shape[i] = shape[i].Times(n)
	}
	return c.shaped(c.computed(), shape)
}

// rangeCounted counts from 0 in steps of 1 to a size.
func rangeCounted(c *call) []*value {
	start, limit, step := c.sizesIn(0), c.sizesIn(1), c.sizesIn(2)
	if start[0] != 0 || step[0] != 1 {
		refuse("how many numbers it counts is known only when the model runs: %s", selectBefore)
	}
	y := ops.Cast(ops.Iota(c.g, 0, c.longest(limit[0])), c.value(1).sizes.dtype)
	return c.shaped(ofNodes([]node{y}), limit)
}

// concatCounted joins operands. Along the counted axis, what counts of each comes directly after the one before.
func concatCounted(c *call) []*value {
	axis := c.axis(0)
	shape := c.shapeOf(c.operands[0])
	for _, v := range c.operands[1:] {
		other := c.shapeOf(v)
		shape[axis] = shape[axis].Plus(other[axis])
		other[axis] = shape[axis]
		shape = c.broadcast(shape, other)
	}
	result := c.countedIn(shape)
	y := c.computed()
	if result == nil || result.axis != axis {
		return c.shaped(y, shape)
	}
	wide, sum := graph.Dim(0), graph.Dim(0)
	place := ops.Iota(c.g, 0, y[0].node.Shape()[axis])
	index := place
	for _, v := range c.operands {
		if sum != wide { // what is before it is longer in the graph
			index = ops.Where(ops.GreaterEqual(place, c.countOf(sum)),
				ops.Add(ops.Sub(place, c.countOf(sum)), c.length(wide)), index)
		}
		sum, wide = sum.Plus(c.shapeOf(v)[axis]), wide.Plus(v.node.Shape()[axis])
	}
	if index != place {
		index = ops.AtMost(index, c.length(wide.Minus(1)))
		y = ofNodes([]node{ops.IndexSelect(y[0].node, axis, index)})
	}
	return c.shaped(y, shape)
}

// sliceCounted takes parts of axes, of the counted one from a known place on.
func sliceCounted(c *call) []*value {
	v := c.value(0)
	shape := c.shapeOf(v)
	starts, ends, over := c.sizesOr(1, "starts"), c.sizesOr(2, "ends"), c.listOr(3, "axes")
	steps := c.list(4)
	x := c.nodeOf(v)
	isOpen := false
	for i := range starts {
		axis, step := i, 1
		if over != nil {
			axis = wrapped(over[i], len(shape))
		}
		if steps != nil {
			step = steps[i]
		}
		isOpen = isOpen || c.isOpen(shape[axis]) || c.isOpen(starts[i]) || c.isOpen(ends[i])
		if step != 1 || c.isNegative(starts[i]) || c.isOpen(starts[i]) {
			shape[axis] = graph.InvalidDim
			continue
		}
		n := shape[axis]
		start, end := c.placeOn(n, starts[i]), c.placeOn(n, ends[i])
		shape[axis], _ = greatest(c, end.Minus(start), 0)
		if shape[axis] = c.named(shape[axis]); isOpen {
			x = narrow(c, x, axis, start, shape[axis])
		}
	}
	if !isOpen {
		y := c.computed()
		y[0].counted = v.counted
		return y
	}
	if slices.Contains(shape, graph.InvalidDim) {
		refuse("where it cuts is known only when the model runs: %s", selectBefore)
	}
	return c.shaped(ofNodes([]node{x}), shape)
}

// narrow takes a part of an axis, which may be longer in the graph than in the model.
func narrow(c *call, x node, axis int, start, length graph.Dim) node {
	from, n := c.longest(start), c.longest(length)
	if from == 0 && n == x.Shape()[axis] {
		return x
	}
	return ops.Narrow(x, axis, from, n)
}

func (c *call) sizesOr(i int, name string) []graph.Dim {
	if c.has(i) {
		return c.sizesIn(i)
	}
	return graph.MakeShape(c.ints(name)...)
}

// splitCounted splits along another axis than the counted one, or into parts of known sizes: there must be as many
// elements then.
func splitCounted(c *call) []*value {
	v, axis := c.value(0), c.axis(0)
	if v.counted.axis != axis {
		return c.shaped(c.computed(), c.shapeOf(v))
	}
	lengths, total := c.dimsOr(1, "split"), graph.Dim(0)
	for _, n := range lengths {
		total = total.Plus(n)
	}
	x := c.nodeOf(v)
	if len(lengths) == 0 || !c.atLeast(x.Shape()[axis].Minus(total), 0) {
		refuse("the size of the axis that it splits is known only when the model runs: %s", selectBefore)
	}
	x = ops.Assert(ops.Narrow(x, axis, 0, total), ops.Equal(c.countOf(v.counted.size), c.length(total)),
		"Split: the sizes of its parts do not add up to that of the axis")
	return ofNodes(ops.SplitSizes(x, axis, lengths...))
}
