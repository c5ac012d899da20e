package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// equation is a condition on a statement's value: left == right or, if the axis may be broadcast, left == 1.
type equation struct {
	st          *statement
	axis        int // of the value; -1 for what a division requires
	left, right graph.Dim
	broadcast   bool
	positive    bool // the condition is left >= right instead
	used        bool // it determined a name
	// leftIs and rightIs are left and right with the names' sizes, once these are known.
	leftIs, rightIs graph.Dim
	// A name was determined as of/by, rounded down, unless by is 0.
	of, by graph.Dim
}

// isQuotient reports whether the equation defines a division in a form.
func (e *equation) isQuotient() bool { return len(locals(e.left)) > 0 && !e.positive }

// solution has the sizes of a contract's names.
type solution struct {
	c         *Contract
	known     map[string]graph.Dim
	by        map[string]*statement // that determined a name
	equations []*equation
	counts    map[string]count      // of axes of a name of several axes
	misfits   map[*statement]string // with another number of axes than promised, and why
	quotients int
	guessed   bool // a name occurs on broadcast axes only, and got its size from one of them
	said      int  // the number of statements about the graph's sizes when this was computed
	// proved says that all promised sizes are identical to the actual ones, so that nothing is left to prove.
	proved     bool
	notCrossed bool                    // no argument has its axes in another order than the graph's names
	untoldBy   map[*statement][]string // see untold
}

// count is how many axes a name stands for, and the statement that determined it.
type count struct {
	axes int
	by   *statement
}

// solve determines the sizes of the names: first from the arguments, then from the graph's own sizes, then from the
// results. If an argument has its axes in another order than the graph's names, and other arguments contradict it, the
// graph's names win.
func (c *Contract) solve() *solution {
	if c.last != nil && (c.g == nil || c.last.said == c.g.SaidOfSizes()) {
		return c.last
	}
	s := c.solveWith(nil)
	if names := s.crossedNames(); len(names) == 0 {
		s.notCrossed, s.proved = true, s.isProved()
	} else if !s.agrees() {
		s = c.solveWith(names)
	}
	c.last = s
	return s
}

// solveWith determines the sizes of the names, some of which are declared to be the graph's own.
func (c *Contract) solveWith(declared []string) *solution {
	s := &solution{c: c, known: map[string]graph.Dim{}, by: map[string]*statement{}, counts: map[string]count{},
		misfits: map[*statement]string{}}
	if c.g != nil {
		s.said = c.g.SaidOfSizes()
	}
	for name, size := range c.own {
		s.known[name] = size
	}
	for _, name := range declared {
		s.known[name] = graph.SymbolicDim(name)
	}
	taken, given := s.collect(c.taken()), s.collect(c.given())
	if c.global {
		s.declared(taken)
	}
	s.equations = slices.Concat(taken, given)
	s.settle(taken)
	s.declared(given)
	s.settle(given)
	for s.oneBroadcast() {
		s.guessed = true
		s.settle(s.equations)
	}
	for _, e := range s.equations {
		e.leftIs, e.rightIs = s.subst(e.left), s.subst(e.right)
	}
	return s
}

// isProved reports whether nothing is left to be proved.
func (s *solution) isProved() bool {
	nothing := func(graph.Requirement) bool { return false }
	return !slices.ContainsFunc(s.c.statements, func(st *statement) bool {
		return st.wrong != nil || !st.Node.Judged() || st.Node.Graph() != s.c.g || s.isMisfit(st) ||
			len(s.untold(st)) > 0 || len(s.failures(st, nothing)) > 0
	})
}

func (s *solution) isMisfit(st *statement) bool {
	_, misfit := s.misfits[st]
	return misfit
}

// agrees reports whether all axes have exactly the sizes that were determined.
func (s *solution) agrees() bool {
	return !slices.ContainsFunc(s.equations, func(e *equation) bool {
		return !e.positive && !e.broadcast && e.leftIs != e.rightIs
	})
}

