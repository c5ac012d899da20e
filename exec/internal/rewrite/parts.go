package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// TakeParts computes only the used part of a value, if all users take the same few positions of one axis. For example,
// of a decoder's logits only those of the last position are used. Slices so move before products, reductions and
// elementwise operations, up to where more is used. The remaining elements are computed as before.
func TakeParts(u *Program) error {
	t := partTaker{u: u, written: analysis.WrittenMemory(u.Graph), wanted: make([]*part, len(u.Graph.Nodes())),
		taken: map[*graph.Node]*graph.Node{}}
	if !t.find() {
		return nil
	}
	u.Rewrite(t.replace)
	return DCE(u)
}

// minTaken is the number of elements from which it is worthwhile to compute a part of a value.
const minTaken = 1 << 10

// isMuch reports whether a value has that many.
func isMuch(n *graph.Node) bool {
	elements, known := n.Shape().NumElements().Int()
	return !known || elements >= minTaken
}

// part is every step-th position of an axis, count in all, beginning with start.
type part struct {
	axis               int
	start, step, count graph.Dim
}

// wholeValue is the part that is all of a value.
var wholeValue = &part{}

// slice returns a view of the part.
func (p *part) slice(x *graph.Node) *graph.Node {
	stop := p.start.Plus(p.count.Minus(1).Times(p.step)).Plus(1)
	step, _ := p.step.Int()
	return ops.Slice(x, p.axis, p.start, stop, int(step))
}

// of returns the shape of the part of a value.
func (p *part) of(s graph.Shape) graph.Shape {
	s = slices.Clone(s)
	s[p.axis] = p.count
	return s
}

// along returns the same positions of another axis.
func (p *part) along(axis int) *part { return &part{axis, p.start, p.step, p.count} }

// partTaker knows which part of each value is used.
type partTaker struct {
	u       *Program
	written map[*graph.Node]bool
	wanted  []*part                     // by node ID; nil for unused values
	taken   map[*graph.Node]*graph.Node // the computed parts, in the new graph
}

// find propagates used parts from results to operands, and reports whether a smaller part can be computed.
func (t *partTaker) find() (found bool) {
	for _, n := range t.u.Roots {
		t.wanted[n.ID()] = wholeValue
	}
	for _, n := range slices.Backward(t.u.Graph.Nodes()) {
		wanted := t.wanted[n.ID()]
		if wanted == nil && !n.Op().Ordered {
			continue
		}
		if p := t.sliced(n); p != nil {
			t.want(n, n.In(0), p)
			continue
		}
		parts, can := t.operandParts(n)
		found = found || can && n.Op().Class != graph.Movement && len(parts) > 0 && isMuch(n)
		for i, x := range n.Operands() {
			if can && parts[i] != nil {
				t.want(n, x, parts[i])
			} else {
				t.want(n, x, wholeValue)
			}
		}
	}
	return found
}

// want records that a node reads a part of an operand.
func (t *partTaker) want(n, x *graph.Node, p *part) {
	switch before := t.wanted[x.ID()]; {
	case x.Region() != n.Region() || before != nil && *before != *p:
		t.wanted[x.ID()] = wholeValue
	case before == nil:
		t.wanted[x.ID()] = p
	}
}

// isWritten reports whether a value's memory is written in place.
func (t *partTaker) isWritten(n *graph.Node) bool {
	return len(t.written) > 0 && t.written[alias.Storage(n)]
}

// sliced returns the few positions of one axis that a movement shows of its operand, if its whole result is wanted; nil
// for any other node.
func (t *partTaker) sliced(n *graph.Node) *part {
	if t.wanted[n.ID()] != wholeValue || t.isWritten(n) {
		return nil
	}
	p := shownPart(n)
	if p == nil || !p.isFew(n.In(0).Shape()[p.axis]) {
		return nil
	}
	return p
}

// isFew reports whether a part has at most half of an axis's positions.
func (p *part) isFew(size graph.Dim) bool {
	count, known := p.count.Int()
	all, bound := size.Int()
	return known && count > 0 && (bound && 2*count <= all || !bound && count == 1)
}

// operandParts returns which part of each operand is needed for the wanted part of a node, nil for the whole, and
// whether that part can be computed alone.
func (t *partTaker) operandParts(n *graph.Node) (parts []*part, can bool) {
	p := t.wanted[n.ID()]
	if p == nil || p == wholeValue || t.isWritten(n) || n.Op().Ordered || n.Op().Waits {
		return nil, false
	}
	parts = make([]*part, len(n.Operands()))
	switch n.Op().Class {
	case graph.Elementwise:
		return parts, t.ofElements(n, p, parts)
	case graph.Contract:
		return parts, t.ofProduct(n, p, parts)
	case graph.Reduce:
		return parts, t.ofReduction(n, p, parts)
	case graph.Movement:
		return parts, partsBeforeMovement(n, p, parts)
	}
	return nil, false
}

