package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// Clash is one axis on which shapes do not broadcast.
type Clash struct {
	FromRight int       // 1 is the last axis
	Operand   int       // the operand, counted from 0, that clashed with those before it
	A, B      graph.Dim // the size reached so far, and the operand's
	Dim       int       // the axis within the rank reached so far, as PyTorch counts it
	Names     bool      // not provably different: only nothing says that they are equal
}

// Broadcast is the outcome of broadcasting shapes together.
type Broadcast struct {
	Shape graph.Shape
	// Kinds is the record of how each operand meets each axis of Shape.
	Kinds [][]graph.AxisKind
	// Clashes are the axes that do not broadcast, in the order in which folding the
	// operands from the left meets them, rightmost first. Shape is unknown there.
	Clashes []Clash
	// Needs are the requirements that could be neither proved nor refuted, by axis.
	Needs []graph.Requirement
}

// Rules has everything on which the comparison of two sizes depends.
type Rules struct {
	Names  graph.NamesPolicy
	Bounds graph.BoundsOf
}

// CallRules returns the rules that apply where a node is built.
func CallRules(c *graph.Call) Rules { return Rules{c.Policy().Names, c.Bounds} }

// BroadcastShapes applies the law of broadcasting: shapes are lined up from the
// right; on each axis all sizes that are present and not 1 must be equal; the result
// has that size, else 1. It is PyTorch's and NumPy's rule, for sizes that may be
// expressions.
func (r Rules) BroadcastShapes(shapes ...graph.Shape) Broadcast {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	b := Broadcast{Shape: make(graph.Shape, rank)}
	reached := 0
	for at, s := range shapes {
		if at == 0 {
			copy(b.Shape[rank-len(s):], s)
			reached = len(s)
			continue
		}
		wide := max(reached, len(s))
		for right := 1; right <= len(s); right++ {
			axis := rank - right
			y := s[len(s)-right]
			if right > reached {
				b.Shape[axis] = y
				continue
			}
			x := b.Shape[axis]
			m := r.meet(x, y)
			b.Shape[axis] = m.size
			switch m.verdict {
			case prove.Refused:
				b.Clashes = append(b.Clashes, Clash{
					FromRight: right, Operand: at, A: x, B: y, Dim: wide - right, Names: m.names})
			case prove.Deferred:
				need := graph.Requirement{Kind: m.need, A: x, B: y, Axis: axis}
				if m.need == graph.MustEqualOrOne {
					need.A, need.B = m.size, m.other
				}
				b.Needs = append(b.Needs, need)
			}
		}
		reached = wide
	}
	b.Kinds = r.stretches(shapes, b.Shape)
	return b
}

// meeting is what comes of two sizes on one axis.
type meeting struct {
	size    graph.Dim
	other   graph.Dim // of MustEqualOrOne: the size that may be 1
	verdict prove.Verdict
	names   bool
	need    graph.RequirementKind
}

func (r Rules) meet(a, b graph.Dim) meeting {
	switch {
	case a == b:
		return meeting{size: a, verdict: prove.Proved}
	case a == 1:
		return meeting{size: b, verdict: prove.Proved}
	case b == 1:
		return meeting{size: a, verdict: prove.Proved}
	case a.IsUnknown():
		return meeting{size: b, verdict: prove.Proved}
	case b.IsUnknown():
		return meeting{size: a, verdict: prove.Proved}
	case a.IsConst() && b.IsConst():
		return meeting{size: graph.UnknownDim, verdict: prove.Refused}
	}
	return r.meetSymbolic(a, b)
}