// settle determines the names in equations.
func (s *solution) settle(list []*equation) {
	s.propagate(list)
	for s.oneDeclared(list) {
		s.propagate(list)
	}
}

// collect returns the equations of statements.
func (s *solution) collect(list []*statement) (equations []*equation) {
	for _, st := range list {
		if !st.Node.Judged() || st.wrong != nil {
			continue
		}
		meetings, ok := st.match()
		if !ok {
			s.misfits[st] = ""
		}
		if !ok || !s.fitsCount(st) {
			continue
		}
		for _, m := range meetings {
			if have := st.Node.Shape()[m.axis]; !have.IsUnknown() {
				equations = append(equations, s.equation(st, m, have)...)
			}
		}
	}
	return equations
}

// fitsCount records how many axes a name stands for, and reports whether that agrees with earlier statements.
func (s *solution) fitsCount(st *statement) bool {
	name, axes, fixed := st.fixedCount()
	if !fixed {
		return true
	}
	first, known := s.counts[name]
	if !known {
		s.counts[name] = count{axes, st}
		return true
	}
	if first.axes == axes {
		return true
	}
	s.misfits[st] = axesText(first.axes) + " by " + first.by.place()
	return false
}

// equation returns the equation of one axis, and those of divisions in it.
func (s *solution) equation(st *statement, m meeting, have graph.Dim) []*equation {
	e := &equation{st: st, axis: m.axis, left: have, right: m.dim, broadcast: m.broadcast}
	if m.want == nil {
		return []*equation{e}
	}
	l := lowering{newName: func() string {
		s.quotients++
		return strconv.Itoa(s.quotients)
	}}
	e.right = l.size(m.want)
	list := []*equation{e}
	for _, q := range l.quotients {
		list = append(list, &equation{st: st, axis: m.axis, left: local(q.q).Times(q.by), right: q.of})
	}
	for _, d := range l.divisors {
		list = append(list, &equation{st: st, axis: m.axis, left: d, right: 1, positive: true})
	}
	return list
}

// value returns the size of a name; known is false if it depends on names that are not known.
func (s *solution) value(name string) (d graph.Dim, known bool) {
	d, known = s.known[name]
	return d, known && len(locals(d)) == 0
}

// locals lists the names of the contract in a size.
func locals(d graph.Dim) (names []string) {
	for _, name := range d.Symbols() {
		if strings.HasPrefix(name, localMark) {
			names = append(names, strings.TrimPrefix(name, localMark))
		}
	}
	return names
}

// subst replaces the known names in a size.
func (s *solution) subst(d graph.Dim) graph.Dim {
	for _, name := range locals(d) {
		if is, known := s.known[name]; known {
			d = d.Subst(localMark+name, is)
		}
	}
	return d
}

// bind records the size of a name.
func (s *solution) bind(name string, is graph.Dim, by *statement) {
	for other, d := range s.known {
		s.known[other] = d.Subst(localMark+name, is)
	}
	s.known[name], s.by[name] = is, by
}

// solver solves an equation for one of its names, and reports whether it could.
type solver func(s *solution, e *equation, difference graph.Dim) bool

// solvers are ordered: the first ones leave nothing to be proved.
var solvers = []solver{(*solution).alone, (*solution).exact, (*solution).eliminate, (*solution).rounded}

// propagate solves equations for names until none determines another one.
func (s *solution) propagate(list []*equation) {
	for again := true; again; {
		again = false
		for _, solve := range solvers {
			for _, e := range list {
				if e.used || e.broadcast || e.positive {
					continue
				}
				difference := s.subst(e.right.Minus(e.left))
				if len(locals(difference)) > 0 && solve(s, e, difference) {
					e.used, again = true, true
				}
			}
			if again {
				break
			}
		}
	}
}

