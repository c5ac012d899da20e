package rules

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Bags describes the operands of an embedding bag.
type Bags struct {
	Padding    []int // a row that bags ignore, or none
	HasOffsets bool  // operand 2 are the starts of bags in a vector of indices; otherwise each row of indices is a bag
	LastOffset bool  // and the last one is the end of the last bag
	IsWeighted bool  // the last operand has a weight for each index
}

// EmbeddingBag is the shape rule of the reduction of rows of a table, operand 1, selected by bags of indices, operand
// 0.
func EmbeddingBag(c *graph.Call, b Bags) graph.Shape {
	index, table := c.Shape(0), c.Shape(1)
	refuse := func(summary string) graph.Shape {
		c.Fail(operandMistake(c, graph.CodeRank, "%s", summary))
		return nil
	}
	tableIndex(c, "embedding_bag")
	switch t := c.DType(1); {
	case c.Failed():
		return nil
	case len(table) != 2:
		return refuse(fmt.Sprintf("weight has to be a 2D Tensor, but got Tensor of dimension %d", len(table)))
	case !t.IsFloat():
		RefuseDType(
			c,
			fmt.Sprintf(
				"Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got torch.%sTensor instead (while checking arguments for embedding_bag)",
				t.TorchName()))
		return nil
	case len(index) == 0 || len(index) > 2:
		return refuse(fmt.Sprintf("input has to be 1D or 2D Tensor, but got Tensor of dimension %d", len(index)))
	case len(index) == 2 && b.HasOffsets:
		return refuse(
			"if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences")
	case len(index) == 1 && !b.HasOffsets:
		return refuse("offsets has to be a 1D Tensor but got None")
	case b.HasOffsets && len(c.Shape(2)) != 1:
		return refuse("offsets has to be a 1D Tensor")
	case b.HasOffsets && !c.DType(2).IsIndex():
		refuseIndex(c, 2, "embedding_bag: Expected dtype int32 or int64 for offsets")
		return nil
	case b.LastOffset && !b.HasOffsets:
		return refuse("embedding_bag: include_last_offset needs offsets")
	}
	if len(b.Padding) > 0 {
		paddingRow(c, table[0], max(b.Padding[0], ^b.Padding[0])) // -1 is the last row
	}
	requireChoice(c, 1, 0, index, "index out of range in self")
	if b.IsWeighted {
		sampleWeights(c, c.NumIn()-1)
	}
	bags := index[0]
	if b.HasOffsets {
		bags = c.Shape(2)[0]
	}
	if b.LastOffset {
		bags = lessLast(c, bags)
	}
	return graph.Shape{bags, table[1]}
}

// sampleWeights requires a weight of the table's dtype for each index.
func sampleWeights(c *graph.Call, at int) {
	index, weights := c.Shape(0), c.Shape(at)
	refuse := func() *graph.Mistake {
		return operandMistake(c, graph.CodeBroadcast,
			"embedding_bag: If per_sample_weights (%s) is not None, then it must have the same shape as the input (%s)",
			weights, index)
	}
	switch {
	case c.DType(at) != c.DType(1):
		RefuseDType(c, "embedding_bag: expected weight and per_sample_weights to have the same dtype")
		return
	case len(weights) != len(index):
		c.Fail(refuse())
		return
	}
	r := CallRules(c)
	for i, d := range index {
		r.requireSame(c, weights[i], d, i, "a weight for each index", func() *graph.Mistake {
			m := refuse()
			m.Operands[at].Bad, m.Operands[0].Bad = []int{i}, []int{i}
			return m
		})
	}
}

// lessLast is the number of bags of offsets of which the last is where the last bag ends.
func lessLast(c *graph.Call, offsets graph.Dim) graph.Dim {
	if offsets.IsUnknown() {
		return offsets
	}
	switch prove.NewProver(c.Bounds).AtLeast(offsets, 1) {
	case prove.Refused:
		c.Fail(operandMistake(c, graph.CodeSize, "include_last_offset: number of offsets should be at least 1"))
		return graph.UnknownDim
	case prove.Deferred:
		c.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: offsets, B: 1,
			Why: "the last offset must be the end of the last bag"})
	}
	return offsets.Minus(1)
}
