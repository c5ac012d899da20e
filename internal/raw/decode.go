package raw

import (
	"encoding/binary"
	"fmt"
)

// Decode makes a Go slice of contiguous elements, of the Go type of their dtype: F16 becomes a []half.Float16. It
// returns an error for dtypes without a Go type, and for booleans that are neither 0 nor 1.
func Decode(d DType, order binary.ByteOrder, data []byte) (any, error) {
	e, known := byDType[d]
	if !known {
		return nil, fmt.Errorf("%s cannot be read: convert it to F32 before", d)
	}
	if d == Bool {
		for i, b := range data {
			if b > 1 {
				return nil, fmt.Errorf("element %d of booleans is %d, neither 0 nor 1", i, b)
			}
		}
	}
	return e.decode(order, data), nil
}
