package viz

import "github.com/broadloom/broadloom/graph"

// Bodies of loops are drawn as scopes: a cluster for each, within that of the scope in which the loop stands and with
// the body's own scopes inside, so that all that pictures do with scopes they do with loops. Package page names them.

// noteSteps notes, for carried values, the value of the next step.
func (b *graphModel) noteSteps() {
	for _, n := range b.g.Nodes() {
		end, is := n.Loop()
		if !is || end.Role != graph.LoopEnd || n.Err() != nil {
			continue
		}
		for i := range end.Carried {
			carried, next := b.values[n.In(i).ID()], b.values[n.In(end.Carried+i).ID()]
			if carried == next {
				continue // it never changes
			}
			next.shown = true
			carried.notes = append(carried.notes, "next step: "+next.label)
		}
	}
}
