package difftest

import (
	"reflect"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// Elements returns numbers as elements of a dtype.
func Elements(t graph.DType, numbers []float64) any {
	switch t {
	case graph.Bool:
		return as(numbers, func(v float64) bool { return v != 0 })
	case graph.Float16:
		return as(numbers, func(v float64) half.Float16 { return half.NewFloat16(float32(v)) })
	case graph.BFloat16:
		return as(numbers, func(v float64) half.BFloat16 { return half.NewBFloat16(float32(v)) })
	case graph.Float8E4M3FN:
		return as(numbers, func(v float64) half.Float8E4M3FN { return half.NewFloat8E4M3FN(float32(v)) })
	case graph.Float8E5M2:
		return as(numbers, func(v float64) half.Float8E5M2 { return half.NewFloat8E5M2(float32(v)) })
	case graph.Uint8:
		return as(numbers, func(v float64) uint8 { return uint8(v) })
	case graph.Int8:
		return as(numbers, func(v float64) int8 { return int8(v) })
	case graph.Int16:
		return as(numbers, func(v float64) int16 { return int16(v) })
	case graph.Uint16:
		return as(numbers, func(v float64) uint16 { return uint16(v) })
	case graph.Int32:
		return as(numbers, func(v float64) int32 { return int32(v) })
	case graph.Uint32:
		return as(numbers, func(v float64) uint32 { return uint32(v) })
	case graph.Int64:
		return as(numbers, func(v float64) int64 { return int64(v) })
	case graph.Uint64:
		return as(numbers, func(v float64) uint64 { return uint64(v) })
	case graph.Float32:
		return as(numbers, func(v float64) float32 { return float32(v) })
	}
	return numbers
}

func as[T graph.Element](numbers []float64, f func(float64) T) []T {
	list := make([]T, len(numbers))
	for i, v := range numbers {
		list[i] = f(v)
	}
	return list
}

// cellsOfAny returns the elements of an array of any dtype, and this.
func cellsOfAny(a exec.Array) (cells []eager.Cell, t eager.DType) {
	v := reflect.ValueOf(a.Widened().Data)
	cells = make([]eager.Cell, v.Len())
	for i := range cells {
		switch x := v.Index(i); {
		case x.CanInt():
			cells[i].I = x.Int()
		case x.CanUint():
			cells[i].I = int64(x.Uint())
		case x.CanFloat():
			cells[i].V = x.Float()
		}
	}
	switch a.Data.(type) {
	case []half.Float16:
		return cells, eager.Float16
	case []half.BFloat16:
		return cells, eager.BFloat16
	}
	return cells, eager.DType(v.Type().Elem().Kind().String())
}
