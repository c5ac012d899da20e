package axisflow

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// reader says which position of an axis each element of a view reads. It applies the view to a layout in which only
// this axis has a stride, of 1.
type reader struct {
	from  graph.Shape
	views []*graph.Node
	known map[int]linear
}

// linear is a position as an offset plus factors times the positions on the result's axes.
type linear struct {
	factors []graph.Dim
	offset  graph.Dim
	ok      bool
}

// along returns the position on an axis.
func (r *reader) along(axis int) linear {
	if l, known := r.known[axis]; known {
		return l
	}
	l := r.ask(axis)
	if r.known == nil {
		r.known = map[int]linear{}
	}
	r.known[axis] = l
	return l
}

func (r *reader) ask(axis int) linear {
	at := graph.Layout{Shape: r.from, Strides: make([]graph.Dim, len(r.from))}
	at.Strides[axis] = 1
	for _, view := range r.views {
		out, ok := View(view, at)
		if !ok {
			return linear{}
		}
		at = out
	}
	l := linear{slices.Clone(at.Strides), at.Offset, true}
	for i, size := range at.Shape {
		if size == 1 {
			l.factors[i] = 0
		}
	}
	return l
}

// only returns the single axis of the result on which a position depends, and its factor; ok is false if there are
// several or none.
func (l linear) only() (axis int, factor graph.Dim, ok bool) {
	for i, f := range l.factors {
		if f != 0 {
			if ok {
				return 0, 0, false
			}
			axis, factor, ok = i, f, true
		}
	}
	return axis, factor, ok
}

// shows returns the operand's axis whose positions, from the first on, are exactly those of an axis of the view.
func (r *reader) shows(axis int) (shown int, ok bool) {
	for a := range r.from {
		l := r.along(a)
		if !l.ok {
			return 0, false
		}
		if l.factors[axis] == 0 {
			continue
		}
		if _, f, only := l.only(); !only || f != 1 || l.offset != 0 || ok {
			return 0, false
		}
		shown, ok = a, true
	}
	return shown, ok
}

// Picks returns the position on an axis of its operand that all elements of a view read; ok is false if they read
// several.
func Picks(view *graph.Node, axis int) (position graph.Dim, ok bool) {
	r := reader{from: view.In(0).Shape(), views: []*graph.Node{view}}
	l := r.along(axis)
	if !l.ok || slices.ContainsFunc(l.factors, func(f graph.Dim) bool { return f != 0 }) {
		return 0, false
	}
	return l.offset, true
}
