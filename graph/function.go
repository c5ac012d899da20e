package graph

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// Array is dense elements in row-major order, an operand or the result of a Go function.
type Array struct {
	DType DType
	Shape []int
	Ptr   unsafe.Pointer // of the first element; of no use where there is none
}

// NumElements returns the number of elements.
func (a Array) NumElements() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Elements returns the elements of an array, which are of type T.
func Elements[T Element](a Array) []T {
	if size := int(unsafe.Sizeof(*new(T))); a.DType.Size() != size {
		panic(fmt.Sprintf("graph: elements of %s are not %d bytes each", a.DType, size))
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

// Arrays are what a Go function computes with in one example.
type Arrays struct {
	Attrs any     // the node's fixed arguments
	In    []Array // the operands
	Out   Array   // to be filled
	// Of an ordered operation: the context of the run, and where the session prints.
	Context       context.Context
	Print         io.Writer
	floats, words scratch
	ints          scratch
}

// Floats returns room for n numbers, of any values. It lasts until the function returns, and is used again.
func (a *Arrays) Floats(n int) []float64 { return take[float64](&a.floats, n) }

// Words returns room for n words, of any values. It lasts until the function returns, and is used again.
func (a *Arrays) Words(n int) []uint64 { return take[uint64](&a.words, n) }

// Ints returns room for n integers, of any values. It lasts until the function returns, and is used again.
func (a *Arrays) Ints(n int) []int { return take[int](&a.ints, n) }

// Begin makes the memory of an example before free for the next one.
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
		s.words = make([]uint64, s.used)
	}
	s.used = 0
}

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
