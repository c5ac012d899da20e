package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// A node has one result. A function of matrices that has several gives them packed: behind the axes of the batch, one
// axis with the elements of all, one result after the other.

// packedShape is the shape of results of the given shapes for each of a batch.
func packedShape(batch graph.Shape, parts ...graph.Shape) graph.Shape {
	size := graph.Dim(0)
	for _, s := range parts {
		size = size.Plus(s.NumElements())
	}
	return append(slices.Clone(batch), size)
}

// unpacked takes apart what is packed of results of the given shapes.
func unpacked(packed node, parts ...graph.Shape) []node {
	last, from := packed.Rank()-1, graph.Dim(0)
	results := make([]node, len(parts))
	for i, s := range parts {
		to := from.Plus(s.NumElements())
		results[i] = Reshape(Slice(packed, last, from, to, 1), slices.Concat(packed.Shape()[:last], s)...)
		from = to
	}
	return results
}
