package raw

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Decode makes Go's numbers of elements that lie one after the other. F16, BF16 and F32 become
// a []float32 and F64 a []float64, exactly; integers of up to 32 bits become a []int32, wider
// ones and U32 a []int64; BOOL becomes a []bool. It returns an error for dtypes that none of
// these holds, for numbers of U64 that an int64 does not hold, and for booleans that are
// neither 0 nor 1.
func Decode(d DType, order binary.ByteOrder, data []byte) (any, error) {
	switch d {
	case F32:
		return each(data, 4, func(b []byte) float32 { return math.Float32frombits(order.Uint32(b)) }), nil
	case F16:
		return each(data, 2, func(b []byte) float32 { return fromHalf(order.Uint16(b)) }), nil
	case BF16:
		return each(data, 2, func(b []byte) float32 { return math.Float32frombits(uint32(order.Uint16(b)) << 16) }), nil
	case F64:
		return each(data, 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }), nil
	case I8:
		return each(data, 1, func(b []byte) int32 { return int32(int8(b[0])) }), nil
	case U8:
		return each(data, 1, func(b []byte) int32 { return int32(b[0]) }), nil
	case I16:
		return each(data, 2, func(b []byte) int32 { return int32(int16(order.Uint16(b))) }), nil
	case U16:
		return each(data, 2, func(b []byte) int32 { return int32(order.Uint16(b)) }), nil
	case I32:
		return each(data, 4, func(b []byte) int32 { return int32(order.Uint32(b)) }), nil
	case U32:
		return each(data, 4, func(b []byte) int64 { return int64(order.Uint32(b)) }), nil
	case I64:
		return each(data, 8, func(b []byte) int64 { return int64(order.Uint64(b)) }), nil
	case U64:
		return decodeU64(order, data)
	case Bool:
		return decodeBool(data)
	}
	return nil, fmt.Errorf("%s cannot be read: convert it to F32 before", d)
}

func each[T any](data []byte, size int, decode func([]byte) T) []T {
	out := make([]T, len(data)/size)
	for i := range out {
		out[i] = decode(data[i*size : i*size+size])
	}
	return out
}

func decodeU64(order binary.ByteOrder, data []byte) (any, error) {
	for i := 0; i+8 <= len(data); i += 8 {
		if v := order.Uint64(data[i:]); v > math.MaxInt64 {
			return nil, fmt.Errorf("element %d is %d, which an int64 does not hold", i/8, v)
		}
	}
	return Decode(I64, order, data)
}

func decodeBool(data []byte) (any, error) {
	for i, b := range data {
		if b > 1 {
			return nil, fmt.Errorf("element %d of booleans is %d, neither 0 nor 1", i, b)
		}
	}
	return each(data, 1, func(b []byte) bool { return b[0] == 1 }), nil
}

// fromHalf returns the value of IEEE 754's binary16.
func fromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // zero or below the normal range
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31: // infinite or no number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
