package exec

import (
	"fmt"

	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// takeSlice takes a plain slice. The value's declaration gives its shape, in which at most one size may be unknown.
func takeSlice(m *memory.Value, data any, count int, n *graph.Node, known []int, named shapeinfer.Sizes) error {
	shape, each, open := m.OwnShape(n.Rank()), 1, -1
	given := "" // sizes that do not follow from the slice
	for axis, size := range known {
		if size < 0 && len(named) > 0 {
			if size = namedSize(n.Shape()[axis], named); size >= 0 {
				given += fmt.Sprintf("; exec.Size or exec.RunSize gives %s = %d", n.Shape()[axis], size)
			}
		}
		switch {
		case size >= 0:
			shape[axis] = size
			each *= size
		case open >= 0:
			return fmt.Errorf("a slice does not determine the sizes %s and %s of %s: use exec.Array{Shape: …, Data: …}",
				n.Shape()[open], n.Shape()[axis], n.Shape())
		default:
			open = axis
		}
	}
	switch {
	case open >= 0 && each > 0 && count%each == 0:
		shape[open] = count / each
	case open >= 0 && each == 0:
		return fmt.Errorf(
			"a slice does not determine the size %s of %s, which has no elements: use exec.Array{Shape: …, Data: …}",
			n.Shape()[open], n.Shape())
	case open >= 0:
		return fmt.Errorf("the slice has %d elements, but %s needs a multiple of %d%s", count, n.Shape(), each, given)
	case count != each:
		return fmt.Errorf("the slice has %d elements, but %s needs %d%s", count, n.Shape(), each, given)
	}
	return m.SetSlice(shape, data)
}

// knownSizes returns the sizes of a value's axes, -1 for those that only a run determines.
func knownSizes(n *graph.Node) []int {
	sizes := make([]int, n.Rank())
	for axis, d := range n.Shape() {
		sizes[axis] = -1
		if v, is := n.Graph().Known(d); is {
			sizes[axis] = int(v)
		}
	}
	return sizes
}

// namedSize returns a size that is a known name, or -1.
func namedSize(d graph.Dim, named shapeinfer.Sizes) int {
	if names := d.Symbols(); len(names) == 1 && d == graph.SymbolicDim(names[0]) {
		if v, is := named[names[0]]; is {
			return int(v)
		}
	}
	return -1
}
