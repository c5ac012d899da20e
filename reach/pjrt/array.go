package pjrt

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// DType is the type of an element: the numbers of PJRT_Buffer_Type.
type DType int32

// The dtypes of whole bytes.
const (
	Bool         DType = 1
	Int8         DType = 2
	Int16        DType = 3
	Int32        DType = 4
	Int64        DType = 5
	Uint8        DType = 6
	Uint16       DType = 7
	Uint32       DType = 8
	Uint64       DType = 9
	Float16      DType = 10
	Float32      DType = 11
	Float64      DType = 12
	BFloat16     DType = 13
	Complex64    DType = 14
	Complex128   DType = 15
	Float8E5M2   DType = 16
	Float8E4M3FN DType = 17
)

// dtypes has the name of each dtype, its name in MLIR and its bytes.
var dtypes = map[DType]struct {
	name, mlir string
	bytes      int
}{
	Bool: {"bool", "i1", 1}, Int8: {"int8", "i8", 1}, Int16: {"int16", "i16", 2}, Int32: {"int32", "i32", 4},
	Int64: {"int64", "i64", 8},
	Uint8: {"uint8", "ui8", 1}, Uint16: {"uint16", "ui16", 2}, Uint32: {"uint32", "ui32", 4},
	Uint64:  {"uint64", "ui64", 8},
	Float16: {"float16", "f16", 2}, Float32: {"float32", "f32", 4}, Float64: {"float64", "f64", 8},
	BFloat16:  {"bfloat16", "bf16", 2},
	Complex64: {"complex64", "complex<f32>", 8}, Complex128: {"complex128", "complex<f64>", 16},
	Float8E5M2: {"float8_e5m2", "f8E5M2", 1}, Float8E4M3FN: {"float8_e4m3fn", "f8E4M3FN", 1},
}

// String returns the name, such as "float32".
func (d DType) String() string {
	if known, ok := dtypes[d]; ok {
		return known.name
	}
	return fmt.Sprintf("dtype %d of PJRT", int32(d))
}

// Type is the dtype and the shape of an array.
type Type struct {
	DType DType
	Shape []int
}

// String returns the type as "float32[2 3]".
func (t Type) String() string { return fmt.Sprintf("%v%v", t.DType, t.Shape) }

// bytes returns the memory that an array takes.
func (t Type) bytes() (int, error) {
	known, ok := dtypes[t.DType]
	if !ok {
		return 0, fmt.Errorf("%v has no elements of whole bytes that are known here", t.DType)
	}
	size, overflow := uint64(known.bytes), false
	for _, d := range t.Shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v has a negative size", t.Shape)
		}
		high, low := bits.Mul64(size, uint64(d))
		overflow = overflow || high != 0 || low >= 1<<62
		size = low
	}
	if overflow && !slices.Contains(t.Shape, 0) {
		return 0, fmt.Errorf("%v is larger than memory can be", t)
	}
	return int(size), nil
}

// Array is an argument or a result: its elements in the machine's byte order, the last axis the fastest.
// A bool is a byte of 0 or 1. A scalar has no axes.
type Array struct {
	DType DType
	Shape []int
	Data  []byte
}

// check reports whether the array can be an argument of a type.
func (a Array) check(want Type) error {
	got := Type{a.DType, a.Shape}
	size, err := got.bytes()
	switch {
	case err != nil:
		return err
	case a.DType != want.DType || !slices.Equal(a.Shape, want.Shape):
		return fmt.Errorf("%v; the program takes %v", got, want)
	case len(a.Data) != size:
		return fmt.Errorf("%v has %d bytes, not the %d of its data", got, size, len(a.Data))
	case a.DType == Bool && slices.ContainsFunc(a.Data, func(b byte) bool { return b > 1 }):
		return fmt.Errorf("%v has a byte that is neither 0 nor 1", got)
	}
	return nil
}

// Element is a type of Go that has a dtype.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// dtypeOf returns the dtype of a type of Go.
func dtypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	}
	return Complex128
}

// asBytes returns the memory of a slice.
func asBytes[T Element](data []T) []byte {
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(data[0])))
}

// Of returns an array of a slice's memory, which is not copied. For dtypes that Go lacks, set DType afterwards:
// the array of a []uint16 becomes one of bfloat16.
func Of[T Element](data []T, shape ...int) Array {
	return Array{DType: dtypeOf[T](), Shape: shape, Data: asBytes(data)}
}

// Values returns a copy of the array's elements. T is of the array's dtype; floats of 16 and 8 bits are uint16 and
// uint8.
func Values[T Element](a Array) ([]T, error) {
	want, known := dtypeOf[T](), dtypes[a.DType]
	raw := want == Uint16 && (a.DType == Float16 || a.DType == BFloat16) ||
		want == Uint8 && (a.DType == Float8E5M2 || a.DType == Float8E4M3FN)
	if a.DType != want && !raw {
		return nil, fmt.Errorf("pjrt.Values: the array is of %v, and the values asked for are of %v", a.DType, want)
	}
	if err := a.check(Type{a.DType, a.Shape}); err != nil {
		return nil, fmt.Errorf("pjrt.Values: %w", err)
	}
	values := make([]T, len(a.Data)/known.bytes)
	if want == Bool {
		for i, b := range a.Data {
			any(values).([]bool)[i] = b != 0 // a bool of Go must be 0 or 1
		}
		return values, nil
	}
	copy(asBytes(values), a.Data)
	return values, nil
}
