package backend

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// rows is memory for rows whose elements do not lie side by side.
type rows struct {
	args  bind.Args
	words []uint64
}

// runPacked calls the code row by row. What it reads of operands whose elements do not
// lie side by side is copied to rows first, what it writes is copied back.
func (k *machine) runPacked(a *bind.Args, lo, hi int, s *Scratch) (bind.Fault, bool) {
	inner := len(a.Outer)
	index := make([]int, inner)
	row := 0
	if inner > 0 {
		index[0] = lo
	}
	one := bind.New(k.prog)
	one.N = a.N
	for axis := range one.Outer {
		one.Outer[axis] = 1
	}
	packed := make([][]uint64, len(a.Stride))
	for i, st := range a.Stride {
		o := &k.prog.Operands[i]
		one.Stride[i][inner] = st[inner]
		if o.Domain == rowprog.Vec {
			one.Stride[i][inner] = 1
			if st[inner] != 1 {
				packed[i] = sharedRow(k.prog, a, packed[:i], i)
			}
		}
	}
	s.block.set(k, one)
	for {
		for i, st := range a.Stride {
			o := &k.prog.Operands[i]
			offset := 0
			for axis, at := range index {
				offset += at * st[axis]
			}
			p := unsafe.Add(a.Ptr[i], offset*o.Type.Size())
			one.Ptr[i] = p
			if packed[i] != nil {
				one.Ptr[i] = unsafe.Pointer(&packed[i][0])
				if o.Access != rowprog.Out {
					gather(o.Type.Size(), one.Ptr[i], p, st[inner], a.N)
				}
			}
		}
		s.block.point(k, one, 0, 0)
		for axis, at := range index {
			s.block.put(k.layout.Counter(axis), 1)
			s.block.put(k.layout.End(axis), at+1)
		}
		k.code.Call(k.offset, s.block.base)
		row = 0
		for axis, at := range index {
			row = row*a.Outer[axis] + at
		}
		if s.block.faulted(k) {
			f := s.block.fault(k, one)
			at := k.layout.Fault()
			return bind.Fault{Code: f.Code, Position: row*a.N + s.block.get(at+8)}, false
		}
		for i, st := range a.Stride {
			if o := &k.prog.Operands[i]; packed[i] != nil && o.Access.Writes() {
				offset := 0
				for axis, at := range index {
					offset += at * st[axis]
				}
				scatter(o.Type.Size(), unsafe.Add(a.Ptr[i], offset*o.Type.Size()), one.Ptr[i], st[inner], a.N)
			}
		}
		if !next(index, a, lo, hi) {
			return bind.Fault{}, true
		}
	}
}

// sharedRow gives operand i room for a row, that of an operand before it if the two are
// the same memory.
func sharedRow(p *rowprog.Program, a *bind.Args, packed [][]uint64, i int) []uint64 {
	for j, row := range packed {
		if row == nil || a.Ptr[i] != a.Ptr[j] || p.Operands[i].Type != p.Operands[j].Type {
			continue
		}
		same := true
		for axis := range a.Stride[i] {
			same = same && (a.Stride[i][axis] == a.Stride[j][axis] || a.Size(axis) == 1)
		}
		if same {
			return row
		}
	}
	return make([]uint64, (a.N*p.Operands[i].Type.Size()+7)/8)
}

// next advances to the next row of a range.
func next(index []int, a *bind.Args, lo, hi int) bool {
	for axis := len(index) - 1; axis >= 0; axis-- {
		first, end := 0, a.Outer[axis]
		if axis == 0 {
			first, end = lo, hi
		}
		if index[axis]++; index[axis] < end {
			return true
		}
		index[axis] = first
	}
	return false
}

func gather(size int, dst, src unsafe.Pointer, stride, n int) {
	switch size {
	case 1:
		gatherOf[uint8](dst, src, stride, n)
	case 4:
		gatherOf[uint32](dst, src, stride, n)
	default:
		gatherOf[uint64](dst, src, stride, n)
	}
}

func gatherOf[T uint8 | uint32 | uint64](dst, src unsafe.Pointer, stride, n int) {
	d := unsafe.Slice((*T)(dst), n)
	step := stride * int(unsafe.Sizeof(T(0)))
	for i := range d {
		d[i] = *(*T)(unsafe.Add(src, i*step))
	}
}

func scatter(size int, dst, src unsafe.Pointer, stride, n int) {
	switch size {
	case 1:
		scatterOf[uint8](dst, src, stride, n)
	case 4:
		scatterOf[uint32](dst, src, stride, n)
	default:
		scatterOf[uint64](dst, src, stride, n)
	}
}

func scatterOf[T uint8 | uint32 | uint64](dst, src unsafe.Pointer, stride, n int) {
	s := unsafe.Slice((*T)(src), n)
	step := stride * int(unsafe.Sizeof(T(0)))
	for i, v := range s {
		*(*T)(unsafe.Add(dst, i*step)) = v
	}
}

// setIdentity fills the elements of an accumulated operand that belong to a range with
// the neutral element.
func setIdentity(p *rowprog.Program, a *bind.Args, acc accumulated, lo, hi int) {
	fillAxis(p, a, acc.operand, acc.neutral, 0, a.Ptr[acc.operand], lo, hi)
}

// setEmpty gives accumulated operands the value of a reduction of nothing.
func (k *machine) setEmpty(a *bind.Args, lo, hi int) {
	for i := range k.prog.Insts {
		if in := &k.prog.Insts[i]; in.Op == rowprog.OpAccumulate {
			identity := scalar.Identity(in.Reduction, k.prog.Operands[in.Operand].Type)
			fillAxis(k.prog, a, in.Operand, identity, 0, a.Ptr[in.Operand], lo, hi)
		}
	}
}

// fillAxis sets an operand's elements along the axes from axis on.
func fillAxis(p *rowprog.Program, a *bind.Args, i int, bits uint64, axis int, ptr unsafe.Pointer, lo, hi int) {
	o, inner := &p.Operands[i], len(a.Outer)
	size := o.Type.Size()
	switch {
	case axis > inner, axis == inner && o.Domain != rowprog.Vec:
		fill(size, ptr, 1, 1, bits)
	case axis == inner:
		fill(size, ptr, a.Stride[i][axis], a.N, bits)
	case o.Reduced.Has(axis):
		fillAxis(p, a, i, bits, axis+1, ptr, lo, hi)
	default:
		first, end := 0, a.Outer[axis]
		if axis == 0 {
			first, end = lo, hi
		}
		for at := first; at < end; at++ {
			fillAxis(p, a, i, bits, axis+1, unsafe.Add(ptr, at*a.Stride[i][axis]*size), lo, hi)
		}
	}
}

func fill(size int, dst unsafe.Pointer, stride, n int, bits uint64) {
	switch size {
	case 1:
		fillOf(dst, stride, n, uint8(bits))
	case 4:
		fillOf(dst, stride, n, uint32(bits))
	default:
		fillOf(dst, stride, n, bits)
	}
}

func fillOf[T uint8 | uint32 | uint64](dst unsafe.Pointer, stride, n int, v T) {
	step := stride * int(unsafe.Sizeof(v))
	for i := range n {
		*(*T)(unsafe.Add(dst, i*step)) = v
	}
}
