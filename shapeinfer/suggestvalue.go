package shapeinfer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// declare changes the shape of a declared operand: of a parameter first, otherwise of an input.
func (t *trier) declare() {
	found := len(t.fixes)
	for _, wanted := range []func(*graph.Node) bool{(*graph.Node).IsParam, (*graph.Node).IsInput} {
		t.allPairs(func(i, other int) {
			x, s := t.user(i), t.fitted(i, other)
			if x == nil {
				x, s = t.turnedByCall(i, s)
			}
			if x == nil || len(t.fixes) > found || !wanted(x) || len(x.Shape()) != len(t.shape(i)) {
				return
			}
			if s == nil || s.Equal(x.Shape()) || x.IsInput() && (losesName(x.Shape(), s) || t.renames(x.Shape(), s)) ||
				x.IsParam() && !areKnown(x.Graph(), s) || !areSizes(x.Shape(), s) {
				return
			}
			t.try(graph.Fix{Kind: graph.FixDeclare, Text: fmt.Sprintf("declare %s as %s", x.Called(), s), Gives: s,
				At: x},
				graph.Change{Node: x, Declared: &graph.Type{DType: x.DType(), Shape: s}})
		})
	}
}

// turnedByCall returns the value of the user's of which the call has made operand i by exchanging its
// last two axes, as a linear layer turns its weight, with a shape so turned back.
func (t *trier) turnedByCall(i int, s graph.Shape) (x *graph.Node, turned graph.Shape) {
	n := t.n.In(i)
	last := n.Rank() - 1
	if last < 1 || len(s) != n.Rank() || !exchanges(n, last-1, last) {
		return nil, nil
	}
	turned = slices.Clone(s)
	turned[last-1], turned[last] = turned[last], turned[last-1]
	return t.n.Stands(n.In(0)), turned
}

// areKnown reports whether a parameter can have these sizes.
func areKnown(g *graph.Graph, s graph.Shape) bool {
	return !slices.ContainsFunc(s, func(d graph.Dim) bool {
		_, known := g.Known(d)
		return !known
	})
}

// areSizes reports whether the sizes that a declaration would get are numbers and names, as people
// write them: what a mistake has computed from names fits nothing but the mistake.
func areSizes(from, to graph.Shape) bool {
	for axis, d := range to {
		if (axis >= len(from) || d != from[axis]) && !d.IsConst() && !isName(d) {
			return false
		}
	}
	return true
}

// isName reports whether a size is a name by itself.
func isName(d graph.Dim) bool {
	names := d.Symbols()
	return len(names) == 1 && graph.SymbolicDim(names[0]) == d
}

// losesName reports whether a number would stand where a name stood, as if all that is fed
// were of one size.
func losesName(from, to graph.Shape) bool {
	for axis := range min(len(from), len(to)) {
		if from[axis].IsSymbolic() && to[axis].IsConst() {
			return true
		}
	}
	return false
}

// renames reports whether a fix would replace a name by another one that the user means to be different.
func (t *trier) renames(from, to graph.Shape) bool {
	for axis := range min(len(from), len(to)) {
		a, b := from[axis], to[axis]
		if a != b && isName(a) && isName(b) && !slices.Contains(to, a) && t.standTogether(a, b) {
			return true
		}
	}
	return false
}

// fitted returns the shape of operand i with the sizes of another operand on its bad axes;
// where the result is larger than both, the other operand's shape.
func (t *trier) fitted(i, other int) graph.Shape {
	switch {
	case t.m.Code == graph.CodeMutualExpand:
		return slices.Clone(t.shape(other))
	case t.m.Code == graph.CodeTargetShape && t.shape(i).NumElements() == t.shape(other).NumElements():
		return slices.Clone(t.shape(other))
	}
	if i >= len(t.m.Operands) || other >= len(t.m.Operands) {
		return nil
	}
	mine, theirs := t.m.Operands[i].Bad, t.m.Operands[other].Bad
	if len(mine) == 0 || len(mine) != len(theirs) {
		return nil
	}
	s := slices.Clone(t.shape(i))
	for k, axis := range mine {
		if theirs[k] >= len(t.shape(other)) || axis >= len(s) {
			return nil
		}
		s[axis] = t.shape(other)[theirs[k]]
	}
	return s
}

// sized is what the attributes of a reshape or an expansion implement.
type sized interface{ WithShape(graph.Shape) any }

// resize changes one of the sizes that a reshape or an expansion asks for.
func (t *trier) resize() {
	attrs, is := t.n.Attrs().(sized)
	if !is || t.n.IsPart() {
		return
	}
	want, from := t.n.Shape(), t.shape(0)
	if t.m.Code == graph.CodeExpand {
		s := slices.Clone(want)
		for axis := range s {
			if lead := len(s) - len(from); axis >= lead && from[axis-lead] != 1 {
				s[axis] = from[axis-lead]
			}
		}
		t.tryShape(attrs, s)
		return
	}
	for _, axis := range axesToResize(want, from) {
		rest := graph.Dim(1)
		for k, d := range want {
			if k != axis {
				rest = rest.Times(d)
			}
		}
		if rest == 0 || rest.IsUnknown() || !rest.Valid() {
			continue
		}
		s := slices.Clone(want)
		var exact bool
		if s[axis], exact = from.NumElements().ExactDiv(rest); exact && t.tryShape(attrs, s) {
			t.orLeftOpen(attrs, s, axis)
			return
		}
	}
}

