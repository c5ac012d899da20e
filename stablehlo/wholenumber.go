package stablehlo

import (
	"math/bits"
	"strconv"

	"github.com/broadloom/broadloom/graph"
)

// wholeNumbers applies a primitive of two integers whose meaning StableHLO leaves open if the second one is 0 or
// negative: a quotient and a remainder by 0 are 0, and a negative power is truncated towards 0.
func (e *exporter) wholeNumbers(p graph.Prim, x, y *value) *value {
	if p == graph.PrimPow {
		return e.wholePower(x, y)
	}
	if k, ok := powerOfTwo(y); ok && p == graph.PrimFloorDiv {
		shift := "shift_right_arithmetic"
		if x.dtype.IsUnsigned() {
			shift = "shift_right_logical"
		}
		return e.same(shift, x, e.whole(x.tensor, int64(k)))
	}
	zero, one := e.splat(x.tensor, 0), e.splat(x.tensor, 1)
	none := e.compare("EQ", y, zero)
	divisor := y
	if _, is := constantOf(y); !is {
		divisor = e.choose(none, one, y)
	}
	q := e.same("divide", x, divisor)
	if p == graph.PrimDiv {
		return e.unless(none, y, q)
	}
	r := e.same("subtract", x, e.same("multiply", q, divisor))
	turned := e.turned(r, y)
	if p == graph.PrimRem {
		return e.unless(none, y, e.choose(turned, e.same("add", r, y), r))
	}
	return e.unless(none, y, e.choose(turned, e.same("subtract", q, one), q))
}

// unless is 0 if the divisor y may be and is 0.
func (e *exporter) unless(none, y, result *value) *value {
	if v, is := constantOf(y); is && v != 0 {
		return result
	}
	return e.choose(none, e.splat(result.tensor, 0), result)
}

// constantOf returns the integer that all elements of a constant are.
func constantOf(x *value) (v int64, ok bool) {
	if x.def == nil || x.def.op != "stablehlo.constant" {
		return 0, false
	}
	v, err := strconv.ParseInt(between(x.def.attrs[0].value.(string), "dense<", "> : "), 10, 64)
	return v, err == nil
}

// powerOfTwo returns k of a constant 2^k.
func powerOfTwo(x *value) (k int, ok bool) {
	v, is := constantOf(x)
	if !is || v <= 0 || v&(v-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros64(uint64(v)), true
}

// wholePower multiplies; of a negative exponent it is the inverse, truncated towards 0.
func (e *exporter) wholePower(x, y *value) *value {
	if x.dtype.IsUnsigned() {
		return e.bySquaring(x, y)
	}
	t := x.tensor
	zero, one, minus := e.splat(t, 0), e.splat(t, 1), e.splat(t, -1)
	negative := e.compare("LT", y, zero)
	odd := e.compare("NE", e.same("and", y, one), zero)
	inverse := e.choose(e.compare("EQ", x, minus), e.choose(odd, minus, one),
		e.choose(e.compare("EQ", x, one), one, zero))
	return e.choose(negative, inverse, e.bySquaring(x, e.choose(negative, zero, y)))
}

// bySquaring is x to the power of y. XLA's own power of integers heeds the last bits of an exponent alone.
func (e *exporter) bySquaring(x, y *value) *value {
	if x.count() == 0 {
		return x
	}
	return e.while([]*value{e.splat(x.tensor, 1), x, y}, func(v []*value) *value {
		left := e.compare("NE", v[2], e.splat(x.tensor, 0))
		return e.fold(graph.FoldAny, left, allAxes(left))
	}, func(v []*value) []*value {
		one := e.splat(x.tensor, 1)
		odd := e.compare("EQ", e.same("and", v[2], one), one)
		return []*value{e.same("multiply", v[0], e.choose(odd, v[1], one)), e.same("multiply", v[1], v[1]),
			e.same("shift_right_logical", v[2], one)}
	})[0]
}
