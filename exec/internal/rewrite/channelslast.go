package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// Small images have at most fewPlaces pixels and at least manyChannels channels.
const (
	fewPlaces    = 128
	manyChannels = 16
)

// channelsLast marks values of small images that are better computed with channels last, by node ID.
type channelsLast struct {
	// gains marks values [N, C, …] that users can read with channels last. Other users must be elementwise, of the same
	// shape: their kernels can do the copy.
	gains []bool
	// isRows marks movements that products read as rows of their first matrix, in any layout.
	isRows []bool
}

// ChannelsLast computes small images, whose rows are too short for vectors, with channels last from one operation to
// the next. A convolution with few pixels produces channels last, and copies the result. Elementwise operations after
// it are computed before that copy. The copy disappears when the next convolution, or a reduction over the pixels,
// reads channels last again.
func ChannelsLast(u *Program) error {
	nodes := u.Graph.Nodes()
	if !slices.ContainsFunc(nodes, func(n *graph.Node) bool { return turnedOf(n) != nil }) {
		return nil
	}
	c := &channelsLast{make([]bool, len(nodes)), make([]bool, len(nodes))}
	users, live := u.users(), Reachable(u.Graph, u.Roots)
	unlike := func(n *graph.Node, alike func(v *graph.Node) bool) bool {
		return slices.ContainsFunc(users[n.ID()], func(v *graph.Node) bool { return live[v.ID()] && !alike(v) })
	}
	isRoot := make([]bool, len(nodes))
	for _, n := range u.Roots {
		isRoot[n.ID()] = true
	}
	for _, n := range slices.Backward(nodes) {
		if isRoot[n.ID()] || !live[n.ID()] {
			continue
		}
		gains := func(v *graph.Node) bool { return c.readsTurned(v, n) }
		c.gains[n.ID()] = isSmallImage(n.Shape()) && slices.ContainsFunc(users[n.ID()], gains) &&
			!unlike(n, func(v *graph.Node) bool {
				return gains(v) || v.Op().Class == graph.Elementwise && v.Shape().Equal(n.Shape())
			})
		c.isRows[n.ID()] = n.Op().View != nil && !n.Op().Waits && len(n.Operands()) == 1 &&
			!unlike(n, func(v *graph.Node) bool { return c.isRows[v.ID()] || isFirstFactor(v, n) })
	}
	written := analysis.WrittenMemory(u.Graph)
	u.Rewrite(func(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if len(written) > 0 && written[alias.Storage(n)] {
			return nil
		}
		switch n.Op().Class {
		case graph.Elementwise:
			if c.gains[n.ID()] {
				return computedTurned(n, in)
			}
		case graph.Movement:
			return c.movedTurned(next, n, in)
		case graph.Reduce:
			return foldedTurned(n, in)
		}
		return nil
	})
	return nil
}

// isSmallImage reports whether a shape [N, C, …] is that of small images.
func isSmallImage(shape graph.Shape) bool {
	if len(shape) < 3 {
		return false
	}
	all, known := shape.NumElements().Int()
	channels, alsoKnown := shape[1].Int()
	return known && alsoKnown && channels >= manyChannels && 0 < all && all <= fewPlaces*channels && all > channels
}

// isFirstFactor reports whether x is the first factor of a product and no other operand.
func isFirstFactor(n, x *graph.Node) bool {
	return n.Op().Class == graph.Contract && n.In(0) == x && !slices.Contains(n.Operands()[1:], x)
}

// readsTurned reports whether n, a user of x, can read x with channels last.
func (c *channelsLast) readsTurned(n, x *graph.Node) bool {
	switch n.Op().Class {
	case graph.Elementwise:
		return c.gains[n.ID()] && n.Shape().Equal(x.Shape())
	case graph.Movement:
		if analysis.IsPadding(n) {
			return c.gains[n.ID()] && padsPlaces(n)
		}
		return c.isRows[n.ID()] || isChannelsToLast(n)
	case graph.Reduce:
		return foldsPlaces(n)
	}
	return false
}

// padsPlaces reports whether a padding of [N, C, …] adds no channels, and nothing between elements.
func padsPlaces(n *graph.Node) bool {
	a := n.Op().Assemble(n)
	return a.Step[0] != nil && !slices.ContainsFunc(a.Step[0], func(step graph.Dim) bool { return step != 1 }) &&
		n.Shape()[1] == n.In(0).Shape()[1]
}

// turnedOf returns the value [N, …, C] of which n is a copy with the channels as the second axis; nil if n is something
// else.
func turnedOf(n *graph.Node) *graph.Node {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) != 1 || !isSmallImage(n.Shape()) {
		return nil
	}
	m := n.In(0)
	view, ok := analysis.WholeView(m)
	if !ok || m.Op().Waits || m.DType() != n.DType() || m.Rank() != m.In(0).Rank() ||
		!analysis.SameLayouts(view, withAxisMoved(graph.RowMajor(m.In(0).Shape()), -1, 1)) {
		return nil
	}
	if e := analysis.Examine(n); e.Result != 0 || len(e.Steps) != 1 {
		return nil
	}
	return m.In(0)
}