func (r Rules) meetSymbolic(a, b graph.Dim) meeting {
	switch {
	case isPartOf(b, a):
		return meeting{size: a, verdict: prove.Proved}
	case isPartOf(a, b):
		return meeting{size: b, verdict: prove.Proved}
	}
	p := prove.NewProver(r.Bounds)
	oneA, oneB := r.mayBeOne(a), r.mayBeOne(b)
	mayOne := r.Names == graph.Numpy || oneA || oneB
	switch p.Equal(a, b) {
	case prove.Proved:
		if r.differByName(a, b) {
			return meeting{size: a, verdict: prove.Refused, names: true}
		}
		return meeting{size: a, verdict: prove.Proved}
	case prove.Refused:
		if !mayOne || p.NotEqual(a, 1) && p.NotEqual(b, 1) {
			return meeting{size: graph.UnknownDim, verdict: prove.Refused}
		}
	}
	switch {
	case mayOne && r.Names != graph.Numpy && oneA != oneB: // the other one is the size
		if oneA {
			a, b = b, a
		}
		return meeting{size: a, other: b, verdict: prove.Deferred, need: graph.MustEqualOrOne}
	case mayOne:
		return meeting{size: graph.BroadcastDim(a, b), verdict: prove.Deferred, need: graph.MustBroadcast}
	case r.Names == graph.Strict && !sameNames(a, b):
		return meeting{size: graph.UnknownDim, verdict: prove.Refused, names: true}
	case b.IsConst():
		a = b // a number says more than a name
	}
	return meeting{size: a, verdict: prove.Deferred, need: graph.MustEqual}
}

// differByName reports whether two sizes that are one number are not the same by their names,
// where names count.
func (r Rules) differByName(a, b graph.Dim) bool {
	if r.Names != graph.Strict || a == b || !r.namesNumber(a) && !r.namesNumber(b) {
		return false
	}
	nominal := func(name string) graph.Bounds { return r.Bounds(name).Nominal() }
	return prove.NewProver(nominal).Equal(a, b) != prove.Proved
}

// namesNumber reports whether the name of a number stands in a size.
func (r Rules) namesNumber(d graph.Dim) bool {
	return slices.ContainsFunc(d.Symbols(), func(name string) bool { return r.Bounds(name).Exact })
}

// isPartOf reports whether d is one of the sizes of which whole is the broadcast.
func isPartOf(d, whole graph.Dim) bool {
	found, terms := false, 0
	whole.Terms(func(coef int64, factors []graph.Factor) {
		terms++
		if coef == 1 && len(factors) == 1 && factors[0].Name == "" && factors[0].K == 0 {
			p, q := factors[0].P, factors[0].Q
			found = d == p || d == q || isPartOf(d, p) || isPartOf(d, q)
		}
	})
	return found && terms == 1
}

// mayBeOne reports whether d broadcasts if it is 1: a name declared MayBeOne, or a size that is never more, as that of
// the last element of an axis that may be empty, min(n, 1).
func (r Rules) mayBeOne(d graph.Dim) bool {
	names := d.Symbols()
	if len(names) == 1 && graph.SymbolicDim(names[0]) == d {
		return r.Bounds(names[0]).MayBeOne
	}
	return len(names) > 0 && prove.NewProver(r.Bounds).AtLeast(graph.Dim(1).Minus(d), 0) == prove.Proved
}

// repeatsAtRun reports whether a size that turns out to be 1 is repeated.
func (r Rules) repeatsAtRun(d graph.Dim) bool { return r.Names == graph.Numpy || r.mayBeOne(d) }

