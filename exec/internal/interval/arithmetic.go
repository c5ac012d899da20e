package interval

import (
	"math"

	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// numberOf returns the number that bits of a type represent.
func numberOf(t rowprog.Type, bits uint64) float64 {
	switch t {
	case rowprog.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case rowprog.F64:
		return math.Float64frombits(bits)
	case rowprog.I32:
		return float64(int32(bits))
	case rowprog.I64:
		return float64(int64(bits))
	case rowprog.F16:
		return float64(half.Float16(bits).Float32())
	case rowprog.BF16:
		return float64(half.BFloat16(bits).Float32())
	case rowprog.F8E4M3:
		return float64(half.Float8E4M3FN(bits).Float32())
	case rowprog.F8E5M2:
		return float64(half.Float8E5M2(bits).Float32())
	case rowprog.I8:
		return float64(int8(bits))
	case rowprog.I16:
		return float64(int16(bits))
	}
	return float64(bits)
}

// exactIntegers returns the limits of a range in which a type represents every integer exactly. Ranges end at those of
// float64, which computes bounds.
func exactIntegers(t rowprog.Type) (least, most float64) {
	switch t {
	case rowprog.Bool:
		return 0, 1
	case rowprog.U8:
		return 0, math.MaxUint8
	case rowprog.I8:
		return math.MinInt8, math.MaxInt8
	case rowprog.U16:
		return 0, math.MaxUint16
	case rowprog.I16:
		return math.MinInt16, math.MaxInt16
	case rowprog.U32:
		return 0, math.MaxUint32
	case rowprog.I32:
		return math.MinInt32, math.MaxInt32
	case rowprog.U64:
		return 0, 1 << 53
	case rowprog.F8E5M2:
		return -(1 << 3), 1 << 3
	case rowprog.F8E4M3:
		return -(1 << 4), 1 << 4
	case rowprog.BF16:
		return -(1 << 8), 1 << 8
	case rowprog.F16:
		return -(1 << 11), 1 << 11
	case rowprog.F32:
		return -(1 << 24), 1 << 24
	}
	return -(1 << 53), 1 << 53
}

// hasInfinity reports whether a type has infinities.
func hasInfinity(t rowprog.Type) bool {
	switch t {
	case rowprog.F64, rowprog.F32, rowprog.F16, rowprog.BF16, rowprog.F8E5M2:
		return true
	}
	return false
}

// exact returns bounds of a type if they are integers that it represents exactly, or -∞ in a type that has it.
// Otherwise it returns [Anything].
func exact(t rowprog.Type, f Bounds) Bounds {
	if f.masked() && hasInfinity(t) {
		return f
	}
	least, most := exactIntegers(t)
	whole := func(x float64) bool { return x == math.Trunc(x) && least <= x && x <= most }
	if whole(f.Lo) && whole(f.Hi) {
		return f
	}
	return Anything
}

// arithmetic returns the bounds of a sum, difference, product or quotient.
func arithmetic(in *rowprog.Inst, x, y Bounds) Bounds {
	isFloat := in.Type == rowprog.F32 || in.Type == rowprog.F64
	switch in.Op {
	case rowprog.OpAdd:
		if x.masked() || y.masked() {
			return Exactly(math.Inf(-1))
		}
		return exact(in.Type, Bounds{x.Lo + y.Lo, x.Hi + y.Hi})
	case rowprog.OpSub:
		if x.masked() && !y.masked() {
			return x
		}
		return exact(in.Type, Bounds{x.Lo - y.Hi, x.Hi - y.Lo})
	case rowprog.OpDiv:
		if isFloat && x.Is(0) || x.masked() && y.Lo > 0 && y.known() {
			return x
		}
		return Anything
	}
	switch {
	case x.Is(0) || y.Is(0):
		return Exactly(0)
	case x.masked() && y.Lo > 0 && y.known():
		return x
	case y.masked() && x.Lo > 0 && x.known():
		return y
	case !x.known() || !y.known():
		return Anything
	}
	a, b, c, d := x.Lo*y.Lo, x.Lo*y.Hi, x.Hi*y.Lo, x.Hi*y.Hi
	return exact(in.Type, Bounds{min(a, b, c, d), max(a, b, c, d)})
}

// logical returns the bounds of the conjunction or disjunction of two truth values, each 0 or 1.
func logical(op rowprog.Op, x, y Bounds) Bounds {
	if op == rowprog.OpAnd {
		return Bounds{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}
	}
	return Bounds{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}
}

// comparison returns the bounds of a comparison: 1, 0, or both.
func comparison(op rowprog.Op, x, y Bounds) Bounds {
	if op == rowprog.OpGt || op == rowprog.OpGe {
		x, y = y, x
	}
	orEqual := op == rowprog.OpLe || op == rowprog.OpGe
	switch {
	case !x.known() || !y.known():
	case x.Hi < y.Lo || orEqual && x.Hi == y.Lo:
		return Exactly(1)
	case x.Lo > y.Hi || !orEqual && x.Lo == y.Hi:
		return Exactly(0)
	}
	return Bounds{0, 1}
}
