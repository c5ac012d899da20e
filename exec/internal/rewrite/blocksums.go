package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// shortestBlock is the least number of elements of a block for which a loop over blocks pays. A vector by 4096 rows of
// 4096 int8 weights took 2.1, 4.2, 6.7 and 18 ms with a scale for each 128, 32, 16 and 8, and 15.7, 10.4, 9.6 and 10.4
// ms in separate kernels (Zen 4, one thread); by float32 weights, 5.5.
const shortestBlock = 16

// sumAlongRows is Sum(Mul(a, b), -1). If a factor's rows consist of blocks with numbers of their own, such as quantised
// weights with their scales, the sum is one over blocks and their elements: it then shares a kernel with what computes
// the factor, which is never stored.
func sumAlongRows(a, b *graph.Node) *graph.Node {
	blocks, other := blocksOf(b), a
	if blocks == nil {
		blocks, other = blocksOf(a), b
	}
	last := other.Rank() - 1
	if blocks == nil || a.Shape()[a.Rank()-1] != b.Shape()[b.Rank()-1] { // two names of one size
		return ops.Sum(ops.Mul(inAxesOf(b, a), inAxesOf(a, b)), -1)
	}
	rows := other.Shape()[:last]
	for len(rows) > blocks.Rank()-2 && rows[0] == 1 {
		rows = rows[1:] // in the shape of the blocks, in whose kernel the sum is then
	}
	parted := slices.Concat(rows, blocks.Shape()[blocks.Rank()-2:])
	return ops.Sum(ops.Mul(ops.Reshape(other, parted...), blocks), -2, -1)
}

// inAxesOf leaves out leading axes of size 1 that a converted factor, such as the weights of a product in mixed
// precision, does not have: then the conversion has the shape of the kernel, which computes it as it reads the weights.
func inAxesOf(converted, other *graph.Node) *graph.Node {
	more := other.Rank() - converted.Rank()
	if converted.Op() != graph.CastOp || more <= 0 || slices.ContainsFunc(other.Shape()[:more], func(d graph.Dim) bool {
		return d != 1
	}) {
		return other
	}
	return analysis.SkipIdentityViews(ops.Reshape(other, other.Shape()[more:]...))
}

// blocksOf returns the elementwise value with an axis for blocks and one for their elements that a value shows with
// both as its last axis, if some operand has one number for each block; otherwise nil.
func blocksOf(x *graph.Node) *graph.Node {
	if !analysis.IsReshape(x) || x.Rank() == 0 {
		return nil
	}
	blocks, last := x.In(0), x.Rank()-1
	if blocks.Op().Class != graph.Elementwise || blocks.Rank() != x.Rank()+1 ||
		!blocks.Shape()[:last].Equal(x.Shape()[:last]) {
		return nil
	}
	elements, known := blocks.Shape()[last+1].Int()
	if !known || elements < shortestBlock {
		return nil
	}
	isPerBlock := func(n *graph.Node) bool { return n.Rank() == blocks.Rank() && n.Shape()[last+1] == 1 }
	if !slices.ContainsFunc(blocks.Operands(), isPerBlock) {
		return nil
	}
	return blocks
}
