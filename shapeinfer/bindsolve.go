package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/diophantine"
	"github.com/broadloom/broadloom/internal/prove"
)

// solve finds the values of names: first from equations that are linear in one unknown
// name, then from all of the others together.
func (b *binder) solve() {
	left := b.equations
	for progress := true; progress; {
		progress = false
		left = slices.DeleteFunc(slices.Clone(left), func(e equation) bool {
			done := b.solveOne(e)
			progress = progress || done
			return done
		})
		progress = b.solveEqual() || progress
	}
	if len(left) > 0 {
		b.solveRest(left)
	}
	b.checkDetermined()
}

// solveOne uses an equation up if at most one of its names is unknown and it is linear in
// that one.
func (b *binder) solveOne(e equation) bool {
	unknown := ""
	for _, name := range e.size.Symbols() {
		if _, known := b.sizes[name]; !known {
			if unknown != "" {
				return false
			}
			unknown = name
		}
	}
	if unknown == "" {
		return true // compared in the end
	}
	coef, rest, ok := b.linear(e.size, unknown)
	switch {
	case !ok || coef == 0:
		return false
	case (e.value-rest)%coef != 0:
		b.problem("%s: division had remainder %d, so no size of %s fits%s", e, ((e.value-rest)%coef+coef)%coef, unknown,
			b.where(e.size))
		return true // the name stays without a value: what follows from it is no mistake of its own
	}
	b.sizes[unknown], b.origin[unknown] = (e.value-rest)/coef, e.from
	return true
}

// solveEqual carries values on along statements that two sizes are the same.
func (b *binder) solveEqual() (progress bool) {
	for _, name := range b.g.DimNames() {
		is := b.g.Bounds(name).Is
		if is == 0 {
			continue
		}
		v, known := b.sizes[name]
		other, err := b.value(is)
		said := fmt.Sprintf("since %s == %s was stated at %s", name, is, b.g.EqualPos(name))
		switch {
		case !known && err == nil:
			b.sizes[name], b.origin[name], progress = other, said, true
		case known && err != nil:
			before := len(b.sizes)
			b.solveOne(equation{is, v, said, nil})
			progress = progress || len(b.sizes) > before
		}
	}
	return progress
}

// linear returns coef and rest with size = coef·unknown + rest, all other names known.
func (b *binder) linear(size graph.Dim, unknown string) (coef, rest int64, ok bool) {
	at := func(v int64) (int64, error) {
		return size.Eval(func(name string) (int64, bool) {
			if name == unknown {
				return v, true
			}
			return b.sizes.Lookup(name)
		})
	}
	zero, err0 := at(0)
	one, err1 := at(1)
	return one - zero, zero, degree(size, unknown) < 2 && err0 == nil && err1 == nil
}

// degree bounds the power in which an unknown stands in a size; within a quotient it counts
// as 2.
func degree(size graph.Dim, unknown string) (most int) {
	size.Terms(func(_ int64, factors []graph.Factor) {
		power := 0
		for _, f := range factors {
			switch {
			case f.Name == unknown:
				power++
			case f.IsSum():
				power += degree(f.P, unknown)
			case slices.Contains(f.P.Symbols(), unknown) || slices.Contains(f.Q.Symbols(), unknown):
				power += 2
			}
		}
		most = max(most, power)
	})
	return most
}

// The limits of trying values of names one by one.
const (
	maxTried     = 4000
	effortTrying = 3000
)

