package interp

import (
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// unaryStep makes the step of a primitive of one vector.
func unaryStep(op rowprog.Op, t rowprog.Type, dst, x int) step {
	switch t {
	case rowprog.Bool:
		return mapStep(func(dst, x []uint8) { loops.XorScalar(dst, x, 1) }, dst, x) // the only one is Not
	case rowprog.I32:
		return mapStep(unaryInt[int32](op), dst, x)
	case rowprog.I64:
		return mapStep(unaryInt[int64](op), dst, x)
	case rowprog.F32:
		if f := scalar.Function32(op); f != nil {
			return mapStep(func(dst, x []float32) { loops.Map(f, dst, x) }, dst, x)
		}
		return mapStep(unaryFloat[float32](op), dst, x)
	}
	if f := scalar.Function64(op); f != nil {
		return mapStep(func(dst, x []float64) { loops.Map(f, dst, x) }, dst, x)
	}
	return mapStep(unaryFloat[float64](op), dst, x)
}

func mapStep[To, From any](f func(dst []To, x []From), dst, x int) step {
	return func(s *Scratch, n int) { f(vec[To](s, dst, n), vec[From](s, x, n)) }
}

func unaryInt[T scalar.Integer](op rowprog.Op) func(dst, x []T) {
	switch op {
	case rowprog.OpNeg:
		return loops.Neg[T]
	case rowprog.OpAbs:
		return loops.AbsInt[T]
	case rowprog.OpSign:
		return func(dst, x []T) { loops.Map(scalar.Sign, dst, x) }
	case rowprog.OpNot:
		return func(dst, x []T) { loops.XorScalar(dst, x, -1) }
	}
	panic("interp: no loop for " + op.String())
}

func unaryFloat[T scalar.Float](op rowprog.Op) func(dst, x []T) {
	switch op {
	case rowprog.OpNeg:
		return loops.Neg[T]
	case rowprog.OpAbs:
		return loops.AbsFloat[T]
	case rowprog.OpSign:
		return func(dst, x []T) { loops.Map(scalar.Sign, dst, x) }
	case rowprog.OpSqrt:
		return loops.Sqrt[T]
	case rowprog.OpRsqrt:
		return loops.Rsqrt[T]
	case rowprog.OpRecip:
		return loops.Recip[T]
	case rowprog.OpFloor:
		return loops.Floor[T]
	case rowprog.OpCeil:
		return loops.Ceil[T]
	case rowprog.OpRound:
		return loops.Round[T]
	case rowprog.OpTrunc:
		return loops.Trunc[T]
	}
	panic("interp: no loop for " + op.String())
}

// convertStep makes the step of a conversion.
func convertStep(to, from rowprog.Type, dst, x int) step {
	if to.Computed() != to || from.Computed() != from {
		return memoryStep(to, from, dst, x)
	}
	switch from {
	case rowprog.Bool:
		return convertNumber[uint8](to, dst, x)
	case rowprog.I32:
		return convertNumber[int32](to, dst, x)
	case rowprog.I64:
		return convertNumber[int64](to, dst, x)
	case rowprog.F32:
		return convertFloat[float32](to, dst, x)
	}
	return convertFloat[float64](to, dst, x)
}

func convertNumber[T scalar.Element](to rowprog.Type, dst, x int) step {
	switch to {
	case rowprog.Bool:
		return mapStep(func(dst []uint8, x []T) { loops.NeScalar(dst, x, 0) }, dst, x)
	case rowprog.I32:
		return mapStep(loops.Convert[int32, T], dst, x)
	case rowprog.I64:
		return mapStep(loops.Convert[int64, T], dst, x)
	case rowprog.F32:
		return mapStep(loops.Convert[float32, T], dst, x)
	}
	return mapStep(loops.Convert[float64, T], dst, x)
}

func convertFloat[T scalar.Float](to rowprog.Type, dst, x int) step {
	switch to {
	case rowprog.I32:
		return mapStep(loops.Truncate32[T], dst, x)
	case rowprog.I64:
		return mapStep(loops.Truncate64[T], dst, x)
	}
	return convertNumber[T](to, dst, x)
}

// memoryStep makes the step of a conversion between a type for memory alone and its computed type.
func memoryStep(to, from rowprog.Type, dst, x int) step {
	switch from {
	case rowprog.U8:
		return mapStep(loops.Convert[int32, uint8], dst, x)
	case rowprog.I8:
		return mapStep(loops.Convert[int32, int8], dst, x)
	case rowprog.U16:
		return mapStep(loops.Convert[int32, uint16], dst, x)
	case rowprog.I16:
		return mapStep(loops.Convert[int32, int16], dst, x)
	case rowprog.U32:
		return mapStep(loops.Convert[int64, uint32], dst, x)
	case rowprog.U64:
		return mapStep(loops.Convert[int64, uint64], dst, x)
	case rowprog.F16:
		return mapStep(func(dst []float32, x []half.Float16) { loops.Map(half.Float16.Float32, dst, x) }, dst, x)
	case rowprog.BF16:
		return mapStep(func(dst []float32, x []half.BFloat16) { loops.Map(half.BFloat16.Float32, dst, x) }, dst, x)
	case rowprog.F8E4M3:
		return mapStep(func(dst []float32, x []half.Float8E4M3FN) { loops.Map(half.Float8E4M3FN.Float32, dst, x) },
			dst, x)
	case rowprog.F8E5M2:
		return mapStep(func(dst []float32, x []half.Float8E5M2) { loops.Map(half.Float8E5M2.Float32, dst, x) }, dst, x)
	}
	switch to {
	case rowprog.U8, rowprog.I8:
		return mapStep(loops.Convert[uint8, int32], dst, x)
	case rowprog.U16, rowprog.I16:
		return mapStep(loops.Convert[uint16, int32], dst, x)
	case rowprog.U32:
		return mapStep(loops.Convert[uint32, int64], dst, x)
	case rowprog.U64:
		return mapStep(loops.Convert[uint64, int64], dst, x)
	case rowprog.F16:
		return mapStep(func(dst []half.Float16, x []float32) { loops.Map(half.NewFloat16, dst, x) }, dst, x)
	case rowprog.F8E4M3:
		return mapStep(func(dst []half.Float8E4M3FN, x []float32) { loops.Map(half.NewFloat8E4M3FN, dst, x) }, dst, x)
	case rowprog.F8E5M2:
		return mapStep(func(dst []half.Float8E5M2, x []float32) { loops.Map(half.NewFloat8E5M2, dst, x) }, dst, x)
	}
	return mapStep(func(dst []half.BFloat16, x []float32) { loops.Map(half.NewBFloat16, dst, x) }, dst, x)
}
