package lower

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// readers lists the readers of each value, directly or through views, by node ID.
func (u *Program) readers() [][]fusion.Reader {
	readers := make([][]fusion.Reader, len(u.Graph.Nodes()))
	add := func(n *graph.Node, by *fusion.Group) {
		for i, x := range n.Read() {
			if by == nil || !slices.Contains(by.Again, x) {
				at := alias.Viewed(x).ID()
				readers[at] = append(readers[at], fusion.Reader{Node: n, Operand: i, By: by})
			}
		}
	}
	for _, k := range u.Groups {
		for _, n := range k.Computed() {
			add(n, k)
		}
		for _, n := range k.Completes {
			add(n, nil)
		}
	}
	for _, n := range u.Sequence {
		if n.Op().Class == graph.Version {
			add(n, nil)
		}
	}
	for _, n := range u.Roots {
		if x := alias.Viewed(n); x != n {
			readers[x.ID()] = append(readers[x.ID()], fusion.Reader{Node: n})
		}
	}
	return readers
}
