package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// mistake begins the message of a broken promise. What an argument lacks is a mistake of the
// caller.
func (st *statement) mistake(summary string) *graph.Mistake {
	m := &graph.Mistake{Code: graph.CodeContract, Node: st.Node, Whole: true, Summary: st.lead() + summary, Pos: st.Pos,
		Operands: []graph.OperandNote{{Node: st.Node}}}
	if outer, ok := st.Pos.Outer(); ok && st.Kind == graph.Taken && isCalled(st.Pos) &&
		st.Node.Pos().Func() != st.Pos.Func() {
		m.Pos = outer
	}
	return m
}

// isCalled reports whether a function of the user's stated the promise, rather than one of the
// library that the user calls.
func isCalled(p graph.Pos) bool {
	f, ok := p.Frame()
	return ok && f.Call == "Takes"
}

// called is how the message calls the value.
func (st *statement) called() string {
	if st.As != "" {
		return st.As
	}
	return st.Node.Called()
}

// lead says what is promised: `Attention takes q as "b t d": `.
func (st *statement) lead() string {
	switch st.Kind {
	case graph.Taken:
		return fmt.Sprintf("%s takes %s as %q: ", st.By, st.called(), st.Form)
	case graph.Given:
		return fmt.Sprintf("%s gives %s as %q: ", st.By, st.called(), st.Form)
	}
	return fmt.Sprintf("%s is promised as %q: ", st.called(), st.Form)
}

// place is where the promise was stated: "q at model.go:12".
func (st *statement) place() string { return st.called() + " at " + st.Pos.String() }

func (st *statement) formMistake() *graph.Mistake {
	m := st.mistake(fmt.Sprintf("column %d: %s", st.wrong.column+1, st.wrong.text))
	m.Code, m.Pos, m.Operands = graph.CodeContractForm, st.Pos, []graph.OperandNote{}
	m.Detail = []string{strings.Map(oneLine, st.Form), strings.Repeat(" ", st.wrong.column) + "^"}
	if st.wrong.help != "" {
		m.Help = []string{st.wrong.help}
	}
	return m
}

// oneLine keeps a form on a line, and its columns.
func oneLine(r rune) rune {
	if r == '\n' || r == '\t' {
		return ' '
	}
	return r
}

func axesText(n int) string {
	if n == 1 {
		return "1 axis"
	}
	return fmt.Sprintf("%d axes", n)
}

// rankMistake is that of a value with more or fewer axes than are promised.
func (s *solution) rankMistake(st *statement) *graph.Mistake {
	rank := st.Node.Rank()
	text, misfit := s.misfits[st]
	if !misfit {
		return nil
	}
	if text != "" {
		name, axes, _ := st.fixedCount()
		return st.promised(st.mistake(fmt.Sprintf("*%s is %s of %s, and %s", name, axesText(axes), st.called(), text)))
	}
	wanted := axesText(st.count())
	if st.many >= 0 {
		wanted = "at least " + axesText(st.count()-1)
	}
	m := st.promised(st.mistake(fmt.Sprintf("it has %s, but the promise has %s", axesText(rank), wanted)))
	m.Fixes = s.rankFixes(st)
	return m
}

// untoldMistake is that of names that nothing tells.
func (s *solution) untoldMistake(st *statement, names []string) *graph.Mistake {
	for i, name := range names {
		names[i] = readable(name)
	}
	m := st.promised(st.mistake(fmt.Sprintf("nothing tells %s", listed(names))))
	m.Pos = st.Pos
	if st.By == "" {
		m.Help = []string{fmt.Sprintf("the graph declares %s; write _ for an axis of any size",
			listed(st.Node.Graph().DimNames()))}
		return m
	}
	m.Help = []string{helpUntold(names[0])}
	return m
}

func helpUntold(name string) string {
	return fmt.Sprintf("take a value with the axis %s alone, or say what it is: c.Let(%q, …)", name, name)
}

