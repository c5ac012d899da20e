package stablehlo

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// heldAs returns the dtype in which numbers are computed: those of 16 bits in float32.
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
	t := x.of(to)
	switch {
	case x.dtype == to:
		return x
	case to == graph.Bool:
		return e.compare("NE", x, e.splat(x.tensor, 0))
	case heldAs(to) != to && x.def != nil && x.def.op == "stablehlo.convert" && x.def.in[0].dtype == to:
		return x.def.in[0] // it was widened
	case heldAs(to) != to && x.dtype != graph.Float32:
		return e.stable("convert", t, e.convert(x, graph.Float32))
	case heldAs(x.dtype) != x.dtype && to != graph.Float32:
		return e.convert(e.widened(x), to)
	case x.dtype.IsFloat() && to.IsInt():
		return e.truncated(x, to)
	}
	return e.stable("convert", t, x)
}

// truncated converts floating-point numbers to integers, without their fractions. Numbers out of range become the least
// or the greatest integer, and NaN becomes 0; StableHLO leaves these cases open. Integers other than int32 are
// converted as 64-bit ones, of which they keep the last bits; numbers beyond int64 may fit into uint64.
func (e *exporter) truncated(x *value, to graph.DType) *value {
	if to != graph.Int32 && to != graph.Int64 {
		y := e.convert(e.truncated(x, graph.Int64), to)
		if to == graph.Uint64 {
			large := e.choose(e.compare("GE", x, e.splat(x.tensor, 0x1p64)), e.whole(y.tensor, -1),
				e.stable("convert", y.tensor, x))
			y = e.choose(e.compare("GE", x, e.splat(x.tensor, 0x1p63)), large, y)
		}
		return y
	}
	t, bits := x.of(to), to.Bits()-1
	limit := math.Ldexp(1, bits)
	y := e.choose(e.compare("NE", x, x), e.splat(t, 0), e.stable("convert", t, x))
	y = e.choose(e.compare("LE", x, e.splat(x.tensor, -limit)), e.least(t), y)
	return e.choose(e.compare("GE", x, e.splat(x.tensor, limit)), e.greatest(t), y)
}
