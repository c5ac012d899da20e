package graph

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"unsafe"
)

// Array is dense elements in row-major order: an operand or a result of a Go function.
type Array struct {
	DType DType
	Shape []int
	Ptr   unsafe.Pointer // of the first element; invalid if there is none
}

// NewArray returns an array that shares the elements. It panics if the shape has another number of elements.
func NewArray[T Element](elements []T, shape ...int) Array {
	t, _ := DTypeOfSlice(elements)
	a := Array{DType: t, Shape: slices.Clone(shape), Ptr: unsafe.Pointer(unsafe.SliceData(elements))}
	if n := a.NumElements(); n != len(elements) {
		panic(fmt.Sprintf("graph: an array of shape %v must have %d elements, not %d", shape, n, len(elements)))
	}
	return a
}

// NumElements returns the number of elements.
func (a Array) NumElements() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Elements returns the elements of an array. It panics if they are not of type T.
func Elements[T Element](a Array) []T {
	if of, want := a.DType.SliceType(), reflect.TypeFor[[]T](); of != want {
		if a.DType == InvalidDType {
			panic("graph: there is no such array: the functions of CallbackResults and PureCallback fill Outs, others fill Out")
		}
		help := ""
		if of != nil {
			help = fmt.Sprintf(": call graph.Elements[%s]", of.Elem())
		}
		panic(fmt.Sprintf("graph: elements of %s are not %s%s", a.DType, want.Elem(), help))
	}
	n := a.NumElements()
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(a.Ptr), n)
}

// Slice returns the elements as a slice of their type, such as []float32.
func (a Array) Slice() any {
	return reflect.SliceAt(a.DType.SliceType().Elem(), a.Ptr, a.NumElements()).Interface()
}

// Bytes returns the memory of the elements.
func (a Array) Bytes() []byte {
	if n := a.NumElements(); n > 0 {
		return unsafe.Slice((*byte)(a.Ptr), n*a.DType.Size())
	}
	return nil
}

// Arrays are the operands and results of a Go function for one example.
type Arrays struct {
	Attrs any     // the node's fixed arguments
	In    []Array // the operands
	Out   Array   // to be filled
	Outs  []Array // of a function with several results, instead of Out
	// Of an ordered operation: the context of the run, and where the session prints.
	Context       context.Context
	Print         io.Writer
	floats, words scratch
	ints          scratch
	stopped       func() bool
	polled        int // elements since Poll has asked
}

// IndexError is the error of a Go function for an element of an operand that is not an index of an axis. A run reports
// it like that of an operation that gathers: with the user's name of the operand, the element and its value.
type IndexError struct {
	Operand int   // counted from 0
	Shape   []int // of the operand
	At      int   // the element, in row-major order
	Value   int64 // of the element, which is not one of 0..Size-1
	Size    int
}

// Error names the element by its number.
func (e IndexError) Error() string {
	return fmt.Sprintf("index out of range in self: element %d of operand %d is %d, and there are %d elements", e.At,
		e.Operand, e.Value, e.Size)
}

// Poll ends the call of the function if the run is to stop: it does not return then. A function that may take long
// calls it time and again, with the number of elements that it has computed since the last time. That costs next to
// nothing: whether the context has ended is asked once in many elements. Goroutines that the function starts must not
// call it; they may ask [Arrays.Stopped].
func (a *Arrays) Poll(elements int) {
	if a.polled += elements; a.polled >= polledElements {
		a.ask()
	}
}

// ask is what [Arrays.Poll] does once in many elements; that is inlined.
func (a *Arrays) ask() {
	a.polled = 0
	if a.Stopped() {
		panic(StoppedCall{})
	}
}

// Stopped reports whether the run is to stop, because its context has ended. The function may return then, and its
// result is not used. A function that writes what outlasts the run, such as a parameter, is not to stop.
func (a *Arrays) Stopped() bool { return a.stopped != nil && a.stopped() }

// StopWhen sets what [Arrays.Stopped] reports; nil for a run that does not stop. Several goroutines may call it.
func (a *Arrays) StopWhen(stopped func() bool) { a.stopped = stopped }

// polledElements take far less than a millisecond, if each is some arithmetic.
const polledElements = 1 << 16

// StoppedCall is the panic with which [Arrays.Poll] ends a call. The run recovers it.
type StoppedCall struct{}

// Floats returns room for n numbers, of any values. It lasts until the function returns, and is used again.
func (a *Arrays) Floats(n int) []float64 {
	a.pollRoom(&a.floats, n)
	return take[float64](&a.floats, n)
}

// Words returns room for n words, of any values. It lasts until the function returns, and is used again.
func (a *Arrays) Words(n int) []uint64 {
	a.pollRoom(&a.words, n)
	return take[uint64](&a.words, n)
}

// Ints returns room for n integers, of any values. It lasts until the function returns, and is used again.
func (a *Arrays) Ints(n int) []int { return take[int](&a.ints, n) }

// pollRoom polls before memory is allocated: its pages take time where they are used first.
func (a *Arrays) pollRoom(s *scratch, n int) {
	if s.used+n > len(s.words) {
		a.Poll(n)
	}
}

// Begin frees the memory of the previous example for the next one.
func (a *Arrays) Begin() {
	a.floats.begin()
	a.words.begin()
	a.ints.begin()
}

// scratch is memory that is handed out in parts. After a use that needed more than there was, there
// is as much.
type scratch struct {
	words []uint64
	used  int
}

func (s *scratch) begin() {
	if s.used > len(s.words) {
		s.words = make([]uint64, max(s.used+afterPage, paged))[afterPage:]
	}
	s.used = 0
}

// Scratch begins some way behind the beginning of a page, where operands and results begin most often: to a processor,
// what is read from one of two places whose addresses differ by pages seems to be what was just written to the other,
// and waits for that. Depthwise convolutions take up to a quarter less time so (Zen 4; least from 2 kB on). So many
// words and more are at the beginning of a page.
const (
	afterPage = 3072 / 8
	paged     = 40 << 10 / 8
)

func take[T float64 | uint64 | int](s *scratch, n int) []T {
	if n == 0 {
		return nil
	}
	from := s.used
	if s.used += n; s.used > len(s.words) {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&s.words[from])), n)
}

// PackedBy returns the node that packed n as one of several results, or nil.
func (n *Node) PackedBy() *Node {
	if n == nil || n.op == nil || !n.op.Unpacks || len(n.in) == 0 {
		return nil
	}
	return n.in[0]
}