// sameNames reports whether one expression is over the names of the other, so that they
// are no two free sizes that happen to meet.
func sameNames(a, b graph.Dim) bool {
	x, y := a.Symbols(), b.Symbols()
	if len(x) == 0 || len(y) == 0 || len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// Stretch says how an operand of shape from meets each axis of a result of shape to. It is the only place that
// decides whether an axis is the same, stretched, missing or undecided.
func (r Rules) Stretch(from, to graph.Shape) []graph.AxisKind {
	kinds := make([]graph.AxisKind, len(to))
	lead := len(to) - len(from)
	for axis := range kinds {
		switch {
		case axis < lead:
			kinds[axis] = graph.Missing
		case from[axis-lead] == to[axis] || from[axis-lead].IsUnknown() || to[axis].IsUnknown():
		case from[axis-lead] == 1:
			kinds[axis] = graph.Stretched
		case r.repeatsAtRun(from[axis-lead]):
			if prove.NewProver(r.Bounds).Equal(from[axis-lead], to[axis]) != prove.Proved {
				kinds[axis] = graph.Undecided
			}
		}
	}
	return kinds
}

// stretches returns the record of all operands, or nil where all axes are the same.
func (r Rules) stretches(shapes []graph.Shape, to graph.Shape) [][]graph.AxisKind {
	all := true
	for _, s := range shapes {
		all = all && s.Equal(to)
	}
	if all {
		return nil
	}
	kinds := make([][]graph.AxisKind, len(shapes))
	for i, s := range shapes {
		if !s.Equal(to) {
			kinds[i] = r.Stretch(s, to)
		}
	}
	return kinds
}

// Summary returns PyTorch's sentence for the clash at which PyTorch would stop: the rightmost one of the first
// operand that clashes. Sizes that are expressions get a sentence of their own.
func (b Broadcast) Summary() string {
	c := b.Clashes[0]
	switch {
	case c.Names:
		return namesMeet(c.A, c.B, -c.FromRight)
	case !c.A.IsConst() || !c.B.IsConst():
		return b.differ()
	}
	return fmt.Sprintf("The size of tensor a (%s) must match the size of tensor b (%s) at non-singleton dimension %d",
		c.A, c.B, c.Dim)
}

// namesMeet is the sentence for two sizes of which nothing is known but their names.
func namesMeet(a, b graph.Dim, axis int) string {
	return fmt.Sprintf("the sizes %s and %s meet on axis %d, and nothing says that they are equal", QuoteName(a),
		QuoteName(b), axis)
}

// differ is the sentence for axes whose sizes are never equal: `axes -2 and -1 differ for
// every size of "h" and "w"`.
func (b Broadcast) differ() string {
	var axes, names []string
	for _, c := range slices.Backward(b.Clashes) {
		axes = append(axes, fmt.Sprint(-c.FromRight))
		for _, d := range []graph.Dim{c.A, c.B} {
			for _, name := range d.Symbols() {
				if word := fmt.Sprintf("%q", name); !slices.Contains(names, word) {
					names = append(names, word)
				}
			}
		}
	}
	if len(axes) == 1 {
		return fmt.Sprintf("axis %s differs for every size of %s", axes[0], enumerated(names))
	}
	return fmt.Sprintf("axes %s differ for every size of %s", enumerated(axes), enumerated(names))
}

// enumerated joins words: "a, b and c".
func enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// QuoteName returns a size for use in sentences: a number unchanged, and an expression over names in quotes.
func QuoteName(d graph.Dim) string {
	if d.IsConst() {
		return d.String()
	}
	return fmt.Sprintf("%q", d.String())
}

// BroadcastOperands is the shape rule of a broadcasting node: it records how each operand meets the result, and
// clashes.
func BroadcastOperands(c *graph.Call) graph.Shape {
	shapes := operandShapes(c)
	b := CallRules(c).BroadcastShapes(shapes...)
	c.SetStretch(b.Kinds)
	if len(b.Clashes) > 0 {
		c.Fail(clashMistake(c, b, 0, c.NumIn()))
		return b.Shape
	}
	for _, need := range b.Needs {
		need.Why = "broadcasting"
		c.Require(need)
	}
	checkBroadcastPolicy(c, shapes, b.Shape)
	return b.Shape
}

// clashMistake tells how the operands from one up to another clash.
func clashMistake(c *graph.Call, b Broadcast, from, to int) *graph.Mistake {
	m := &graph.Mistake{Code: graph.CodeBroadcast, Summary: b.Summary()}
	if b.Clashes[0].Names {
		m.Code = graph.CodeNames
	}
	for i := from; i < to; i++ {
		note := graph.OperandNote{Node: c.In(i)}
		for _, clash := range b.Clashes {
			if axis := len(c.Shape(i)) - clash.FromRight; axis >= 0 && c.Shape(i)[axis] != 1 {
				note.Bad = append(note.Bad, axis)
			}
		}
		m.Operands = append(m.Operands, note)
	}
	last := &m.Operands[len(m.Operands)-1]
	for _, clash := range b.Clashes {
		if text := clash.text(); text != "" {
			last.Marks = append(last.Marks, text)
		}
		if clash.Names {
			m.Sizes = addNames(m.Sizes, clash.A, clash.B)
		}
	}
	return m
}

// addNames adds the names in sizes to a list.
func addNames(list []string, sizes ...graph.Dim) []string {
	for _, d := range sizes {
		for _, name := range d.Symbols() {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// text says why two sizes do not fit, where it is not a matter of names.
func (c Clash) text() string {
	switch {
	case c.Names:
		return ""
	case c.A.IsConst() && c.B.IsConst():
		return fmt.Sprintf("axis %d: %s against %s, and neither is 1", -c.FromRight, c.A, c.B)
	}
	return fmt.Sprintf("axis %d: %s is never %s", -c.FromRight, c.A, c.B)
}
