package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/arrayforms"
	"github.com/broadloom/broadloom/ops"
)

// functions are the operations that are Go functions of whole arrays, which have a form in ONNX.
var functions map[*graph.Op]func(e *exporter, n *graph.Node, in []*value) *value

// init fills the table, whose functions refer to it.
func init() {
	functions = map[*graph.Op]func(e *exporter, n *graph.Node, in []*value) *value{
		ops.Lookup("order"):         (*exporter).order,
		ops.Lookup("accumulate"):    (*exporter).accumulate,
		ops.Lookup("bit_cast"):      (*exporter).bitCast,
		ops.Lookup("dft"):           (*exporter).fourier,
		ops.Lookup("real_dft"):      (*exporter).fourierOfReal,
		ops.Lookup("real_from_dft"): (*exporter).fourierToReal,
	}
}

// form writes an operation with others, on operands of a graph of their own: floating-point numbers are Float64.
type form func(n *graph.Node, x []*graph.Node) *graph.Node

// forms are those that differ from the ones of arrayforms, which are for engines without sorts, or for sizes that are
// numbers.
var forms = map[*graph.Op]form{
	ops.Lookup("searchsorted"): searchSorted,
	ops.Lookup("cholesky"):     cholesky,
	ops.Lookup("triangular"):   triangular,
}

// function computes a node whose operation is a Go function, which no other engine has.
func (e *exporter) function(n *graph.Node, in []*value) *value {
	direct, written := functions[n.Op()], forms[n.Op()]
	t := e.typeOf(n)
	if direct == nil && written == nil {
		if written = arrayforms.Of(n.Op()); written == nil {
			return e.Fail(
				n,
				"cannot be written in ONNX: it is computed by a Go function. Compute it before or after the exported model, and feed the result to it")
		}
		if names := namesOfRows(in); arrayforms.WantsNumbers(n.Op()) && len(names) > 0 {
			return e.Fail(
				n,
				"can only be written in ONNX for rows and columns whose sizes are numbers, but %s is not known: set it with WithSizes",
				names[0])
		}
	}
	switch {
	case t.isEmpty():
		return e.expand(e.number(t.dtype, 0), t.shape)
	case written != nil:
		return e.WriteAs(n, in, written)
	}
	wide := make([]*value, len(in))
	for i, x := range in {
		if wide[i] = x; !n.Op().AsStored {
			wide[i] = e.widened(x)
		}
	}
	return e.convert(direct(e, n, wide), t.dtype)
}

// namesOfRows lists the names in the last two sizes of values.
func namesOfRows(in []*value) (names []string) {
	for _, x := range in {
		names = append(names, symbolsOf(x.shape[max(0, len(x.shape)-2):])...)
	}
	return names
}

// order returns the places of the first elements of the last axis in their order. NaN is the greatest, and equal
// elements stay in order: those that are no numbers are put to their end by a second sort, which keeps the order of the
// others.
func (e *exporter) order(n *graph.Node, in []*value) *value {
	x, t := in[0], e.typeOf(n)
	descending := n.Attrs().(interface{ IsDescending() bool }).IsDescending()
	axis := len(x.shape) - 1
	count := t.shape[axis]
	if !x.dtype.IsFloat() {
		if x.dtype == graph.Uint64 {
			x = e.flipped(e.cast(x, graph.Int64))
		}
		return e.top(x, count, descending)
	}
	none := e.isNaN(x)
	sorted := e.top(e.choose(none, e.number(x.dtype, 0), x), x.shape[axis], descending)
	last := e.pickEach(e.cast(none, graph.Int32), sorted, axis)
	places := e.pickEach(sorted, e.top(last, x.shape[axis], descending), axis)
	return e.slice(places, span{axis, 0, count, 1})
}

// top returns the places of the first elements of the last axis in order.
func (e *exporter) top(x *value, count graph.Dim, descending bool) *value {
	axis := len(x.shape) - 1
	shape := append(append(graph.Shape{}, x.shape[:axis]...), count)
	held := heldBy("TopK", x.dtype)
	return e.append("TopK", []tensor{{held, shape}, {graph.Int64, shape}},
		attrs{attrInt("axis", axis), attrFlag("largest", descending)}, nil,
		[]*value{e.cast(x, held), e.sizes(graph.Shape{count})}).out[1]
}

// pickEach picks elements along an axis, at each position of the others by an index of its own.
func (e *exporter) pickEach(x, index *value, axis int) *value {
	return e.apply("GatherElements", tensor{x.dtype, index.shape}, attrs{attrInt("axis", axis)}, x, index)
}

// running are the fixed arguments of functions down the columns of matrices.
type running interface {
	Running() (least, product, reverse bool)
	SeeksExtremum() bool
}

// accumulate gives the sums of the elements up to each place of the last axis but one, their products, or the greatest
// or least of them.
func (e *exporter) accumulate(n *graph.Node, in []*value) *value {
	a := n.Attrs().(running)
	_, product, reverse := a.Running()
	if product || a.SeeksExtremum() {
		return e.WriteAs(n, in, accumulated)
	}
	x := in[0]
	axis := e.whole(graph.Int64, int64(len(x.shape)-2))
	return e.carried("CumSum", x.dtype, func(c func(*value) *value) *value {
		return e.apply("CumSum", tensor{heldBy("CumSum", x.dtype), x.shape}, attrs{attrFlag("reverse", reverse)},
			c(x), axis)
	})
}

// bitCast gives the bits of elements as those of another dtype, along the last axis.
func (e *exporter) bitCast(n *graph.Node, in []*value) *value {
	x, t := in[0], e.typeOf(n)
	if x.dtype.IsUnsigned() && x.dtype.Size() <= 4 && t.dtype.IsInt() && t.dtype.Size() < x.dtype.Size() {
		parts := e.partsOfIntegers(x, t)
		e.findHalves(n, parts)
		return parts
	}
	if e.opset < GreatestOpset || x.dtype.Size() != t.dtype.Size() || x.dtype == graph.Bool || t.dtype == graph.Bool {
		return e.Fail(n, "can be written in ONNX only for dtypes of the same size, from opset %d on: use WithOpset(%d)",
			GreatestOpset, GreatestOpset)
	}
	return e.apply("BitCast", t, attrs{attrInt("to", int(dataTypes[t.dtype]))}, x)
}

// partsOfIntegers gives the bits of unsigned integers as several narrower integers each, the lowest first.
func (e *exporter) partsOfIntegers(x *value, t tensor) *value {
	base := int64(1) << (8 * t.dtype.Size())
	all, half := e.whole(graph.Int64, base), e.whole(graph.Int64, base/2)
	left := e.convert(x, graph.Int64)
	column := append(slices.Clone(x.shape), 1)
	var parts []*value
	for range x.dtype.Size() / t.dtype.Size() {
		part := e.same("Mod", left, all)
		left = e.same("Div", left, all)
		if !t.dtype.IsUnsigned() {
			part = e.choose(e.compare("Less", part, half), part, e.same("Sub", part, all))
		}
		parts = append(parts, e.reshape(e.convert(part, t.dtype), column))
	}
	return e.reshape(e.concat(len(x.shape), parts...), t.shape)
}
