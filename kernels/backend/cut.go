package backend

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/amd64/codegen"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The runtime cannot stop a goroutine while it is in a call of machine code, which delays
// the collection of garbage. So work is cut into calls of about 100 µs at most: between
// rows, within rows of elementwise programs, and else as chunked.go says. What cannot be cut
// is a chunk of [rowprog.RowChunk] elements that is reduced; it takes longer only where an
// element takes more than 12 ns.

// The elements of a call, between which those of callCycles are chosen.
const (
	fewestElements = 1 << 10
	mostElements   = 1 << 15
	callCycles     = 300_000
)

// callElementsOf is how many elements a call of some code works on at most.
func callElementsOf(c *codegen.Code) int {
	if c.Work == 0 {
		return mostElements
	}
	return max(fewestElements, min(int(callCycles/c.Work), mostElements)) &^ (fewestElements - 1)
}

// call calls the code, in pieces that are not too long.
func (k *nativeKernel) call(a *launch.Args, lo, hi int, s *Scratch) (launch.Fault, bool) {
	c := k.cut(a, lo, hi)
	s.frame.set(k, a)
	for {
		for c.row = c.first; c.row < c.end; c.row += c.rows {
			for c.column = 0; c.column < max(a.N, 1); c.column += c.columns {
				c.place(k, a, &s.frame)
				k.code.Call(k.offset, s.frame.base)
				if s.frame.faulted(k) {
					f := s.frame.fault(k, a)
					f.Position += c.column
					return f, false
				}
			}
		}
		if c.axis < 1 || !next(c.index[:c.axis], a, lo, hi) {
			return launch.Fault{}, true
		}
	}
}

// cut is how a call is cut, and a piece of it.
type cut struct {
	axis          int                   // the outer axis whose indices are shared out, -1 if there is none
	index         [rowprog.MaxOuter]int // of the axes before it
	first, end    int                   // its range
	rows, columns int                   // of a piece: indices of the axis and elements of a row
	row, column   int                   // where a piece begins
}

// cut chooses the outermost axis of which an index is not too much for a call.
func (k *nativeKernel) cut(a *launch.Args, lo, hi int) (c cut) {
	elements := a.N
	for c.axis = len(a.Outer) - 1; c.axis > 0 && elements*a.Outer[c.axis] <= k.callElements; c.axis-- {
		elements *= a.Outer[c.axis]
	}
	c.index[0] = lo
	c.end, c.rows, c.columns = 1, max(1, k.callElements/max(1, elements)), max(1, a.N)
	switch {
	case c.axis == 0:
		c.first, c.end = lo, hi
	case c.axis > 0:
		c.end = a.Outer[c.axis]
	}
	if k.elementwise && a.N > 2*k.callElements {
		c.columns = k.callElements
	}
	return c
}

// place writes the sizes and addresses of a piece.
func (c *cut) place(k *nativeKernel, a *launch.Args, b *frame) {
	l := &k.layout
	b.put(l.N(), min(c.columns, a.N-c.column))
	for axis := range c.axis {
		b.putRange(l, a, axis, c.index[axis], c.index[axis]+1)
	}
	if c.axis >= 0 {
		b.putRange(l, a, c.axis, c.row, min(c.row+c.rows, c.end))
	}
	for i, st := range a.Stride {
		offset := c.column * st[len(a.Outer)]
		for axis := range c.axis {
			offset += c.index[axis] * st[axis]
		}
		if c.axis >= 0 {
			offset += c.row * st[c.axis]
		}
		b.pointTo(k, a, i, offset)
	}
}

// putRange writes the range of an outer axis.
func (b *frame) putRange(l *codegen.Layout, a *launch.Args, axis, lo, hi int) {
	b.put(l.Count(axis), hi-lo)
	b.put(l.Counter(axis), hi-lo)
	b.put(l.End(axis), a.First(axis)+hi)
}

// pointTo writes the address of an operand's element.
func (b *frame) pointTo(k *nativeKernel, a *launch.Args, i, offset int) {
	offset -= k.from(a) * a.Stride[i][len(a.Outer)]
	offset *= k.prog.Operands[i].Type.Size()
	*(*uintptr)(unsafe.Add(b.base, k.layout.Pointer(i))) = uintptr(a.Ptr[i]) + uintptr(offset)
}
