package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// A value for all pairs of rows, such as the differences of all rows of two matrices, [m, n, k], is computed from
// operands that are repeated along m or n. If it is folded along k, vectors along n are faster than vectors along k:
// their partial results stay in registers, they need not be folded themselves, and the elements of one of the operands
// are those of a whole vector. So k becomes the axis before the last one, [m, k, n], and the operand with n and k is
// transposed once.

const (
	// minPairs is the least number of elements along the axis of vectors.
	minPairs = 16
	// maxSummed is the most elements of a row that is summed in this order, one after the other. Sums of more lose
	// digits, and vectors along rows are as fast. maxExtreme is the same for extrema: on a Zen 4, those of 64 elements
	// take two thirds of the time, of 128 nine tenths, and of 512 more.
	maxSummed, maxExtreme = 512, 128
	// maxPairNodes limits the nodes of a value for all pairs.
	maxPairNodes = 32
)

// pairs moves an axis of values of some rank to the place before the last one.
type pairs struct {
	rank, axis int
	uses       map[*graph.Node]int         // of the values for all pairs, by each other
	moved      map[*graph.Node]*graph.Node // by what is moved
}

// pairsOf returns what moves the axis along which a reduction folds x, which replaces its operand: a value for all
// pairs that nothing else uses. It is nil if x is none, or is better folded as it is.
func (r shortRows) pairsOf(n, x *graph.Node) *pairs {
	if analysis.IsSumTo(n) || n.Op().Axes == nil || analysis.Combiner(n.Op().Fold) == nil || x.DType() == graph.Bool ||
		x.DType() != n.DType() || x.Rank() < 3 {
		return nil
	}
	axes, last := n.Op().Axes(n), x.Rank()-1
	if len(axes) != 1 || axes[0] == last-1 || axes[0] == last && isBetterAlongRows(n.Op().Fold, x.Shape()[last]) {
		return nil
	}
	if size, known := x.Shape()[axes[0]].Int(); known && size <= maxPlanes {
		return nil
	}
	p := &pairs{rank: x.Rank(), axis: axes[0], uses: map[*graph.Node]int{}, moved: map[*graph.Node]*graph.Node{}}
	if usual(x.Shape()[p.order()[last]]) < minPairs || !p.canMove(n.In(0), x) {
		return nil
	}
	for old, uses := range p.uses {
		if r.uses[old.ID()] != uses {
			return nil
		}
	}
	return p
}

// isBetterAlongRows reports whether a fold of rows of some elements is faster, or more exact, with vectors along them.
func isBetterAlongRows(f graph.Fold, row graph.Dim) bool {
	size, known := row.Int()
	if f == graph.FoldSum || f == graph.FoldProd {
		return !known || size > maxSummed
	}
	return known && size > maxExtreme
}

// order lists the axes in their new order.
func (p *pairs) order() []int {
	var order []int
	for axis := range p.rank {
		if axis != p.axis {
			order = append(order, axis)
		}
	}
	return slices.Insert(order, p.rank-2, p.axis)
}

// canMove reports whether x, which replaces old, is computed elementwise from operands that are repeated. It counts the
// use of old.
func (p *pairs) canMove(old, x *graph.Node) bool {
	if p.uses[old]++; p.uses[old] > 1 {
		return true
	}
	if len(p.uses) > maxPairNodes || x.Op() != old.Op() || x.Op().Class != graph.Elementwise ||
		len(x.Operands()) == 0 || analysis.DependsOnPosition(x) {
		return false
	}
	for i, y := range x.Operands() {
		switch {
		case slices.Contains(x.Stretch(i), graph.Undecided):
			return false
		case y.Shape().Equal(x.Shape()):
			if !p.canMove(old.In(i), y) {
				return false
			}
		case !p.isRepeated(y.Shape(), x.Shape()):
			return false
		}
	}
	return true
}

// isRepeated reports whether an operand lacks the moved axis or that of vectors, or else is repeated often.
func (p *pairs) isRepeated(y, x graph.Shape) bool {
	times, has, vectors := int64(1), 0, p.order()[p.rank-1]
	for axis := range p.rank {
		switch at := len(y) - p.rank + axis; {
		case at < 0 || y[at] != x[axis]:
			times *= usual(x[axis])
		case axis == p.axis || axis == vectors:
			has++
		}
	}
	return has < 2 || times >= minRepeated
}

// move returns x, a value of a shape or an operand of one, with the axis in its new place.
func (p *pairs) move(x *graph.Node, shape graph.Shape) *graph.Node {
	if y := p.moved[x]; y != nil {
		return y
	}
	y := x
	switch {
	case x.Shape().Equal(shape):
		in := slices.Clone(x.Operands())
		for i, operand := range in {
			in[i] = p.move(operand, shape)
		}
		y = graph.Apply(x.Op(), x.Attrs(), in...)
	case x.Rank() > 0:
		y = p.moveOperand(x)
	}
	p.moved[x] = y
	return y
}

// moveOperand permutes the axes of an operand. If it has both axes of the pairs, its vectors become contiguous.
func (p *pairs) moveOperand(x *graph.Node) *graph.Node {
	ones := slices.Repeat(graph.Shape{1}, p.rank-x.Rank())
	y, n := ops.Permute(ops.Reshape(x, append(ones, x.Shape()...)...), p.order()...), p.rank
	if y.Shape()[n-1] == 1 || y.Shape()[n-2] == 1 || y.Layout().Strides[n-1] == 1 {
		return y
	}
	// Without axes of size 1, so that equal copies are merged.
	own := slices.DeleteFunc(slices.Clone(y.Shape()), func(d graph.Dim) bool { return d == 1 })
	return ops.Reshape(ops.Copy(ops.Reshape(y, own...)), y.Shape()...)
}

// fold is the reduction n of x.
func (p *pairs) fold(n, x *graph.Node) *graph.Node {
	y := graph.Apply(n.Op(), ops.ReduceAttrs{Axes: []int{p.rank - 2}}, p.move(x, x.Shape()))
	return ops.Reshape(y, n.Shape()...)
}
