package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// bound is a requirement that says no more than that a name is at least, or at most, some number.
type bound struct {
	name  string
	upper bool
	at    int64
	need  graph.Requirement // the first one that says it
	more  int               // requirements of the graph that say less
}

// boundedName tells bounds of a name from those on its other side.
type boundedName struct {
	g     *graph.Graph
	name  string
	upper bool
}

func (b bound) of() boundedName { return boundedName{b.need.Node.Graph(), b.name, b.upper} }

// maxBound is the largest number that is tried as a bound.
const maxBound = 1 << 16

// boundOf returns the bound that a requirement is: what it says must be proved with the bound, and
// fail beyond it.
func boundOf(r graph.Requirement) (b bound, ok bool) {
	d := r.A.Minus(r.B)
	names := d.Symbols()
	if r.Kind != graph.MustBeAtLeast || r.Node == nil || len(names) != 1 {
		return b, false
	}
	g, name := r.Node.Graph(), names[0]
	declared := g.Bounds(name)
	holds := func(v int64) bool {
		n, err := d.Eval(func(string) (int64, bool) { return v, true })
		return err == nil && n >= 0
	}
	low, high := max(declared.Min, 0), int64(maxBound)
	if declared.Max > 0 {
		high = min(high, declared.Max)
	}
	b = bound{name: name, upper: holds(low), need: r}
	if holds(high) == b.upper {
		return b, false
	}
	first, last := low, high // it holds at one and not at the other
	for last-first > 1 {
		if mid := first + (last-first)/2; holds(mid) == b.upper {
			first = mid
		} else {
			last = mid
		}
	}
	if b.at = last; b.upper {
		b.at = first
	}
	return b, b.isExact(d, declared)
}

// isExact reports whether a size is at least 0 with the bound, and not beyond it.
func (b bound) isExact(d graph.Dim, declared graph.Bounds) bool {
	declared.Is = 0 // the name alone is judged: the size is made of no other one
	within, beyond := declared, declared
	if b.upper {
		within.Max, beyond.Min = b.at, b.at+1
	} else {
		within.Min, beyond.Max = b.at, b.at-1
	}
	judge := func(as graph.Bounds) prove.Verdict {
		return prove.NewProver(func(string) graph.Bounds { return as }).AtLeast(d, 0)
	}
	return judge(within) == prove.Proved && (!b.upper && beyond.Max == 0 || judge(beyond) == prove.Refused)
}

// boundsOf returns the strongest bound on each side of each name.
func boundsOf(needs []graph.Requirement) map[boundedName]bound {
	all := map[boundedName]bound{}
	for _, r := range needs {
		b, ok := boundOf(r)
		if !ok {
			continue
		}
		was, known := all[b.of()]
		switch {
		case !known:
			all[b.of()] = b
		case was.at == b.at:
		case was.at < b.at != b.upper:
			b.more = was.more + 1
			all[b.of()] = b
		default:
			was.more++
			all[b.of()] = was
		}
	}
	return all
}

// note tells the bound, and the declaration that proves it and all that say less.
func (b bound) note() *graph.Mistake {
	sign, word := ">=", "AtLeast"
	if b.upper {
		sign, word = "<=", "AtMost"
	}
	m := &graph.Mistake{Code: graph.CodeDeferred, Severity: graph.Note, Node: b.need.Node,
		Summary: fmt.Sprintf("deferred to binding: %s %s %d", b.name, sign, b.at)}
	if b.need.Why != "" {
		m.Detail = append(m.Detail, b.need.Why)
	}
	if b.more > 0 {
		verb := "follow"
		if b.more == 1 {
			verb = "follows"
		}
		m.Detail = append(m.Detail, fmt.Sprintf(
			"%s of %s %s from it", counted(b.more, "other requirement"), b.name, verb))
	}
	said := b.need.Node.Graph().Bounds(b.name)
	if b.upper {
		said.Max = b.at
	} else {
		said.Min = b.at
	}
	if b.need.Node.Graph().Try(graph.Change{Bounds: map[string]graph.Bounds{b.name: said}}).Keeps() {
		m.Fixes = []graph.Fix{
			{Kind: graph.FixDeclare, Text: fmt.Sprintf(
				"declare g.Dim(%q, graph.%s(%d)) and it is proved", b.name, word, b.at)}}
	}
	return m
}
