package engine

import (
	"math"

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
	}
	return float64(bits)
}

// exactIntegers bounds the integers of a type that are computed with exactly, here and there.
func exactIntegers(t rowprog.Type) float64 {
	switch t {
	case rowprog.F32:
		return 1 << 24
	case rowprog.I32:
		return 1 << 31
	}
	return 1 << 53
}

// exact returns bounds of a type that are whole numbers of which no digits were lost, and numbers that
// are the same in all types; else nothing is known.
func exact(t rowprog.Type, f fact) fact {
	most := exactIntegers(t)
	whole := func(x float64) bool { return x == math.Trunc(x) && math.Abs(x) < most }
	if f.masked() || whole(f.lo) && whole(f.hi) {
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
