package raw

import (
	"fmt"
	"math"
	"math/bits"
)

// DType is a dtype of a file, by its name in safetensors.
type DType string

// The dtypes. Names of F8, F6 and F4 are those of the formats of the OCP's "Microscaling" and
// of ONNX.
const (
	Bool       DType = "BOOL"
	F4         DType = "F4"
	F6E2M3     DType = "F6_E2M3"
	F6E3M2     DType = "F6_E3M2"
	U8         DType = "U8"
	I8         DType = "I8"
	F8E5M2     DType = "F8_E5M2"
	F8E4M3     DType = "F8_E4M3"
	F8E8M0     DType = "F8_E8M0"
	F8E4M3FNUZ DType = "F8_E4M3FNUZ"
	F8E5M2FNUZ DType = "F8_E5M2FNUZ"
	I16        DType = "I16"
	U16        DType = "U16"
	F16        DType = "F16"
	BF16       DType = "BF16"
	I32        DType = "I32"
	U32        DType = "U32"
	F32        DType = "F32"
	C64        DType = "C64"
	F64        DType = "F64"
	I64        DType = "I64"
	U64        DType = "U64"
)

// widths are the bits of an element.
var widths = map[DType]int{
	Bool: 8, F4: 4, F6E2M3: 6, F6E3M2: 6, U8: 8, I8: 8, F8E5M2: 8, F8E4M3: 8, F8E8M0: 8, F8E4M3FNUZ: 8, F8E5M2FNUZ: 8,
	I16: 16, U16: 16, F16: 16, BF16: 16, I32: 32, U32: 32, F32: 32, C64: 64, F64: 64, I64: 64, U64: 64,
}

// Bits returns the bits of an element, and 0 for an unknown dtype.
func (d DType) Bits() int { return widths[d] }

// Bytes returns the bytes of a tensor. It returns an error for an unknown dtype, a negative size, a size beyond the
// address space, and bits that do not fill bytes.
func Bytes(d DType, shape []int64) (int64, error) {
	width := widths[d]
	if width == 0 {
		return 0, fmt.Errorf("dtype %q is not known", string(d))
	}
	total := uint64(1)
	isEmpty := false
	for _, n := range shape {
		if n < 0 || n > math.MaxInt {
			return 0, fmt.Errorf("shape %v has the size %d", shape, n)
		}
		if n == 0 {
			isEmpty = true
			continue
		}
		high, low := bits.Mul64(total, uint64(n))
		if high != 0 || low > math.MaxInt64/64 {
			return 0, fmt.Errorf("shape %v has more elements than can be addressed", shape)
		}
		total = low
	}
	if isEmpty {
		return 0, nil
	}
	total *= uint64(width)
	if total%8 != 0 {
		return 0, fmt.Errorf("shape %v of %s takes no whole bytes", shape, d)
	}
	return int64(total / 8), nil
}
