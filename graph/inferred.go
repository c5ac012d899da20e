package graph

import (
	"fmt"
	"slices"
)

// A shape rule gets the operands' own memory, and its result is used by all that is built later. So its mistakes are
// reported at once, at the line that uses the operation.

// keepSizes appends the sizes of all operands to memory that the next node uses again, and returns where they begin.
func (n *Node) keepSizes() (from int) {
	from = len(n.g.sizes)
	for _, x := range n.in {
		n.g.sizes = append(n.g.sizes, x.shape...)
	}
	return from
}

// checkInferred requires that a rule has left the operands' sizes, and the graph, as they were, and that what it gives
// fits together. Where it has written sizes, they are put back.
func (n *Node) checkInferred(from, nodes int) {
	written, sizes := -1, n.g.sizes[from:]
	n.g.sizes = n.g.sizes[:from]
	for i, x := range n.in {
		var was []Dim
		was, sizes = sizes[:len(x.shape)], sizes[len(x.shape):]
		if !slices.Equal(was, x.shape) {
			copy(x.shape, was)
			written = i
		}
	}
	why, help := "", ""
	switch {
	case written >= 0:
		why, help = fmt.Sprintf("Infer writes into the shape of operand %d", written),
			"change a copy: slices.Clone(c.Shape(0))"
		n.shape = slices.Clone(n.shape)
	case n.bad != nil:
		return
	case len(n.g.nodes) > nodes:
		why, help = "Infer builds nodes",
			"Infer must only return a dtype and a shape: an operation composed of others needs class graph.Composite, with Expand"
	case slices.Contains(n.shape, UnknownDim) && len(n.g.mistakes) == 0:
		// of a mistake an argument may have it too, as in Full(g, t, v, x.Shape()...)
		why = fmt.Sprintf("Infer returns shape %s without a mistake: an unknown size is only for failures", n.shape)
		help = "return a size, named or computed from those of operands; or report what is wrong with c.Fail"
	default:
		why = n.wrongStretch()
		help = "return rules.BroadcastOperands(c) from Infer: it returns the shape, and records how operands are repeated"
	}
	if why != "" {
		m := n.op.NotWhole(why)
		m.Help = []string{help}
		n.fail(m)
	}
}

// wrongStretch says how the record of repeated operands contradicts the shapes, or nothing.
func (n *Node) wrongStretch() string {
	if n.stretch == nil || n.shape == nil {
		return ""
	}
	if len(n.stretch) != len(n.in) {
		return fmt.Sprintf("Infer records how %d operands are repeated, but there are %d", len(n.stretch), len(n.in))
	}
	for i, kinds := range n.stretch {
		x := n.in[i].shape
		lead := len(n.shape) - len(x)
		if kinds == nil {
			continue
		}
		if len(kinds) != len(n.shape) || lead < 0 {
			return fmt.Sprintf("Infer gives shape %s, to which %s is not repeated along the %d axes that it records",
				n.shape, x, len(kinds))
		}
		for axis, kind := range kinds {
			size, whole := Dim(0), false
			if axis >= lead {
				_, whole = x[axis-lead].Int()
				size = x[axis-lead]
			}
			if kind > Undecided || (kind == Missing) != (axis < lead) || kind == Stretched && whole && size != 1 {
				return fmt.Sprintf("Infer gives shape %s, to which %s is not repeated: it records axis %d as %s",
					n.shape, x, axis, kind)
			}
		}
	}
	return ""
}
