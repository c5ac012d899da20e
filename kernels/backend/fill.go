package backend

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// setEmpty sets accumulated operands to the value of an empty reduction.
func (k *nativeKernel) setEmpty(a *launch.Args, lo, hi int) {
	for i := range k.prog.Insts {
		if in := &k.prog.Insts[i]; in.Op == rowprog.OpAccumulate {
			f := filler{k.prog, a, in.Operand, scalar.Identity(in.Reduction, k.prog.Operands[in.Operand].Type), lo, hi}
			f.axis(0, a.Ptr[in.Operand])
		}
	}
}

// setNeutral fills accumulated operands with the neutral element of their reduction.
func (k *nativeKernel) setNeutral(a *launch.Args, lo, hi int) {
	for _, acc := range k.accs {
		f := filler{k.prog, a, acc.operand, acc.neutral, lo, hi}
		f.axis(0, a.Ptr[acc.operand])
	}
}

// addNeutral adds the kernels that do the work of setNeutral, for calls in lists.
func (k *nativeKernel) addNeutral(add func(*rowprog.Program) *nativeKernel) {
	for i := range k.accs {
		acc := &k.accs[i]
		o := &k.prog.Operands[acc.operand]
		b := rowprog.NewBuilder("neutral", k.prog.Outer)
		b.Store(b.Out(o.Name, o.Type, rowprog.Vec), b.ConstBits(o.Type, acc.neutral))
		if p, err := b.Build(); err == nil {
			acc.fill = add(p)
		}
	}
}

// neutralCalls prepares calls that do the work of setNeutral on the whole iteration space; none if some of it cannot be
// a single call of code.
func (k *nativeKernel) neutralCalls(a *launch.Args) (calls []*Call) {
	for _, acc := range k.accs {
		if acc.fill == nil {
			return nil
		}
		o, inner := &k.prog.Operands[acc.operand], len(a.Outer)
		own := launch.New(acc.fill.prog)
		for axis, n := range a.Outer {
			if own.Outer[axis] = 1; !o.Reduced.Has(axis) {
				own.Outer[axis], own.Stride[0][axis] = n, a.Stride[acc.operand][axis]
			}
		}
		if own.N = 1; o.Domain == rowprog.Vec {
			own.N, own.Stride[0][inner] = a.N, a.Stride[acc.operand][inner]
		}
		own.Ptr[0] = a.Ptr[acc.operand]
		c := Prepare(acc.fill, Coalesce(acc.fill, own))
		if c.direct == nil {
			return nil
		}
		calls = append(calls, c)
	}
	return calls
}

// filler sets the elements of an operand that belong to a range of axis 0.
type filler struct {
	prog    *rowprog.Program
	args    *launch.Args
	operand int
	bits    uint64
	lo, hi  int
}

// axis sets the elements along the axes from axis on.
func (f *filler) axis(axis int, p unsafe.Pointer) {
	o, inner := &f.prog.Operands[f.operand], len(f.args.Outer)
	stride := 0
	if axis <= inner {
		stride = f.args.Stride[f.operand][axis]
	}
	switch {
	case axis == inner && o.Domain == rowprog.Vec:
		f.row(p, stride, f.args.N)
	case axis == inner:
		f.row(p, 1, 1)
	case o.Reduced.Has(axis):
		f.axis(axis+1, p)
	default:
		first, end := 0, f.args.Outer[axis]
		if axis == 0 {
			first, end = f.lo, f.hi
		}
		for at := first; at < end; at++ {
			f.axis(axis+1, unsafe.Add(p, at*stride*o.Type.Size()))
		}
	}
}

func (f *filler) row(p unsafe.Pointer, stride, n int) {
	switch f.prog.Operands[f.operand].Type.Size() {
	case 1:
		fill(p, stride, n, uint8(f.bits))
	case 4:
		fill(p, stride, n, uint32(f.bits))
	default:
		fill(p, stride, n, f.bits)
	}
}

func fill[T uint8 | uint32 | uint64](p unsafe.Pointer, stride, n int, v T) {
	step := stride * int(unsafe.Sizeof(v))
	for i := range n {
		*(*T)(unsafe.Add(p, i*step)) = v
	}
}
