package scalar

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Apply computes a primitive other than OpConvert on elements of type t; for OpSelect, t is the type of its second and
// third operand. Operands that the primitive does not take are ignored.
func Apply(op rowprog.Op, t rowprog.Type, x, y, z uint64) uint64 {
	if op == rowprog.OpSelect {
		if x != 0 {
			return y
		}
		return z
	}
	switch t {
	case rowprog.Bool:
		return applyBool(op, uint8(x), uint8(y))
	case rowprog.I32:
		return applyInt(op, From[int32](x), From[int32](y))
	case rowprog.I64:
		return applyInt(op, From[int64](x), From[int64](y))
	case rowprog.F32:
		if op == rowprog.OpFMA {
			return Bits(FMA32(From[float32](x), From[float32](y), From[float32](z)))
		}
		if f := Function32(op); f != nil {
			return Bits(f(From[float32](x)))
		}
		return applyFloat(op, From[float32](x), From[float32](y))
	case rowprog.F64:
		if op == rowprog.OpFMA {
			return Bits(FMA64(From[float64](x), From[float64](y), From[float64](z)))
		}
		if f := Function64(op); f != nil {
			return Bits(f(From[float64](x)))
		}
		return applyFloat(op, From[float64](x), From[float64](y))
	}
	panic(undefined(op, t))
}

func undefined(op rowprog.Op, t rowprog.Type) string {
	return fmt.Sprintf("scalar: %v of %v", op, t)
}

func applyBool(op rowprog.Op, x, y uint8) uint64 {
	var r uint8
	switch op {
	case rowprog.OpNot:
		r = x ^ 1
	case rowprog.OpAnd:
		r = x & y
	case rowprog.OpOr:
		r = x | y
	case rowprog.OpXor:
		r = x ^ y
	default:
		return Bits(compare(op, x, y))
	}
	return uint64(r)
}

func applyInt[T Integer](op rowprog.Op, x, y T) uint64 {
	var r T
	switch op {
	case rowprog.OpNeg:
		r = -x
	case rowprog.OpAbs:
		r = max(x, -x)
	case rowprog.OpSign:
		r = Sign(x)
	case rowprog.OpNot:
		r = ^x
	case rowprog.OpAdd:
		r = x + y
	case rowprog.OpSub:
		r = x - y
	case rowprog.OpMul:
		r = x * y
	case rowprog.OpDiv:
		r = DivInt(x, y)
	case rowprog.OpRem:
		r = RemInt(x, y)
	case rowprog.OpFloorDiv:
		r = FloorDivInt(x, y)
	case rowprog.OpMax:
		r = max(x, y)
	case rowprog.OpMin:
		r = min(x, y)
	case rowprog.OpPow:
		r = PowInt(x, y)
	case rowprog.OpAnd:
		r = x & y
	case rowprog.OpOr:
		r = x | y
	case rowprog.OpXor:
		r = x ^ y
	default:
		return Bits(compare(op, x, y))
	}
	return Bits(r)
}

func applyFloat[T Float](op rowprog.Op, x, y T) uint64 {
	var r T
	switch op {
	case rowprog.OpNeg:
		r = -x
	case rowprog.OpAbs:
		r = AbsFloat(x)
	case rowprog.OpSign:
		r = Sign(x)
	case rowprog.OpSqrt:
		r = Sqrt(x)
	case rowprog.OpRsqrt:
		r = 1 / Sqrt(x)
	case rowprog.OpRecip:
		r = 1 / x
	case rowprog.OpFloor:
		r = Floor(x)
	case rowprog.OpCeil:
		r = Ceil(x)
	case rowprog.OpRound:
		r = Round(x)
	case rowprog.OpTrunc:
		r = Trunc(x)
	case rowprog.OpAdd:
		r = x + y
	case rowprog.OpSub:
		r = x - y
	case rowprog.OpMul:
		r = x * y
	case rowprog.OpDiv:
		r = x / y
	case rowprog.OpRem:
		r = RemFloat(x, y)
	case rowprog.OpFloorDiv:
		r = FloorDivFloat(x, y)
	case rowprog.OpMax:
		r = max(x, y)
	case rowprog.OpMin:
		r = min(x, y)
	case rowprog.OpPow:
		r = PowFloat(x, y)
	case rowprog.OpAtan2:
		r = Atan2(x, y)
	default:
		return Bits(compare(op, x, y))
	}
	return Bits(r)
}

func compare[T Element](op rowprog.Op, x, y T) uint8 {
	var r bool
	switch op {
	case rowprog.OpLt:
		r = x < y
	case rowprog.OpLe:
		r = x <= y
	case rowprog.OpGt:
		r = x > y
	case rowprog.OpGe:
		r = x >= y
	case rowprog.OpEq:
		r = x == y
	case rowprog.OpNe:
		r = x != y
	default:
		panic(undefined(op, rowprog.NoType))
	}
	return Truth(r)
}
