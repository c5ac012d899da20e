package exec_test

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// moved arranges the elements in another way.
func (p *program) moved(x *graph.Node) *graph.Node {
	axis, other, s := p.axis(x), p.axis(x), x.Shape()
	switch p.rng.IntN(10) {
	case 0, 1:
		return ops.Transpose(x, axis, other)
	case 2:
		return ops.Flip(x, axis)
	case 3:
		return ops.Unsqueeze(x, axis)
	case 4:
		return ops.Reshape(x, -1)
	case 5:
		return ops.Reshape(x, s[axis], -1)
	case 6:
		return p.split(x, axis)
	case 7:
		if axis != other && s[axis].IsConst() && s[other].IsConst() {
			return ops.Diagonal(x, p.rng.IntN(3)-1, axis, other)
		}
		if axis != other {
			return ops.Diagonal(x, 0, axis, other)
		}
		return ops.Roll(x, axis, p.rng.IntN(5)-2)
	case 8:
		return p.strided(x)
	}
	if len(s) < 2 {
		return nil
	}
	if p.rng.IntN(2) == 0 {
		return ops.Tril(x, p.rng.IntN(3)-1)
	}
	return ops.Flatten(x, 0, 1)
}

// strided returns elements at drawn distances.
func (p *program) strided(x *graph.Node) *graph.Node {
	last := x.Shape()[x.Rank()-1]
	strides := []graph.Dim{0, 1, 1, 2, last}
	shape := p.shapeOf(1 + p.rng.IntN(2))
	if p.rng.IntN(2) == 0 {
		shape = graph.Shape{x.Shape()[p.axis(x)]}
	}
	by := make([]graph.Dim, len(shape))
	for i := range by {
		by[i] = strides[p.rng.IntN(len(strides))]
	}
	return ops.AsStrided(x, shape, by, graph.Dim(p.rng.IntN(2)))
}

// split makes two axes of one, where a size divides it.
func (p *program) split(x *graph.Node, axis int) *graph.Node {
	s := x.Shape()
	for _, d := range []graph.Dim{p.seq, p.batch, 3, 2} {
		if q, ok := s[axis].ExactDiv(d); ok {
			return ops.Reshape(x, slices.Concat(s[:axis], graph.Shape{q, d}, s[axis+1:])...)
		}
	}
	return ops.Reshape(x, slices.Concat(s[:axis], graph.Shape{-1, p.size()}, s[axis+1:])...)
}

// cut returns a part of a value.
func (p *program) cut(x *graph.Node) *graph.Node {
	axis := p.axis(x)
	d := x.Shape()[axis]
	starts := []graph.Dim{0, 0, 1, -2, d.FloorDiv(2), p.size()}
	stops := []graph.Dim{ops.End, ops.End, -1, d, d.CeilDiv(2), p.size()}
	switch p.rng.IntN(6) {
	case 0:
		return ops.Select(x, axis, []graph.Dim{0, -1, 1, d.Minus(1)}[p.rng.IntN(4)])
	case 1:
		return ops.Narrow(x, axis, graph.Dim(p.rng.IntN(2)), p.size())
	}
	return ops.Slice(x, axis, starts[p.rng.IntN(len(starts))], stops[p.rng.IntN(len(stops))], 1+p.rng.IntN(3))
}

// lengthened is a value with more elements than x.
func (p *program) lengthened(x *graph.Node) *graph.Node {
	axis, s := p.axis(x), slices.Clone(x.Shape())
	switch p.rng.IntN(8) {
	case 0, 1:
		s[axis] = p.size()
		return ops.Concat(axis, x, p.operand(x.DType(), s))
	case 2:
		return ops.Concat(axis, x, ops.Flip(x, axis), ops.Slice(x, axis, 1, ops.End, 1))
	case 3:
		return ops.Pad(x, axis, p.margin(), p.margin(), 0.5)
	case 4:
		return ops.Stack(axis, x, p.operand(x.DType(), s))
	case 5:
		counts := make([]graph.Dim, len(s))
		for i := range counts {
			counts[i] = 1
		}
		counts[axis] = p.size()
		return ops.Tile(x, counts...)
	case 6:
		return ops.RepeatInterleave(x, axis, p.size())
	}
	return ops.Expand(x, append(graph.Shape{p.size()}, s...)...)
}

// margin is a number of elements to add.
func (p *program) margin() graph.Dim {
	return []graph.Dim{0, 1, 2, p.batch, p.seq.Minus(1)}[p.rng.IntN(5)]
}

// gathered picks or unites elements by index.
func (p *program) gathered(x *graph.Node) *graph.Node {
	axis, s := p.axis(x), slices.Clone(x.Shape())
	length := s[axis]
	switch p.rng.IntN(8) {
	case 0:
		return ops.IndexSelect(x, axis, p.index(length, p.size()))
	case 1:
		return ops.Take(x, axis, p.index(length, p.shapeOf(1+p.rng.IntN(2))...))
	case 2:
		s[axis] = p.size()
		return ops.Gather(x, axis, p.index(length, s...))
	case 3:
		size := p.size().Plus(1)
		return ops.SegmentSum(x, axis, p.index(size, length), size)
	case 4:
		return ops.Maximum(ops.SegmentMax(x, axis, p.index(3, length), 3), graph.Num(-1))
	case 5:
		return ops.IndexAdd(x, axis, p.index(length, length), x)
	case 6:
		return ops.Scatter(x, axis, p.index(length, s...), ops.Neg(x))
	}
	if len(s) != 2 || !x.DType().IsFloat() || !s[1].IsConst() || s[1] == 0 {
		return ops.Embedding(p.index(s[0], p.shapeOf(2)...), x)
	}
	return ops.CrossEntropy(x, p.index(s[1], s[0]))
}

// windows are windows along an axis, or sums and greatest elements of such.
func (p *program) windows(x *graph.Node) *graph.Node {
	s := x.Shape()
	k, stride := 1+p.rng.IntN(3), 1+p.rng.IntN(2)
	kind := p.rng.IntN(4)
	if kind == 0 || len(s) < 2 || len(s) > 3 || !x.DType().IsFloat() {
		return ops.Window(x, p.axis(x), graph.Dim(k), stride, 1+p.rng.IntN(2))
	}
	switch kind {
	case 1:
		w := p.operand(x.DType(), graph.Shape{2, s[len(s)-2], graph.Dim(k)})
		return ops.Conv1D(x, w, nil, ops.Stride(stride), ops.Padding(p.rng.IntN(2)))
	case 2:
		return ops.AvgPool1D(x, k, ops.Stride(stride))
	}
	if !p.isExact(x) {
		return nil
	}
	return ops.MaxPool1D(x, k, ops.Stride(stride))
}
