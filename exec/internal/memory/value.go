package memory

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"gorgonia.org/tensor"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
)

// Value describes the memory of a value's elements. It is filled in place, because this happens in every run.
type Value struct {
	Dtype  graph.DType
	Shape  []int
	Ptr    unsafe.Pointer
	Count  int
	Keep   any           // keeps a copy alive
	number uint64        // a fed number, in the dtype of its input; the pointer then refers to it
	slice  any           // a slice over number
	shape  []int         // see OwnShape
	room   reflect.Value // see Room
}

// Meets reports whether the memory of two values overlaps.
func (m *Value) Meets(other *Value) bool {
	a, b := uintptr(m.Ptr), uintptr(other.Ptr)
	return a < b+uintptr(other.Count*other.Dtype.Size()) && b < a+uintptr(m.Count*m.Dtype.Size())
}

// OwnShape returns a slice for a shape of some number of axes. It lives as long as the Value, and is reused.
func (m *Value) OwnShape(axes int) []int {
	if len(m.shape) != axes {
		m.shape = make([]int, axes)
	}
	return m.shape
}

// Room returns a slice of a type and length, with arbitrary contents. It lives as long as the Value, and is reused by
// later runs.
func (m *Value) Room(list reflect.Type, count int) reflect.Value {
	if !m.room.IsValid() || m.room.Type() != list || m.room.Len() < count {
		m.room = reflect.MakeSlice(list, count, count)
	}
	return m.room.Slice(0, count)
}

// SetSlice refers to the memory of a plain slice, without copying.
func (m *Value) SetSlice(shape []int, data any) error {
	m.Shape, m.Keep = shape, nil
	if ints, is := data.([]int); is {
		m.holdInts(ints)
	} else if m.Dtype, m.Count = graph.DTypeOfSlice(data); m.Dtype.Valid() {
		m.Ptr = reflect.ValueOf(data).UnsafePointer()
	} else {
		return fmt.Errorf("its data is %T, not a slice of a dtype", data)
	}
	for _, s := range shape {
		if s < 0 {
			return fmt.Errorf("its shape %v has a negative size", shape)
		}
	}
	if !holds(shape, m.Count) {
		return fmt.Errorf("its shape %v has %v elements, but got %d", shape, countOf(shape), m.Count)
	}
	return nil
}

// holds reports whether a shape, whose sizes are not negative, has count elements. It does not allocate.
func holds(shape []int, count int) bool {
	if slices.Contains(shape, 0) {
		return count == 0
	}
	n := uint64(1)
	for _, s := range shape {
		high, low := bits.Mul64(n, uint64(s))
		if n = low; high > 0 {
			return false
		}
	}
	return n == uint64(count)
}

// countOf counts the elements of a shape, without overflow.
func countOf(shape []int) *big.Int {
	n := big.NewInt(1)
	for _, s := range shape {
		n.Mul(n, big.NewInt(int64(s)))
	}
	return n
}

