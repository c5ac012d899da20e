package exec

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/graph"
)

// Feed gives the values of inputs for one run: each a *tensor.Dense, an [Array], or,
// for a scalar, a Go number or bool.
type Feed map[*graph.Node]any

// Array is a value as a plain slice in row-major order with its shape. Data is a
// []float32, []float64, []int32, []int64, []int or []bool. It can hold what
// tensor.Dense cannot: values without elements.
type Array struct {
	Shape []int
	Data  any
}

// Clone gives a copy that has memory of its own: what a run has left in the session's
// memory is kept by it beyond the next run.
func (a Array) Clone() Array {
	a.Shape = slices.Clone(a.Shape)
	if d := reflect.ValueOf(a.Data); d.Kind() == reflect.Slice && !d.IsNil() {
		c := reflect.MakeSlice(d.Type(), d.Len(), d.Len())
		reflect.Copy(c, d)
		a.Data = c.Interface()
	}
	return a
}

// memory is a value's elements where they lie. It is filled in where it stands: this is
// part of every run.
type memory struct {
	dtype  graph.DType
	shape  []int
	ptr    unsafe.Pointer
	count  int
	keep   any    // keeps a copy alive
	number uint64 // a fed number, in the dtype of its input; ptr then points here
}

// meets reports whether two values have a byte of memory in common.
func (m *memory) meets(other *memory) bool {
	a, b := uintptr(m.ptr), uintptr(other.ptr)
	return a < b+uintptr(other.count*other.dtype.Size()) && b < a+uintptr(m.count*m.dtype.Size())
}

// set finds the memory of what is fed for an input of dtype t.
func (m *memory) set(v any, t graph.DType) error {
	switch v := v.(type) {
	case Array:
		return m.setArray(&v)
	case *tensor.Dense:
		return m.setDense(v)
	}
	return m.setNumber(v, t)
}

// setArray takes the memory of a plain slice, without copying.
func (m *memory) setArray(a *Array) error {
	m.shape, m.keep = a.Shape, nil
	switch d := a.Data.(type) {
	case []float32:
		m.dtype, m.count, m.ptr = graph.Float32, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []float64:
		m.dtype, m.count, m.ptr = graph.Float64, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []int32:
		m.dtype, m.count, m.ptr = graph.Int32, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []int64:
		m.dtype, m.count, m.ptr = graph.Int64, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []int:
		m.dtype, m.count, m.ptr = graph.Int64, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []bool:
		m.dtype, m.count, m.ptr = graph.Bool, len(d), unsafe.Pointer(unsafe.SliceData(d))
	default:
		return fmt.Errorf("its data is %T, not a slice of a dtype", a.Data)
	}
	n := 1
	for _, s := range a.Shape {
		if s < 0 {
			return fmt.Errorf("its shape %v has a negative size", a.Shape)
		}
		n *= s
	}
	if n != m.count {
		return fmt.Errorf("its shape %v holds %d elements, and %d are given", a.Shape, n, m.count)
	}
	return nil
}

// setDense takes the memory of a tensor: its own where the elements are dense in
// row-major order, else a copy, since tensor's views are not safe to compute on.
func (m *memory) setDense(d *tensor.Dense) error {
	m.keep = nil
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
		d, m.keep = c, c
	}
	m.shape = d.Shape()
	switch d.Dtype() {
	case tensor.Float32:
		s := d.Float32s()
		m.dtype, m.count, m.ptr = graph.Float32, len(s), unsafe.Pointer(unsafe.SliceData(s))
	case tensor.Float64:
		s := d.Float64s()
		m.dtype, m.count, m.ptr = graph.Float64, len(s), unsafe.Pointer(unsafe.SliceData(s))
	case tensor.Int32:
		s := d.Int32s()
		m.dtype, m.count, m.ptr = graph.Int32, len(s), unsafe.Pointer(unsafe.SliceData(s))
	case tensor.Int64:
		s := d.Int64s()
		m.dtype, m.count, m.ptr = graph.Int64, len(s), unsafe.Pointer(unsafe.SliceData(s))
	case tensor.Int:
		s := d.Ints()
		m.dtype, m.count, m.ptr = graph.Int64, len(s), unsafe.Pointer(unsafe.SliceData(s))
	case tensor.Bool:
		s := d.Bools()
		m.dtype, m.count, m.ptr = graph.Bool, len(s), unsafe.Pointer(unsafe.SliceData(s))
	default:
		return fmt.Errorf("its dtype is %v, which no program computes with", d.Dtype())
	}
	return nil
}

// setNumber holds a Go number as an element of dtype t.
func (m *memory) setNumber(v any, t graph.DType) error {
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
		return fmt.Errorf("a %T cannot be fed: give a *tensor.Dense, an exec.Array or a number", v)
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
	m.dtype, m.shape, m.ptr, m.count, m.keep = t, nil, p, 1, nil
	return nil
}

// constMemory is the memory of a constant's elements.
func constMemory(n *graph.Node) (m memory) {
	_ = m.setArray(&Array{Shape: wholeShape(n), Data: n.ConstData()}) // the graph has checked it
	return m
}
