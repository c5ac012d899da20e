package exec

import (
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/bind"
)

// RunError is a check that failed while a program ran, such as a class index out of
// range.
type RunError struct {
	Node    *graph.Node // the operation in the user's graph
	Message string
}

// Error names the operation and its place.
func (e *RunError) Error() string {
	what := graph.Describe(e.Node)
	if forward := e.Node.Origin(); forward != nil {
		what = "the gradient of " + graph.Describe(forward)
	}
	return fmt.Sprintf("%s: error: %s: %s", e.Node.Pos(), what, e.Message)
}

// faultError tells of a check that failed in a kernel.
func (s *Session) faultError(k *boundPart, f bind.Fault) error {
	what := &s.prog.faults[f.Code]
	return &RunError{what.node.Source(), what.claim.Message + s.culprit(k, what, f.Position)}
}

// culprit tells which element of the operand that a check is about is at fault, and its value
// where that is in memory: ": target[3] is 12, not in 0..9".
func (s *Session) culprit(k *boundPart, what *fault, position int) string {
	if what.on.base == nil || k.args.Elements() == 0 { // a row without elements has no position
		return ""
	}
	if _, isNumber := what.on.base.ScalarValue(); isNumber {
		return ""
	}
	at := k.elementOf(&what.on, position)
	text := ": " + what.on.base.Called() + elementAt(k.b.shape(what.on.base.Shape()), at)
	if value := s.leftAt(k, what.on.base, at); value != nil {
		text += fmt.Sprintf(" is %v", value)
	}
	if below := what.claim.Below; below != nil {
		text += fmt.Sprintf(", not in 0..%d", k.b.eval(*below)-1)
	}
	return text
}

// elementOf gives the element of an operand, counted in the memory of its base, that the kernel
// takes at a position of its program's iteration.
func (k *boundPart) elementOf(o *operand, position int) int {
	at, strides := k.b.eval(o.layout.Offset), k.b.strides(*o)
	for group := len(k.part.axes) - 1; group >= 0; group-- {
		axes := k.part.axes[group]
		for i := len(axes) - 1; i >= 0; i-- {
			size := k.b.eval(k.part.domain[axes[i]])
			at += position % size * strides[axes[i]]
			position /= size
		}
	}
	return at
}

// leftAt gives an element of what a kernel reads, or nil where it is not in memory: where the
// kernel computes it, or writes a result over it.
func (s *Session) leftAt(k *boundPart, base *graph.Node, at int) any {
	read := false
	from := s.prog.storageOf[base]
	for _, o := range k.part.operands {
		switch {
		case o.base == nil:
		case !o.write:
			read = read || o.base == base
		case s.overlap(k.b, from, s.prog.storageOf[o.base]):
			return nil
		}
	}
	if !read {
		return nil
	}
	p := unsafe.Add(s.pointer(k.b, place{storage: from, slot: -1}), at*from.dtype.Size())
	return firstElement(sliceAt(from.dtype, p, 1))
}

// overlap reports whether two storages share memory.
func (s *Session) overlap(b *binding, x, y *storage) bool {
	if x == y || x == nil || y == nil {
		return true
	}
	p, q := s.pointer(b, place{storage: x, slot: -1}), s.pointer(b, place{storage: y, slot: -1})
	return uintptr(p) < uintptr(q)+uintptr(b.eval(y.count)*y.dtype.Size()) && uintptr(q) < uintptr(p)+uintptr(b.eval(x.count)*x.dtype.Size())
}
