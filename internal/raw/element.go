package raw

import (
	"encoding/binary"
	"math"
	"reflect"
	"unsafe"

	"github.com/broadloom/broadloom/half"
)

// element says how elements of a Go type are stored in files.
type element struct {
	dtype  DType
	decode func(order binary.ByteOrder, data []byte) any
	encode func(data any, from, to int, buf []byte) // in little-endian order
}

// elements are the types in files, by their Go slices. An int is an int64.
var elements = func() map[reflect.Type]element {
	of := map[reflect.Type]element{}
	row(of, Bool, func(_ binary.ByteOrder, b []byte) bool { return b[0] == 1 }, func(b []byte, v bool) {
		b[0] = 0
		if v {
			b[0] = 1
		}
	})
	row(of, U8, func(_ binary.ByteOrder, b []byte) uint8 { return b[0] }, func(b []byte, v uint8) { b[0] = v })
	row(of, I8, func(_ binary.ByteOrder, b []byte) int8 { return int8(b[0]) },
		func(b []byte, v int8) { b[0] = uint8(v) })
	row(of, U16, binary.ByteOrder.Uint16, put16[uint16])
	row(of, I16, func(o binary.ByteOrder, b []byte) int16 { return int16(o.Uint16(b)) }, put16[int16])
	row(of, U32, binary.ByteOrder.Uint32, put32[uint32])
	row(of, I32, func(o binary.ByteOrder, b []byte) int32 { return int32(o.Uint32(b)) }, put32[int32])
	row(of, U64, binary.ByteOrder.Uint64, put64[uint64])
	row(of, I64, func(o binary.ByteOrder, b []byte) int { return int(o.Uint64(b)) }, put64[int])
	row(of, I64, func(o binary.ByteOrder, b []byte) int64 { return int64(o.Uint64(b)) }, put64[int64])
	row(of, F8E4M3, func(_ binary.ByteOrder, b []byte) half.Float8E4M3FN { return half.Float8E4M3FN(b[0]) },
		func(b []byte, v half.Float8E4M3FN) { b[0] = byte(v) })
	row(of, F8E5M2, func(_ binary.ByteOrder, b []byte) half.Float8E5M2 { return half.Float8E5M2(b[0]) },
		func(b []byte, v half.Float8E5M2) { b[0] = byte(v) })
	row(of, F16, func(o binary.ByteOrder, b []byte) half.Float16 { return half.Float16(o.Uint16(b)) },
		put16[half.Float16])
	row(of, BF16, func(o binary.ByteOrder, b []byte) half.BFloat16 { return half.BFloat16(o.Uint16(b)) },
		put16[half.BFloat16])
	row(of, F32, func(o binary.ByteOrder, b []byte) float32 { return math.Float32frombits(o.Uint32(b)) },
		func(b []byte, v float32) { put32(b, math.Float32bits(v)) })
	row(of, F64, func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) },
		func(b []byte, v float64) { put64(b, math.Float64bits(v)) })
	return of
}()

// isMemory reports whether elements have the same bytes in a file and in memory. Not every byte is a bool.
func isMemory[T any](order binary.ByteOrder, size int) bool {
	var v T
	_, isBool := any(v).(bool)
	return order == binary.LittleEndian && binary.NativeEndian.Uint16([]byte{1, 0}) == 1 &&
		int(unsafe.Sizeof(v)) == size && !isBool
}

// bytesOf is the memory of elements.
func bytesOf[T any](list []T) []byte {
	var v T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(v)))
}

// byDType are the types that [Decode] makes from each dtype.
var byDType = func() map[DType]element {
	of := map[DType]element{}
	for slice, e := range elements {
		if slice != reflect.TypeFor[[]int]() {
			of[e.dtype] = e
		}
	}
	return of
}()

func put16[T ~uint16 | int16](b []byte, v T)      { binary.LittleEndian.PutUint16(b, uint16(v)) }
func put32[T uint32 | int32](b []byte, v T)       { binary.LittleEndian.PutUint32(b, uint32(v)) }
func put64[T uint64 | int64 | int](b []byte, v T) { binary.LittleEndian.PutUint64(b, uint64(v)) }

// row adds a type, with functions that read and write one element.
func row[T any](to map[reflect.Type]element, d DType, get func(binary.ByteOrder, []byte) T, put func([]byte, T)) {
	size := d.Bits() / 8
	to[reflect.TypeFor[[]T]()] = element{
		dtype: d,
		decode: func(order binary.ByteOrder, data []byte) any {
			out := make([]T, len(data)/size)
			if isMemory[T](order, size) {
				copy(bytesOf(out), data)
				return out
			}
			for i := range out {
				out[i] = get(order, data[i*size:i*size+size])
			}
			return out
		},
		encode: func(data any, from, to int, buf []byte) {
			if isMemory[T](binary.LittleEndian, size) {
				copy(buf, bytesOf(data.([]T)[from:to]))
				return
			}
			for i, v := range data.([]T)[from:to] {
				put(buf[i*size:], v)
			}
		},
	}
}
