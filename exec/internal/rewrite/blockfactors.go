package rewrite

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// A product of float32 reads a second factor of integers of 8 bits, each times the scale of its block, directly: it
// computes the numbers where it packs them, so that the matrix of them is not stored. The scales are its third operand.

// blockFactor is such a factor.
type blockFactor struct {
	levels, scales *graph.Node // Int8, [..., blocks, block], and Float32, [..., blocks, 1]
	block          int
}

// blockFactorOf returns the integers and scales of which a product computes its second factor.
func blockFactorOf(n *graph.Node) (b blockFactor, ok bool) {
	if n.Op().Class != graph.Contract || n.DType() != graph.Float32 || len(n.Operands()) != 2 {
		return b, false
	}
	if _, isGrouped := n.Attrs().(analysis.GroupedAxes); isGrouped {
		return b, false
	}
	return blocksShown(n.In(1))
}

// blocksShown returns the integers and scales whose products a value shows from the first one on, in whatever order.
func blocksShown(x *graph.Node) (b blockFactor, ok bool) {
	numbers := x
	for numbers.Op().Class == graph.Movement && alias.IsView(numbers) {
		numbers = numbers.In(0)
	}
	if analysis.PrimOf(numbers) != graph.PrimMul || numbers.Rank() < 2 || alias.LayoutOf(x).Offset != 0 {
		return b, false
	}
	shape := numbers.Shape()
	block, known := shape[len(shape)-1].Int()
	for i, scales := range numbers.Operands() {
		b = blockFactor{convertedFrom(numbers.In(1 - i)), scales, int(block)}
		if b.levels.DType() == graph.Int8 && b.levels.Shape().Equal(shape) && scales.DType() == graph.Float32 {
			return b, known && block > 1 && b.isDense()
		}
	}
	return b, false
}

// convertedFrom returns the value from which a value was converted to wider dtypes.
func convertedFrom(x *graph.Node) *graph.Node {
	for x.Op().Class == graph.Elementwise && len(x.Operands()) == 1 && x.In(0).Shape().Equal(x.Shape()) {
		p := analysis.Examine(x)
		if last := p.Steps[p.Result]; last.Kind != analysis.ConvertStep || last.Args[0] != 0 {
			break
		}
		x = x.In(0)
	}
	return x
}

// isDense reports whether integers and scales lie in memory in one order, so that integer i has the scale i / block.
func (b blockFactor) isDense() bool {
	last := b.levels.Rank() - 1
	of := append(b.levels.Shape()[:last:last], 1)
	return b.scales.Shape().Equal(of) && alias.LayoutOf(b.levels).IsDense() && alias.LayoutOf(b.scales).IsDense()
}

// readsBlocks returns the product that reads integers and scales; nil if its second factor has none.
func (f *narrower) readsBlocks(n *graph.Node, in []*graph.Node) *graph.Node {
	b, ok := blockFactorOf(n)
	if !ok || f.isWritten(b.levels) || f.isWritten(b.scales) {
		return nil
	}
	if b, ok = blocksShown(in[1]); !ok {
		return nil
	}
	op := *groupedProduct(n)
	op.MinIn, op.MaxIn = 3, 3
	return graph.Apply(&op, analysis.BlockScales{Block: b.block}, in[0], levelsLike(in[1], b), b.scales)
}

// isWritten reports whether the program writes a value, or may compute it again next to a product.
func (f *narrower) isWritten(x *graph.Node) bool {
	return f.updated[alias.Storage(x)] || f.computesAgain && alias.Storage(x).Op().Class != graph.Source
}

// levelsLike returns integers in the order in which x shows their numbers.
func levelsLike(x *graph.Node, b blockFactor) *graph.Node {
	if x.Op().Class == graph.Movement {
		return graph.Apply(x.Op(), x.Attrs(), levelsLike(x.In(0), b))
	}
	return b.levels
}
