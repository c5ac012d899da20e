package graph

import (
	"reflect"

	"github.com/broadloom/broadloom/half"
)

// Element is the set of Go types that tensors are made of.
type Element interface {
	bool | uint8 | int8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | half.Float8E4M3FN | half.Float8E5M2 |
		half.Float16 | half.BFloat16 | float32 | float64
}

// elementType is what is known of the Go type of a dtype's elements.
type elementType struct {
	slice reflect.Type
	make  func(n int) any
	copy  func(data any) any
	get   func(data any, i int) (float64, int64)
	set   func(data any, i int, value float64, whole int64)
}

var elementTypes = [...]elementType{
	Bool: elementsAre(func(v bool) (float64, int64) {
		if v {
			return 1, 1
		}
		return 0, 0
	}, func(value float64, _ int64) bool { return value != 0 }),
	Uint8:  integers[uint8](),
	Int8:   integers[int8](),
	Int16:  integers[int16](),
	Uint16: integers[uint16](),
	Int32:  integers[int32](),
	Uint32: integers[uint32](),
	Int64:  integers[int64](),
	Uint64: integers[uint64](),
	Float8E4M3FN: elementsAre(func(v half.Float8E4M3FN) (float64, int64) { return float64(v.Float32()), 0 },
		func(value float64, _ int64) half.Float8E4M3FN { return half.NewFloat8E4M3FN(float32(value)) }),
	Float8E5M2: elementsAre(func(v half.Float8E5M2) (float64, int64) { return float64(v.Float32()), 0 },
		func(value float64, _ int64) half.Float8E5M2 { return half.NewFloat8E5M2(float32(value)) }),
	Float16: elementsAre(func(v half.Float16) (float64, int64) { return float64(v.Float32()), 0 },
		func(value float64, _ int64) half.Float16 { return half.NewFloat16(float32(value)) }),
	BFloat16: elementsAre(func(v half.BFloat16) (float64, int64) { return float64(v.Float32()), 0 },
		func(value float64, _ int64) half.BFloat16 { return half.NewBFloat16(float32(value)) }),
	Float32: elementsAre(func(v float32) (float64, int64) { return float64(v), 0 },
		func(value float64, _ int64) float32 { return float32(value) }),
	Float64: elementsAre(func(v float64) (float64, int64) { return v, 0 },
		func(value float64, _ int64) float64 { return value }),
}

func integers[T uint8 | int8 | int16 | uint16 | int32 | uint32 | int64 | uint64]() elementType {
	return elementsAre(func(v T) (float64, int64) { return float64(v), int64(v) },
		func(_ float64, whole int64) T { return T(whole) })
}

func elementsAre[T Element](get func(T) (float64, int64), set func(float64, int64) T) elementType {
	return elementType{
		slice: reflect.TypeFor[[]T](),
		make:  func(n int) any { return make([]T, n) },
		copy:  func(data any) any { return append([]T(nil), data.([]T)...) },
		get:   func(data any, i int) (float64, int64) { return get(data.([]T)[i]) },
		set:   func(data any, i int, value float64, whole int64) { data.([]T)[i] = set(value, whole) },
	}
}

// dtypeOfGo and dtypeOfSlice find the dtype of a type of elements, and of a type of slices of them.
var dtypeOfGo, dtypeOfSlice = func() (elements, slices map[reflect.Type]DType) {
	elements, slices = map[reflect.Type]DType{}, map[reflect.Type]DType{}
	for _, t := range DTypes() {
		elements[elementTypes[t].slice.Elem()], slices[elementTypes[t].slice] = t, t
	}
	return elements, slices
}()

// DTypeOf returns the dtype of a Go type.
func DTypeOf[T Element]() DType { return dtypeOfGo[reflect.TypeFor[T]()] }

// DTypeOfGo returns the dtype of a Go type, or InvalidDType if there is none.
func DTypeOfGo(t reflect.Type) DType { return dtypeOfGo[t] }

// SliceType returns the type of Go's slices of elements, such as []float32; nil for InvalidDType.
func (t DType) SliceType() reflect.Type {
	if !t.Valid() {
		return nil
	}
	return elementTypes[t].slice
}

// DTypeOfSlice returns the dtype of the elements of a slice and their number; InvalidDType for anything but a slice of
// elements.
func DTypeOfSlice(data any) (t DType, count int) {
	if t = dtypeOfSlice[reflect.TypeOf(data)]; t.Valid() {
		count = reflect.ValueOf(data).Len()
	}
	return t, count
}

// MakeSlice returns a slice of n zeros of a dtype.
func (t DType) MakeSlice(n int) any { return elementTypes[t].make(n) }

// NumberAt returns element i of a slice of elements as a number. For an integer or a bool, whole has the exact value;
// an uint64 beyond the greatest int64 has the same bits.
func NumberAt(data any, i int) (value float64, whole int64) {
	t, _ := DTypeOfSlice(data)
	return elementTypes[t].get(data, i)
}

// SetNumberAt writes a number to element i of a slice of elements: value, rounded, for floating-point numbers and
// bools, and the lower bits of whole for integers.
func SetNumberAt(data any, i int, value float64, whole int64) {
	t, _ := DTypeOfSlice(data)
	elementTypes[t].set(data, i, value, whole)
}

// ConstantOf is [Constant] for a slice whose type is known only at run time. A slice of another type is a mistake.
func ConstantOf(g *Graph, data any, shape ...Dim) *Node {
	t, count := DTypeOfSlice(data)
	if t.Valid() {
		data = elementTypes[t].copy(data)
	}
	return g.constant(t, data, count, shape)
}
