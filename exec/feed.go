package exec

import (
	"fmt"
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

// memory is a value's elements where they lie.
type memory struct {
	dtype graph.DType
	shape []int
	ptr   unsafe.Pointer
	count int
	keep  any // keeps a copy alive
}

// fromArray gives the memory of a plain slice, without copying.
func fromArray(a Array) (m memory, err error) {
	m.shape = a.Shape
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
		return m, fmt.Errorf("its data is %T, not a slice of a dtype", a.Data)
	}
	n := 1
	for _, s := range a.Shape {
		if s < 0 {
			return m, fmt.Errorf("its shape %v has a negative size", a.Shape)
		}
		n *= s
	}
	if n != m.count {
		return m, fmt.Errorf("its shape %v holds %d elements, and %d are given", a.Shape, n, m.count)
	}
	return m, nil
}

// fromDense gives the memory of a tensor: its own where the elements are dense in
// row-major order, else a copy, since tensor's views are not safe to compute on.
func fromDense(d *tensor.Dense) (m memory, err error) {
	if d == nil {
		return m, fmt.Errorf("the tensor is nil")
	}
	if d.RequiresIterator() || d.DataOrder().IsColMajor() || !d.DataOrder().IsContiguous() {
		c, ok := d.Materialize().(*tensor.Dense)
		if !ok {
			return m, fmt.Errorf("the tensor is a view that cannot be copied")
		}
		if c.DataOrder().IsColMajor() {
			return m, fmt.Errorf("the tensor is in column-major order; give it in row-major order")
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
		return m, fmt.Errorf("its dtype is %v, which no program computes with", d.Dtype())
	}
	return m, nil
}

// scalarSlot holds a fed number in the dtype of its input.
type scalarSlot struct{ bits uint64 }

// fromNumber writes a Go number into the slot as an element of dtype t.
func (s *scalarSlot) fromNumber(v any, t graph.DType) (memory, error) {
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
		return memory{}, fmt.Errorf("a %T cannot be fed: give a *tensor.Dense, an exec.Array or a number", v)
	}
	if t.IsInt() && (float64(i) != f || t == graph.Int32 && int64(int32(i)) != i) {
		return memory{}, fmt.Errorf("%v is no %s", v, t)
	}
	p := unsafe.Pointer(&s.bits)
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
	return memory{dtype: t, shape: nil, ptr: p, count: 1}, nil
}

// resolve gives the memory of a fed value.
func (s *scalarSlot) resolve(v any, t graph.DType) (memory, error) {
	switch v := v.(type) {
	case *tensor.Dense:
		return fromDense(v)
	case Array:
		return fromArray(v)
	}
	return s.fromNumber(v, t)
}
