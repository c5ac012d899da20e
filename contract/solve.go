package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// equation is something that must hold of a statement's value: left == right, or where the axis
// may be broadcast, left == 1.
type equation struct {
	st          *statement
	axis        int // of the value; -1 for what a division requires
	left, right graph.Dim
	broadcast   bool
	positive    bool // left is at least right, in their place
	used        bool // a name was solved for with it
	// leftIs and rightIs are left and right with what the names stand for, once that is found.
	leftIs, rightIs graph.Dim
	// of is what was divided by by, rounded down, to solve for a name; by is 0 where none was.
	of, by graph.Dim
}

// isQuotient reports whether the equation says what a division in a form is.
func (e *equation) isQuotient() bool { return len(locals(e.left)) > 0 && !e.positive }

// solution is what the names of a contract stand for.
type solution struct {
	c         *Contract
	known     map[string]graph.Dim
	by        map[string]*statement // that told a name
	equations []*equation
	counts    map[string]count      // of axes that one name stands for
	misfits   map[*statement]string // that have other axes than are promised, and why
	quotients int
	guessed   bool // a name stands for broadcast axes only, and was taken from one of them
	said      int  // of the graph's sizes, when it was found
	// proved says that nothing is left to be proved: all sizes are the very ones.
	proved     bool
	notCrossed bool                    // no argument has its axes in another order than the graph's names say
	untoldBy   map[*statement][]string // see untold
}

// count is how many axes a name stands for, and who says so.
type count struct {
	axes int
	by   *statement
}

// solve finds what the names stand for: first from the arguments, then from the graph's own
// sizes, then from the results. Where an argument has its axes in another order than the graph's
// names say, and others do not agree with it, the graph's names count.
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

// solveWith finds what the names stand for, if some are the graph's own.
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

// agrees reports whether all axes have the very sizes that were found.
func (s *solution) agrees() bool {
	return !slices.ContainsFunc(s.equations, func(e *equation) bool {
		return !e.positive && !e.broadcast && e.leftIs != e.rightIs
	})
}

// settle finds what the names in equations stand for.
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

// fitsCount notes how many axes a name stands for, and reports whether that agrees with what was
// noted before.
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

// equation returns what one axis says, and what divisions in it require.
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

// value returns the size that a name stands for; known is false where that rests on others that
// are not known.
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

// subst puts what is known into a size.
func (s *solution) subst(d graph.Dim) graph.Dim {
	for _, name := range locals(d) {
		if is, known := s.known[name]; known {
			d = d.Subst(localMark+name, is)
		}
	}
	return d
}

// bind notes what a name stands for.
func (s *solution) bind(name string, is graph.Dim, by *statement) {
	for other, d := range s.known {
		s.known[other] = d.Subst(localMark+name, is)
	}
	s.known[name], s.by[name] = is, by
}

// way solves an equation for one of its names, or does not.
type way func(s *solution, e *equation, difference graph.Dim) bool

// ways are the ways to solve an equation, those first that leave nothing to be proved.
var ways = []way{(*solution).alone, (*solution).exact, (*solution).eliminate, (*solution).rounded}

// propagate solves equations for names until none tells any more.
func (s *solution) propagate(list []*equation) {
	for again := true; again; {
		again = false
		for _, solve := range ways {
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

// alone takes the size of an axis for a name that stands there by itself.
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

// exact solves for a name where all others are known and the division leaves no rest.
func (s *solution) exact(e *equation, difference graph.Dim) bool {
	names := locals(difference)
	return len(names) == 1 && s.divide(e, difference, names[0])
}

// eliminate writes a name as an expression over others.
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

// rounded solves for a name by a division that rounds down: that it leaves no rest is proved
// later.
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

// declared takes the graph's own sizes for the names in equations that it declares, and that
// are not known.
func (s *solution) declared(list []*equation) {
	for _, e := range list {
		for _, d := range []graph.Dim{e.right, e.left} {
			for _, name := range locals(d) {
				s.takeDeclared(name, e.st)
			}
		}
	}
}

// oneDeclared takes one of the graph's own sizes: others may follow from it.
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

// oneBroadcast takes for a name that stands for broadcast axes only the first size that is not
// 1; or 1.
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
