package claims

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// maxTried is the maximum number of elements of a trial.
const maxTried = 1024

// trial tries the claims of one node's operation.
type trial struct {
	n        *graph.Node
	evaluate Evaluate
}

// example is a failure of a claim: one element of each operand, what the operation returns for them, and what it should
// return.
type example struct {
	operands  []string
	got, want string
}

// elements compares the results of two ways to compute elements. It returns the first difference, or nil if there is
// none or nothing can be computed. values has one slice for each operand, all of one length. ways builds both, for
// operands of some shape.
func (t *trial) elements(values []any, ways func(in []*graph.Node) (got, want *graph.Node)) *example {
	for _, shape := range t.shapes(lengthOf(values[0])) {
		if e, computed := t.elementsOf(values, shape, ways); computed {
			return e
		}
	}
	return nil
}

// shapes returns the shapes in which elements are tried: one row, and the node's own shape if the operation rejects
// that.
func (t *trial) shapes(count int) []graph.Shape {
	row := append(slices.Repeat(graph.Shape{1}, max(t.n.Rank(), 1)-1), graph.Dim(count))
	list := []graph.Shape{row}
	if own, static := t.n.Shape().NumElements().Int(); static && t.n.Shape().IsStatic() && 0 < own && own <= maxTried {
		list = append(list, t.n.Shape())
	}
	return list
}

// elementsOf is elements in one shape. It repeats values that do not fill the shape, and splits those that do not fit
// among several nodes.
func (t *trial) elementsOf(values []any, shape graph.Shape,
	ways func(in []*graph.Node) (got, want *graph.Node)) (e *example, computed bool) {
	g := t.n.Graph().Derive()
	size, _ := shape.NumElements().Int()
	count := lengthOf(values[0])
	var roots, wanted []*graph.Node
	var parts [][]int
	for from := 0; from < count; from += int(size) {
		index := make([]int, size)
		for i := range index {
			index[i] = (from + i) % count
		}
		in := make([]*graph.Node, len(values))
		for i, v := range values {
			in[i] = graph.ConstantOf(g, picked(v, index), shape...)
		}
		got, want := ways(in)
		if !isLike(got, want) || !got.Shape().Equal(shape) {
			return nil, false
		}
		roots, wanted, parts = append(roots, got), append(wanted, want), append(parts, index)
	}
	results := t.evaluate(g, slices.Concat(roots, wanted))
	if results == nil {
		return nil, false
	}
	for k, index := range parts {
		got, want := results[roots[k]], results[wanted[k]]
		for i, from := range index {
			if !same(got, i, want, i) {
				e := &example{got: text(got, i), want: text(want, i)}
				for _, v := range values {
					e.operands = append(e.operands, text(v, from))
				}
				return e, true
			}
		}
	}
	return nil, true
}

// isLike reports whether two nodes have no mistakes and the same dtype and shape.
func isLike(a, b *graph.Node) bool {
	return a != nil && b != nil && a.Judged() && b.Judged() && a.Err() == nil && b.Err() == nil &&
		a.DType() == b.DType() && a.Shape().Equal(b.Shape())
}

// tuples returns operands that together try all combinations of values, or many of them.
func tuples(of []any) []any {
	count := 1
	for _, v := range of {
		count = min(count*lengthOf(v), maxTried+1)
	}
	index := make([][]int, len(of))
	for k := range min(count, maxTried) {
		left := k
		if count > maxTried {
			left = int(uint32(k) * 2654435761 >> 1) // a hash spreads the trials over all combinations
		}
		for i, v := range of {
			index[i] = append(index[i], left%lengthOf(v))
			left /= lengthOf(v)
		}
	}
	out := make([]any, len(of))
	for i, v := range of {
		out[i] = picked(v, index[i])
	}
	return out
}
