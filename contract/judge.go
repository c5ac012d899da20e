package contract

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// failure is an axis of which the promise was not proved.
type failure struct {
	*equation
	left, right graph.Dim // with all names known
	never       bool      // no sizes meet it
}

// judge returns what is wrong with a statement. holds reports whether a requirement is met by
// all sizes.
func (c *Contract) judge(st *statement, holds func(graph.Requirement) bool) []*graph.Mistake {
	if st.wrong != nil {
		return []*graph.Mistake{st.formMistake()}
	}
	if !st.Node.Judged() {
		return nil // its own mistake has been reported
	}
	if st.Node.Graph() != c.g {
		return []*graph.Mistake{
			st.mistake(fmt.Sprintf("%s belongs to graph %q, but the contract belongs to graph %q", st.called(),
				st.Node.Graph().Name(), c.g.Name()))}
	}
	if st.sizes != nil {
		if st.isExact() {
			return nil
		}
		if trouble, cure := st.wrongSize(); trouble != "" {
			m := st.mistake(trouble)
			m.Help = []string{cure}
			return []*graph.Mistake{m}
		}
	}
	s := c.solve()
	if s.proved {
		return nil
	}
	m := s.judge(st, holds)
	if m == nil {
		m = s.crossed(st)
	} else if st.Kind == graph.Given && s.isBroken(holds) {
		m = nil // it follows from what was taken
	}
	if m == nil {
		return nil
	}
	return []*graph.Mistake{m}
}

// judge returns what is wrong with a statement, or nil.
func (s *solution) judge(st *statement, holds func(graph.Requirement) bool) *graph.Mistake {
	if m := s.rankMistake(st); m != nil {
		return m
	}
	if names := s.untold(st); len(names) > 0 {
		return s.untoldMistake(st, names)
	}
	if failures := s.failures(st, holds); len(failures) > 0 {
		return s.failureMistake(st, failures)
	}
	return nil
}

// isBroken reports whether the promise of some argument does not hold.
func (s *solution) isBroken(holds func(graph.Requirement) bool) bool {
	return slices.ContainsFunc(s.c.taken(), func(st *statement) bool {
		return st.wrong != nil || st.Node.Judged() && s.judge(st, holds) != nil
	})
}

// failures lists what was not proved of a statement.
func (s *solution) failures(st *statement, holds func(graph.Requirement) bool) (list []failure) {
	for _, e := range s.equations {
		if e.st != st {
			continue
		}
		f := failure{equation: e, left: e.leftIs, right: e.rightIs}
		if f.left == f.right || holds(f.requirement()) {
			continue
		}
		f.never = !s.guessed && holds(graph.Requirement{Kind: graph.MustDiffer, A: f.left, B: f.right}) &&
			(!e.broadcast || holds(graph.Requirement{Kind: graph.MustDiffer, A: f.left, B: 1}))
		list = append(list, f)
	}
	for name, by := range s.by {
		if by != st || !isName(name) || s.isAxis(s.known[name]) {
			continue
		}
		least := graph.Requirement{Kind: graph.MustBeAtLeast, A: s.known[name], B: 0}
		if !holds(least) {
			e := &equation{st: st, axis: s.axisOf(st, name), left: local(name), positive: true}
			list = append(list, failure{equation: e, left: least.A, right: 0})
		}
	}
	slices.SortStableFunc(list, func(a, b failure) int { return a.axis - b.axis })
	return list
}

func (f failure) requirement() graph.Requirement {
	switch {
	case f.positive:
		return graph.Requirement{Kind: graph.MustBeAtLeast, A: f.left, B: f.right}
	case f.broadcast:
		return graph.Requirement{Kind: graph.MustEqualOrOne, A: f.right, B: f.left}
	}
	return graph.Requirement{Kind: graph.MustEqual, A: f.left, B: f.right}
}

// isName tells the names of a form from those of divisions.
func isName(name string) bool { return name[0] < '0' || name[0] > '9' }

// isAxis reports whether a size is that of an axis, and so not negative.
func (s *solution) isAxis(d graph.Dim) bool {
	return slices.ContainsFunc(s.equations, func(e *equation) bool { return e.left == d })
}

// axisOf returns the first axis of a statement in whose size a name stands.
func (s *solution) axisOf(st *statement, name string) int {
	for _, e := range s.equations {
		if e.st == st && (slices.Contains(locals(e.right), name) || slices.Contains(locals(e.left), name)) {
			return e.axis
		}
	}
	return 0
}

// untold lists the names in a statement that nothing tells; in one by itself also those that
// stand there once and say nothing.
func (s *solution) untold(st *statement) []string {
	names, known := s.untoldBy[st]
	if !known {
		if names = s.findUntold(st); s.untoldBy == nil {
			s.untoldBy = map[*statement][]string{}
		}
		s.untoldBy[st] = names
	}
	return names
}

func (s *solution) findUntold(st *statement) (names []string) {
	uses := map[string]int{}
	for _, e := range s.equations {
		if e.st != st {
			continue
		}
		for _, d := range []graph.Dim{e.right, e.left} {
			for _, name := range locals(d) {
				_, known := s.value(name)
				if uses[name]++; isName(name) && !known && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if !s.c.global || len(names) > 0 {
		return names
	}
	for name, n := range uses {
		if n == 1 && isName(name) && s.by[name] == st && !isSeveral(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
