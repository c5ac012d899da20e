package exec

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// move is the step from one graph of the compiler's to the next.
type move struct {
	from, next *graph.Graph
	to         func(*graph.Node) *graph.Node // nil for what was dropped
}

// Graph gives the graph as it was after the pass.
func (s Snapshot) Graph() *graph.Graph { return s.g }

// Sources tells where each node of the pass's graph comes from: by the node's ID, the IDs
// of nodes of the user's graph, in rising order. A node that was put in for another one
// comes from that one's sources.
func (s Snapshot) Sources() [][]int {
	g := s.g
	if s.moves > 0 {
		g = s.trace.moves[0].from
	}
	of := make([][]int, len(g.Nodes()))
	for i := range of {
		of[i] = []int{i}
	}
	for _, m := range s.trace.moves[:s.moves] {
		of = m.carry(of)
	}
	return of
}

// carry brings the sources of a graph's nodes to the next graph.
func (m move) carry(of [][]int) [][]int {
	next := make([][]int, len(m.next.Nodes()))
	for _, n := range m.from.Nodes()[:len(of)] {
		if t := m.to(n); t != nil {
			next[t.ID()] = append(next[t.ID()], of[n.ID()]...)
		}
	}
	nodes := m.next.Nodes()
	for i := len(nodes) - 1; i >= 0; i-- {
		slices.Sort(next[i])
		next[i] = slices.Compact(next[i])
		for _, x := range nodes[i].Operands() {
			if len(next[x.ID()]) == 0 { // made on the way to n
				next[x.ID()] = next[i]
			}
		}
	}
	return next
}
