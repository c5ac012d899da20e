package engine

import (
	"math"

	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// numberOf is the number that bits of a type stand for.
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

// exactIntegers are the least and the greatest of the integers from and up to which a type has all that are computed with here.
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

// hasInfinity reports whether a type has infinite numbers.
func hasInfinity(t rowprog.Type) bool {
	switch t {
	case rowprog.F64, rowprog.F32, rowprog.F16, rowprog.BF16, rowprog.F8E5M2:
		return true
	}
	return false
}

// exact returns bounds of a type that are whole numbers of which no digits were lost, and numbers that
// are the same in all types that have them; else nothing is known.
func exact(t rowprog.Type, f fact) fact {
	if f.masked() && hasInfinity(t) {
		return f
	}
	least, most := exactIntegers(t)
	whole := func(x float64) bool { return x == math.Trunc(x) && least <= x && x <= most }
	if whole(f.lo) && whole(f.hi) {
		return f
	}
	return anything
}

// arithmetic is the sum, difference, product or quotient of values.
func arithmetic(in *rowprog.Inst, x, y fact) fact {
	isFloat := in.Type == rowprog.F32 || in.Type == rowprog.F64
	switch in.Op {
	case rowprog.OpAdd:
		if x.masked() || y.masked() {
			return exactly(math.Inf(-1))
		}
		return exact(in.Type, fact{x.lo + y.lo, x.hi + y.hi})
	case rowprog.OpSub:
		if x.masked() && !y.masked() {
			return x
		}
		return exact(in.Type, fact{x.lo - y.hi, x.hi - y.lo})
	case rowprog.OpDiv:
		if isFloat && x.is(0) || x.masked() && y.lo > 0 && y.known() {
			return x
		}
		return anything
	}
	switch {
	case x.is(0) || y.is(0):
		return exactly(0)
	case x.masked() && y.lo > 0 && y.known():
		return x
	case y.masked() && x.lo > 0 && x.known():
		return y
	case !x.known() || !y.known():
		return anything
	}
	a, b, c, d := x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi
	return exact(in.Type, fact{min(a, b, c, d), max(a, b, c, d)})
}

// logical is both or one of two truth values, each 0 or 1.
func logical(op rowprog.Op, x, y fact) fact {
	if op == rowprog.OpAnd {
		return fact{min(x.lo, y.lo), min(x.hi, y.hi)}
	}
	return fact{max(x.lo, y.lo), max(x.hi, y.hi)}
}

// comparison is whether x is less than y, or such: 1, 0 or one of them.
func comparison(op rowprog.Op, x, y fact) fact {
	if op == rowprog.OpGt || op == rowprog.OpGe {
		x, y = y, x
	}
	orEqual := op == rowprog.OpLe || op == rowprog.OpGe
	switch {
	case !x.known() || !y.known():
	case x.hi < y.lo || orEqual && x.hi == y.lo:
		return exactly(1)
	case x.lo > y.hi || !orEqual && x.lo == y.hi:
		return exactly(0)
	}
	return fact{0, 1}
}
