package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Provenance records how passes replaced a graph.
type Provenance struct{ Replacements []Replacement }

// Replacement is the step from one of the compiler's graphs to the next.
type Replacement struct {
	From, next *graph.Graph
	to         func(*graph.Node) *graph.Node // nil for dropped nodes
}

// Carry maps the sources of a graph's nodes to the next graph.
func (m Replacement) Carry(of [][]int) [][]int {
	next := make([][]int, len(m.next.Nodes()))
	for _, n := range m.From.Nodes()[:len(of)] {
		if t := m.to(n); t != nil {
			next[t.ID()] = append(next[t.ID()], of[n.ID()]...)
		}
	}
	CompleteSources(m.next.Nodes(), next)
	return next
}

// CompleteSources gives nodes without sources, which were made for others, the sources of these.
func CompleteSources(nodes []*graph.Node, of [][]int) {
	for i := len(nodes) - 1; i >= 0; i-- {
		slices.Sort(of[i])
		of[i] = slices.Compact(of[i])
		for _, x := range nodes[i].Operands() {
			if len(of[x.ID()]) == 0 {
				of[x.ID()] = of[i]
			}
		}
	}
}
