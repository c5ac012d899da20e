package interp

import (
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// binary is the loops of a primitive of two values: of two vectors, of a vector and a scalar, and of a scalar and a
// vector. The latter two are nil if takesScalar is false or the operation is mirrored.
type binary[To, From scalar.Element] struct {
	vv func(dst []To, x, y []From)
	vs func(dst []To, x []From, y From)
	sv func(dst []To, x From, y []From)
}

// binaryStep makes the step of a primitive of two values.
func binaryStep(op rowprog.Op, t rowprog.Type, dst int, x, y arg) step {
	switch t {
	case rowprog.Bool:
		if op >= rowprog.OpLt {
			return comparison[uint8](op).step(dst, x, y)
		}
		return bitwise[uint8](op).step(dst, x, y)
	case rowprog.I32:
		return binaryInt[int32](op, dst, x, y)
	case rowprog.I64:
		return binaryInt[int64](op, dst, x, y)
	case rowprog.F32:
		switch op {
		case rowprog.OpAdd:
			return binary[float32, float32]{loops.AddF32, loops.AddScalarF32, nil}.step(dst, x, y)
		case rowprog.OpSub:
			return binary[float32, float32]{loops.SubF32, loops.SubScalarF32, loops.ScalarSub[float32]}.step(dst, x, y)
		case rowprog.OpMul:
			return binary[float32, float32]{loops.MulF32, loops.MulScalarF32, nil}.step(dst, x, y)
		}
		return binaryFloat[float32](op, dst, x, y)
	}
	return binaryFloat[float64](op, dst, x, y)
}

func (b binary[To, From]) step(dst int, x, y arg) step {
	switch {
	case y.reg < 0:
		return b.vectorScalar(dst, x.reg, y)
	case x.reg < 0:
		return b.scalarVector(dst, x, y.reg)
	}
	return func(s *Scratch, n int) {
		b.vv(vec[To](s, dst, n), vec[From](s, x.reg, n), vec[From](s, y.reg, n))
	}
}

func (b binary[To, From]) vectorScalar(dst, x int, y arg) step {
	return func(s *Scratch, n int) {
		b.vs(vec[To](s, dst, n), vec[From](s, x, n), valueOf[From](s, y.value))
	}
}

func (b binary[To, From]) scalarVector(dst int, x arg, y int) step {
	return func(s *Scratch, n int) {
		b.sv(vec[To](s, dst, n), valueOf[From](s, x.value), vec[From](s, y, n))
	}
}

// valueOf is a value outside of the row.
func valueOf[T scalar.Element](s *Scratch, x rowprog.Value) T { return scalar.From[T](s.value[x]) }

func binaryInt[T scalar.Integer](op rowprog.Op, dst int, x, y arg) step {
	switch op {
	case rowprog.OpAnd, rowprog.OpOr, rowprog.OpXor:
		return bitwise[T](op).step(dst, x, y)
	case rowprog.OpDiv:
		return apply2(scalar.DivInt[T]).step(dst, x, y)
	case rowprog.OpRem:
		return apply2(scalar.RemInt[T]).step(dst, x, y)
	case rowprog.OpFloorDiv:
		return apply2(scalar.FloorDivInt[T]).step(dst, x, y)
	case rowprog.OpPow:
		return apply2(scalar.PowInt[T]).step(dst, x, y)
	}
	return binaryNumber[T](op, dst, x, y)
}

func binaryFloat[T scalar.Float](op rowprog.Op, dst int, x, y arg) step {
	switch op {
	case rowprog.OpDiv:
		return binary[T, T]{loops.Div[T], loops.DivScalar[T], loops.ScalarDiv[T]}.step(dst, x, y)
	case rowprog.OpRem:
		return apply2(scalar.RemFloat[T]).step(dst, x, y)
	case rowprog.OpFloorDiv:
		return apply2(scalar.FloorDivFloat[T]).step(dst, x, y)
	case rowprog.OpPow:
		return apply2(scalar.PowFloat[T]).step(dst, x, y)
	case rowprog.OpAtan2:
		return apply2(scalar.Atan2[T]).step(dst, x, y)
	}
	return binaryNumber[T](op, dst, x, y)
}

func binaryNumber[T scalar.Number](op rowprog.Op, dst int, x, y arg) step {
	switch op {
	case rowprog.OpAdd:
		return binary[T, T]{loops.Add[T], loops.AddScalar[T], nil}.step(dst, x, y)
	case rowprog.OpSub:
		return binary[T, T]{loops.Sub[T], loops.SubScalar[T], loops.ScalarSub[T]}.step(dst, x, y)
	case rowprog.OpMul:
		return binary[T, T]{loops.Mul[T], loops.MulScalar[T], nil}.step(dst, x, y)
	case rowprog.OpMax:
		return binary[T, T]{loops.Max[T], loops.MaxScalar[T], nil}.step(dst, x, y)
	case rowprog.OpMin:
		return binary[T, T]{loops.Min[T], loops.MinScalar[T], nil}.step(dst, x, y)
	}
	return comparison[T](op).step(dst, x, y)
}

// apply2 is the loop of a function of two elements.
func apply2[T scalar.Number](f func(x, y T) T) binary[T, T] {
	return binary[T, T]{vv: func(dst, x, y []T) { loops.Map2(f, dst, x, y) }}
}

func bitwise[T loops.Logical](op rowprog.Op) binary[T, T] {
	switch op {
	case rowprog.OpAnd:
		return binary[T, T]{vv: loops.And[T]}
	case rowprog.OpOr:
		return binary[T, T]{vv: loops.Or[T]}
	case rowprog.OpXor:
		return binary[T, T]{vv: loops.Xor[T]}
	}
	panic("interp: no loop for " + op.String())
}

func comparison[T scalar.Element](op rowprog.Op) binary[uint8, T] {
	switch op {
	case rowprog.OpLt:
		return binary[uint8, T]{loops.Lt[T], loops.LtScalar[T], nil}
	case rowprog.OpLe:
		return binary[uint8, T]{loops.Le[T], loops.LeScalar[T], nil}
	case rowprog.OpGt:
		return binary[uint8, T]{func(dst []uint8, x, y []T) { loops.Lt(dst, y, x) }, loops.GtScalar[T], nil}
	case rowprog.OpGe:
		return binary[uint8, T]{func(dst []uint8, x, y []T) { loops.Le(dst, y, x) }, loops.GeScalar[T], nil}
	case rowprog.OpEq:
		return binary[uint8, T]{loops.Eq[T], loops.EqScalar[T], nil}
	case rowprog.OpNe:
		return binary[uint8, T]{loops.Ne[T], loops.NeScalar[T], nil}
	}
	panic("interp: no loop for " + op.String())
}
