package reference

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Evaluation evaluates nodes of one graph repeatedly, as elements of feeds change. Values that do not depend on them
// are kept.
type Evaluation struct {
	outputs []*graph.Node
	with    *evaluator
}

// Prepare begins an [Eval].
func Prepare(outputs []*graph.Node, feeds map[*graph.Node]Value, sizes ...shapeinfer.Sizes) (*Evaluation, error) {
	if len(outputs) == 0 {
		return nil, errors.New("oracle: nothing to evaluate")
	}
	g := outputs[0].Graph()
	if g == nil {
		return nil, outputs[0].Err()
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	for _, n := range outputs {
		if n.Graph() != g {
			return nil, fmt.Errorf("oracle: %s belongs to another graph", n.Label())
		}
	}
	e, err := bind(g, outputs, feeds, sizes)
	return &Evaluation{outputs, e}, err
}

// Values returns the values of the nodes.
func (v *Evaluation) Values() ([]Value, error) {
	values := make([]Value, len(v.outputs))
	for i, n := range v.outputs {
		t, err := v.with.value(n)
		if err != nil {
			return nil, err
		}
		if values[i], err = v.with.export(t); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Set changes element i, in row-major order, of the feed of x.
func (v *Evaluation) Set(x *graph.Node, i int, to float64) {
	t := v.with.known[x]
	t.store = slices.Clone(t.store)
	t.store[i] = convert(floatCell(to), graph.Float64, t.dtype)
	v.with.give(x, t)
}

// give sets a value, and drops values that were computed from the old one.
func (e *evaluator) give(x *graph.Node, t tensor) {
	old, had := e.known[x]
	e.known[x] = t
	if !had || unsafe.SliceData(old.store) == unsafe.SliceData(t.store) { // no element of a store changes
		return
	}
	nodes := x.Graph().Nodes()
	depends := make([]bool, len(nodes))
	depends[x.ID()] = true
	for i, n := range nodes[x.ID()+1:] {
		if slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool { return depends[x.ID()] }) {
			depends[x.ID()+1+i] = true
			delete(e.known, n)
		}
	}
}
