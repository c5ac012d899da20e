package interp

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Scratch is the memory and the state of a call. It serves any number of kernels, one call at a time. The zero value is
// ready for use and grows as needed; Reserve grows it in advance.
type Scratch struct {
	blocks  []uint64 // the registers' blocks
	states  []uint64 // partial results of reductions over the row
	value   []uint64 // of each instruction outside of the row
	reg     []unsafe.Pointer
	offset  []int // of each operand, to the current row, in elements
	index   []int // of the current row
	partial launch.Partial
	block   aot.Block

	// Of the current call.
	prog    *rowprog.Program
	args    *launch.Args
	lo, hi  int             // the range of outer axis 0
	row     int             // the linear index of the current row
	moved   rowprog.AxisSet // the axes whose index is not where it began
	at      int             // the index in the row where the current block begins
	fault   launch.Fault
	faulted bool
}

// Reserve allocates enough memory for calls of the kernels.
func (s *Scratch) Reserve(kernels ...*Kernel) {
	for _, k := range kernels {
		s.blocks = grow(s.blocks, k.words)
		s.states = grow(s.states, k.states)
		s.value = grow(s.value, len(k.prog.Insts))
		s.reg = grow(s.reg, len(k.bases))
		s.offset = grow(s.offset, len(k.prog.Operands))
		s.index = grow(s.index, k.prog.Outer)
	}
}

func grow[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return make([]T, n)
}

// start begins a call at the first row of its range.
func (s *Scratch) start(k *Kernel, a *launch.Args, lo, hi int) {
	s.prog, s.args, s.lo, s.hi = k.prog, a, lo, hi
	s.fault, s.faulted = launch.Fault{}, false
	s.moved, s.row = 0, lo
	for r, base := range k.bases {
		s.reg[r] = unsafe.Pointer(&s.blocks[base])
	}
	clear(s.index)
	for i := range k.prog.Operands {
		s.offset[i] = 0
	}
	if len(a.Outer) == 0 {
		return
	}
	s.index[0] = lo
	for i := range k.prog.Operands {
		s.offset[i] = lo * a.Stride[i][0]
	}
	for _, n := range a.Outer[1:] {
		s.row *= n
	}
}

// empty reports whether the range has no row.
func (s *Scratch) empty() bool {
	for axis := range s.args.Outer {
		if first, end := s.bounds(axis); first >= end {
			return true
		}
	}
	return s.lo >= s.hi
}

// bounds is the range of an outer axis.
func (s *Scratch) bounds(axis int) (first, end int) {
	if axis == 0 {
		return s.lo, s.hi
	}
	return 0, s.args.Outer[axis]
}

// nextRow advances to the next row and reports whether there is one.
func (s *Scratch) nextRow() bool {
	s.row++
	for axis := len(s.args.Outer) - 1; axis >= 0; axis-- {
		first, end := s.bounds(axis)
		s.index[axis]++
		if s.index[axis] < end {
			s.moved |= 1 << axis
			s.step(axis, 1)
			return true
		}
		s.index[axis] = first
		s.moved &^= 1 << axis
		s.step(axis, first-end+1)
	}
	return false
}

// step moves all operands along an outer axis.
func (s *Scratch) step(axis, n int) {
	for i := range s.prog.Operands {
		s.offset[i] += n * s.args.Stride[i][axis]
	}
}

// element is the address of an operand's element in the current row.
func (s *Scratch) element(operand, index, size int) unsafe.Pointer {
	stride := s.args.Stride[operand]
	at := s.offset[operand] + index*stride[len(stride)-1]
	return unsafe.Add(s.args.Ptr[operand], at*size)
}

// inner is an operand's step within the row.
func (s *Scratch) inner(operand int) int {
	stride := s.args.Stride[operand]
	return stride[len(stride)-1]
}

// first reports whether an operand reduced over the axes is visited for the first time.
func (s *Scratch) first(reduced rowprog.AxisSet) bool { return s.moved&reduced == 0 }

// fail records a fault at an element of the current row, unless there is an earlier one.
func (s *Scratch) fail(code rowprog.FaultCode, index int, value uint64) {
	position := s.row*s.args.N + index
	if !s.faulted || position < s.fault.Position {
		s.fault, s.faulted = launch.Fault{Code: code, Position: position, Value: value}, true
	}
}

// release drops references to the caller's memory, which would otherwise stay alive.
func (s *Scratch) release() {
	clear(s.reg)
	s.args = nil
}

// vec is a register as a slice.
func vec[T any](s *Scratch, reg, n int) []T { return unsafe.Slice((*T)(s.reg[reg]), n) }
