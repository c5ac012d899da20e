package raw

import (
	"fmt"
	"io"
	"reflect"
)

// DTypeOf returns the dtype under which a slice of elements is written, and their count.
func DTypeOf(data any) (d DType, count int, err error) {
	e, known := elements[reflect.TypeOf(data)]
	if !known {
		return "", 0, fmt.Errorf(
			"data of type %T cannot be written: want a slice of bool, of integers, of the types of package half, float32 or float64",
			data)
	}
	return e.dtype, reflect.ValueOf(data).Len(), nil
}

// chunk is the number of bytes that are written at once.
const chunk = 1 << 16

// Encode writes a slice of elements in little-endian order.
func Encode(w io.Writer, data any) error {
	d, count, err := DTypeOf(data)
	if err != nil {
		return err
	}
	size := d.Bits() / 8
	buf, encode := make([]byte, min(chunk, count*size)), elements[reflect.TypeOf(data)].encode
	for at := 0; at < count; {
		n := min(count-at, len(buf)/size)
		encode(data, at, at+n, buf)
		if _, err := w.Write(buf[:n*size]); err != nil {
			return err
		}
		at += n
	}
	return nil
}