// failureMistake is that of axes of which the promise was not proved.
func (s *solution) failureMistake(st *statement, list []failure) *graph.Mistake {
	var clauses, names []string
	var bad []int
	for _, f := range list {
		clauses = append(clauses, f.text())
		if !slices.Contains(bad, f.axis) {
			bad = append(bad, f.axis)
		}
		for _, name := range append(locals(f.equation.right), locals(f.equation.left)...) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	m := st.mistake(strings.Join(slices.Compact(clauses), "; "))
	m.Operands[0].Bad = bad
	m.Operands = append(
		m.Operands, graph.OperandNote{Label: "promised", Shape: s.shape(st), Bad: bad, Promise: &st.Promise})
	m.Detail = s.told(st, names)
	if m.Fixes = s.fixes(st, list); len(m.Fixes) == 0 {
		m.Help = s.otherSize(st, list)
	}
	return m
}

// otherSize tells with which size of its own, such as the width that a layer was made with, a function takes a value,
// and of which axes of another value that size is made.
func (s *solution) otherSize(st *statement, list []failure) []string {
	f := list[0]
	names := locals(f.equation.right)
	if len(list) > 1 || st.Kind != graph.Taken || f.broadcast || f.positive || f.by != 0 || !f.left.IsConst() ||
		len(names) != 1 || f.equation.right != local(names[0]) {
		return nil
	}
	own, given := s.c.own[names[0]]
	otherwise := func(e *equation) bool {
		return e.st != st && e.st.Kind == graph.Taken && slices.Contains(locals(e.right), names[0]) &&
			(e.right != local(names[0]) || e.leftIs != f.left)
	}
	if !given || slices.ContainsFunc(s.equations, otherwise) {
		return nil
	}
	help := []string{fmt.Sprintf("with %s = %s instead of %s, %s takes %s", readable(names[0]), f.left, own, st.By,
		st.called())}
	return append(help, merged(st.Node, f.axis)...)
}

// merged tells which axes an axis of a value was made of, as by a flatten before a linear layer.
func merged(n *graph.Node, axis int) []string {
	for n.Op().Class == graph.Elementwise && len(n.Operands()) == 1 && n.In(0).Shape().Equal(n.Shape()) {
		n = n.In(0)
	}
	if n.Op().Class != graph.Movement || len(n.Operands()) != 1 || !n.In(0).Judged() {
		return nil
	}
	from, into := n.In(0).Shape(), n.Shape()
	behind := len(into) - axis - 1
	end := len(from) - behind
	if end-axis < 2 || !from[:axis].Equal(into[:axis]) || !from[end:].Equal(into[axis+1:]) ||
		from[axis:end].NumElements() != into[axis] {
		return nil
	}
	var words []string
	for _, d := range from[axis:end] {
		words = append(words, d.String())
	}
	return []string{
		fmt.Sprintf(
			"its %s elements are %s, axes %d to %d of %s, which %s merges: pooling, strides and the size of the input decide them",
			into[axis], strings.Join(words, "·"), axis, end-1, n.In(0).Called(), graph.Describe(n))}
}

// text says what was not proved of an axis.
func (f failure) text() string {
	at := fmt.Sprintf("axis %d", f.axis)
	switch {
	case f.positive && f.right == 0:
		return fmt.Sprintf("%s: %s would be %s, which %s", at, readable(f.equation.left.String()), f.left,
			f.below("less than 0"))
	case f.positive:
		return fmt.Sprintf("%s: it divides by %s, which %s", at, f.left, f.below("0"))
	case f.by != 0 && f.never:
		return fmt.Sprintf("%s: %s is not a multiple of %s", at, f.of, f.by)
	case f.by != 0:
		return fmt.Sprintf("%s: %s is not always a multiple of %s", at, f.of, f.by)
	case f.broadcast:
		return fmt.Sprintf("%s is %s, %s", at, f.left, f.denied("1 or "+f.right.String()))
	case f.isQuotient() && len(locals(f.left)) > 0:
		return fmt.Sprintf("%s: nothing says that %s is divided without remainder", at, f.right)
	case f.isQuotient():
		return fmt.Sprintf("%s: it wants %s, %s", at, f.right, f.denied(f.left.String()))
	}
	return fmt.Sprintf("%s is %s, %s", at, f.left, f.denied(f.right.String()))
}

// below says that a size is too small, or may be.
func (f failure) below(what string) string {
	if f.left.IsConst() {
		return "is " + what
	}
	return "may be " + what
}

// denied says that one size is not another, or how much is known of that.
func (f failure) denied(other string) string {
	switch {
	case f.left.IsConst() && f.right.IsConst():
		return "not " + other
	case f.never:
		return "which is never " + other
	case slices.Equal(f.left.Symbols(), f.right.Symbols()):
		return "which is not always " + other
	}
	return "and nothing says that it is " + other
}

// shape returns what is promised of each axis; those of any size are unknown.
func (s *solution) shape(st *statement) graph.Shape {
	shape := slices.Repeat(graph.Shape{graph.UnknownDim}, st.Node.Rank())
	for _, e := range s.equations {
		if d := e.rightIs; e.st == st && !e.positive && len(locals(e.left)) == 0 && len(locals(d)) == 0 {
			shape[e.axis] = d
		}
	}
	return shape
}

// promised adds the line of the promise to a message that has no table of axes.
func (st *statement) promised(m *graph.Mistake) *graph.Mistake {
	m.Operands = append(m.Operands, graph.OperandNote{Label: "promised", Promise: &st.Promise})
	return m
}

// told says which sizes names have, and from which statements that follows.
func (s *solution) told(st *statement, names []string) (lines []string) {
	for _, name := range names {
		d, by := s.known[name], s.by[name]
		line := fmt.Sprintf("%s is %s", readable(name), d)
		if d.String() == name {
			line = name + " comes"
		}
		switch {
		case !isName(name) || by == st:
		case by != nil:
			lines = append(lines, fmt.Sprintf("%s from %s, %q", line, by.place(), by.Form))
		case d.String() != name:
			lines = append(lines, line)
		}
	}
	return lines
}

// listed joins words: "a, b and c".
func listed(words []string) string {
	switch n := len(words); n {
	case 0:
		return "no named size"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// isSeveral reports whether a name is that of several axes.
func isSeveral(name string) bool { return strings.Contains(name, manyMark) }
