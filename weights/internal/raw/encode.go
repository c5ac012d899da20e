package raw

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// DTypeOf returns the dtype under which Go's numbers are written, and their count.
func DTypeOf(data any) (d DType, count int, err error) {
	switch data := data.(type) {
	case []float32:
		return F32, len(data), nil
	case []float64:
		return F64, len(data), nil
	case []int32:
		return I32, len(data), nil
	case []int64:
		return I64, len(data), nil
	case []int:
		return I64, len(data), nil
	case []bool:
		return Bool, len(data), nil
	}
	return "", 0, fmt.Errorf("data of type %T cannot be written: want []float32, []float64, []int32, []int64, []int or []bool", data)
}

// Encode writes numbers in little-endian order.
func Encode(w io.Writer, data any) error {
	switch data := data.(type) {
	case []float32:
		return encode(w, data, 4, func(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) })
	case []float64:
		return encode(w, data, 8, func(b []byte, v float64) { binary.LittleEndian.PutUint64(b, math.Float64bits(v)) })
	case []int32:
		return encode(w, data, 4, func(b []byte, v int32) { binary.LittleEndian.PutUint32(b, uint32(v)) })
	case []int64:
		return encode(w, data, 8, func(b []byte, v int64) { binary.LittleEndian.PutUint64(b, uint64(v)) })
	case []int:
		return encode(w, data, 8, func(b []byte, v int) { binary.LittleEndian.PutUint64(b, uint64(v)) })
	case []bool:
		return encode(w, data, 1, func(b []byte, v bool) {
			b[0] = 0
			if v {
				b[0] = 1
			}
		})
	}
	_, _, err := DTypeOf(data)
	return err
}

// chunk is the number of bytes that are written at once.
const chunk = 1 << 16

func encode[T any](w io.Writer, data []T, size int, put func([]byte, T)) error {
	buf := make([]byte, min(chunk, len(data)*size))
	for len(data) > 0 {
		n := min(len(data), len(buf)/size)
		for i, v := range data[:n] {
			put(buf[i*size:], v)
		}
		if _, err := w.Write(buf[:n*size]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
