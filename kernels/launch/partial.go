package launch

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Chunks is the number of chunks of outer axis 0 in which a call must be run, one after the other or in parallel. There
// are several if the program accumulates over that axis, otherwise one.
func Chunks(p *rowprog.Program, a *Args) int {
	if !p.ReducesOutermost() {
		return 1
	}
	return max(1, (a.Outer[0]+rowprog.ChunkRows-1)/rowprog.ChunkRows)
}

// Chunk is the range of outer axis 0 of one of the [Chunks] of a call.
func Chunk(p *rowprog.Program, a *Args, chunk int) (lo, hi int) {
	if !p.ReducesOutermost() {
		return 0, a.Rows()
	}
	lo = chunk * rowprog.ChunkRows
	return lo, min(lo+rowprog.ChunkRows, a.Outer[0])
}

// Partial is memory for what one chunk accumulates over outer axis 0. The first chunk of a call accumulates into the
// operands themselves. Any other one is run with the arguments of a Partial, which is then added. Chunks may run in
// parallel, each with its own Partial, and must be added in their order.
//
// Parts of a call along another axis, see [Args.Slice], may also have a Partial each, which is copied: threads that
// accumulate side by side would wait for each other's cache lines.
type Partial struct {
	prog *rowprog.Program
	kind []rowprog.Reduction // of each operand that accumulates over axis 0
	args Args
	room []uint64
}

// Reset prepares for calls of the program with the sizes and strides of a. It allocates only if it needs more memory
// than ever before.
func (t *Partial) Reset(p *rowprog.Program, a *Args) {
	t.prog = p
	t.kind = resize(t.kind, len(p.Operands))
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op == rowprog.OpAccumulate && p.Operands[in.Operand].Reduced.Has(0) {
			t.kind[in.Operand] = in.Reduction
		}
	}
	t.args.N = a.N
	t.args.Outer, t.args.Origin = append(t.args.Outer[:0], a.Outer...), a.Origin
	t.args.Ptr = resize(t.args.Ptr, len(p.Operands))
	t.args.Stride = slices.Grow(t.args.Stride[:0], len(p.Operands))[:len(p.Operands)]
	words := 0
	for i := range p.Operands {
		t.args.Stride[i] = append(t.args.Stride[i][:0], a.Stride[i]...)
		if t.kind[i] != rowprog.NoReduction {
			words += t.pack(i)
		}
	}
	t.room = slices.Grow(t.room[:0], words)[:words]
	rest := t.room
	for i := range p.Operands {
		if t.kind[i] != rowprog.NoReduction && hasElements(&p.Operands[i], a) {
			t.args.Ptr[i] = unsafe.Pointer(&rest[0])
			rest = rest[t.pack(i):]
		}
	}
}

// pack gives an operand dense strides and returns how many words its elements take.
func (t *Partial) pack(i int) int {
	o := &t.prog.Operands[i]
	n := 1
	for axis := len(t.args.Outer); axis >= 0; axis-- {
		if varies(o, axis, len(t.args.Outer)) {
			t.args.Stride[i][axis] = n
			n *= t.args.Size(axis)
		}
	}
	return (n*o.Type.Size() + 7) / 8
}

// Run calls the function for the chunks of a call one after the other, and combines their results in order. It stops at
// the first fault.
func (t *Partial) Run(p *rowprog.Program, a *Args, chunk func(a *Args, lo, hi int) (Fault, bool)) (fault Fault,
	ok bool) {
	chunks := Chunks(p, a)
	if chunks == 1 {
		return chunk(a, 0, a.Rows())
	}
	t.Reset(p, a)
	defer t.Release()
	for c := range chunks {
		lo, hi := Chunk(p, a, c)
		if c == 0 {
			fault, ok = chunk(a, lo, hi)
		} else {
			fault, ok = chunk(t.Args(a), lo, hi)
			t.AddTo(a)
		}
		if !ok {
			return fault, false
		}
	}
	return Fault{}, true
}

// Args returns the arguments for a chunk of the call with arguments a, which has the
// sizes and strides of the last Reset.
func (t *Partial) Args(a *Args) *Args {
	for i, p := range a.Ptr {
		if t.kind[i] == rowprog.NoReduction {
			t.args.Ptr[i] = p
		}
	}
	return &t.args
}

// AddTo combines the chunk's results into the operands of a.
func (t *Partial) AddTo(a *Args) {
	for i, kind := range t.kind {
		if kind != rowprog.NoReduction && hasElements(&t.prog.Operands[i], a) {
			t.moveAxis(a, i, 0, a.Ptr[i], t.args.Ptr[i], loops.Accumulate)
		}
	}
}

// CopyTo copies the accumulated values to the operands of a.
func (t *Partial) CopyTo(a *Args) {
	for i, kind := range t.kind {
		if kind != rowprog.NoReduction && hasElements(&t.prog.Operands[i], a) {
			t.moveAxis(a, i, 0, a.Ptr[i], t.args.Ptr[i], copyElements)
		}
	}
}

func copyElements(_ rowprog.Reduction, typ rowprog.Type, dst, src unsafe.Pointer, n int) {
	copy(unsafe.Slice((*byte)(dst), n*typ.Size()), unsafe.Slice((*byte)(src), n*typ.Size()))
}

// Release drops references to the memory of the last call, which would otherwise stay alive. The next call needs a
// Reset.
func (t *Partial) Release() {
	clear(t.args.Ptr)
	t.args.Origin = nil
}

// moveAxis calls a function for all elements of an operand along the axes from axis on.
func (t *Partial) moveAxis(a *Args, i, axis int, dst, src unsafe.Pointer,
	move func(kind rowprog.Reduction, typ rowprog.Type, dst, src unsafe.Pointer, n int)) {
	o := &t.prog.Operands[i]
	inner := len(a.Outer)
	switch {
	case axis > inner:
		move(t.kind[i], o.Type, dst, src, 1)
	case axis == inner && o.Domain == rowprog.Vec && a.Stride[i][axis] == 1:
		move(t.kind[i], o.Type, dst, src, a.N)
	case !varies(o, axis, inner):
		t.moveAxis(a, i, axis+1, dst, src, move)
	default:
		d, s := a.Stride[i][axis]*o.Type.Size(), t.args.Stride[i][axis]*o.Type.Size()
		for k := range a.Size(axis) {
			t.moveAxis(a, i, axis+1, unsafe.Add(dst, k*d), unsafe.Add(src, k*s), move)
		}
	}
}

// resize returns a slice of n zero elements, s if it is large enough.
func resize[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
