package translate

import (
	"errors"
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// CheckRoots checks that outputs and updates are nodes of a graph that can be written.
func CheckRoots(g *graph.Graph, outputs, updates []*graph.Node) error {
	roots := Roots(outputs, updates)
	if len(roots) == 0 {
		return errors.New("nothing to export: set Outputs or Updates")
	}
	for i, n := range roots {
		switch {
		case n == nil || n.Op() == nil:
			return fmt.Errorf("root %d is nil, or a Node that was not made by an operation", i)
		case n.Err() != nil:
			return n.Err()
		case n.Graph() != g:
			return fmt.Errorf("%s: root %d, %s, is not a node of graph %q", n.Pos(), i, n.Called(), g.Name())
		case i >= len(outputs) && n.Judged() && n.Op().Class != graph.Update:
			return fmt.Errorf("%s: update %d, %s, writes nothing: it must be an in-place operation", n.Pos(),
				i-len(outputs), graph.Describe(n))
		}
	}
	return nil
}

// Roots lists outputs and updates.
func Roots(outputs, updates []*graph.Node) []*graph.Node {
	return append(append([]*graph.Node{}, outputs...), updates...)
}