// axesToResize lists the axes of a wanted shape from the last, but for the first one where the
// operand's has a name and the wanted one is a number: most often a batch of one size.
func axesToResize(want, from graph.Shape) (axes []int) {
	for axis := range slices.Backward(want) {
		axes = append(axes, axis)
	}
	if len(from) > 0 && len(want) > 0 && from[0].IsSymbolic() && !want[0].IsSymbolic() {
		axes = slices.Insert(axes[:len(axes)-1], 0, 0)
	}
	return axes
}

func (t *trier) tryShape(attrs sized, s graph.Shape) bool {
	if slices.Contains(s, graph.UnknownDim) {
		return false
	}
	changed := attrs.WithShape(s)
	text := graph.CallText(t.n, changed, t.n.In(0).Called())
	return t.try(graph.Fix{Kind: graph.FixArguments, Text: text, Gives: s}, graph.Change{Node: t.n, Attrs: changed})
}

// orLeftOpen adds to the last suggestion that one size can be left to be found.
func (t *trier) orLeftOpen(attrs sized, s graph.Shape, axis int) {
	open := slices.Clone(s)
	open[axis] = -1
	changed := attrs.WithShape(open)
	if t.cures(t.n.Graph().Try(graph.Change{Node: t.n, Attrs: changed})) {
		t.fixes[len(t.fixes)-1].Text += " or " + graph.CallText(t.n, changed, t.n.In(0).Called())
	}
}

// joiner is what the attributes of an operation that joins operands implement.
type joiner interface{ WithAxis(int) any }

// joinElsewhere joins operands along another axis.
func (t *trier) joinElsewhere() {
	attrs, is := t.n.Attrs().(joiner)
	for axis := 0; is && !t.n.IsPart() && axis < t.n.Rank(); axis++ {
		words := make([]string, len(t.n.Operands()))
		for i, x := range t.n.Operands() {
			words[i] = x.Called()
		}
		change := graph.Change{Node: t.n, Attrs: attrs.WithAxis(axis)}
		gives := t.n.Graph().Try(change).Shape(t.n)
		text := fmt.Sprintf("%s gives %s", graph.CallText(t.n, change.Attrs, words...), gives)
		if t.try(graph.Fix{Kind: graph.FixArguments, Text: text, Gives: gives}, change) {
			return
		}
	}
}

// reduce sums an operand over the axes that an in-place result cannot gain.
func (t *trier) reduce() {
	dest := t.shape(0)
	for i := 1; i < len(t.n.Operands()); i++ {
		lead := len(t.shape(i)) - len(dest)
		if lead <= 0 {
			continue
		}
		axes := make([]string, lead)
		for a := range axes {
			axes[a] = fmt.Sprint(a)
		}
		less := slices.Clone(t.shape(i)[lead:])
		call := t.with(i, fmt.Sprintf("Sum(%s, %s)", t.word(i), strings.Join(axes, ", ")))
		t.try(graph.Fix{Kind: graph.FixReduce, Text: "or reduce first: " + call, Gives: less}, t.operand(i, less)...)
	}
}

// equal states that the sizes that meet are the same.
func (t *trier) equal() {
	if len(t.m.Operands) != 2 || len(t.m.Operands[0].Bad) != len(t.m.Operands[1].Bad) {
		return
	}
	bounds := map[string]graph.Bounds{}
	of := func(name string) graph.Bounds {
		if b, changed := bounds[name]; changed {
			return b
		}
		return t.n.Graph().Bounds(name)
	}
	var words []string
	for k, axis := range t.m.Operands[0].Bad {
		a, b := t.shape(0)[axis], t.shape(1)[t.m.Operands[1].Bad[k]]
		if !isName(a) || !isName(b) {
			return // what is fed has many sizes, and a number is one
		}
		if t.standTogether(a, b) {
			return // axes of one value, which the user tells apart
		}
		name, is := statable(of, a, b)
		if !is {
			if name, is = statable(of, b, a); !is {
				return
			}
			a, b = b, a
		}
		said := of(name)
		said.Is = b
		bounds[name] = said
		words = append(words, fmt.Sprintf("g.Equal(%s, %s)", a, b))
	}
	t.try(graph.Fix{Kind: graph.FixEqual, Text: "if they are the same size, declare it: " + strings.Join(words, ", ")},
		graph.Change{Bounds: bounds})
}

// standTogether reports whether two sizes are those of different axes of one operand, or of an input.
func (t *trier) standTogether(a, b graph.Dim) bool {
	stand := func(x *graph.Node) bool { return slices.Contains(x.Shape(), a) && slices.Contains(x.Shape(), b) }
	return slices.ContainsFunc(t.n.Operands(), stand) ||
		slices.ContainsFunc(t.n.Graph().Nodes(), func(x *graph.Node) bool { return x.IsInput() && stand(x) })
}

// statable reports whether a is a name that can be said to be the size b, and returns the name
// of which that is news: the one that a was said to be, if any.
func statable(of graph.BoundsOf, a, b graph.Dim) (name string, ok bool) {
	for names := a.Symbols(); len(names) == 1 && graph.SymbolicDim(names[0]) == a; names = a.Symbols() {
		if name = names[0]; of(name).Is == 0 {
			return name, !slices.Contains(prove.NamesOf(of, b), name)
		}
		a = of(name).Is
	}
	return "", false
}
