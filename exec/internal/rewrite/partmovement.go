package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
)

// partsBeforeMovement finds the parts of a movement's operands that correspond to a part of its result. It reports
// whether each is a part along one axis.
func partsBeforeMovement(n *graph.Node, p *part, parts []*part) bool {
	switch {
	case n.Op().Assemble != nil:
		return partsOfAssembly(n, p, parts)
	case len(parts) != 1:
	case analysis.IsExpansion(n):
		return broadcastParts(n, p, parts, n.Rank())
	case analysis.IsReshape(n):
		parts[0] = partBeforeReshape(n.In(0).Shape(), n.Shape(), p)
	case shownPart(n) != nil:
		switch along := shownPart(n).axis; {
		case p.axis < along || n.Rank() == n.In(0).Rank() && p.axis > along:
			parts[0] = p
		case n.Rank() < n.In(0).Rank():
			parts[0] = p.along(p.axis + 1)
		}
	default:
		if axes, ok := analysis.ExchangedAxes(n); ok && axes[p.axis] >= 0 {
			parts[0] = p.along(axes[p.axis])
		}
	}
	return !slices.Contains(parts, nil)
}

// partsOfAssembly finds the parts of values that are joined along other axes.
func partsOfAssembly(n *graph.Node, p *part, parts []*part) bool {
	a := n.Op().Assemble(n)
	for i, x := range n.Operands() {
		if x.Rank() != n.Rank() || a.Start[i] == nil || a.Start[i][p.axis] != 0 || a.Step[i][p.axis] != 1 ||
			x.Shape()[p.axis] != n.Shape()[p.axis] {
			return false
		}
		parts[i] = p
	}
	return len(parts) > 0
}

// partBeforeReshape returns the part of a value of shape x that corresponds to a part of its reshape to y.
func partBeforeReshape(x, y graph.Shape, p *part) *part {
	outer, size := y[:p.axis].NumElements(), y[p.axis]
	inner := y[p.axis+1:].NumElements()
	for axis, n := range x {
		before, after := x[:axis].NumElements(), x[axis+1:].NumElements()
		switch {
		case before == outer && n == size: // the axis stays
			return p.along(axis)
		case p.axis > 0 && size.IsConst() && after == inner && p.count == 1 && p.step == 1 &&
			before == y[:p.axis-1].NumElements() && n == y[p.axis-1].Times(size):
			// One position of each group that the axis before counts: both are one axis of x.
			return &part{axis, p.start, size, y[p.axis-1]}
		case axis > 0 && after == inner && p.step == n && p.count == x[axis-1] && x[:axis-1].NumElements() == outer &&
			size == x[axis-1].Times(n):
			// The reverse.
			return &part{axis, p.start, 1, 1}
		}
	}
	return nil
}

// shownPart returns which positions of one axis a movement shows, if it shows all of the other axes; nil for any other
// node. An axis with one position may be dropped.
func shownPart(n *graph.Node) *part {
	shown, ok := analysis.WholeView(n)
	if !ok || n.Op().Waits {
		return nil
	}
	x := graph.RowMajor(n.In(0).Shape())
	gone := len(x.Shape) - len(shown.Shape)
	if gone != 0 && gone != 1 {
		return nil
	}
	axis := 0
	for axis < len(shown.Shape) && shown.Shape[axis] == x.Shape[axis] && shown.Strides[axis] == x.Strides[axis] {
		axis++
	}
	if axis == len(x.Shape) {
		return nil
	}
	rest := min(axis+1-gone, len(shown.Shape))
	if !shown.Shape[rest:].Equal(x.Shape[axis+1:]) || !slices.Equal(shown.Strides[rest:], x.Strides[axis+1:]) {
		return nil
	}
	p := &part{axis: axis, step: 1, count: 1}
	if gone == 0 {
		if p.count = shown.Shape[axis]; p.count != 1 && shown.Strides[axis] != x.Strides[axis] {
			return nil
		}
	}
	if p.start, ok = shown.Offset.ExactDiv(x.Strides[axis]); !ok {
		return nil
	}
	return p
}

// showsAlike reports whether a movement of a part shows the same positions, or permutes axes in the same way, as the
// movement of the whole value.
func showsAlike(y, n *graph.Node) bool {
	if n.Op().Class != graph.Movement || analysis.IsExpansion(n) || analysis.IsReshape(n) || n.Op().Assemble != nil {
		return true
	}
	if p := shownPart(n); p != nil {
		q := shownPart(y)
		return q != nil && *q == *p
	}
	_, ok := analysis.ExchangedAxes(y)
	return ok
}