// SetDense refers to the memory of a tensor whose elements are dense in row-major order. It copies other tensors,
// because tensor's views are not safe to compute on.
func (m *Value) SetDense(d *tensor.Dense) error {
	m.Keep = nil
	if d == nil {
		return fmt.Errorf("the tensor is nil")
	}
	if d.IsMasked() {
		return fmt.Errorf(
			"the tensor is masked, but programs compute all elements: fill them in, or feed the mask to a separate input")
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
	if d.Dtype() == tensor.Int {
		m.holdInts(d.Ints())
		return nil
	}
	t := graph.DTypeOfGo(d.Dtype().Type)
	if denseElements[t] == nil {
		return fmt.Errorf("its dtype is %v, which programs do not support", d.Dtype())
	}
	m.Dtype = t
	m.Ptr, m.Count = denseElements[t](d)
	return nil
}

// denseElements returns the elements of tensors, by dtype.
var denseElements = [graph.Float64 + 1]func(*tensor.Dense) (unsafe.Pointer, int){
	graph.Bool:  elementsOf((*tensor.Dense).Bools),
	graph.Uint8: elementsOf((*tensor.Dense).Uint8s), graph.Int8: elementsOf((*tensor.Dense).Int8s),
	graph.Uint16: elementsOf((*tensor.Dense).Uint16s), graph.Int16: elementsOf((*tensor.Dense).Int16s),
	graph.Uint32: elementsOf((*tensor.Dense).Uint32s), graph.Int32: elementsOf((*tensor.Dense).Int32s),
	graph.Uint64: elementsOf((*tensor.Dense).Uint64s), graph.Int64: elementsOf((*tensor.Dense).Int64s),
	graph.Float32: elementsOf((*tensor.Dense).Float32s), graph.Float64: elementsOf((*tensor.Dense).Float64s),
}

func elementsOf[T any](slice func(*tensor.Dense) []T) func(*tensor.Dense) (unsafe.Pointer, int) {
	return func(d *tensor.Dense) (unsafe.Pointer, int) {
		s := slice(d)
		return unsafe.Pointer(unsafe.SliceData(s)), len(s)
	}
}

// holdInts refers to integers, or to a copy if an int has 32 bits.
func (m *Value) holdInts(elements []int) {
	m.Dtype, m.Count, m.Ptr = graph.Int64, len(elements), unsafe.Pointer(unsafe.SliceData(elements))
	if strconv.IntSize == 64 {
		return
	}
	wide := make([]int64, len(elements))
	for i, v := range elements {
		wide[i] = int64(v)
	}
	m.Ptr, m.Keep = unsafe.Pointer(unsafe.SliceData(wide)), wide
}

// SetNumber stores a Go number as an element of dtype t.
func (m *Value) SetNumber(v any, t graph.DType) error {
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
	case half.Float16:
		f = float64(v.Float32())
		i = int64(f)
	case half.BFloat16:
		f = float64(v.Float32())
		i = int64(f)
	case half.Float8E4M3FN:
		f = float64(v.Float32())
		i = int64(f)
	case half.Float8E5M2:
		f = float64(v.Float32())
		i = int64(f)
	case uint64:
		f, i = float64(v), int64(v)
		if i < 0 && t != graph.Uint64 {
			return fmt.Errorf("%v is not a valid %s", v, t)
		}
	default:
		r := reflect.ValueOf(v)
		switch {
		case r.IsValid() && r.CanInt():
			f, i = float64(r.Int()), r.Int()
		case r.IsValid() && r.CanUint():
			f, i = float64(r.Uint()), int64(r.Uint())
		default:
			return fmt.Errorf("a %T cannot be fed: use a *tensor.Dense, an exec.Array, a slice or a number", v)
		}
	}
	if t.IsInt() && !holdsInteger(t, f, i) {
		return fmt.Errorf("%v is not a valid %s", v, t)
	}
	p := unsafe.Pointer(&m.number)
	if of, _ := graph.DTypeOfSlice(m.slice); of != t {
		m.slice = SliceAt(t, p, 1)
	}
	graph.SetNumberAt(m.slice, 0, f, i)
	m.Dtype, m.Shape, m.Ptr, m.Count, m.Keep = t, nil, p, 1, nil
	return nil
}

// holdsInteger reports whether an integer dtype has the number f. i is f converted to an integer.
func holdsInteger(t graph.DType, f float64, i int64) bool {
	if f != math.Trunc(f) {
		return false
	}
	least, most := -math.Ldexp(1, t.Bits()-1), math.Ldexp(1, t.Bits()-1)
	if t.IsUnsigned() {
		least, most = 0, 2*most
	}
	return f >= least && (f < most || f == most && i > 0) // f may be an int64 near the maximum, rounded up to it
}

// OfConstant returns the elements of a constant.
func OfConstant(n *graph.Node) (m Value) {
	shape, _ := n.KnownShape()
	_ = m.SetSlice(shape, n.ConstData()) // the graph has checked it
	return m
}

// SliceAt returns the n elements at an address, as a slice of the dtype's Go type.
func SliceAt(t graph.DType, p unsafe.Pointer, n int) any {
	return slicesAt[t](p, n)
}

var slicesAt = [...]func(unsafe.Pointer, int) any{
	graph.Bool:  sliceAt[bool],
	graph.Uint8: sliceAt[uint8], graph.Int8: sliceAt[int8], graph.Int16: sliceAt[int16], graph.Uint16: sliceAt[uint16],
	graph.Int32: sliceAt[int32], graph.Uint32: sliceAt[uint32], graph.Int64: sliceAt[int64],
	graph.Uint64:       sliceAt[uint64],
	graph.Float8E4M3FN: sliceAt[half.Float8E4M3FN], graph.Float8E5M2: sliceAt[half.Float8E5M2],
	graph.Float16: sliceAt[half.Float16], graph.BFloat16: sliceAt[half.BFloat16], graph.Float32: sliceAt[float32],
	graph.Float64: sliceAt[float64],
}

func sliceAt[T any](p unsafe.Pointer, n int) any {
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

// Copy copies elements from one value to another of the same dtype and count.
func Copy(to, from *Value) {
	if from.Count > 0 {
		size := from.Count * from.Dtype.Size()
		copy(unsafe.Slice((*byte)(to.Ptr), size), unsafe.Slice((*byte)(from.Ptr), size))
	}
}
