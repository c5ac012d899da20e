package graph

import "fmt"

// dimDecl is what a graph knows of one of its named sizes.
type dimDecl struct {
	bounds Bounds
	pos    Pos
}

// DimOption says something about a named size.
type DimOption func(*Bounds)

// AtLeast sets the least value; it is 1 unless said otherwise.
func AtLeast(n int64) DimOption { return func(b *Bounds) { b.Min = n } }

// AtMost sets the greatest value.
func AtMost(n int64) DimOption { return func(b *Bounds) { b.Max = n } }

// MultipleOf says that the size is a multiple of n.
func MultipleOf(n int64) DimOption { return func(b *Bounds) { b.Multiple = n } }

// MayBeOne says that the size may be 1 and then broadcasts, as in Theano's
// broadcasting patterns.
func MayBeOne() DimOption { return func(b *Bounds) { b.MayBeOne = true } }

// Dim declares a named size, known only when sizes are bound. The same name in one
// graph is the same size.
func (g *Graph) Dim(name string, opts ...DimOption) Dim {
	d := SymbolicDim(name)
	pos := Caller()
	if !d.Valid() {
		g.mistakes = append(g.mistakes, &Mistake{Code: CodeSize, Pos: pos,
			Summary: fmt.Sprintf("%q cannot name a size: a name is a letter and then letters, digits and _", name)})
		return UnknownDim
	}
	decl := g.dims[name]
	if decl == nil {
		if g.dims == nil {
			g.dims = map[string]*dimDecl{}
		}
		decl = &dimDecl{bounds: DefaultBounds(), pos: pos}
		g.dims[name] = decl
		g.dimOrder = append(g.dimOrder, name)
	}
	for _, o := range opts {
		o(&decl.bounds)
	}
	if b := decl.bounds; b.Min < 0 || b.Max != 0 && b.Max < b.Min || b.Multiple < 0 {
		g.mistakes = append(g.mistakes, &Mistake{Code: CodeSize, Pos: pos,
			Summary: fmt.Sprintf("no size can be %q: at least %d, at most %d, a multiple of %d", name, b.Min, b.Max, max(b.Multiple, 1))})
		decl.bounds = DefaultBounds()
	}
	return d
}

// Bounds gives what was declared of a named size.
func (g *Graph) Bounds(name string) Bounds {
	if d := g.dims[name]; d != nil {
		return d.bounds
	}
	return DefaultBounds()
}

// DimNames lists the named sizes in the order of their declaration.
func (g *Graph) DimNames() []string { return g.dimOrder }

// DimPos gives the place where a named size was declared.
func (g *Graph) DimPos(name string) Pos {
	if d := g.dims[name]; d != nil {
		return d.pos
	}
	return Pos{}
}

// badSize says what is wrong with a declared size, or "".
func badSize(g *Graph, d Dim) (text, help string) {
	if n, whole := d.Int(); whole {
		switch {
		case n < 0:
			return fmt.Sprintf("%d is no size", n), "sizes are 0 or more; a size known only at run time is a named one: g.Dim(\"batch\")"
		case n > 1<<62:
			return fmt.Sprintf("%d is no size", n), arithmeticHelp
		}
		return "", ""
	}
	if d.IsUnknown() {
		return "", ""
	}
	if !d.Valid() {
		return "the size is not valid", arithmeticHelp
	}
	for _, name := range d.Symbols() {
		if g.dims[name] == nil {
			return fmt.Sprintf("the size %s is not declared in graph %q", name, g.name), fmt.Sprintf("declare it: g.Dim(%q)", name)
		}
	}
	return "", ""
}

const arithmeticHelp = "if it is computed from a named size, use its methods: batch.Plus(1), batch.Times(2)"
