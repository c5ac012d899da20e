package autodiff

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/gradcut"
)

// compositeRule differentiates a composite without a rule of its own: it expands it and walks over the expansion, down
// to the composite's operands. The values that this recomputes are merged with those of the forward pass when the
// program is compiled. It returns the rule of this one node, or of m in its place.
func (w *reversePass) compositeRule(n, m, dy *graph.Node) func(n, dy *graph.Node, i int) *graph.Node {
	inner := newReversePass(w.g, len(w.g.Nodes()))
	inner.upstream, inner.put = dy, w.put
	if w.standIns == nil {
		inner.standIns = nil
	}
	y := w.expand(m)
	if y == nil {
		return nil
	}
	var wanted []*graph.Node
	for i, x := range n.Operands() {
		if w.needed[x] && x.DType().IsFloat() {
			wanted = append(wanted, m.In(i))
		}
	}
	inner.run(y, wanted)
	w.failed = inner.failed
	sent := map[*graph.Node]bool{}
	return func(n, _ *graph.Node, i int) *graph.Node {
		x := n.In(i)
		if sent[x] || inner.cotangents[x] == nil {
			return nil // of an operand that stands twice, the gradient holds both parts
		}
		sent[x] = true
		return inner.gradient(x)
	}
}

// dependsOn reports whether there is a path from x to y along which gradients can flow, even if they are zero.
func dependsOn(y, x *graph.Node) bool {
	if x.ID() > y.ID() {
		return false
	}
	reached := map[*graph.Node]bool{x: true}
	for _, n := range y.Graph().Nodes()[x.ID() : y.ID()+1] {
		for _, in := range n.Operands() {
			if reached[in] && !gradcut.Stops(n) {
				reached[n] = true
			}
		}
	}
	return reached[y]
}
