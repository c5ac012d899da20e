package scalar

import (
	"math"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Identity is the result of reducing no elements of type t.
func Identity(r rowprog.Reduction, t rowprog.Type) uint64 {
	switch r {
	case rowprog.Sum:
		return 0
	case rowprog.Prod:
		return Convert(t, rowprog.I64, 1)
	case rowprog.Max, rowprog.MaxNumber:
		return least(t)
	case rowprog.Min:
		return greatest(t)
	}
	return Bits(int64(-1)) // the index of an ArgMax or ArgMin
}

// Neutral is the value that changes no element of type t when combined with it, in any bit: for a Sum of floating-point
// numbers -0, to which -0 may be added.
func Neutral(r rowprog.Reduction, t rowprog.Type) uint64 {
	if r == rowprog.Sum && t.IsFloat() {
		return 1 << (8*t.Size() - 1)
	}
	return Identity(r, t)
}

func least(t rowprog.Type) uint64 {
	switch t {
	case rowprog.I32:
		return Bits(int32(math.MinInt32))
	case rowprog.I64:
		return Bits(int64(math.MinInt64))
	case rowprog.F32:
		return Bits(float32(math.Inf(-1)))
	case rowprog.F64:
		return Bits(math.Inf(-1))
	}
	return 0
}

func greatest(t rowprog.Type) uint64 {
	switch t {
	case rowprog.I32:
		return Bits(int32(math.MaxInt32))
	case rowprog.I64:
		return Bits(int64(math.MaxInt64))
	case rowprog.F32:
		return Bits(float32(math.Inf(1)))
	case rowprog.F64:
		return Bits(math.Inf(1))
	}
	return 1
}

// Combine is one step of the reductions Sum, Prod, Max and Min, and of the results of MaxNumber for parts of a row.
func Combine(r rowprog.Reduction, t rowprog.Type, x, y uint64) uint64 {
	if t == rowprog.Bool {
		if r == rowprog.Max {
			return x | y
		}
		return x & y
	}
	return Apply(combiners[r], t, x, y, 0)
}

var combiners = [...]rowprog.Op{
	rowprog.Sum:       rowprog.OpAdd,
	rowprog.Prod:      rowprog.OpMul,
	rowprog.Max:       rowprog.OpMax,
	rowprog.Min:       rowprog.OpMin,
	rowprog.MaxNumber: rowprog.OpMax,
}
