package axislint

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// maskedRows finds a mask that is the same for all elements that a softmax compares: it masks all of them or none.
func maskedRows(l *lint, n *graph.Node) *graph.Mistake {
	if !l.isFromInput(n) {
		return nil
	}
	for _, axis := range l.forms.Normalized(n) {
		if m := l.masked(n, axis); m != nil {
			return m
		}
	}
	return nil
}

// masked examines the masks of the operand of a softmax along an axis, last one first.
func (l *lint) masked(n *graph.Node, axis int) (found *graph.Mistake) {
	at := n.In(0)
	for {
		mask, rest := maskOf(at)
		if mask == nil || rest == nil || mask.Graph() != l.g {
			return found
		}
		own := axis + mask.Rank() - n.Rank()
		if own >= 0 && mask.Shape()[own] != 1 {
			return nil // it distinguishes elements
		}
		if rows := rowsOf(mask, n, axis); rows >= 0 && l.isFromInput(mask) && found == nil {
			found = &graph.Mistake{Code: graph.CodeMaskedRows, Node: at,
				Summary: fmt.Sprintf(
					"%s is the same along axis %d, which %s compares: it masks whole rows or none, along axis %d, which has the same size",
					mask.Called(), axis, n.Op().Func, rows),
				Operands: []graph.OperandNote{{Node: rest}, {Node: mask, Bad: []int{rows + mask.Rank() - n.Rank()}}},
				Help: []string{fmt.Sprintf("to mask along axis %d: Transpose(%s, %d, %d) gives %s", axis, mask.Called(),
					rows-n.Rank(), axis-n.Rank(),
					exchanged(mask.Shape(), rows+mask.Rank()-n.Rank(), own)), silence("CodeMaskedRows", "MaskedRows")}}
			if own < 0 {
				return nil
			}
		}
		at = rest
	}
}

// maskOf returns the mask that selects elements of a node, or is added to them, and the masked value; nil if there is
// none.
func maskOf(n *graph.Node) (mask, rest *graph.Node) {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) < 2 || n.Origin() != nil {
		return nil, nil
	}
	e := axisflow.Trace(n)
	conditions, chooses := e.Selects()
	switch {
	case chooses && len(conditions) == 1 && !isFilled(n):
		return n.In(conditions[0]), fullRank(n, conditions[0])
	case !e.Adds() || len(n.Operands()) != 2:
		return nil, nil
	}
	for i, x := range n.Operands() {
		if rest := fullRank(n, i); rest != nil && isMask(x) && !isMask(rest) {
			return x, rest
		}
	}
	return nil, nil
}

// leastMasking is a score above which a fill value does not hide elements from a softmax.
const leastMasking = -20

// isFilled reports whether a node fills with a number that does not hide elements from a softmax, such as 0.
func isFilled(n *graph.Node) bool {
	return slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool {
		v, isNumber := x.ScalarValue()
		return isNumber && v > leastMasking
	})
}

// fullRank returns the only operand, except one, that has all axes of a node; nil if there are several or none.
func fullRank(n *graph.Node, but int) (found *graph.Node) {
	for i, x := range n.Operands() {
		if i == but || x.Rank() != n.Rank() {
			continue
		}
		if found != nil {
			return nil
		}
		found = x
	}
	return found
}

// maxMasking is the most steps in which a mask is computed from truth values.
const maxMasking = 8

// isMask reports whether a value is computed elementwise from truth values or integers.
func isMask(n *graph.Node) bool {
	for range maxMasking {
		if !n.DType().IsFloat() {
			return true
		}
		var next *graph.Node
		for _, x := range n.Operands() {
			if x.Rank() > 0 {
				if next != nil {
					return false
				}
				next = x
			}
		}
		if next == nil || n.Op().Class != graph.Elementwise && n.Op().Class != graph.Movement {
			return false
		}
		n = next
	}
	return false
}

// rowsOf returns the axis of n along which a mask distinguishes elements, if it has the same size as another axis; -1
// if there is none.
func rowsOf(mask, n *graph.Node, axis int) int {
	lead := n.Rank() - mask.Rank()
	for i, size := range mask.Shape() {
		if at := i + lead; at != axis && size != 1 && n.Shape()[at] == n.Shape()[axis] {
			return at
		}
	}
	return -1
}

func exchanged(s graph.Shape, a, b int) graph.Shape {
	s = slices.Clone(s)
	s[a], s[b] = s[b], s[a]
	return s
}