// alone solves for a name that is the whole size of an axis.
func (s *solution) alone(e *equation, _ graph.Dim) bool {
	names := e.right.Symbols()
	if len(names) != 1 || e.right != graph.SymbolicDim(names[0]) || !strings.HasPrefix(names[0], localMark) ||
		len(locals(e.left)) > 0 {
		return false
	}
	name := names[0][len(localMark):]
	if _, known := s.known[name]; known {
		return false
	}
	s.bind(name, e.left, e.st)
	return true
}

// linear writes difference == 0 as coef·name == rest.
func linear(difference graph.Dim, name string) (coef, rest graph.Dim, ok bool) {
	free := difference.Subst(localMark+name, 0)
	coef = difference.Subst(localMark+name, 1).Minus(free)
	rest = free.Times(-1)
	isLinear := coef != 0 && coef.Valid() && rest.Valid() && difference == coef.Times(local(name)).Plus(free)
	return coef, rest, isLinear && !slices.Contains(coef.Symbols(), localMark+name)
}

// exact solves for the only unknown name, if the division has no remainder.
func (s *solution) exact(e *equation, difference graph.Dim) bool {
	names := locals(difference)
	return len(names) == 1 && s.divide(e, difference, names[0])
}

// eliminate expresses a name by others.
func (s *solution) eliminate(e *equation, difference graph.Dim) bool {
	return slices.ContainsFunc(locals(difference), func(name string) bool { return s.divide(e, difference, name) })
}

func (s *solution) divide(e *equation, difference graph.Dim, name string) bool {
	coef, rest, ok := linear(difference, name)
	if !ok {
		return false
	}
	q, ok := rest.ExactDiv(coef)
	if ok {
		s.bind(name, q, e.st)
	}
	return ok
}

// rounded solves for the only unknown name by a division that rounds down. That it has no remainder is proved later.
func (s *solution) rounded(e *equation, difference graph.Dim) bool {
	names := locals(difference)
	if len(names) != 1 {
		return false
	}
	coef, rest, ok := linear(difference, names[0])
	if !ok {
		return false
	}
	p := prove.NewProver(e.st.Node.Graph().Bounds)
	if p.AtLeast(coef.Times(-1), 1) == prove.Proved {
		coef, rest = coef.Times(-1), rest.Times(-1)
	}
	if p.AtLeast(coef, 1) != prove.Proved {
		return false
	}
	e.of, e.by = rest, coef
	s.bind(names[0], rest.FloorDivBy(coef), e.st)
	return true
}

// declared gives unknown names in equations the graph's own sizes of the same names.
func (s *solution) declared(list []*equation) {
	for _, e := range list {
		for _, d := range []graph.Dim{e.right, e.left} {
			for _, name := range locals(d) {
				s.takeDeclared(name, e.st)
			}
		}
	}
}

// oneDeclared does the same for one name only, since others may follow from it.
func (s *solution) oneDeclared(list []*equation) bool {
	for _, e := range list {
		for _, name := range locals(e.right) {
			if s.takeDeclared(name, e.st) {
				return true
			}
		}
	}
	return false
}

func (s *solution) takeDeclared(name string, st *statement) bool {
	if _, known := s.known[name]; known || !isDeclared(st.Node.Graph(), name) {
		return false
	}
	s.bind(name, graph.SymbolicDim(name), nil)
	return true
}

func isDeclared(g *graph.Graph, name string) bool { return g.DimPos(name) != graph.Pos{} }

// oneBroadcast gives a name that occurs on broadcast axes only the first size that is not 1, or else 1.
func (s *solution) oneBroadcast() bool {
	for _, allowed := range []func(graph.Dim) bool{
		func(d graph.Dim) bool { return d != 1 }, func(graph.Dim) bool { return true }} {
		for _, e := range s.equations {
			if e.broadcast && allowed(e.left) {
				as := *e
				if difference := s.subst(e.right).Minus(e.left); len(locals(difference)) > 0 &&
					(s.alone(&as, difference) || s.exact(&as, difference)) {
					return true
				}
			}
		}
	}
	return false
}
