package weights

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
)

// holds reports whether a dtype has all numbers of another one of its category.
func holds(to, from graph.DType) bool {
	switch {
	case to == from:
		return true
	case to.IsFloat():
		return to == graph.Float64 || to == graph.Float32 && from != graph.Float64 ||
			from.IsStorage() && !to.IsStorage()
	case from.IsUnsigned() == to.IsUnsigned():
		return to.Bits() >= from.Bits()
	}
	return from.IsUnsigned() && to.Bits() > from.Bits()
}

// convertible reports whether numbers of a dtype can become ones of another: both are integers, or both floating-point.
func convertible(to, from graph.DType) bool {
	return to == from || to.Category() == from.Category() && (to.IsFloat() || to.IsInt())
}

// converted returns numbers as ones of a dtype that they are [convertible] to: floating-point numbers rounded to the
// nearest, half to even (float64 to a dtype of 16 bits by way of float32, as casts do), and integers as they are. An
// integer that the dtype does not hold is an error.
func converted(data any, to graph.DType) (any, error) {
	if t, _ := graph.DTypeOfSlice(data); t == to {
		return data, nil
	}
	switch data := data.(type) {
	case []half.Float16:
		return floats(half.ToFloat32(data), to), nil
	case []half.BFloat16:
		return floats(half.ToFloat32(data), to), nil
	case []half.Float8E4M3FN:
		return floats(half.ToFloat32(data), to), nil
	case []half.Float8E5M2:
		return floats(half.ToFloat32(data), to), nil
	case []float32:
		return floats(data, to), nil
	case []float64:
		return floats(data, to), nil
	case []uint8:
		return integers(data, to)
	case []int8:
		return integers(data, to)
	case []uint16:
		return integers(data, to)
	case []int16:
		return integers(data, to)
	case []uint32:
		return integers(data, to)
	case []int32:
		return integers(data, to)
	case []uint64:
		return integers(data, to)
	case []int64:
		return integers(data, to)
	}
	return data, nil
}

func floats[From float32 | float64](data []From, to graph.DType) any {
	switch to {
	case graph.Float8E4M3FN:
		return each(data, func(v From) half.Float8E4M3FN { return half.NewFloat8E4M3FN(float32(v)) })
	case graph.Float8E5M2:
		return each(data, func(v From) half.Float8E5M2 { return half.NewFloat8E5M2(float32(v)) })
	case graph.Float16:
		return each(data, func(v From) half.Float16 { return half.NewFloat16(float32(v)) })
	case graph.BFloat16:
		return each(data, func(v From) half.BFloat16 { return half.NewBFloat16(float32(v)) })
	case graph.Float32:
		return each(data, func(v From) float32 { return float32(v) })
	}
	return each(data, func(v From) float64 { return float64(v) })
}

type integer interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64
}

func integers[From integer](data []From, to graph.DType) (any, error) {
	switch to {
	case graph.Uint8:
		return fitting[From, uint8](data)
	case graph.Int8:
		return fitting[From, int8](data)
	case graph.Uint16:
		return fitting[From, uint16](data)
	case graph.Int16:
		return fitting[From, int16](data)
	case graph.Uint32:
		return fitting[From, uint32](data)
	case graph.Int32:
		return fitting[From, int32](data)
	case graph.Uint64:
		return fitting[From, uint64](data)
	}
	return fitting[From, int64](data)
}

// fitting returns integers as ones of another type, which must hold them.
func fitting[From, To integer](data []From) (any, error) {
	for i, v := range data {
		if t := To(v); From(t) != v || (t < 0) != (v < 0) {
			return nil, fmt.Errorf("element %d is %d, which does not fit into %T", i, v, t)
		}
	}
	return each(data, func(v From) To { return To(v) }), nil
}

func each[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}
