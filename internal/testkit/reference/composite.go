package reference

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// composite writes the node with other operations in a graph of its own, so that the
// user's stays as it is, and evaluates that.
func (e *evaluator) composite(n *graph.Node, in []tensor) (tensor, error) {
	g := n.Graph().Derive()
	inner := &evaluator{sizes: e.sizes, known: map[*graph.Node]tensor{}, steps: map[*graph.Region]*steps{}}
	operands := make([]*graph.Node, len(in))
	for i, x := range n.Operands() {
		t := computedDType(x.DType())
		if x.IsConst() && t == x.DType() {
			operands[i] = g.Copy(x, nil)
			continue
		}
		operands[i] = g.Input(fmt.Sprintf("x%d", i), t, x.Shape()...)
		inner.known[operands[i]] = tensor{t, in[i].store, in[i].layout} // whose cells are the same
	}
	y := n.Op().Expand(graph.Apply(n.Op(), n.Attrs(), operands...), operands)
	if err := g.Err(); err != nil {
		return tensor{}, err
	}
	if y.DType() != computedDType(n.DType()) {
		return tensor{}, fmt.Errorf("it is written as a %s and declared a %s", y.DType(), n.DType())
	}
	t, err := inner.value(y)
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
	if t == graph.Float16 || t == graph.BFloat16 || t.IsStorage() {
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
	if err == nil && fmt.Sprint(have) != fmt.Sprint(want) {
		err = fmt.Errorf("its value has shape %v, and it is declared %v", have, want)
	}
	return err == nil, err
}