// solveRest solves equations that no name can be read off: floor(n/2) = 5, m·n = 12.
func (b *binder) solveRest(left []equation) {
	s := prove.NewSystem(b.g.Bounds)
	s.Known = b.sizes
	var names []string
	for _, e := range left {
		s.Assert(diophantine.Zero(s.Of(e.size).Minus(diophantine.Const(e.value))))
		for _, name := range e.size.Symbols() {
			if _, known := b.sizes[name]; !known && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	tried := maxTried
	found, ok := b.search(s, names, Sizes{}, &tried)
	if !ok {
		b.problem("no sizes %s were found for %s; set them explicitly", strings.Join(names, ", "), listEquations(left))
		return
	}
	open := b.open(s, names, found)
	for _, name := range names {
		if slices.Contains(open, name) {
			continue
		}
		b.sizes[name] = found[name]
		for _, e := range left {
			if slices.Contains(e.size.Symbols(), name) {
				b.origin[name] = e.from
				break
			}
		}
	}
	if len(open) > 0 {
		b.tellOpen(s, open, found, left)
	}
}

func listEquations(list []equation) string {
	text := ""
	for _, e := range list {
		text += "\n" + e.String()
	}
	return text
}

// search finds values of names that satisfy the system, by trying.
func (b *binder) search(s *prove.System, names []string, so Sizes, tried *int) (Sizes, bool) {
	if len(names) == 0 {
		return so, true
	}
	p := s.Of(graph.SymbolicDim(names[0]))
	lo, hi, none := s.Range(p, prove.Effort(effortTrying))
	if none {
		return nil, false
	}
	for v := lo; v <= hi && *tried > 0; v++ {
		*tried--
		is := diophantine.Zero(p.Minus(diophantine.Const(v)))
		if s.Refuted(prove.Effort(effortTrying), is) {
			continue
		}
		with := s.Clone()
		with.Assert(is)
		more := Sizes{names[0]: v}
		for name, w := range so {
			more[name] = w
		}
		if found, ok := b.search(with, names[1:], more, tried); ok {
			return found, true
		}
	}
	return nil, false
}

// open lists the names whose values matter and are not determined by the system: some
// size of the graph, or some requirement, could have another value than with those found.
func (b *binder) open(s *prove.System, names []string, found Sizes) (open []string) {
	lookup := func(name string) (int64, bool) {
		if v, ok := found[name]; ok {
			return v, true
		}
		return b.sizes.Lookup(name)
	}
	for _, d := range b.needed() {
		var mine []string
		for _, name := range d.Symbols() {
			if slices.Contains(names, name) && !slices.Contains(open, name) {
				mine = append(mine, name)
			}
		}
		v, err := d.Eval(lookup)
		if len(mine) == 0 || err != nil {
			continue
		}
		other := s.Clone()
		other.Differ(other.Of(d), diophantine.Const(v))
		if !other.Refuted(prove.Effort(prove.EffortTogether)) {
			open = append(open, mine...)
		}
	}
	return open
}

// needed lists the sizes of the graph's values and of its requirements, each once.
func (b *binder) needed() (list []graph.Dim) {
	seen := map[graph.Dim]bool{}
	add := func(d graph.Dim) {
		if d.IsSymbolic() && !seen[d] {
			seen[d] = true
			list = append(list, d)
		}
	}
	for _, n := range b.nodes {
		for _, d := range slices.Concat(n.Shape(), n.AttrDims()) {
			add(d)
		}
	}
	for _, r := range b.needs {
		add(r.A)
		add(r.B)
	}
	return list
}

// tellOpen says which names are not determined, with two values that fit, unless an input
// that was not given would determine them.
func (b *binder) tellOpen(s *prove.System, open []string, found Sizes, left []equation) {
	for _, name := range open {
		if b.waitsForInput(name) {
			continue
		}
		other := s.Clone()
		other.Differ(other.Of(graph.SymbolicDim(name)), diophantine.Const(found[name]))
		text := fmt.Sprintf("%s could be %d", name, found[name])
		tried := maxTried
		if second, ok := b.search(other, []string{name}, Sizes{}, &tried); ok {
			text += fmt.Sprintf(" or %d", second[name])
		}
		b.problem("%s: set it explicitly, or add an input with an axis of that size%s", text, listEquations(left))
	}
}

// waitsForInput reports whether an input that was not given has the name in its shape.
func (b *binder) waitsForInput(name string) bool {
	for _, n := range b.g.Nodes() {
		if !n.IsInput() && !n.IsParam() {
			continue
		}
		if slices.ContainsFunc(b.inputs, func(in Bound) bool { return in.Node == n }) {
			continue
		}
		if slices.ContainsFunc(n.Shape(), func(d graph.Dim) bool { return slices.Contains(d.Symbols(), name) }) {
			return true
		}
	}
	return false
}

// checkDetermined reports names that the graph needs and that no input has.
func (b *binder) checkDetermined() {
	var missing []string
	for _, name := range b.g.DimNames() {
		if _, known := b.sizes[name]; !known {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return
	}
	for _, name := range missing {
		if n := b.user(name); n != nil && !b.occurs(name) && !b.waitsForInput(name) {
			b.problemAt(n.Pos(),
				"no input determines %s, but %s at %s needs it: set it explicitly, with exec.Size(%q, 8), or add an input with an axis of that size",
				name, graph.Describe(n), n.Pos(), name)
		}
	}
}

// allowZero says how a size is declared that may be 0: each is at least 1 where nothing else is said. It
// says nothing where the program wants it to be 1 or more.
func (b *binder) allowZero(name string, v int64) string {
	said := b.g.Bounds(name)
	if v != 0 || said.Min != 1 {
		return ""
	}
	said.Min = 0
	trial := b.g.Try(graph.Change{Bounds: map[string]graph.Bounds{name: said}})
	wanted := func(n *graph.Node) bool {
		return trial.Requires(n) && !slices.ContainsFunc(b.needs, func(r graph.Requirement) bool { return r.Node == n })
	}
	if !trial.Keeps() || slices.ContainsFunc(b.g.Nodes(), wanted) {
		return ""
	}
	return fmt.Sprintf("; if it may be 0, declare g.Dim(%q, graph.AtLeast(0))", name)
}

// occurs reports whether an input that was given has the name in its shape.
func (b *binder) occurs(name string) bool {
	return slices.ContainsFunc(b.equations, func(e equation) bool { return slices.Contains(e.size.Symbols(), name) })
}

// user returns the first node that needs a name.
func (b *binder) user(name string) *graph.Node {
	for _, n := range b.nodes {
		if slices.ContainsFunc(slices.Concat(n.Shape(), n.AttrDims()), func(d graph.Dim) bool {
			return slices.Contains(d.Symbols(), name)
		}) {
			return n
		}
	}
	for _, r := range b.needs {
		if slices.Contains(r.A.Symbols(), name) || slices.Contains(r.B.Symbols(), name) {
			return r.Node
		}
	}
	return nil
}
