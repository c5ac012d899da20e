package graph

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph/symbolic"
)

// dimDecl is what a graph knows of one of its named sizes.
type dimDecl struct {
	bounds Bounds
	pos    Pos
	equal  Pos // where it was said to be another size
}

// DimOption says something about a named size; nil says nothing.
type DimOption func(*Bounds)

// AtLeast sets the least value; it is 1 by default.
func AtLeast(n int64) DimOption { return func(b *Bounds) { b.Min = n } }

// AtMost sets the greatest value, which must be 1 or more.
func AtMost(n int64) DimOption {
	return func(b *Bounds) {
		if b.Max = n; n == 0 {
			b.Max = -1 // 0 stands for none
		}
	}
}

// MultipleOf says that the size is a multiple of n.
func MultipleOf(n int64) DimOption { return func(b *Bounds) { b.Multiple = n } }

// Exactly declares a name for a number, such as the width of a layer. It is known when the program is built, so
// weights can have this size. Under [Strict] names it is a different size from the same number without its name or
// with another name; otherwise it is that number.
func Exactly(n int64) DimOption {
	return func(b *Bounds) {
		AtMost(n)(b)
		b.Min, b.Exact = n, true
	}
}

// MayBeOne says that the size may be 1 and then broadcasts, as in Theano's
// broadcasting patterns.
func MayBeOne() DimOption { return func(b *Bounds) { b.MayBeOne = true } }

// Dim declares a named size, known only when sizes are bound. The same name in one graph is the same size. Options
// belong to the first declaration: a later one can only add some, since nodes built before rely on it.
func (g *Graph) Dim(name string, opts ...DimOption) Dim {
	d := SymbolicDim(name)
	pos := g.fromOr(ownCall())
	refuse := func(help, format string, args ...any) {
		m := &Mistake{Code: CodeSize, Pos: pos, Summary: fmt.Sprintf(format, args...)}
		if help != "" {
			m.Help = []string{help}
		}
		g.mistakes = append(g.mistakes, m)
	}
	if !d.Valid() {
		refuse("", "%q cannot name a size: a name must be a letter followed by letters, digits and _", name)
		return UnknownDim
	}
	decl := g.dims[name]
	isNew := decl == nil
	if isNew {
		if g.dims == nil {
			g.dims = map[string]*dimDecl{}
		}
		decl = &dimDecl{bounds: DefaultBounds(), pos: pos}
		g.dims[name] = decl
		g.dimOrder = append(g.dimOrder, name)
	}
	b := decl.bounds
	for _, o := range opts {
		if o != nil {
			o(&b)
		}
	}
	switch {
	case b.IsEmpty():
		refuse("", "%q cannot be a size: %s", name, b)
	case !isNew && !b.IsWithin(decl.bounds):
		refuse(fmt.Sprintf("declare it where %s is first declared, at %s", name, decl.pos),
			"%q was declared %s, and nodes built since rely on it: it cannot become %s", name, decl.bounds, b)
	default:
		decl.bounds = b
		g.narrow(b)
		g.facts.Forget()
	}
	return d
}

// Equal states that two sizes are the same, so that axes of these sizes meet under
// [Strict] names too. One of them must be a name, or contain one that can be brought to
// one side: Equal(b, c), Equal(b, 4), Equal(n, m.Plus(1)). It is checked when sizes are
// bound.
func (g *Graph) Equal(a, b Dim) {
	pos := g.fromOr(ownCall())
	refuse := func(help, format string, args ...any) {
		g.mistakes = append(
			g.mistakes, &Mistake{Code: CodeSize, Pos: pos, Summary: fmt.Sprintf(format, args...), Help: []string{help}})
	}
	for _, d := range []Dim{a, b} {
		if text, help := badSize(g, d); text != "" {
			refuse(help, "Equal: %s", text)
			return
		}
	}
	x, y := g.resolve(a), g.resolve(b)
	difference := x.Minus(y)
	switch n, static := difference.Int(); {
	case x.IsUnknown() || y.IsUnknown() || difference == 0:
		return
	case static:
		refuse("remove the statement, or declare other sizes", "%s cannot be equal to %s: they always differ by %d", a,
			b, max(n, -n))
		return
	}
	name, is, ok := isolate(difference, y)
	if !ok {
		refuse("declare both as multiples of another named size", "Equal(%s, %s) cannot be solved for a name", a, b)
		return
	}
	decl := g.dims[name]
	decl.bounds.Is, decl.equal = is, pos
	g.said++
	g.narrow(decl.bounds)
	g.facts.Forget()
}

// narrow applies the bounds of a name to the one name in a size that was declared equal to it. If that leaves no value,
// the declarations contradict each other, which the check reports.
func (g *Graph) narrow(b Bounds) {
	if names := b.Is.Symbols(); len(names) == 1 && g.dims[names[0]] != nil {
		decl := g.dims[names[0]]
		decl.bounds = b.Implied(decl.bounds)
	}
}

