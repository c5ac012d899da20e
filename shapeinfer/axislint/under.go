package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// vector is an operand with fewer axes than the result, whose axis is aligned with one of another operand.
type vector struct {
	user *graph.Node // the broadcasting node
	y, x *graph.Node
	axis int // of y
	at   int // the axis of x with which it is aligned
	from []int
}

// vectors lists the axes of operands that broadcasting has aligned, with the axes that they meet in operands of full
// rank.
func (l *lint) vectors(n *graph.Node) (list []vector) {
	for i, y := range n.Operands() {
		if y.Rank() == 0 || y.Rank() >= n.Rank() && !isLinedUp(y) || n.Stretch(i) == nil || y.Graph() != l.g {
			continue
		}
		for _, x := range n.Operands() {
			if x.Rank() != n.Rank() || x.Graph() != l.g {
				continue
			}
			for axis, size := range y.Shape() {
				at := meets(n, y, axis)
				if size == 1 || x.Shape()[at] != size || !hasAnother(x.Shape(), at) {
					continue
				}
				if from, _ := l.origins(y, axis); len(from) > 0 {
					list = append(list, vector{n, y, x, axis, at, from})
				}
			}
		}
	}
	return list
}

// hasAnother reports whether another axis has the same size.
func hasAnother(s graph.Shape, axis int) bool {
	return slices.Contains(s[:axis], s[axis]) || slices.Contains(s[axis+1:], s[axis])
}

// reducedAxis finds a value that was reduced along an axis, and is aligned with another axis than the one for whose
// positions it has elements. isOfBoth finds intended cases.
func reducedAxis(l *lint, n *graph.Node) *graph.Mistake {
	for _, v := range l.vectors(n) {
		under, _ := l.origins(v.x, v.at)
		if share(v.from, under) {
			continue
		}
		for axis, size := range v.x.Shape() {
			own, _ := l.origins(v.x, axis)
			if axis == v.at || size != v.y.Shape()[v.axis] || !share(v.from, own) || l.isOfBoth(v, axis) {
				continue
			}
			m := v.mistake(graph.CodeReducedAxis, axis,
				"%s has one element for each position of axis %d of %s, but is repeated along it: it is aligned with axis %d, which has the same size")
			m.Help = append(v.help(axis), silence("CodeReducedAxis", "ReducedAxis"))
			return m
		}
	}
	return nil
}

// vectorAxis finds a vector that is aligned with one axis and could as well belong to another.
func vectorAxis(l *lint, n *graph.Node) *graph.Mistake {
	for _, v := range l.vectors(n) {
		under, isFeature := l.origins(v.x, v.at)
		if v.y.Rank() != 1 && !isLinedUp(v.y) || share(v.from, under) || !l.areInputs(under) || isFeature ||
			l.areCounted(v.from) {
			continue
		}
		for axis, size := range v.x.Shape() {
			if axis != v.at && size == v.y.Shape()[v.axis] && l.isMeant(v, axis, under) {
				m := v.mistake(graph.CodeVectorAxis, axis,
					"%[1]s is aligned with axis %[4]d of %[3]s, but could also belong to axis %[2]d: both have the same size")
				m.Help = append(v.help(axis), silence("CodeVectorAxis", "VectorAxis"))
				return m
			}
		}
	}
	return nil
}

// isLinedUp reports whether an operation such as batch normalisation inserted a vector's axes of size 1, so that the
// user did not choose its axis.
func isLinedUp(y *graph.Node) bool {
	return y.Op().Class == graph.Composite && y.In(0).Rank() == 1 && y.Rank() > 1 &&
		slices.Contains(y.Shape(), y.Shape().NumElements())
}

// isMeant reports whether a vector belongs to an axis at least as likely as to the one with which it is aligned.
func (l *lint) isMeant(v vector, axis int, under []int) bool {
	own, isFeature := l.origins(v.x, axis)
	switch size := v.x.Shape()[axis]; {
	case size.IsSymbolic():
		// examples of two inputs against each other; what is added to their scores may belong to either
		return isScaled(v.user) && l.areInputs(own) && !share(own, under) && l.areInputs(v.from) && l.areFirst(own) &&
			l.areFirst(under) && l.areFirst(v.from)
	case isFeature: // channels that come from weights, and the pixels after them
		return true
	}
	// An image [n, c, h, w] and a value for each channel.
	isUnmoved := func(s int) bool { return l.flow().Source(s).Axis == axis }
	return axis == 1 && v.x.Rank() == 4 && v.x.Shape()[2] == v.x.Shape()[3] && l.areInputs(own) &&
		slices.ContainsFunc(own, isUnmoved)
}

// areCounted reports whether all sources are computed positions, as those of coordinates and windows are. They belong
// to pixels, not to channels.
func (l *lint) areCounted(sources []int) bool {
	return !slices.ContainsFunc(sources, func(s int) bool { return l.flow().Source(s).Node.Op().Class == graph.Source })
}

// isScaled reports whether a node multiplies or divides.
func isScaled(n *graph.Node) bool {
	e := axisflow.Trace(n)
	return e.Ends(graph.PrimMul) || e.Ends(graph.PrimDiv)
}

func (l *lint) areFirst(sources []int) bool {
	return !slices.ContainsFunc(sources, func(s int) bool { return l.flow().Source(s).Axis != 0 })
}

func (v vector) mistake(code graph.Code, own int, format string) *graph.Mistake {
	n := v.user
	v = v.asGiven()
	return &graph.Mistake{Code: code, Node: n, Summary: fmt.Sprintf(format, v.y.Called(), own, v.x.Called(), v.at),
		Operands: []graph.OperandNote{{Node: v.x, Bad: []int{v.at}}, {Node: v.y, Bad: []int{v.axis}}}}
}

// asGiven returns the vector, and the value that it meets, as they were given to the operation that aligned them.
func (v vector) asGiven() vector {
	if !isLinedUp(v.y) {
		return v
	}
	v.y, v.axis = v.y.In(0), 0
	for v.x.Called() == v.user.Called() && len(v.x.Operands()) > 0 && v.x.In(0).Shape().Equal(v.x.Shape()) {
		v.x = v.x.In(0)
	}
	return v
}

// help says how to align the vector with its own axis.
func (v vector) help(own int) []string {
	if isLinedUp(v.y) {
		x := v.asGiven().x
		return []string{fmt.Sprintf("move axis %d of %s there: Transpose(%[2]s, %[3]d, %[1]d) gives %[4]s", own,
			x.Called(), v.at, exchanged(x.Shape(), v.at, own))}
	}
	rank := v.x.Rank()
	behind := rank - 1 - own - (v.y.Rank() - 1 - v.axis)
	if behind <= 0 || v.axis != v.y.Rank()-1 {
		return nil
	}
	words, gives := v.y.Called(), slices.Clone(v.y.Shape())
	for range behind {
		words, gives = fmt.Sprintf("Unsqueeze(%s, -1)", words), append(gives, 1)
	}
	if behind > 1 {
		words = fmt.Sprintf("Reshape(%s, %s)", v.y.Called(), sizes(gives))
	}
	text := fmt.Sprintf("align it with axis %d: %s gives %s", own, words, gives)
	if v.y.Op().Axes != nil && v.y.Op().Class != graph.Gather {
		text += fmt.Sprintf("; so does KeepDims() in %s", v.y.Op().Func)
	}
	return []string{text}
}
