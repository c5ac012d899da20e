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
		if x.IsConst() {
			operands[i] = g.Copy(x, nil)
			continue
		}
		operands[i] = g.Input(fmt.Sprintf("x%d", i), x.DType(), x.Shape()...)
		inner.known[operands[i]] = in[i]
	}
	y := n.Op().Expand(g.Copy(n, operands), operands)
	if err := g.Err(); err != nil {
		return tensor{}, err
	}
	if y.DType() != n.DType() {
		return tensor{}, fmt.Errorf("it is written as a %s and declared a %s", y.DType(), n.DType())
	}
	t, err := inner.value(y)
	if err != nil {
		return tensor{}, err
	}
	if _, err := e.sameShape(n, t); err != nil {
		return tensor{}, err
	}
	return t, nil
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
