package exec

import (
	"github.com/broadloom/broadloom/graph"
)

// Graph returns the graph as it was after the pass.
func (s Snapshot) Graph() *graph.Graph { return s.g }

// Sources returns the origins of each node of the pass's graph: indexed by the node's ID, the IDs of nodes of the
// user's graph, in ascending order. A node that replaced another has that node's sources.
func (s Snapshot) Sources() [][]int {
	g := s.g
	if s.moves > 0 {
		g = s.trace.Replacements[0].From
	}
	of := make([][]int, len(g.Nodes()))
	for i := range of {
		of[i] = []int{i}
	}
	for _, m := range s.trace.Replacements[:s.moves] {
		of = m.Carry(of)
	}
	return of
}
