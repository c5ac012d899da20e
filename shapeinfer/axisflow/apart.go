package axisflow

import "github.com/broadloom/broadloom/graph"

// Apart returns a copy of a node in a graph of its own: inputs, or copies of constants, in place of its operands, and
// the result. A composite operation is expanded. The result is nil if that fails.
func Apart(n *graph.Node) (operands []*graph.Node, result *graph.Node) {
	t := write(n)
	if n.Op().Class != graph.Composite {
		t.result = t.copyOf(n)
	}
	return t.operands, t.result
}

// copyOf applies a node to the template's operands.
func (t *template) copyOf(n *graph.Node) *graph.Node {
	if len(t.operands) == 0 {
		return nil
	}
	return t.operands[0].Graph().Copy(n, t.operands)
}
