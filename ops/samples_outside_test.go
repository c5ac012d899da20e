package ops_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() { samples = append(samples, outsideSamples...) }

// spread makes -5, -2, 1 and 4 of the indices 0..3: some into an axis of 4 elements, and some outside.
func spread(index node) node { return ops.Sub(ops.Mul(index, graph.Num(3)), graph.Num(5)) }

// outsideSamples are the rows of functions that read or write by indices of which some are outside.
var outsideSamples = []sample{
	{name: "index_select filled", shapes: [][]int{{3, 4}, {5}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.IndexSelect(in[0], 1, spread(in[1]), ops.FillOutside(graph.Num(1)))
	}},
	{name: "take clipped", shapes: [][]int{{4, 3}, {2, 2}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.Take(in[0], 0, spread(in[1]), ops.ClipOutside())
	}},
	{name: "take wrapped", shapes: [][]int{{4, 3}, {2, 2}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.Take(in[0], 0, spread(in[1]), ops.WrapOutside())
	}},
	{name: "gather along an axis, filled", shapes: [][]int{{1, 4, 2}, {3, 2, 1}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.TakeAlongAxis(in[0], 1, spread(in[1]), ops.FillOutside(graph.Num(0)))
		}},
	{name: "index filled", shapes: [][]int{{4, 2, 4}, {3}, {}}, index: map[int]int{1: 4, 2: 4},
		call: func(in ...node) node {
			return ops.IndexGet(in[0], []node{spread(in[1]), nil, in[2]}, ops.FillOutside(graph.Num(1)))
		}},
	{name: "gather_nd filled", shapes: [][]int{{4, 4, 2}, {3, 2}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.GatherND(in[0], spread(in[1]), 0, ops.FillOutside(graph.Num(1)))
		}},
	{name: "scatter dropped", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.Scatter(in[0], 0, spread(in[1]), in[2], ops.DropOutside()) }},
	{name: "scatter_add dropped", shapes: [][]int{{2, 4}, {2, 5}, {2, 6}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.ScatterAdd(in[0], -1, spread(in[1]), in[2], ops.DropOutside()) }},
	{name: "scatter_add clipped", shapes: [][]int{{2, 4}, {2, 5}, {2, 6}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.ScatterAdd(in[0], -1, spread(in[1]), in[2], ops.ClipOutside()) }},
	{name: "index_copy dropped", shapes: [][]int{{4, 3}, {5}, {5, 3}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.IndexCopy(in[0], 0, spread(in[1]), in[2], ops.DropOutside()) }},
	{name: "index_add wrapped", shapes: [][]int{{2, 4, 2}, {5}, {2, 5, 2}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.IndexAdd(in[0], 1, spread(in[1]), in[2], ops.WrapOutside()) }},
	{name: "scatter_reduce dropped, by mean without self", shapes: [][]int{{4, 3}, {2, 3}, {3, 3}},
		index: map[int]int{1: 4}, call: func(in ...node) node {
			return ops.ScatterReduce(in[0], 0, spread(in[1]), in[2], ops.ReduceMean, ops.ExcludeSelf(),
				ops.DropOutside())
		}},
	{name: "scatter_nd dropped", shapes: [][]int{{4, 4, 2}, {3, 2}, {3, 2}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.ScatterND(in[0], spread(in[1]), in[2], ops.DropOutside()) }},
	{name: "index_put dropped", shapes: [][]int{{4, 2, 4}, {3}, {1}, {3, 2}}, index: map[int]int{1: 4, 2: 4},
		call: func(in ...node) node {
			return ops.IndexPut(in[0], []node{spread(in[1]), nil, in[2]}, in[3], ops.Accumulate(), ops.DropOutside())
		}},
	{name: "index_put in place, dropped", shapes: [][]int{{4, 2}, {3}, {2}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.IndexPutInPlace(ops.Copy(in[0]), []node{spread(in[1])}, in[2], ops.DropOutside())
		}},
	{name: "segment_sum dropped", shapes: [][]int{{5, 3}, {5}}, index: map[int]int{1: 4}, call: func(in ...node) node {
		return ops.SegmentSum(in[0], 0, spread(in[1]), 4, ops.DropOutside())
	}},
	{name: "segment_sum of batches, dropped", shapes: [][]int{{2, 5, 3}, {5}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.SegmentSum(in[0], -2, spread(in[1]), 4, ops.DropOutside()) }},
	{name: "index_reduce dropped", shapes: [][]int{{2, 4}, {5}, {2, 5}}, index: map[int]int{1: 4},
		call: func(in ...node) node {
			return ops.IndexReduce(in[0], 1, spread(in[1]), in[2], ops.ReduceMax, ops.DropOutside())
		}},
	{name: "segment_sum of a mean, clipped", shapes: [][]int{{5, 3}, {5}}, index: map[int]int{1: 4},
		call: func(in ...node) node { return ops.SegmentMean(in[0], 0, spread(in[1]), 4, ops.ClipOutside()) }},
}
