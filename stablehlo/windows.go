package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// shown is a value that is a view of a dense one, such as windows that overlap.
type shown struct {
	of     *value
	layout graph.Layout
}

// show records the dense value of which v is a view, unless it is a box cut out of its operand x.
func (e *exporter) show(n *graph.Node, v, x *value, layout graph.Layout) {
	if below, is := e.shown[x]; is {
		if layout, ok := n.Op().View(n, below.layout); ok {
			e.shown[v] = shown{below.of, layout}
		}
		return
	}
	if _, ok := e.strided(layout).boxIn(x.shape); !ok {
		e.shown[v] = shown{x, layout}
	}
}

// atom is an axis of a view of a dense value. An axis that a reshape has made from several consists of several atoms.
type atom struct {
	size, stride int
	role         role
	axis, step   int // of the dense value, and how many of its elements the atom steps over
}

// role is the role of an operand's axis in a matrix product.
type role uint8

const (
	free       role = iota // it is an axis of the result
	contracted             // it is summed over, with one of the other operand
	shared                 // it is an axis of the result, and of the other operand
)

// atomsOf returns the dense value of which v, under transpositions and reshapes, is a view, and the atoms of each axis
// of v; nil if v is none.
func (e *exporter) atomsOf(v *value) (of *value, axes [][]*atom) {
	if s, is := e.shown[v]; is {
		view := e.strided(s.layout)
		if view.offset != 0 {
			return nil, nil
		}
		for i, size := range view.shape {
			axes = append(axes, nil)
			if size != 1 {
				axes[i] = []*atom{{size: size, stride: view.strides[i]}}
			}
		}
		return s.of, axes
	}
	if v.def == nil || len(v.def.in) != 1 {
		return nil, nil
	}
	of, below := e.atomsOf(v.def.in[0])
	switch {
	case of == nil:
	case v.def.op == "stablehlo.transpose":
		for _, a := range v.def.attrs[0].value.([]int) {
			axes = append(axes, below[a])
		}
		return of, axes
	case v.def.op == "stablehlo.reshape":
		if axes = regroup(slices.Concat(below...), v.shape, func(a *atom) int { return a.size }); axes != nil {
			return of, axes
		}
	}
	return nil, nil
}

// regroup merges parts into axes of the given sizes; nil if one would be split.
func regroup[T any](parts []T, shape []int, sizeOf func(T) int) (axes [][]T) {
	for _, size := range shape {
		group := []T{}
		for have := 1; have != size; {
			if len(parts) == 0 || have > size {
				return nil
			}
			have *= sizeOf(parts[0])
			group, parts = append(group, parts[0]), parts[1:]
		}
		axes = append(axes, group)
	}
	return axes
}