// isChannelsToLast reports whether a movement shows [N, C, …] as [N, …, C].
func isChannelsToLast(n *graph.Node) bool {
	view, ok := analysis.WholeView(n)
	return ok && !n.Op().Waits && len(view.Shape) == n.In(0).Rank() &&
		analysis.SameLayouts(view, withAxisMoved(graph.RowMajor(n.In(0).Shape()), 1, -1))
}

// withAxisMoved moves an axis of a layout; -1 is the last.
func withAxisMoved(l graph.Layout, from, to int) graph.Layout {
	last := len(l.Shape) - 1
	if from < 0 {
		from = last
	}
	if to < 0 {
		to = last
	}
	size, step := l.Shape[from], l.Strides[from]
	l.Shape = slices.Insert(slices.Delete(slices.Clone(l.Shape), from, from+1), to, size)
	l.Strides = slices.Insert(slices.Delete(slices.Clone(l.Strides), from, from+1), to, step)
	return l
}

// foldsPlaces reports whether a reduction of [N, C, …] folds all axes except the first two, or all except the second.
func foldsPlaces(n *graph.Node) bool {
	if analysis.IsSumTo(n) || foldsOfNothing[n.Op().Fold] == nil || !isSmallImage(n.In(0).Shape()) {
		return false
	}
	axes := n.Op().Axes(n)
	for axis := range n.In(0).Rank() {
		if folds := slices.Contains(axes, axis); axis == 1 && folds || axis > 1 && !folds {
			return false
		}
	}
	return true
}

// computedTurned computes an elementwise operation before the copy of one of its operands; nil if there is no such
// copy.
func computedTurned(n *graph.Node, in []*graph.Node) *graph.Node {
	if !slices.ContainsFunc(in, func(x *graph.Node) bool { return x.Shape().Equal(n.Shape()) && turnedOf(x) != nil }) ||
		turnedOf(n) != nil ||
		analysis.DependsOnPosition(n) || analysis.DependsOnSizes(n) {
		return nil
	}
	args := slices.Clone(in)
	for i, x := range in {
		if slices.Contains(n.Stretch(i), graph.Undecided) {
			return nil
		}
		switch z := turnedOf(x); {
		case z != nil && x.Shape().Equal(n.Shape()):
			args[i] = z
		case x.Rank() > 0:
			shape := append(slices.Repeat(graph.Shape{1}, n.Rank()-x.Rank()), x.Shape()...)
			args[i] = ops.MoveAxis(ops.Reshape(x, shape...), 1, -1)
		}
	}
	y := graph.Apply(n.Op(), n.Attrs(), args...)
	if y.Err() != nil || !y.Judged() || y.DType() != n.DType() {
		return nil
	}
	return ops.Copy(ops.MoveAxis(y, -1, 1))
}

// movedTurned applies a movement before the copy that makes the channels the second axis.
func (c *channelsLast) movedTurned(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if len(in) != 1 {
		return nil
	}
	z := turnedOf(in[0])
	if z == nil {
		return nil
	}
	if analysis.IsPadding(n) {
		if !c.gains[n.ID()] || !padsPlaces(n) {
			return nil
		}
		a := n.Op().Assemble(n)
		for axis, size := range n.Shape() {
			if before, more := a.Start[0][axis], size.Minus(in[0].Shape()[axis]); more != 0 {
				z = ops.Pad(z, max(axis-1, 0), before, more.Minus(before), a.Value)
			}
		}
		return ops.Copy(ops.MoveAxis(z, -1, 1))
	}
	if !c.isRows[n.ID()] && !isChannelsToLast(n) {
		return nil
	}
	shown := in[0].In(0)
	m := graph.Apply(n.Op(), n.Attrs(), shown)
	if m.Err() != nil || !m.Judged() {
		return nil
	}
	if x := shownAsItIs(next, m, []*graph.Node{shown}); x != nil {
		return x
	}
	return m
}

// foldedTurned folds the pixels before the copy that makes the channels the second axis.
func foldedTurned(n *graph.Node, in []*graph.Node) *graph.Node {
	if len(in) != 1 || !foldsPlaces(n) {
		return nil
	}
	z := turnedOf(in[0])
	if z == nil {
		return nil
	}
	var axes []ops.Axis
	for _, axis := range n.Op().Axes(n) {
		axes = append(axes, ops.Axis(max(axis-1, 0)))
	}
	return ops.Reshape(foldsOfNothing[n.Op().Fold](z, axes...), n.Shape()...)
}