// ofElements finds the parts of an elementwise operation's operands.
func (t *partTaker) ofElements(n *graph.Node, p *part, parts []*part) bool {
	if len(parts) == 0 {
		_, isNumber := analysis.Uniform(n)
		_, isIndex := analysis.IndexOf(n)
		return isNumber || isIndex
	}
	return !analysis.CanFail(n) && !analysis.DependsOnPosition(n) && broadcastParts(n, p, parts, n.Rank())
}

// broadcastParts finds the parts of operands that broadcast to the leading axes of n. Their other axes are their own.
func broadcastParts(n *graph.Node, p *part, parts []*part, leading int) bool {
	for i, x := range n.Operands() {
		axis := p.axis - (n.Rank() - x.Rank())
		switch {
		case p.axis >= leading || axis < 0 || x.Shape()[axis] == 1:
		case x.Shape()[axis] == n.Shape()[p.axis]:
			parts[i] = p.along(axis)
		default:
			return false // depends on sizes
		}
	}
	return true
}

// ofProduct finds the parts of factors: of rows, columns or batch matrices.
func (t *partTaker) ofProduct(n *graph.Node, p *part, parts []*part) bool {
	if len(parts) != 2 || n.In(0).Rank() < 2 || n.In(1).Rank() < 2 || analysis.GroupingOf(n) != nil {
		return false
	}
	switch rank := n.Rank(); p.axis {
	case rank - 2:
		parts[0] = p.along(n.In(0).Rank() - 2)
	case rank - 1:
		parts[1] = p.along(n.In(1).Rank() - 1)
	default:
		return broadcastParts(n, p, parts, rank-2)
	}
	return true
}

// ofReduction finds the part of a reduction's operand. The axis must lie before the folded axes, which must be
// adjacent. With one position of an axis after them, elements would be added in another order.
func (t *partTaker) ofReduction(n *graph.Node, p *part, parts []*part) bool {
	if n.Op().Axes == nil || analysis.FindsIndex(n) {
		return false
	}
	folded := n.Op().Axes(n)
	for i, axis := range folded {
		if axis <= p.axis || axis != folded[0]+i {
			return false
		}
	}
	parts[0] = p
	return true
}

// replace computes parts in addition to the whole values, which are dead afterwards.
func (t *partTaker) replace(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if p := t.sliced(n); p != nil {
		if x := t.taken[n.In(0)]; x != nil && *t.wanted[n.In(0).ID()] == *p {
			return ops.Reshape(x, n.Shape()...)
		}
		return nil
	}
	parts, can := t.operandParts(n)
	if !can {
		return nil
	}
	own := slices.Clone(in)
	for i, x := range n.Operands() {
		switch p := parts[i]; {
		case p == nil:
		case t.taken[x] != nil && *t.wanted[x.ID()] == *p:
			own[i] = t.taken[x]
		case isGenerated(x):
			own[i] = p.generated(next, x, in[i])
		default:
			own[i] = p.slice(in[i])
		}
	}
	p := t.wanted[n.ID()]
	if y := p.made(next, n, own); isPartOf(y, n, p.of(n.Shape())) && showsAlike(y, n) {
		t.taken[n] = y
	}
	return nil
}

// isPartOf reports whether a node has no mistakes, the dtype of n and the given shape.
func isPartOf(part, n *graph.Node, shape graph.Shape) bool {
	return part.Err() == nil && part.Judged() && part.DType() == n.DType() && part.Shape().Equal(shape)
}

// made computes the part of a node from the parts of its operands.
func (p *part) made(next *graph.Graph, n *graph.Node, own []*graph.Node) *graph.Node {
	shape := p.of(n.Shape())
	switch {
	case n.Op().Class == graph.Movement && analysis.IsExpansion(n):
		return ops.Expand(own[0], shape...)
	case n.Op().Class == graph.Movement && analysis.IsReshape(n):
		return ops.Reshape(own[0], shape...)
	case len(own) > 0:
		return graph.Apply(n.Op(), n.Attrs(), own...)
	}
	if v, isNumber := analysis.Uniform(n); isNumber {
		return ops.Full(next, n.DType(), v, shape...)
	}
	axis, _ := analysis.IndexOf(n)
	y := ops.Iota(next, axis, shape...)
	if axis == p.axis {
		if p.step != 1 {
			y = ops.Mul(y, ops.Size(next, graph.Int64, p.step))
		}
		y = ops.Add(y, ops.Size(next, graph.Int64, p.start))
	}
	return ops.Cast(y, n.DType())
}

// generated computes a part of a value that is computed from positions and scalars. made is its counterpart in the new
// graph.
func (p *part) generated(next *graph.Graph, n, made *graph.Node) *graph.Node {
	parts, own := make([]*part, len(n.Operands())), slices.Clone(made.Operands())
	if analysis.DependsOnPosition(n) && len(parts) > 0 || !broadcastParts(n, p, parts, n.Rank()) {
		return p.slice(made)
	}
	for i, x := range n.Operands() {
		if parts[i] != nil {
			own[i] = parts[i].generated(next, x, made.In(i))
		}
	}
	if _, isNumber := analysis.Uniform(n); len(own) == 0 && !isNumber {
		if _, isIndex := analysis.IndexOf(n); !isIndex {
			return p.slice(made)
		}
	}
	return p.made(next, n, own)
}
