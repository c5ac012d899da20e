package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// fewColumns is the number of columns from which separate products with each matrix of a batch are as fast as one
// product with all their columns. With fewer columns tiles are partly empty, and the other factor is read again for
// each matrix: with 16 matrices of 4 or of 16 columns, one product took a quarter of the time.
const fewColumns = 32

// matMulOfColumns multiplies one matrix by a batch of matrices with few columns, as one matrix of all columns. Such are
// the last convolutions of a network, whose images are small, and their gradients.
func matMulOfColumns(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	a, b := in[0], in[1]
	if a.Rank() != 2 || b.Rank() <= 2 {
		return nil
	}
	shape, rank := b.Shape(), b.Rank()
	batch := shape[:rank-2].NumElements()
	if columns, ok := shape[rank-1].Int(); !ok || columns >= fewColumns || batch == 1 {
		return nil
	}
	// The axis of rows moves to the front of b for the product, and back in the result.
	first, back := []int{rank - 2}, make([]int, 0, rank)
	for axis := range rank - 2 {
		first, back = append(first, axis), append(back, axis+1)
	}
	columns := ops.Reshape(ops.Permute(b, append(first, rank-1)...), shape[rank-2], batch.Times(shape[rank-1]))
	split := slices.Concat(graph.Shape{a.Shape()[0]}, shape[:rank-2], shape[rank-1:])
	return ops.Permute(ops.Reshape(ops.MatMul(a, columns), split...), append(back, 0, rank-1)...)
}
