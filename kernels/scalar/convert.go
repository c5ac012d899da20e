package scalar

import (
	"math"

	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Convert changes an element's type. Floating point to integer truncates, saturates and gives 0 for NaN; anything to
// Bool is x != 0; a wider integer wraps around; the rest is rounded to nearest even. Types for memory alone are
// converted from and to their computed type.
func Convert(to, from rowprog.Type, x uint64) uint64 {
	switch from {
	case rowprog.Bool:
		return convertInt(to, int64(uint8(x)))
	case rowprog.I32:
		return convertInt(to, int64(int32(x)))
	case rowprog.I64:
		return convertInt(to, int64(x))
	case rowprog.F32:
		return convertFloat(to, float64(From[float32](x)))
	case rowprog.F64:
		return convertFloat(to, From[float64](x))
	case rowprog.U8:
		return Bits(int32(uint8(x)))
	case rowprog.I8:
		return Bits(int32(int8(x)))
	case rowprog.U16:
		return Bits(int32(uint16(x)))
	case rowprog.I16:
		return Bits(int32(int16(x)))
	case rowprog.U32:
		return Bits(int64(uint32(x)))
	case rowprog.U64:
		return x
	case rowprog.F16:
		return Bits(half.Float16(x).Float32())
	case rowprog.BF16:
		return Bits(half.BFloat16(x).Float32())
	case rowprog.F8E4M3:
		return Bits(half.Float8E4M3FN(x).Float32())
	case rowprog.F8E5M2:
		return Bits(half.Float8E5M2(x).Float32())
	}
	panic(undefined(rowprog.OpConvert, from))
}

func convertInt(to rowprog.Type, x int64) uint64 {
	switch to {
	case rowprog.Bool:
		return uint64(Truth(x != 0))
	case rowprog.I32:
		return Bits(int32(x))
	case rowprog.I64:
		return Bits(x)
	case rowprog.F32:
		return Bits(float32(x))
	case rowprog.F64:
		return Bits(float64(x))
	case rowprog.U8, rowprog.I8:
		return uint64(uint8(x))
	case rowprog.U16, rowprog.I16:
		return uint64(uint16(x))
	case rowprog.U32:
		return uint64(uint32(x))
	case rowprog.U64:
		return uint64(x)
	}
	panic(undefined(rowprog.OpConvert, to))
}

func convertFloat(to rowprog.Type, x float64) uint64 {
	switch to {
	case rowprog.Bool:
		return uint64(Truth(x != 0))
	case rowprog.I32:
		return Bits(ToInt32(x))
	case rowprog.I64:
		return Bits(ToInt64(x))
	case rowprog.F32:
		return Bits(float32(x))
	case rowprog.F64:
		return Bits(x)
	case rowprog.F16:
		return uint64(half.NewFloat16(float32(x)))
	case rowprog.BF16:
		return uint64(half.NewBFloat16(float32(x)))
	case rowprog.F8E4M3:
		return uint64(half.NewFloat8E4M3FN(float32(x)))
	case rowprog.F8E5M2:
		return uint64(half.NewFloat8E5M2(float32(x)))
	}
	panic(undefined(rowprog.OpConvert, to))
}

// ToInt32 truncates, saturates and gives 0 for NaN.
func ToInt32(x float64) int32 {
	switch {
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	case x != x:
		return 0
	}
	return int32(x)
}

// ToInt64 truncates, saturates and gives 0 for NaN.
func ToInt64(x float64) int64 {
	switch {
	case x >= 1<<63:
		return math.MaxInt64
	case x <= -1<<63:
		return math.MinInt64
	case x != x:
		return 0
	}
	return int64(x)
}
