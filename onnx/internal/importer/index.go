package importer

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// reductions are ONNX's words.
var reductions = map[string]ops.Reduction{
	"add": ops.ReduceSum, "mul": ops.ReduceProd, "max": ops.ReduceMax, "min": ops.ReduceMin}

func init() {
	join(map[string]rule{
		"Gather": func(c *call) []node { return []node{gather(c)} },
		"GatherElements": func(c *call) []node {
			return []node{ops.Gather(c.in(0), c.axis(0), positive(c, c.axis(0)))}
		},
		"GatherND": func(c *call) []node {
			return []node{ops.GatherND(c.in(0), ops.Cast(c.in(1), graph.Int64), c.int("batch_dims", 0))}
		},
		"Scatter":         scatter,
		"ScatterElements": scatter,
		"ScatterND":       func(c *call) []node { return []node{c.scatteredND(c.in(1), c.in(2), nil)} },
		"TensorScatter":   func(c *call) []node { return []node{tensorScatter(c)} },
		"OneHot": func(c *call) []node {
			depth := c.dims(1)[0]
			classes := c.length(depth)
			index := ops.Cast(c.in(0), graph.Int64)
			index = nonNegative(index, classes)
			hot := ops.OneHot(index, depth, graph.Bool)
			if axis := c.int("axis", -1); axis != -1 {
				if axis < 0 {
					axis += hot.Rank()
				}
				hot = ops.MoveAxis(hot, -1, axis)
			}
			return []node{ops.Where(hot, ops.Select(c.in(2), 0, 1), ops.Select(c.in(2), 0, 0))}
		},
	})
}

const unknownCount = "its number of elements is known only when the model runs: make the input that it depends on a constant"

// gather picks along an axis: one place that is known is a view.
func gather(c *call) node {
	axis := c.axis(0)
	if s, ok := c.sizesOf(c.operands[1]); ok && len(s.shape) == 0 {
		at := s.dims[0]
		if n, isNumber := at.Int(); isNumber && n < 0 {
			at = c.in(0).Shape()[axis].Plus(at)
		}
		return ops.Select(c.in(0), axis, at)
	}
	return ops.Take(c.in(0), axis, positive(c, axis))
}

// positive are the indices of the second operand, of which those below 0 count from the end of an axis.
func positive(c *call, axis int) node {
	index := ops.Cast(c.in(1), graph.Int64)
	if a, ok := c.arrayOf(c.operands[1]); ok {
		isNegative := false
		for i := range count(a.Shape) {
			v, _ := graph.NumberAt(a.Data, i)
			isNegative = isNegative || v < 0
		}
		if !isNegative {
			return index
		}
	}
	return nonNegative(index, c.length(c.in(0).Shape()[axis]))
}

// nonNegative are indices into n elements, of which those below 0 count from the end.
func nonNegative(index, n node) node {
	return ops.Where(ops.Less(index, whole(0)), ops.Add(index, n), index)
}

func scatter(c *call) []node {
	axis := c.axis(0)
	return []node{c.scattered(axis, positive(c, axis), nil)}
}

// scattered writes the elements of the third operand to places of the first one along an axis. outside says what
// becomes of places outside; nil makes them errors.
func (c *call) scattered(axis int, index node, outside ops.WriteOption) node {
	if by, ok := reductions[c.text("reduction", "none")]; ok {
		return ops.ScatterReduce(c.in(0), axis, index, c.in(2), by, outside)
	}
	return ops.Scatter(c.in(0), axis, index, c.in(2), outside)
}

// scatteredND is scattered for slices at places in several axes.
func (c *call) scatteredND(index, src node, outside ops.WriteOption) node {
	if by, ok := reductions[c.text("reduction", "none")]; ok {
		return ops.ScatterNDReduce(c.in(0), index, src, by, outside)
	}
	return ops.ScatterND(c.in(0), index, src, outside)
}

// tensorScatter writes, of each sequence of a cache, the elements from its own place on.
func tensorScatter(c *call) node {
	x, update := c.in(0), c.in(1)
	axis := c.fromEnd(c.int("axis", -2))
	start := ops.Zeros(c.g, graph.Int64, 1)
	if s := c.at(2); s != nil {
		start = s
	}
	shape := update.Shape()
	at := make([]graph.Dim, x.Rank())
	for i := range at {
		at[i] = 1
	}
	at[0] = start.Shape()[0]
	index := ops.Add(ops.Iota(c.g, axis, shape...), ops.Reshape(start, at...))
	if c.text("mode", "linear") == "circular" {
		index = ops.Remainder(index, c.length(x.Shape()[axis]))
	}
	return ops.Scatter(x, axis, index, update)
}

// unique takes the different elements, or slices along an axis. If they are not known, their number is open.
func unique(c *call) []*value {
	x := c.in(0)
	a, isKnown := c.arrayOf(c.operands[0])
	axis := 0
	n := x.Shape().NumElements()
	var values, inverse, counts node
	if c.given("axis") {
		axis = c.axis(0)
		if n = x.Shape()[axis]; isKnown {
			n = graph.Dim(differentSlices(a, axis))
		}
		values, inverse, counts = ops.UniqueAlong(x, axis, n, graph.Num(0))
	} else {
		if isKnown {
			n = graph.Dim(differentSlices(exec.Array{Shape: []int{count(a.Shape)}, Data: a.Data}, 0))
		}
		values, inverse, counts = ops.Unique(x, n, graph.Num(0))
		inverse = ops.Flatten(inverse, 0, -1)
	}
	first := ops.SegmentMin(ops.Iota(c.g, 0, inverse.Shape()[0]), 0, inverse, n)
	if c.int("sorted", 1) == 0 {
		order := ops.ArgSort(first, 0, false)
		inverse = ops.IndexSelect(ops.ArgSort(order, 0, false), 0, inverse)
		values, counts, first = ops.IndexSelect(values, axis, order), ops.IndexSelect(counts, 0, order),
			ops.IndexSelect(first, 0, order)
	}
	results := ofNodes([]node{values, first, inverse, counts})
	if !isKnown {
		size := c.newSize(ops.Sum(ops.Cast(ops.Greater(counts, whole(0)), graph.Int64)), n)
		results[0].counted, results[1].counted, results[3].counted = &counted{
			axis,
			size,
		}, &counted{
			0,
			size,
		}, &counted{
			0,
			size,
		}
	}
	return results
}

// differentSlices counts them along an axis.
func differentSlices(a exec.Array, axis int) int {
	slices := make([]strings.Builder, a.Shape[axis])
	i := 0
	eachIndex(a.Shape, func(index []int) {
		v, whole := graph.NumberAt(a.Data, i)
		fmt.Fprint(&slices[index[axis]], v, whole, " ")
		i++
	})
	different := map[string]bool{}
	for i := range slices {
		different[slices[i].String()] = true
	}
	return len(different)
}
