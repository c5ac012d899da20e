package reference

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// primitive applies a primitive to elements of type t and gives the result's type.
func primitive(p graph.Prim, t graph.DType, x []cell) (cell, graph.DType) {
	switch {
	case p == graph.PrimSelect:
		if x[0].bool() {
			return x[1], t
		}
		return x[2], t
	case p == graph.PrimFMA:
		return rounded(t, math.FMA(x[0].float(), x[1].float(), x[2].float())), t
	case isComparison(p):
		switch {
		case t.IsFloat():
			return boolCell(compare(p, x[0].float(), x[1].float())), graph.Bool
		case t == graph.Uint64:
			return boolCell(compare(p, uint64(x[0]), uint64(x[1]))), graph.Bool
		}
		return boolCell(compare(p, x[0].int(), x[1].int())), graph.Bool
	case t.IsFloat():
		args := [2]float64{}
		for i, c := range x {
			args[i] = c.float()
		}
		return rounded(t, floatPrim(p, args[0], args[1])), t
	}
	args := [2]int64{}
	for i, c := range x {
		args[i] = c.int()
	}
	v := intPrim(p, args[0], args[1])
	switch {
	case t == graph.Bool:
		v &= 1 // of the primitives only the logical ones are defined here
	case t == graph.Uint64:
		v = uint64Prim(p, args[0], args[1], v)
	}
	return wrapped(t, v), t
}

// uint64Prim is the result of a primitive on Uint64. signed is that of signed integers with the same bits; most
// primitives give the same.
func uint64Prim(p graph.Prim, x, y, signed int64) int64 {
	u, v := uint64(x), uint64(y)
	switch p {
	case graph.PrimDiv, graph.PrimFloorDiv, graph.PrimRem:
		switch {
		case v == 0:
			return 0
		case p == graph.PrimRem:
			return int64(u % v)
		}
		return int64(u / v)
	case graph.PrimMax:
		return int64(max(u, v))
	case graph.PrimMin:
		return int64(min(u, v))
	case graph.PrimAbs:
		return x
	case graph.PrimSign:
		return int64(min(u, 1))
	case graph.PrimPow:
		result := uint64(1)
		for ; v > 0; v >>= 1 {
			if v&1 == 1 {
				result *= u
			}
			u *= u
		}
		return int64(result)
	}
	return signed
}

// wrapped returns the last bits of an integer as an element of a type.
func wrapped(t graph.DType, v int64) cell {
	switch t {
	case graph.Uint8:
		v = int64(uint8(v))
	case graph.Int8:
		v = int64(int8(v))
	case graph.Int16:
		v = int64(int16(v))
	case graph.Uint16:
		v = int64(uint16(v))
	case graph.Int32:
		v = int64(int32(v))
	case graph.Uint32:
		v = int64(uint32(v))
	}
	return intCell(v)
}

func isComparison(p graph.Prim) bool {
	switch p {
	case graph.PrimLt, graph.PrimLe, graph.PrimGt, graph.PrimGe, graph.PrimEq, graph.PrimNe:
		return true
	}
	return false
}

func compare[T int64 | uint64 | float64](p graph.Prim, x, y T) bool {
	switch p {
	case graph.PrimLt:
		return x < y
	case graph.PrimLe:
		return x <= y
	case graph.PrimGt:
		return x > y
	case graph.PrimGe:
		return x >= y
	case graph.PrimEq:
		return x == y
	}
	return x != y
}

// rounded returns a number as an element of the type in which operations on a floating-point type compute.
func rounded(t graph.DType, v float64) cell {
	if t != graph.Float64 {
		v = float64(float32(v))
	}
	return floatCell(v)
}

// stored returns a value as it is after a store: numbers of 16 bits are computed in float32 and rounded once.
func stored(t graph.DType, c cell) cell {
	switch t {
	case graph.Float16:
		return floatCell(binary16(c.float()))
	case graph.BFloat16:
		return floatCell(roundedTo(c.float(), 8, -133, math.Ldexp(1, 128)))
	case graph.Float8E5M2:
		return floatCell(roundedTo(c.float(), 3, -16, math.Ldexp(1, 16)))
	case graph.Float8E4M3FN:
		if v := roundedTo(float64(float32(c.float())), 4, -9, 480); !math.IsInf(v, 0) {
			return floatCell(v)
		}
		return floatCell(math.NaN())
	}
	return c
}

// binary16 rounds to IEEE 754's binary16.
func binary16(v float64) float64 { return roundedTo(v, 11, -24, 65536) }

// roundedTo rounds to a number of bits of precision, half to even, with no bit below 2^least, and to infinity from
// limit on.
func roundedTo(v float64, precision, least int, limit float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	_, exponent := math.Frexp(v)
	unit := math.Ldexp(1, max(exponent-precision, least))
	if v = math.Copysign(math.RoundToEven(v/unit)*unit, v); math.Abs(v) >= limit {
		return math.Inf(int(math.Copysign(1, v)))
	}
	return v
}

func floatPrim(p graph.Prim, x, y float64) float64 {
	if f := unaryFloat[p]; f != nil {
		return f(x)
	}
	switch p {
	case graph.PrimAdd:
		return x + y
	case graph.PrimSub:
		return x - y
	case graph.PrimMul:
		return x * y
	case graph.PrimDiv:
		return x / y
	case graph.PrimRem:
		return floatRem(x, y)
	case graph.PrimFloorDiv:
		return floatFloorDiv(x, y)
	case graph.PrimMax:
		return max(x, y)
	case graph.PrimMin:
		return min(x, y)
	case graph.PrimPow:
		return math.Pow(x, y)
	case graph.PrimAtan2:
		return math.Atan2(x, y)
	}
	panic("oracle: " + p.String() + " is not defined on floating-point numbers")
}

