package fusion

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// The kernel that needs elements picked by index picks them itself, so that they are never stored. It does that for a
// Take of a table, where the indices are one or more axes of the result. It picks single elements along the table's
// last axis, or long enough rows. Short rows are better copied by a separate kernel, and so are picked values that go
// into no computation. Indices of 64 bits halve the lanes of a kernel, which does not pay if they are the same for many
// rows.

// minPicked is the least number of indices, if known, for which a fused kernel picks, and minPickedRow the least number
// of elements in a picked row: shorter ones are quick to copy. They are the same for all back ends, because the order
// of sums depends on which kernels there are.
const minPicked, minPickedRow = 16, 16

// picks reports whether a node takes elements or rows by index and a fused kernel can do it.
func (f *fuser) picks(n *graph.Node) bool {
	op := n.Op()
	if op.Class != graph.Gather || op.Fold != graph.NoFold || len(n.Operands()) != 2 {
		return false
	}
	switch n.DType() {
	case graph.Float32, graph.Float64, graph.Int32, graph.Int64:
	default:
		return false
	}
	index, count := n.In(1).DType(), n.In(1).Shape().NumElements()
	if known, is := count.Int(); is && known < minPicked {
		return false
	}
	switch {
	case index != graph.Int32 && index != graph.Int64:
		return false
	case !analysis.TakesRows(n):
		return index == graph.Int32 || n.In(1).Shape().Equal(n.Shape())
	}
	last := n.In(0).Rank() - 1
	size, known := n.In(0).Shape()[last].Int()
	return known && size >= minPickedRow && alias.LayoutOf(n.In(0)).Strides[last] == 1
}

// readPicked returns the layout of operand i of a node that picks, over the node's shape: of the table, from which
// indices count, or of the indices.
func readPicked(n *graph.Node, i int) graph.Layout {
	x, shape, axis := alias.LayoutOf(n.In(i)), n.Shape(), n.Op().Axes(n)[0]
	l := graph.Layout{Shape: shape, Strides: make([]graph.Dim, len(shape)), Offset: x.Offset}
	if i == 0 {
		copy(l.Strides, x.Strides[:axis])
		copy(l.Strides[axis+n.In(1).Rank():], x.Strides[axis+1:])
	} else {
		copy(l.Strides[axis:], x.Strides)
	}
	return l
}

// takesPicked reports whether operand i of a node that picks comes from a register: it must be one index for each
// element. Even from a table of 120 MB, that was measured to be as fast as prefetching elements by indices in memory,
// and 1.2 to 3.8 times as fast from smaller ones.
func (k *Group) takesPicked(n *graph.Node, i int) bool {
	return i == 1 && k.registersOf(n.In(1)) && n.In(1).Shape().Equal(n.Shape())
}

// copyPicked turns kernels that only pick into kernels that copy.
func (f *fuser) copyPicked() {
	for _, k := range f.groups {
		if len(k.Nodes) == 1 && f.picks(k.Nodes[0]) {
			k.Class, k.Closed, k.Registers = graph.Gather, true, map[*graph.Node]Level{}
		}
	}
}

// canPick reports whether a node can join a kernel, as far as picking is concerned. A kernel that picks can stop the
// run, so it cannot be fused with a product: nodes that continue a product do not join it. Neither do in-place writes,
// which would be half done when the run stops.
func (f *fuser) canPick(n *graph.Node, l Level, at int) bool {
	nodes := f.groups[at].Nodes
	if f.picks(n) {
		return l == PerElement && f.maker(n.In(0)) != at &&
			!slices.ContainsFunc(nodes, func(m *graph.Node) bool {
				return m.Op().Class == graph.Update || f.readsProduct(m)
			})
	}
	return !slices.ContainsFunc(nodes, f.picks) || n.Op().Class != graph.Update && !f.readsProduct(n)
}

// readsProduct reports whether a node continues a product elementwise.
func (f *fuser) readsProduct(n *graph.Node) bool {
	return !f.picks(n) && slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool {
		made := f.maker(x)
		return made >= 0 && f.isProduct(made)
	})
}
