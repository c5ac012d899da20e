package loops

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// Accumulate is dst = dst ⊕ x for n elements of type t, where ⊕ is one of the
// reductions Sum, Prod, Max and Min.
func Accumulate(r rowprog.Reduction, t rowprog.Type, dst, x unsafe.Pointer, n int) {
	switch t {
	case rowprog.Bool:
		d, v := unsafe.Slice((*uint8)(dst), n), unsafe.Slice((*uint8)(x), n)
		if r == rowprog.Max {
			Or(d, d, v)
		} else {
			And(d, d, v)
		}
	case rowprog.I32:
		accumulate[int32](r, dst, x, n)
	case rowprog.I64:
		accumulate[int64](r, dst, x, n)
	case rowprog.F32:
		if r == rowprog.Sum {
			d := unsafe.Slice((*float32)(dst), n)
			AddF32(d, d, unsafe.Slice((*float32)(x), n))
			return
		}
		accumulate[float32](r, dst, x, n)
	case rowprog.F64:
		accumulate[float64](r, dst, x, n)
	}
}

func accumulate[T scalar.Number](r rowprog.Reduction, dst, x unsafe.Pointer, n int) {
	d, v := unsafe.Slice((*T)(dst), n), unsafe.Slice((*T)(x), n)
	switch r {
	case rowprog.Sum:
		Add(d, d, v)
	case rowprog.Prod:
		Mul(d, d, v)
	case rowprog.Max:
		Max(d, d, v)
	case rowprog.Min:
		Min(d, d, v)
	}
}
