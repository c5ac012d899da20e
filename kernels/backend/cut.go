package backend

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// The runtime cannot preempt a goroutine in a call of machine code, which delays garbage collection. So work is divided
// into calls of about 100 µs at most: between rows, within rows of elementwise programs, and otherwise as in
// chunked.go. A chunk of [rowprog.RowChunk] elements that is reduced cannot be divided; it takes longer only if an
// element takes more than 12 ns.

// The bounds of the number of elements of a call, which is chosen to take callCycles.
const (
	fewestElements = 1 << 10
	mostElements   = 1 << 15
	callCycles     = 300_000
)

// columnUnit divides the number of row elements of a call, so that its vectors are full.
const columnUnit = 64

// callElementsOf is the most elements that a call of some code processes.
func callElementsOf(c *codegen.Code) int {
	if c.Work == 0 {
		return mostElements
	}
	return max(fewestElements, min(int(callCycles/c.Work), mostElements)) &^ (fewestElements - 1)
}

// call calls the code, divided into pieces that are not too long.
func (k *nativeKernel) call(a *launch.Args, lo, hi int, s *Scratch) (launch.Fault, bool) {
	c := k.cut(a, lo, hi)
	s.frame.set(k, a)
	for {
		var f launch.Fault
		var ok bool
		if c.across {
			f, ok = k.callAcross(&c, a, s)
		} else {
			f, ok = k.callAlong(&c, a, s)
		}
		if !ok {
			return f, false
		}
		if c.axis < 1 || !next(c.index[:c.axis], a, lo, hi) {
			return launch.Fault{}, true
		}
	}
}

// cut says how a call is divided, and is one piece of it.
type cut struct {
	axis          int                   // the outer axis whose indices are shared out, -1 if there is none
	index         [rowprog.MaxOuter]int // of the axes before it
	first, end    int                   // its range
	rows, columns int                   // of a piece: indices of the axis and elements of a row
	row, column   int                   // where a piece begins
	across        bool                  // pieces at one place of all rows come before those at the next
}

// callPiece calls the code for a piece.
func (k *nativeKernel) callPiece(c *cut, a *launch.Args, s *Scratch) (fault launch.Fault, ok bool) {
	c.place(k, a, &s.frame)
	k.code.Call(k.offset, s.frame.base)
	if !s.frame.faulted(k) {
		return launch.Fault{}, true
	}
	fault = s.frame.fault(k, a)
	fault.Position += c.column
	return fault, false
}

// callAlong calls the code for the rows at one index of the earlier axes, one after the other.
func (k *nativeKernel) callAlong(c *cut, a *launch.Args, s *Scratch) (launch.Fault, bool) {
	for c.row = c.first; c.row < c.end; c.row += c.rows {
		for c.column = 0; c.column < max(a.N, 1); c.column += c.columns {
			if f, ok := k.callPiece(c, a, s); !ok {
				return f, false
			}
		}
	}
	return launch.Fault{}, true
}

// acrossBytes is how much of the memory that several rows read is processed at a time: it stays in the second-level
// cache, and the whole would not.
const acrossBytes = 128 << 10

// goAcross decides whether a piece is processed for all rows before the next piece. It is if most of what rows read is
// the same for all of them, and does not fit into a cache.
func (c *cut) goAcross(k *nativeKernel, a *launch.Args) {
	if !k.elementwise || c.axis < 0 || c.end-c.first < 2 || c.rows > 1 {
		return
	}
	bytes, own := 0, 0 // of an element of a row: of what is the same for all, and of its own
	for i, o := range k.prog.Operands {
		switch {
		case o.Domain != rowprog.Vec:
		case a.Stride[i][c.axis] == 0:
			bytes += o.Type.Size()
		default:
			own += o.Type.Size()
		}
	}
	if bytes < own || a.N*bytes < 2*acrossBytes {
		return
	}
	c.across, c.columns = true, max(fewestElements, min(c.columns, acrossBytes/bytes&^(fewestElements-1)))
}

// callAcross is callAlong with a piece of all rows at a time. If there are several faults, that of the first row
// counts.
func (k *nativeKernel) callAcross(c *cut, a *launch.Args, s *Scratch) (fault launch.Fault, ok bool) {
	ok = true
	end := c.end
	for c.column = 0; c.column < a.N; c.column += c.columns {
		for c.row = c.first; c.row < end; c.row += c.rows {
			if f, holds := k.callPiece(c, a, s); !holds {
				fault, ok, end = f, false, c.row
				s.frame.put(k.layout.Fault(), 0)
			}
		}
	}
	return fault, ok
}

// cut chooses the outermost axis of which one index is not too much for a call.
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
	switch rows := c.end - c.first; {
	case k.layout.Columns != 0 && c.axis == len(a.Outer)-1 && c.rows < rows && rows <= fewColumnRows:
		// columns of all rows, see isBetterInColumns
		c.rows, c.columns = rows, max(fewestElements, k.callElements)/rows&^(columnUnit-1)
	default:
		c.goAcross(k, a)
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
