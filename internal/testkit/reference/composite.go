package reference

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// written is the expansion of a composite, in a separate graph, so that the user's does not change. Values computed
// there are kept.
type written struct {
	inner    *evaluator
	operands []*graph.Node
	y        *graph.Node
}

// write expands the node.
func (e *evaluator) write(n *graph.Node) (*written, error) {
	if w, done := e.written[n]; done {
		return w, nil
	}
	g, w := n.Graph().Derive(), &written{inner: newEvaluator(e.sizes), operands: make([]*graph.Node, len(n.Operands()))}
	for i, x := range n.Operands() {
		if t := computedDType(x.DType()); x.IsConst() && t == x.DType() {
			w.operands[i] = g.Copy(x, nil)
		} else {
			w.operands[i] = g.InputFor(x, t, x.Shape())
		}
	}
	g.At(n, func() { w.y = n.Op().Expand(graph.Apply(n.Op(), n.Attrs(), w.operands...), w.operands) })
	if err := g.Err(); err != nil {
		return nil, err
	}
	if w.y.DType() != computedDType(n.DType()) {
		return nil, fmt.Errorf("it is written as a %s and declared a %s", w.y.DType(), n.DType())
	}
	e.written[n] = w
	return w, nil
}

// composite evaluates the expansion of the node.
func (e *evaluator) composite(n *graph.Node, in []tensor) (tensor, error) {
	w, err := e.write(n)
	if err != nil {
		return tensor{}, err
	}
	for i, x := range w.operands {
		if !x.IsConst() {
			w.inner.give(x, tensor{x.DType(), in[i].store, in[i].layout}) // whose cells are the same
		}
	}
	t, err := w.inner.value(w.y)
	if err != nil {
		return tensor{}, err
	}
	if t.dtype != n.DType() {
		rounded := tensor{n.DType(), make([]cell, len(t.store)), t.layout}
		for i, c := range t.store {
			rounded.store[i] = stored(n.DType(), c)
		}
		t = rounded
	}
	if _, err := e.sameShape(n, t); err != nil {
		return tensor{}, err
	}
	return t, nil
}

// computedDType is the dtype in which a composite of numbers of 16 bits is computed, before its result is rounded once.
func computedDType(t graph.DType) graph.DType {
	if t.IsHalf() || t.IsStorage() {
		return graph.Float32
	}
	return t
}

// sameShape requires that a value has the node's shape.
func (e *evaluator) sameShape(n *graph.Node, t tensor) (bool, error) {
	want, err := e.ints(n.Shape())
	if err != nil {
		return false, err
	}
	have, err := e.ints(t.layout.Shape)
	if err == nil && !slices.Equal(have, want) {
		err = fmt.Errorf("its value has shape %v, and it is declared %v", have, want)
	}
	return err == nil, err
}
