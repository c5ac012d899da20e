package page

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Loops are the bodies of a graph's loops as scopes: each within the scope of the loop, and with the body's own scopes
// inside.
type Loops map[*graph.Region]loopScope

// loopScope is the body of a loop as a scope.
type loopScope struct {
	outer string // of what stands around the loop
	name  string
}

// FindLoops names the bodies of a graph, in the order of the program.
func FindLoops(g *graph.Graph) Loops {
	scopes := Loops{}
	for _, n := range g.Nodes() {
		scopes.add(n.Region(), n)
	}
	return scopes
}

// NameOf returns the name of a body, or "" for none.
func (l Loops) NameOf(r *graph.Region) string { return l[r].name }

// add names a body, those around it first. n is the first value of the body: it has the scope in which the loop was
// built.
func (l Loops) add(r *graph.Region, n *graph.Node) {
	if r == nil {
		return
	}
	if _, known := l[r]; known {
		return
	}
	l.add(r.Parent(), n)
	name := fmt.Sprintf("loop %d, %s", len(l)+1, loopText(r))
	switch spec := r.Spec(); {
	case spec.Whole: // a branch, computed at most once
		name = fmt.Sprintf("case %d", len(l)+1)
	case spec.Example:
		name = fmt.Sprintf("example %d, one of %s", len(l)+1, lengthText(r))
	}
	l[r] = loopScope{n.Scope(), name}
}

// loopText says how often a body is computed.
func loopText(r *graph.Region) string {
	text := lengthText(r)
	switch {
	case r.Reverse():
		return text + " steps from the last"
	case text == "1":
		return "1 step"
	}
	return text + " steps"
}

func lengthText(r *graph.Region) string {
	return strings.ReplaceAll(r.Length().String(), graph.ScopeSeparator, "·")
}

// ScopeOf returns the scope of a value, with the loops in whose bodies it is computed.
func (l Loops) ScopeOf(n *graph.Node) string {
	scope := n.Scope()
	for r := n.Region(); r != nil; r = r.Parent() {
		loop := l[r]
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