var unaryFloat = map[graph.Prim]func(float64) float64{
	graph.PrimNeg:       func(x float64) float64 { return -x },
	graph.PrimAbs:       math.Abs,
	graph.PrimSign:      sign,
	graph.PrimSqrt:      math.Sqrt,
	graph.PrimRsqrt:     func(x float64) float64 { return 1 / math.Sqrt(x) },
	graph.PrimRecip:     func(x float64) float64 { return 1 / x },
	graph.PrimFloor:     math.Floor,
	graph.PrimCeil:      math.Ceil,
	graph.PrimRound:     math.RoundToEven,
	graph.PrimTrunc:     math.Trunc,
	graph.PrimExp:       math.Exp,
	graph.PrimExpOrZero: func(x float64) float64 { return math.Exp(math.Min(x, 0)) },
	graph.PrimExpm1:     math.Expm1,
	graph.PrimLog:       log,
	graph.PrimLog1p:     math.Log1p,
	graph.PrimExp2:      math.Exp2,
	graph.PrimLog2:      math.Log2,
	graph.PrimLog10:     math.Log10,
	graph.PrimTanh:      math.Tanh,
	graph.PrimSigmoid:   func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	graph.PrimErf:       math.Erf,
	graph.PrimSin:       math.Sin,
	graph.PrimCos:       math.Cos,
}

// log is math.Log, which is wrong below the least normal number on amd64.
func log(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		return math.Log(x*0x1p100) - 100*math.Ln2
	}
	return math.Log(x)
}

// sign is -1, 0 or 1; 0 for NaN.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// floatRem is the remainder with the divisor's sign.
func floatRem(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// floatFloorDiv is the integer that belongs to floatRem.
func floatFloorDiv(x, y float64) float64 {
	if y == 0 {
		return x / y
	}
	r := math.Mod(x, y)
	q := (x - r) / y
	if r != 0 && (r < 0) != (y < 0) {
		q--
	}
	if q == 0 {
		return math.Copysign(0, x/y)
	}
	n := math.Floor(q)
	if q-n > 0.5 {
		n++
	}
	return n
}

func intPrim(p graph.Prim, x, y int64) int64 {
	switch p {
	case graph.PrimAdd:
		return x + y
	case graph.PrimSub:
		return x - y
	case graph.PrimMul:
		return x * y
	case graph.PrimDiv, graph.PrimRem, graph.PrimFloorDiv:
		return intDivision(p, x, y)
	case graph.PrimMax:
		return max(x, y)
	case graph.PrimMin:
		return min(x, y)
	case graph.PrimPow:
		return intPow(x, y)
	case graph.PrimNeg:
		return -x
	case graph.PrimAbs:
		return max(x, -x)
	case graph.PrimSign:
		return int64(sign(float64(x)))
	case graph.PrimAnd:
		return x & y
	case graph.PrimOr:
		return x | y
	case graph.PrimXor:
		return x ^ y
	case graph.PrimNot:
		return ^x
	}
	panic("oracle: " + p.String() + " is not defined on integers")
}

// intDivision is the truncated quotient, the remainder with the divisor's sign, or the
// floor of the quotient; 0 for a zero divisor.
func intDivision(p graph.Prim, x, y int64) int64 {
	if y == 0 {
		return 0
	}
	q, r := x/y, x%y
	turned := r != 0 && (r < 0) != (y < 0)
	switch {
	case p == graph.PrimDiv:
		return q
	case p == graph.PrimRem && turned:
		return r + y
	case p == graph.PrimRem:
		return r
	case turned:
		return q - 1
	}
	return q
}

// intPow wraps around; for a negative exponent it is the inverse truncated towards zero.
func intPow(x, y int64) int64 {
	if y < 0 {
		switch {
		case x == 1, x == -1 && y%2 == 0:
			return 1
		case x == -1:
			return -1
		}
		return 0
	}
	result := int64(1)
	for ; y > 0; y >>= 1 {
		if y&1 == 1 {
			result *= x
		}
		x *= x
	}
	return result
}

// convert changes the type of an element: floating point to integer truncates, saturates and gives 0 for NaN; anything
// to Bool is x != 0; integers wrap around. A conversion to a narrow integer saturates to int64 and then wraps around.
func convert(c cell, from, to graph.DType) cell {
	switch {
	case from == to:
		return c
	case from.IsFloat() && to.IsFloat():
		return stored(to, rounded(to, c.float()))
	case to == graph.Bool:
		return boolCell(from.IsFloat() && c.float() != 0 || !from.IsFloat() && c.int() != 0)
	case from.IsFloat() && to == graph.Int32:
		return intCell(saturate(c.float(), math.MinInt32, math.MaxInt32))
	case from.IsFloat() && to == graph.Uint64 && c.float() >= 0x1p63:
		if c.float() >= 0x1p64 {
			return cell(math.MaxUint64)
		}
		return cell(uint64(c.float()))
	case from.IsFloat():
		return wrapped(to, saturate(c.float(), math.MinInt64, math.MaxInt64))
	case !to.IsFloat():
		return wrapped(to, c.int())
	case from == graph.Uint64 && to == graph.Float64:
		return floatCell(float64(uint64(c)))
	case from == graph.Uint64:
		return stored(to, floatCell(float64(float32(uint64(c)))))
	case to == graph.Float64:
		return floatCell(float64(c.int()))
	}
	return stored(to, floatCell(float64(float32(c.int())))) // rounded once to float32
}

func saturate(x float64, low, high int64) int64 {
	switch {
	case x != x:
		return 0
	case x <= float64(low):
		return low
	case x >= float64(high): // 2^63 for the greatest int64, which no float64 is
		return high
	}
	return int64(x)
}
