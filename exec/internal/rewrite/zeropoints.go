package rewrite

import (
	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// This file takes zero points out of products of bytes: with A = a - za and B = b - zb,
//
//	A·B = a·b - za·(sums of b's columns) - zb·(sums of a's rows) + K·za·zb
//
// modulo 2^32. The first product is one of bytes, of which processors multiply more at a time than 16-bit words. The
// sums are products with ones.

// shifted is a factor as bytes minus an int32 zero point.
type shifted struct {
	bytes *graph.Node
	zero  *graph.Node // nil if 0
}

// minSums is the number of columns of a result for which sums of rows cost little. Sums of columns cost little even for
// one row: sums of weights are kept between runs, and otherwise B is read twice in place.
const minSums = 32

// shift returns a factor as bytes minus a zero point, if it is such a difference. The zero point must be constant along
// the sums.
func (f *narrower) shift(x *graph.Node, right bool) (s shifted, ok bool) {
	if t := f.dtypeOf(x); t.Size() == 1 {
		return shifted{bytes: f.narrowed(x, t)}, true
	}
	of, moved := x, false
	for of.Op().Class == graph.Movement && len(of.Operands()) == 1 {
		of, moved = of.In(0), true
	}
	if analysis.PrimOf(of) != graph.PrimSub || !isConversion(of.In(0)) || !of.In(0).Shape().Equal(of.Shape()) {
		return s, false
	}
	q, zero := of.In(0).In(0), of.In(1)
	if q.DType().Size() != 1 || f.updated[alias.Storage(q)] {
		return s, false
	}
	switch isNumber := zero.Shape().NumElements() == 1; {
	case isNumber:
		zero = ops.Reshape(zero)
	case moved || zero.Rank() > of.Rank():
		return s, false
	case right && zero.Rank() > 1 && zero.Shape()[zero.Rank()-2] != 1, !right && zero.Shape()[zero.Rank()-1] != 1:
		return s, false
	}
	s.zero = zero
	s.bytes = f.moved(x, of, q, zero)
	return s, s.bytes != nil
}

// moved applies to bytes q the movements that lead from a difference to x. A movement that pads the difference with 0
// pads the bytes with the zero point; for other padding the result is nil.
func (f *narrower) moved(x, difference, q, zero *graph.Node) *graph.Node {
	if x == difference {
		return q
	}
	below := f.moved(x.In(0), difference, q, zero)
	if below == nil || x.Op().Assemble == nil {
		if below == nil {
			return nil
		}
		return graph.Apply(x.Op(), x.Attrs(), below)
	}
	if x.Op().Assemble(x).Value != 0 || !f.bounds.Of(zero).IsWithin(analysis.IntervalOf(q.DType())) {
		return nil
	}
	around := ops.Cast(zero, q.DType())
	return ops.Add(graph.Apply(x.Op(), x.Attrs(), ops.Sub(below, around)), around)
}

// withoutZeros replaces a product of differences by a corrected product of bytes; nil if it is none.
func (f *narrower) withoutZeros(n *graph.Node, in []*graph.Node) *graph.Node {
	rank := n.Rank()
	if rank < 2 || in[0].Rank() < 2 || in[1].Rank() < 2 {
		return nil
	}
	sums := in[0].Shape()[in[0].Rank()-1]
	length, isKnown := sums.Int()
	a, ok := f.shift(in[0], false)
	if !ok {
		return nil
	}
	b, ok := f.shift(in[1], true)
	switch {
	case !ok || a.zero == nil && b.zero == nil:
		return nil
	case b.zero != nil && isFew(n.Shape()[rank-1]):
		return nil
	case a.zero != nil && b.zero != nil && (!isKnown || length >= 1<<31):
		return nil
	}
	next := a.bytes.Graph()
	y := graph.Apply(productOf(n, n.Shape()), n.Attrs(), a.bytes, b.bytes)
	if a.zero != nil {
		ones := ops.Expand(next.Scalar(graph.Uint8, 1), 1, sums)
		y = ops.Sub(y, ops.Mul(a.zero, graph.Apply(productOf(n, resized(n.Shape(), rank-2)), n.Attrs(), ones, b.bytes)))
	}
	if b.zero != nil {
		ones := ops.Expand(next.Scalar(graph.Int8, 1), sums, 1)
		product := productOf(n, resized(a.bytes.Shape(), a.bytes.Rank()-1))
		y = ops.Sub(y, ops.Mul(b.zero, graph.Apply(product, nil, a.bytes, ones)))
	}
	if a.zero != nil && b.zero != nil {
		y = ops.Add(y, ops.Mul(ops.Mul(a.zero, b.zero), next.Scalar(graph.Int32, float64(length))))
	}
	if y.Err() != nil || !y.Judged() || !y.Shape().Equal(n.Shape()) {
		return nil
	}
	return y
}

// isFew reports whether a size is known to be so small that sums of rows would cost much.
func isFew(d graph.Dim) bool {
	n, known := d.Int()
	return known && n < minSums
}

// resized returns a shape with size 1 for an axis.
func resized(s graph.Shape, axis int) graph.Shape {
	s = append(graph.Shape{}, s...)
	s[axis] = 1
	return s
}

// productOf returns the operation of a product like n with another shape.
func productOf(n *graph.Node, shape graph.Shape) *graph.Op {
	op := groupedProduct(n)
	op.Infer = func(*graph.Call) (graph.DType, graph.Shape) { return n.DType(), shape }
	return op
}
