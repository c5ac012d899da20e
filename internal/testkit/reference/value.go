package reference

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// Value is a tensor's elements in row-major order.
type Value struct {
	DType graph.DType
	Shape []int
	Data  any // a slice of the dtype's elements, such as []float32
}

// Of makes a value from its elements in row-major order.
func Of[T graph.Element](data []T, shape ...int) Value {
	return Value{graph.DTypeOf[T](), append([]int{}, shape...), data}
}

// FromFloats makes a value of dtype t from numbers, converted as a run would convert
// them.
func FromFloats(t graph.DType, data []float64, shape ...int) Value {
	cells := make([]cell, len(data))
	for i, v := range data {
		cells[i] = convert(floatCell(v), graph.Float64, t)
	}
	return Value{t, append([]int{}, shape...), cellsToSlice(t, cells)}
}

// Floats returns the elements as float64; truth values are 0 and 1.
func (v Value) Floats() []float64 {
	cells, err := v.cells()
	if err != nil {
		return nil
	}
	list := make([]float64, len(cells))
	for i, c := range cells {
		list[i] = convert(c, v.DType, graph.Float64).float()
	}
	return list
}

// String returns dtype, shape and elements.
func (v Value) String() string { return fmt.Sprintf("%s%v %v", v.DType.Short(), v.Shape, v.Data) }

// cell is one element: a float64, which holds a float32 exactly, or an integer or truth
// value as an int64.
type cell uint64

func floatCell(v float64) cell { return cell(math.Float64bits(v)) }
func intCell(v int64) cell     { return cell(v) }

func boolCell(v bool) cell {
	if v {
		return 1
	}
	return 0
}

func (c cell) float() float64 { return math.Float64frombits(uint64(c)) }
func (c cell) int() int64     { return int64(c) }
func (c cell) bool() bool     { return c != 0 }

// cells returns the elements, after checking that type and number are as they say.
func (v Value) cells() ([]cell, error) {
	t, given := graph.DTypeOfSlice(v.Data)
	count := 1
	for _, n := range v.Shape {
		count *= n
	}
	if !t.Valid() || t != v.DType || count != given {
		return nil, fmt.Errorf("a %T of %d elements is no %s of shape %v", v.Data, given, v.DType, v.Shape)
	}
	return sliceToCells(v.Data), nil
}

func sliceToCells(data any) []cell {
	t, count := graph.DTypeOfSlice(data)
	list := make([]cell, count)
	for i := range list {
		value, whole := graph.NumberAt(data, i)
		if list[i] = intCell(whole); t.IsFloat() {
			list[i] = floatCell(value)
		}
	}
	return list
}

func cellsToSlice(t graph.DType, cells []cell) any {
	data := t.MakeSlice(len(cells))
	for i, c := range cells {
		if t.IsFloat() {
			graph.SetNumberAt(data, i, c.float(), 0)
		} else {
			graph.SetNumberAt(data, i, float64(c.int()), c.int())
		}
	}
	return data
}

// FromBytes makes a value of the dtype of a name from the bytes of its elements, in little-endian order.
func FromBytes(dtype string, raw []byte, shape ...int) (Value, error) {
	t, err := graph.ParseDType(dtype)
	if err != nil {
		return Value{}, err
	}
	v := Value{t, append([]int{}, shape...), nil}
	count := 1
	for _, n := range shape {
		count *= n
	}
	if len(raw) < count*t.Size() {
		return v, fmt.Errorf("%d bytes hold no %d elements of %s", len(raw), count, t)
	}
	v.Data = cellsToSlice(t, make([]cell, count))
	_, err = binary.Decode(raw[:count*t.Size()], binary.LittleEndian, v.Data)
	return v, err
}
