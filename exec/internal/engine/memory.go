package engine

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/graph"
)

// Memory is a value's elements where they lie. It is filled in where it stands: this is
// part of every run.
type Memory struct {
	Dtype  graph.DType
	Shape  []int
	Ptr    unsafe.Pointer
	Count  int
	Keep   any           // keeps a copy alive
	number uint64        // a fed number, in the dtype of its input; ptr then points here
	shape  []int         // see OwnShape
	room   reflect.Value // see Room
}

// Meets reports whether two values have a byte of memory in common.
func (m *Memory) Meets(other *Memory) bool {
	a, b := uintptr(m.Ptr), uintptr(other.Ptr)
	return a < b+uintptr(other.Count*other.Dtype.Size()) && b < a+uintptr(m.Count*m.Dtype.Size())
}

// OwnShape returns room for a shape of some axes that lasts as long as the memory.
func (m *Memory) OwnShape(axes int) []int {
	if len(m.shape) != axes {
		m.shape = make([]int, axes)
	}
	return m.shape
}

// Room returns a slice of a type and length that lasts as long as the memory, with any elements. Runs in
// turn have the same one.
func (m *Memory) Room(list reflect.Type, count int) reflect.Value {
	if !m.room.IsValid() || m.room.Type() != list || m.room.Len() < count {
		m.room = reflect.MakeSlice(list, count, count)
	}
	return m.room.Slice(0, count)
}

// SetSlice takes the memory of a plain slice, without copying.
func (m *Memory) SetSlice(shape []int, data any) error {
	m.Shape, m.Keep = shape, nil
	switch d := data.(type) {
	case []float32:
		hold(m, graph.Float32, d)
	case []float64:
		hold(m, graph.Float64, d)
	case []int32:
		hold(m, graph.Int32, d)
	case []int64:
		hold(m, graph.Int64, d)
	case []int:
		m.holdInts(d)
	case []bool:
		hold(m, graph.Bool, d)
	default:
		return fmt.Errorf("its data is %T, not a slice of a dtype", data)
	}
	n := 1
	for _, s := range shape {
		if s < 0 {
			return fmt.Errorf("its shape %v has a negative size", shape)
		}
		n *= s
	}
	if n != m.Count {
		return fmt.Errorf("its shape %v holds %d elements, and %d are given", shape, n, m.Count)
	}
	return nil
}

// SetDense takes the memory of a tensor: its own where the elements are dense in
// row-major order, else a copy, since tensor's views are not safe to compute on.
func (m *Memory) SetDense(d *tensor.Dense) error {
	m.Keep = nil
	if d == nil {
		return fmt.Errorf("the tensor is nil")
	}
	if d.IsMasked() {
		return fmt.Errorf("the tensor is masked, and no program leaves elements out: fill them in, or feed the mask to an input of its own")
	}
	if d.RequiresIterator() || d.DataOrder().IsColMajor() || !d.DataOrder().IsContiguous() {
		c, ok := d.Materialize().(*tensor.Dense)
		if !ok {
			return fmt.Errorf("the tensor is a view that cannot be copied")
		}
		if c.DataOrder().IsColMajor() {
			return fmt.Errorf("the tensor is in column-major order; give it in row-major order")
		}
		d, m.Keep = c, c
	}
	m.Shape = d.Shape()
	switch d.Dtype() {
	case tensor.Float32:
		hold(m, graph.Float32, d.Float32s())
	case tensor.Float64:
		hold(m, graph.Float64, d.Float64s())
	case tensor.Int32:
		hold(m, graph.Int32, d.Int32s())
	case tensor.Int64:
		hold(m, graph.Int64, d.Int64s())
	case tensor.Int:
		m.holdInts(d.Ints())
	case tensor.Bool:
		hold(m, graph.Bool, d.Bools())
	default:
		return fmt.Errorf("its dtype is %v, which no program computes with", d.Dtype())
	}
	return nil
}

// hold points at elements of a dtype.
func hold[T any](m *Memory, t graph.DType, elements []T) {
	m.Dtype, m.Count, m.Ptr = t, len(elements), unsafe.Pointer(unsafe.SliceData(elements))
}

// holdInts points at integers, or at a copy where an int has 32 bits.
func (m *Memory) holdInts(elements []int) {
	if strconv.IntSize == 64 {
		hold(m, graph.Int64, elements)
		return
	}
	wide := make([]int64, len(elements))
	for i, v := range elements {
		wide[i] = int64(v)
	}
	hold(m, graph.Int64, wide)
	m.Keep = wide
}

// SetNumber holds a Go number as an element of dtype t.
func (m *Memory) SetNumber(v any, t graph.DType) error {
	var f float64
	var i int64
	switch v := v.(type) {
	case float32:
		f, i = float64(v), int64(v)
	case float64:
		f, i = v, int64(v)
	case int:
		f, i = float64(v), int64(v)
	case int32:
		f, i = float64(v), int64(v)
	case int64:
		f, i = float64(v), v
	case bool:
		if v {
			f, i = 1, 1
		}
	default:
		return fmt.Errorf("a %T cannot be fed: give a *tensor.Dense, an exec.Array, a slice or a number", v)
	}
	if t.IsInt() && (float64(i) != f || t == graph.Int32 && int64(int32(i)) != i) {
		return fmt.Errorf("%v is no %s", v, t)
	}
	p := unsafe.Pointer(&m.number)
	switch t {
	case graph.Float32:
		*(*float32)(p) = float32(f)
	case graph.Float64:
		*(*float64)(p) = f
	case graph.Int32:
		*(*int32)(p) = int32(i)
	case graph.Int64:
		*(*int64)(p) = i
	case graph.Bool:
		*(*bool)(p) = f != 0
	}
	m.Dtype, m.Shape, m.Ptr, m.Count, m.Keep = t, nil, p, 1, nil
	return nil
}

// constMemory is the memory of a constant's elements.
func constMemory(n *graph.Node) (m Memory) {
	_ = m.SetSlice(wholeShape(n), n.ConstData()) // the graph has checked it
	return m
}

// SliceAt returns n elements from an address on, as a slice of the dtype's Go type.
func SliceAt(t graph.DType, p unsafe.Pointer, n int) any {
	switch t {
	case graph.Bool:
		return sliceAt[bool](p, n)
	case graph.Int32:
		return sliceAt[int32](p, n)
	case graph.Int64:
		return sliceAt[int64](p, n)
	case graph.Float32:
		return sliceAt[float32](p, n)
	}
	return sliceAt[float64](p, n)
}

func sliceAt[T any](p unsafe.Pointer, n int) []T {
	if p == nil || n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(p), n)
}

// CountOf returns the number of elements of a shape.
func CountOf(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// wholeShape returns the shape of a node whose sizes are known: a parameter, or a constant.
func wholeShape(n *graph.Node) []int {
	shape, _ := n.KnownShape()
	return shape
}

// CopyBytes copies the elements of a value to another one of the same dtype and count.
func CopyBytes(to, from *Memory) {
	if from.Count > 0 {
		size := from.Count * from.Dtype.Size()
		copy(unsafe.Slice((*byte)(to.Ptr), size), unsafe.Slice((*byte)(from.Ptr), size))
	}
}
