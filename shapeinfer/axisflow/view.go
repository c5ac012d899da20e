package axisflow

import "github.com/broadloom/broadloom/graph"

// View returns the layout of a node's elements, given the layout of its operand, from the node's operation. An
// operation that fails there has no view.
func View(n *graph.Node, in graph.Layout) (out graph.Layout, ok bool) {
	defer func() {
		if recover() != nil {
			out, ok = graph.Layout{}, false
		}
	}()
	if out, ok = n.Op().View(n, in); !ok || len(out.Strides) != n.Rank() {
		return graph.Layout{}, false
	}
	out.Shape = n.Shape()
	return out, true
}
