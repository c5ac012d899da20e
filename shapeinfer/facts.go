package shapeinfer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/diophantine"
	"github.com/broadloom/broadloom/internal/prove"
)

// links joins names to sets: each refers to the name that represents its set.
type links map[string]string

func (l links) root(name string) string {
	up, linked := l[name]
	if !linked {
		return name
	}
	top := l.root(up)
	l[name] = top
	return top
}

func (l links) join(names []string) {
	for _, name := range names[min(1, len(names)):] {
		if a, b := l.root(names[0]), l.root(name); a != b {
			l[b] = a
		}
	}
}

// findFacts looks for the facts, once.
func (j *joint) findFacts() {
	if j.facts != nil {
		return
	}
	j.facts = map[string][]graph.Dim{}
	p := prove.NewProver(j.g.Bounds)
	seen := map[graph.Dim]bool{}
	var facts []graph.Dim
	for _, n := range j.g.Nodes() {
		if !n.IsInput() && !n.IsParam() {
			continue
		}
		for _, d := range n.Shape() {
			if d.IsSymbolic() && !seen[d] && prove.IsPlain(d) && p.AtLeast(d, 0) != prove.Proved {
				facts = append(facts, d)
				j.linked.join(prove.NamesOf(j.g.Bounds, d))
			}
			seen[d] = true
		}
	}
	for _, d := range facts {
		root := j.linked.root(d.Symbols()[0])
		j.facts[root] = append(j.facts[root], d)
	}
}

// assertFacts adds the facts about names and about what is linked with them, and reports
// whether there are any.
func (j *joint) assertFacts(s *prove.System, names []string) (found bool) {
	added := map[string]bool{}
	for _, name := range names {
		root := j.linked.root(name)
		if added[root] {
			continue
		}
		added[root] = true
		for _, d := range j.facts[root] {
			s.Assert(diophantine.NotNegative(s.Of(d)))
			found = true
		}
	}
	return found
}