// resolve replaces the names that were said to be other sizes.
func (g *Graph) resolve(d Dim) Dim {
	for again := true; again; {
		again = false
		for _, name := range d.Symbols() {
			if is := g.Bounds(name).Is; is != 0 {
				d, again = d.Subst(name, is), true
				break
			}
		}
	}
	return d
}

// isolate solves difference == 0 for a name that stands in it once, with the coefficient 1
// or -1; preferred, where it is one of them.
func isolate(difference, preferred Dim) (name string, is Dim, ok bool) {
	for _, candidate := range difference.Symbols() {
		coef, rest, linear := difference.Linear(candidate)
		if !linear || coef != 1 && coef != -1 || ok && SymbolicDim(candidate) != preferred {
			continue
		}
		if is := rest.Times(Dim(-coef)); is != 0 {
			name, ok = candidate, true
		}
	}
	if ok {
		coef, rest, _ := difference.Linear(name)
		is = rest.Times(Dim(-coef))
	}
	return name, is, ok
}

// EqualPos returns the position at which a named size was declared equal to another one.
func (g *Graph) EqualPos(name string) Pos {
	if d := g.dims[name]; d != nil {
		return d.equal
	}
	return Pos{}
}

// Bounds returns the declared bounds of a named size.
func (g *Graph) Bounds(name string) Bounds {
	if d := g.dims[name]; d != nil {
		return d.bounds
	}
	return DefaultBounds()
}

// Known returns the value of a size that is a number, or is computed from names of numbers: see [Exactly].
func (g *Graph) Known(d Dim) (n int64, ok bool) {
	if n, ok = d.Int(); ok || d.IsUnknown() {
		return n, ok
	}
	n, err := d.Eval(func(name string) (int64, bool) {
		b := g.Bounds(name)
		return b.Min, b.Exact
	})
	return n, err == nil
}

// KnownShape returns the sizes of a value, such as a parameter, whose sizes are all [Graph.Known].
func (n *Node) KnownShape() (sizes []int, ok bool) {
	sizes = make([]int, len(n.shape))
	for axis, d := range n.shape {
		size, known := n.g.Known(d)
		if !known || size < 0 {
			return nil, false
		}
		sizes[axis] = int(size)
	}
	return sizes, true
}

// SaidOfSizes returns the number of declarations of named sizes so far: conclusions from them are valid while it does
// not change.
func (g *Graph) SaidOfSizes() int { return g.said }

// DimNames lists the named sizes in the order of their declaration.
func (g *Graph) DimNames() []string { return g.dimOrder }

// DimPos returns the position at which a named size was declared.
func (g *Graph) DimPos(name string) Pos {
	if d := g.dims[name]; d != nil {
		return d.pos
	}
	return Pos{}
}

// badSize says what is wrong with a declared size, or "".
func badSize(g *Graph, d Dim) (text, help string) {
	if text, help = symbolic.WhyNoSize(d); text != "" {
		return text, help
	}
	for _, name := range d.Symbols() {
		if g.dims[name] == nil {
			return fmt.Sprintf("the size %s is not declared in graph %q", name, g.name),
				fmt.Sprintf("declare it: g.Dim(%q)", name)
		}
	}
	return "", ""
}

// WrongParamSize says why d cannot be the size of a parameter, and what to do, or returns "". For an unknown size it
// returns "" if the graph has a mistake, which may be the cause.
func (g *Graph) WrongParamSize(d Dim) (text, help string) {
	const give = "use a whole number, or a name for one: g.Dim(\"width\", graph.Exactly(64))"
	if text, help = badSize(g, d); text != "" {
		if d.IsNegative() {
			help = "sizes must be at least 0: " + give
		}
		return text, help
	}
	if _, known := g.Known(d); known || !d.IsSymbolic() && (!d.IsUnknown() || len(g.mistakes) > 0) {
		return "", ""
	}
	return fmt.Sprintf(
			"%s cannot be the size of a parameter: sessions create parameters before named sizes are known", d),
		give + "; or declare an input, with Input, and feed its value"
}

// checkSizes refuses a result with an axis that can be no size, such as one computed with
// Go's operators from named sizes.
func (n *Node) checkSizes() {
	for axis, d := range n.shape {
		if d.IsSize() && d.IsConst() {
			continue
		}
		if text, help := badSize(n.g, d); text != "" {
			n.fail(&Mistake{Code: CodeSize, Summary: fmt.Sprintf("axis %d of the result: %s", axis, text),
				Help: []string{help}})
			n.shape = slices.Clone(n.shape)
			n.shape[axis] = UnknownDim
		}
	}
}
