package claims

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// maxTried bounds the elements of a trial.
const maxTried = 1024

// trial tries the claims of one node's operation.
type trial struct {
	n        *graph.Node
	evaluate Evaluate
}

// example is where a claim fails: an element of each operand, and what the operation gives for them.
type example struct {
	operands  []string
	got, want string
}

// elements compares what two ways give for elements of operands, and returns the first that differ; nil where none do, or nothing can be computed. Values are
// of the operands' dtypes and have one length. ways builds both, of operands of some shape.
func (t *trial) elements(values []any, ways func(in []*graph.Node) (got, want *graph.Node)) *example {
	for _, shape := range t.shapes(lengthOf(values[0])) {
		if e, computed := t.elementsOf(values, shape, ways); computed {
			return e
		}
	}
	return nil
}

// shapes are the shapes in which elements may be tried: in one row, or where the operation has rules of its own about shapes, in that of the node.
func (t *trial) shapes(count int) []graph.Shape {
	row := append(slices.Repeat(graph.Shape{1}, max(t.n.Rank(), 1)-1), graph.Dim(count))
	list := []graph.Shape{row}
	if own, static := t.n.Shape().NumElements().Int(); static && t.n.Shape().IsStatic() && 0 < own && own <= maxTried {
		list = append(list, t.n.Shape())
	}
	return list
}

// elementsOf is elements in one shape. Values that do not fill it are taken again from the first, and those that do not fit in it are tried in several nodes.
func (t *trial) elementsOf(values []any, shape graph.Shape, ways func(in []*graph.Node) (got, want *graph.Node)) (e *example, computed bool) {
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

// isLike reports whether two nodes were built and have one dtype and shape.
func isLike(a, b *graph.Node) bool {
	return a != nil && b != nil && a.Judged() && b.Judged() && a.Err() == nil && b.Err() == nil && a.DType() == b.DType() && a.Shape().Equal(b.Shape())
}

// tuples returns values for several operands of which each of some tries all, or many, combinations.
func tuples(of []any) []any {
	count := 1
	for _, v := range of {
		count = min(count*lengthOf(v), maxTried+1)
	}
	index := make([][]int, len(of))
	for k := range min(count, maxTried) {
		left := k
		if count > maxTried {
			left = int(uint32(k) * 2654435761 >> 1) // spread over more combinations than are tried
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
