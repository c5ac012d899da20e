package contract

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// crossedNames lists the names of all arguments whose axes the graph has in another order.
func (s *solution) crossedNames() (names []string) {
	for _, st := range s.c.statements {
		own, _ := s.exchanged(st)
		names = append(names, own...)
	}
	return names
}

// exchanged lists the names of an argument's axes that stand for one another's sizes in the
// graph, with these: t and b where the contract has "b t d" and the value is [t, b, d].
func (s *solution) exchanged(st *statement) (names, sizes []string) {
	g := st.Node.Graph()
	if st.Kind != graph.Taken || g != s.c.g {
		return nil, nil
	}
	is := map[string]string{}
	for _, e := range s.equations {
		if e.st != st || e.broadcast {
			continue
		}
		own, isName := nameOf(e.right)
		size, isSize := nameOf(e.left)
		if own = readable(own); isName && isSize && isDeclared(g, own) && own != size {
			is[own] = size
		}
	}
	for name := range is {
		if _, given := s.c.own[name]; !given && leadsBack(is, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		sizes = append(sizes, is[name])
	}
	return names, sizes
}

// nameOf returns the name that a size is.
func nameOf(d graph.Dim) (name string, ok bool) {
	names := d.Symbols()
	if len(names) != 1 || d != graph.SymbolicDim(names[0]) {
		return "", false
	}
	return names[0], true
}

// leadsBack reports whether following names from one to the next returns to the first.
func leadsBack(is map[string]string, first string) bool {
	at := is[first]
	for range is {
		if at == first {
			return true
		}
		next, known := is[at]
		if !known {
			return false
		}
		at = next
	}
	return false
}

// crossed warns of an argument whose axes the graph has in another order.
func (s *solution) crossed(st *statement) *graph.Mistake {
	if s.notCrossed {
		return nil
	}
	names, sizes := s.exchanged(st)
	if len(names) == 0 || st.Node.IsSilenced(graph.CodeCrossedNames) {
		return nil
	}
	m := st.promised(
		st.mistake(fmt.Sprintf("the graph has these axes in another order: %s are used as its %s", listed(names),
			listed(sizes))))
	m.Code, m.Severity, m.Choice = graph.CodeCrossedNames, graph.Warning, true
	if len(names) == 2 {
		m.Help = append(m.Help,
			fmt.Sprintf("Transpose(%s, %d, %d) has them in this order", st.Node.Called(), s.axisOf(st, names[0]),
				s.axisOf(st, names[1])))
	}
	m.Help = append(m.Help, "to keep it: Silence(graph.CodeCrossedNames) on the value")
	return m
}
