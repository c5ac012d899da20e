package onnxnodes

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// reductions are ONNX's words.
var reductions = map[string]ops.Reduction{"add": ops.ReduceSum, "mul": ops.ReduceProd, "max": ops.ReduceMax, "min": ops.ReduceMin}

func init() {
	join(map[string]rule{
		"Gather":                func(c *call) []node { return []node{ops.Take(c.in[0], c.axis(0), positive(c, c.in[1], c.axis(0)))} },
		"GatherElements":        func(c *call) []node { return []node{ops.Gather(c.in[0], c.axis(0), positive(c, c.in[1], c.axis(0)))} },
		"GatherND":              func(c *call) []node { return []node{ops.GatherND(c.in[0], c.in[1], c.int("batch_dims", 0))} },
		"ArrayFeatureExtractor": func(c *call) []node { return []node{ops.Take(c.in[0], -1, ops.Flatten(c.in[1], 0, -1))} },
		"Scatter":               scatter,
		"ScatterElements":       scatter,
		"ScatterND": func(c *call) []node {
			if by, ok := reductions[c.text("reduction", "none")]; ok {
				return []node{ops.ScatterNDReduce(c.in[0], c.in[1], c.in[2], by)}
			}
			return []node{ops.ScatterND(c.in[0], c.in[1], c.in[2])}
		},
		"TensorScatter": func(c *call) []node { return []node{tensorScatter(c)} },
		"OneHot": func(c *call) []node {
			classes := c.list(1)[0]
			index := ops.Cast(c.in[0], graph.Int64)
			index = ops.Where(ops.Less(index, whole(0)), ops.Add(index, whole(classes)), index)
			hot := ops.OneHot(index, graph.Dim(classes), graph.Bool)
			if axis := c.int("axis", -1); axis != -1 {
				if axis < 0 {
					axis += hot.Rank()
				}
				hot = ops.MoveAxis(hot, -1, axis)
			}
			return []node{ops.Where(hot, ops.Select(c.in[2], 0, 1), ops.Select(c.in[2], 0, 0))}
		},
		"NonZero": with(func(c *call, x node) node {
			index, _ := ops.Nonzero(x, graph.Dim(nonzero(c.floats(0))), graph.Num(0))
			return ops.Transpose(index, 0, 1)
		}),
		"Compress": with(func(c *call, x node) node {
			axis := 0
			if c.given("axis") {
				axis = c.axis(0)
			} else {
				x = ops.Flatten(x, 0, -1)
			}
			index, _ := ops.Nonzero(c.in[1], graph.Dim(nonzero(c.floats(1))), graph.Num(0))
			return ops.IndexSelect(x, axis, ops.Select(index, 1, 0))
		}),
	})
}

func nonzero(list []float64) (n int) {
	for _, v := range list {
		if v != 0 {
			n++
		}
	}
	return n
}

// positive counts indices below 0 from the end of an axis.
func positive(c *call, index node, axis int) node {
	n := whole(sizes(c.in[0])[axis])
	return ops.Where(ops.Less(index, whole(0)), ops.Add(index, n), index)
}

func scatter(c *call) []node {
	axis := c.axis(0)
	index := positive(c, c.in[1], axis)
	if by, ok := reductions[c.text("reduction", "none")]; ok {
		return []node{ops.ScatterReduce(c.in[0], axis, index, c.in[2], by)}
	}
	return []node{ops.Scatter(c.in[0], axis, index, c.in[2])}
}

// tensorScatter writes, of each sequence of a cache, the elements from its own place on.
func tensorScatter(c *call) node {
	x, update := c.in[0], c.in[1]
	axis := c.from(c.int("axis", -2))
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
		index = ops.Remainder(index, whole(sizes(x)[axis]))
	}
	return ops.Scatter(x, axis, index, update)
}

// unique takes the different elements, or slices along an axis.
func unique(c *call) []node {
	x := c.in[0]
	n := graph.Dim(c.want[0].Shape[0])
	var values, inverse, counts node
	if c.given("axis") {
		n = graph.Dim(c.want[0].Shape[c.axis(0)])
		values, inverse, counts = ops.UniqueAlong(x, c.int("axis", 0), n, graph.Num(0))
	} else {
		values, inverse, counts = ops.Unique(x, n, graph.Num(0))
		inverse = ops.Flatten(inverse, 0, -1)
	}
	first := ops.SegmentMin(ops.Iota(c.g, 0, inverse.Shape()[0]), 0, inverse, n)
	if c.int("sorted", 1) == 0 {
		order := ops.ArgSort(first, 0, false)
		inverse = ops.IndexSelect(ops.ArgSort(order, 0, false), 0, inverse)
		values, counts, first = ops.IndexSelect(values, 0, order), ops.IndexSelect(counts, 0, order), ops.IndexSelect(first, 0, order)
	}
	return []node{values, first, inverse, counts}
}
