package axisflow

import "github.com/broadloom/broadloom/graph"

// Apart returns a node by itself, in a graph of its own: what stands for its operands, inputs or copies of
// constants, and what is computed from them. A composite operation is written with others. The result is nil
// where that fails.
func Apart(n *graph.Node) (operands []*graph.Node, result *graph.Node) {
	t := write(n)
	if n.Op().Class != graph.Composite {
		t.result = t.copyOf(n)
	}
	return t.operands, t.result
}

// copyOf copies a node onto what stands for its operands.
func (t *template) copyOf(n *graph.Node) *graph.Node {
	if len(t.operands) == 0 {
		return nil
	}
	return t.operands[0].Graph().Copy(n, t.operands)
}
