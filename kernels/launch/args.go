package launch

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Args are the arguments of one call of a row program.
type Args struct {
	N     int   // the number of elements of a row
	Outer []int // the sizes of the outer axes
	// Origin is the index of the first element along the outer axes and, last, within the row. It matters to programs
	// that use positions, in a call that is a part of another. Pointers point to this element. It may be nil for zeros.
	// A part of a row begins at a multiple of [rowprog.Lanes] elements.
	Origin []int

	Whole int // the number of elements of the call of which this is a part, if it is one

	// Ptr points at the element of each operand at index 0 of all axes. It may be nil for an operand without elements.
	Ptr []unsafe.Pointer

	// Stride returns the steps of each operand, in elements: along the outer axes and,
	// last, within the row. A step may be zero or negative.
	Stride [][]int
}

// New makes arguments for a program with all sizes, pointers and strides zero.
func New(p *rowprog.Program) *Args {
	a := &Args{
		Outer:  make([]int, p.Outer),
		Ptr:    make([]unsafe.Pointer, len(p.Operands)),
		Stride: make([][]int, len(p.Operands)),
	}
	for i := range a.Stride {
		a.Stride[i] = make([]int, p.Outer+1)
	}
	return a
}

// Clone makes a copy that shares only the operands' memory.
func (a *Args) Clone() *Args {
	c := &Args{
		N:      a.N,
		Whole:  a.Whole,
		Origin: append([]int(nil), a.Origin...),
		Outer:  append([]int(nil), a.Outer...),
		Ptr:    append([]unsafe.Pointer(nil), a.Ptr...),
		Stride: make([][]int, len(a.Stride)),
	}
	for i, s := range a.Stride {
		c.Stride[i] = append([]int(nil), s...)
	}
	return c
}

// Size is the size of an axis; axis len(Outer) is the row.
func (a *Args) Size(axis int) int {
	if axis == len(a.Outer) {
		return a.N
	}
	return a.Outer[axis]
}

// First is the index of the first element along an axis; axis len(Outer) is the row.
func (a *Args) First(axis int) int {
	if a.Origin == nil {
		return 0
	}
	return a.Origin[axis]
}

// Rows is the number of rows along outer axis 0, of which a call can run a range; 1 without outer axes.
func (a *Args) Rows() int {
	if len(a.Outer) == 0 {
		return 1
	}
	return a.Outer[0]
}

// Elements is the number of elements of all rows.
func (a *Args) Elements() int {
	count := a.N
	for _, n := range a.Outer {
		count *= n
	}
	return count
}

// Slice sets into to the part [lo, hi) of a along an axis; axis len(Outer) is the row. The program must accumulate
// nothing over the axis and must not use positions. A row may only be divided if the program processes each of its
// elements alone. Both arguments have the same axes and operands. Positions of faults count from the part's beginning:
// see [Args.Position].
func (a *Args) Slice(p *rowprog.Program, axis, lo, hi int, into *Args) {
	into.N, into.Whole = a.N, max(a.Elements(), a.Whole)
	copy(into.Outer, a.Outer)
	if axis == len(a.Outer) {
		into.N = hi - lo
	} else {
		into.Outer[axis] = hi - lo
	}
	for i, s := range a.Stride {
		copy(into.Stride[i], s)
		into.Ptr[i] = a.Ptr[i]
		if lo < hi {
			into.Ptr[i] = unsafe.Add(a.Ptr[i], lo*s[axis]*p.Operands[i].Type.Size())
		}
	}
}

// Position is the position of an element in the iteration space of a, from its position in the part [lo, hi) along an
// axis.
func (a *Args) Position(axis, lo, hi, position int) int {
	within := hi - lo // elements of the part for an index of the axes before it
	for after := axis + 1; after <= len(a.Outer); after++ {
		within *= a.Size(after)
	}
	step := within / (hi - lo)
	return position/within*step*a.Size(axis) + lo*step + position%within
}

// Fault is a failed guard.
type Fault struct {
	Code rowprog.FaultCode
	// Position is the linear index in the iteration space, outer axes first, of the offending element or of the first
	// element of the offending row.
	Position int
	// Value is the bits of the guard's culprit there.
	Value uint64
}
