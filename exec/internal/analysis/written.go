package analysis

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// WrittenMemory returns the computed values that in-place operations write.
func WrittenMemory(g *graph.Graph) map[*graph.Node]bool {
	written := map[*graph.Node]bool{}
	for _, n := range g.Nodes() {
		if n.Op().Class == graph.Update {
			if memory := alias.Storage(n); memory.Op().Class != graph.Source {
				written[memory] = true
			}
		}
	}
	return written
}
