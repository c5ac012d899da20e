package export

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// heldAs returns the dtype in which numbers are computed: those of 16 and 8 bits in float32.
func heldAs(t graph.DType) graph.DType {
	if t.IsFloat() {
		return t.Computed()
	}
	return t
}

// widened converts numbers to the dtype in which they are computed.
func (e *exporter) widened(x *value) *value { return e.convert(x, heldAs(x.dtype)) }

// convert changes the dtype as PyTorch's Tensor.to does.
func (e *exporter) convert(x *value, to graph.DType) *value {
	switch {
	case x.dtype == to:
		return x
	case heldAs(to) != to && x.def != nil && x.def.op == "Cast" && x.def.in[0].dtype == to:
		return x.def.in[0] // it was widened
	case heldAs(to) != to && x.dtype != graph.Float32:
		return e.convert(e.convert(x, graph.Float32), to)
	case heldAs(x.dtype) != x.dtype && to != graph.Float32:
		return e.convert(e.widened(x), to)
	case x.dtype.IsFloat() && to.IsInt():
		return e.truncated(x, to)
	}
	return e.cast(x, to)
}

// truncated makes integers of floating-point numbers, without their fractions. Those outside become the least or the
// greatest one, and NaN becomes 0, which ONNX leaves open. Integers other than int32 are those of 64 bits, of
// which they have the last bits; those beyond int64 have a place in uint64.
func (e *exporter) truncated(x *value, to graph.DType) *value {
	t := x.dtype
	if to != graph.Int32 && to != graph.Int64 {
		y := e.cast(e.truncated(x, graph.Int64), to)
		if to == graph.Uint64 {
			beyond := e.compare("GreaterOrEqual", x, e.number(t, 0x1p63))
			half := e.choose(beyond, e.same("Sub", x, e.number(t, 0x1p63)), e.number(t, 0))
			large := e.same("Add", e.cast(e.truncated(half, graph.Int64), to), e.number(to, 0x1p63))
			large = e.choose(e.compare("GreaterOrEqual", x, e.number(t, 0x1p64)), e.whole(to, -1), large)
			y = e.choose(beyond, large, y)
		}
		return y
	}
	limit := math.Ldexp(1, to.Bits()-1)
	above, below := e.compare("GreaterOrEqual", x, e.number(t, limit)), e.compare("LessOrEqual", x, e.number(t, -limit))
	none := e.test("Or", e.isNaN(x), e.test("Or", above, below))
	y := e.cast(e.choose(none, e.number(t, 0), x), to)
	return e.choose(below, e.least(to), e.choose(above, e.greatest(to), y))
}
