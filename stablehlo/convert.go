package stablehlo

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// convert changes the dtype as PyTorch's Tensor.to does. Floating-point numbers become integers by truncation; those
// outside become the least or the greatest one, and NaN becomes 0, which StableHLO leaves open.
func (e *exporter) convert(x *value, to graph.DType) *value {
	t := x.of(to)
	switch {
	case x.dtype == to:
		return x
	case to == graph.Bool:
		return e.compare("NE", x, e.splat(x.tensor, 0))
	case x.dtype.IsFloat() && to.IsInt():
		bits := 8*to.Size() - 1
		least, greatest := int64(math.MinInt64)>>(63-bits), int64(math.MaxInt64)>>(63-bits)
		limit := math.Ldexp(1, bits)
		y := e.choose(e.compare("NE", x, x), e.splat(t, 0), e.stable("convert", t, x))
		y = e.choose(e.compare("LE", x, e.splat(x.tensor, -limit)), e.whole(t, least), y)
		return e.choose(e.compare("GE", x, e.splat(x.tensor, limit)), e.whole(t, greatest), y)
	}
	return e.stable("convert", t, x)
}
