package viz

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Bodies of loops are drawn as scopes: a cluster for each, within that of the scope in which the loop stands and with
// the body's own scopes inside, so that all that pictures do with scopes they do with loops.

// loopScope is the body of a loop as a scope.
type loopScope struct {
	outer string // of what stands around the loop
	name  string
}

// loopScopes gives the bodies of a graph their names, in the order of the program.
func loopScopes(g *graph.Graph) map[*graph.Region]loopScope {
	scopes := map[*graph.Region]loopScope{}
	for _, n := range g.Nodes() {
		addLoop(scopes, n.Region(), n)
	}
	return scopes
}

// addLoop names a body, those around it first. n is the first value of the body: it has the scope in which the loop
// was built.
func addLoop(scopes map[*graph.Region]loopScope, r *graph.Region, n *graph.Node) {
	if r == nil {
		return
	}
	if _, known := scopes[r]; known {
		return
	}
	addLoop(scopes, r.Parent(), n)
	scopes[r] = loopScope{n.Scope(), fmt.Sprintf("loop %d, %s", len(scopes)+1, loopText(r))}
}

// loopText says how often a body is computed.
func loopText(r *graph.Region) string {
	text := strings.ReplaceAll(r.Length().String(), graph.ScopeSeparator, "·")
	switch {
	case r.Spec().Whole:
		return "one case"
	case r.Reverse():
		return text + " steps from the last"
	case text == "1":
		return "1 step"
	}
	return text + " steps"
}

// scopeOf returns the scope of a value, with the loops in whose bodies it is computed.
func (b *graphModel) scopeOf(n *graph.Node) string {
	scope := n.Scope()
	for r := n.Region(); r != nil; r = r.Parent() {
		loop := b.loops[r]
		switch inside, within := strings.CutPrefix(scope, loop.outer+graph.ScopeSeparator); {
		case scope == loop.outer:
			scope = joinScopes(loop.outer, loop.name)
		case within:
			scope = joinScopes(loop.outer, loop.name, inside)
		default:
			scope = joinScopes(loop.outer, loop.name, scope)
		}
	}
	return scope
}

// joinScopes joins the names that are not empty.
func joinScopes(names ...string) (scope string) {
	for _, name := range names {
		if scope != "" && name != "" {
			scope += graph.ScopeSeparator
		}
		scope += name
	}
	return scope
}

// noteSteps tells of carried values what the next step is given.
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
