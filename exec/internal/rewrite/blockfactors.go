package rewrite

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/nibbles"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// A product of float32 reads a second factor of integers of 8 or 4 bits, each times the scale of its block, directly:
// it computes the numbers where it packs them, so that the matrix of them is not stored. The scales are its third
// operand. Integers of 4 bits are two in a byte. If integers have no signs, each also has the minimum of its block
// added, and the minima are the fourth operand.

// blockFactor is such a factor.
type blockFactor struct {
	levels *graph.Node // Int8 or Uint8, [..., blocks, block]
	scales *graph.Node // Float32, [..., blocks, 1]
	minima *graph.Node // the same, or nil
	block  int
	pairs  *graph.Node // the bytes of which levels are the halves; else nil
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
	products, minima := withoutMinima(shownBy(x))
	if analysis.PrimOf(products) != graph.PrimMul || products.Rank() < 2 || alias.LayoutOf(x).Offset != 0 {
		return b, false
	}
	shape, dtype := products.Shape(), graph.Int8
	if minima != nil {
		dtype = graph.Uint8
	}
	block, known := shape[len(shape)-1].Int()
	for i, scales := range products.Operands() {
		b = blockFactor{levels: convertedFrom(products.In(1 - i)), scales: scales, minima: minima, block: int(block)}
		if b.levels.DType() == dtype && b.levels.Shape().Equal(shape) && scales.DType() == graph.Float32 {
			b.findPairs()
			return b, known && block > 1 && b.isDense()
		}
	}
	return b, false
}

// shownBy returns the value that a view shows.
func shownBy(x *graph.Node) *graph.Node {
	for x.Op().Class == graph.Movement && alias.IsView(x) {
		x = x.In(0)
	}
	return x
}

// withoutMinima returns the operands of a sum of numbers of blocks and the minima of these; x itself and nil if it is
// none.
func withoutMinima(x *graph.Node) (products, minima *graph.Node) {
	if analysis.PrimOf(x) != graph.PrimAdd || x.Rank() < 2 {
		return x, nil
	}
	for i, minima := range x.Operands() {
		products := shownBy(x.In(1 - i))
		if isOfBlocks(minima, x.Shape()) && minima.DType() == graph.Float32 && products.Shape().Equal(x.Shape()) &&
			alias.LayoutOf(x.In(1-i)).IsDense() {
			return products, minima
		}
	}
	return x, nil
}

// isOfBlocks reports whether a value has a number for each block of values of a shape, [..., blocks, block].
func isOfBlocks(x *graph.Node, shape graph.Shape) bool {
	last := len(shape) - 1
	return x.Shape().Equal(append(shape[:last:last], 1))
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

// findPairs finds the bytes whose halves are the integers, in their order.
func (b *blockFactor) findPairs() {
	if l := alias.LayoutOf(b.levels); !l.IsDense() || l.Offset != 0 {
		return
	}
	of := b.levels
	for alias.IsView(of) {
		of = of.In(0)
	}
	if of.Shape().NumElements() == b.levels.Shape().NumElements() {
		b.pairs = nibbles.Of(of)
	}
}

// integers is the value in memory that a product reads.
func (b blockFactor) integers() *graph.Node {
	if b.pairs != nil {
		return b.pairs
	}
	return b.levels
}

// isDense reports whether integers, scales and minima lie in memory in one order, so that integer i has the scale
// i / block.
func (b blockFactor) isDense() bool {
	return isOfBlocks(b.scales, b.levels.Shape()) && alias.LayoutOf(b.integers()).IsDense() &&
		alias.LayoutOf(b.scales).IsDense() && (b.minima == nil || alias.LayoutOf(b.minima).IsDense())
}

// readsBlocks returns the product that reads integers and scales; nil if its second factor has none.
func (f *narrower) readsBlocks(n *graph.Node, in []*graph.Node) *graph.Node {
	b, ok := blockFactorOf(n)
	if !ok || f.isWritten(b.integers()) || f.isWritten(b.scales) || b.minima != nil && f.isWritten(b.minima) {
		return nil
	}
	if b, ok = blocksShown(in[1]); !ok {
		return nil
	}
	op := *groupedProduct(n)
	op.MinIn, op.MaxIn = 3, 4
	attrs := analysis.BlockScales{Block: b.block, InLanes: isRow(in[0]) && b.block%laneGroup == 0}
	factor, halved := b.pairsLike(in[1])
	if factor == nil {
		factor, halved = levelsLike(in[1], b), 0
	}
	attrs.Halved = halved
	operands := []*graph.Node{in[0], factor, b.scales}
	if b.minima != nil {
		operands = append(operands, b.minima)
	}
	return graph.Apply(&op, attrs, operands...)
}

// isRow reports whether a factor has a single row.
func isRow(x *graph.Node) bool {
	return x.Rank() > 0 && x.Shape()[:x.Rank()-1].NumElements() == 1
}

// laneGroup is what the blocks of a product in lanes are multiples of: see gemm.Product.HasLanes.
const laneGroup = 32

// isLongBlocks reports whether a matrix is a factor of a product of float32 that reads it in lanes if it has one row.
func isLongBlocks(product, matrix *graph.Node) bool {
	if product.DType() != graph.Float32 || matrix.Rank() != 2 {
		return false
	}
	b, ok := blocksShown(matrix)
	return ok && b.block%laneGroup == 0
}

// isWritten reports whether the program writes a value, or may compute it again next to a product.
func (f *narrower) isWritten(x *graph.Node) bool {
	return f.updated[alias.Storage(x)] || len(f.scores) > 0 && alias.Storage(x).Op().Class != graph.Source
}

// levelsLike returns integers in the order in which x shows their numbers.
func levelsLike(x *graph.Node, b blockFactor) *graph.Node {
	if x.Op().Class == graph.Movement {
		return graph.Apply(x.Op(), x.Attrs(), levelsLike(x.In(0), b))
	}
	return b.levels
}

// pairsLike returns the bytes in the order in which x shows the numbers of their halves, and the axis, counted from the
// last one as 1, along which they are half as many; nil if there are no such bytes.
func (b blockFactor) pairsLike(x *graph.Node) (pairs *graph.Node, halved int) {
	if b.pairs == nil || x.Rank() < 2 {
		return nil, 0
	}
	shown := alias.LayoutOf(x)
	for axis, l := range []graph.Layout{shown, transposedLayout(shown)} {
		last := len(l.Shape) - 1
		half, isEven := l.Shape[last].ExactDiv(2)
		if !l.IsDense() || !isEven {
			continue
		}
		if pairs = b.firstPairs(append(l.Shape[:last:last], half)); pairs != nil && axis == 1 {
			pairs = ops.Transpose(pairs, -1, -2)
		}
		return pairs, axis + 1
	}
	return nil, 0
}

// firstPairs returns the first bytes in a shape, such as those of a matrix's first rows; nil if it is not known whether
// there are more.
func (b blockFactor) firstPairs(shape graph.Shape) *graph.Node {
	count, all := shape.NumElements(), b.pairs.Shape().NumElements()
	if count == all {
		return ops.Reshape(b.pairs, shape...)
	}
	some, known := count.Int()
	if of, knownAll := all.Int(); !known || !knownAll || some > of {
		return nil
	}
	return ops.Reshape(ops.Slice(ops.Reshape(b.pairs, all), 0, 0, count, 1), shape...)
}
