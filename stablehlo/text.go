package stablehlo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
)

// elementTypes are MLIR's names of the dtypes.
var elementTypes = map[graph.DType]string{
	graph.Bool: "i1", graph.Int8: "i8", graph.Int16: "i16", graph.Int32: "i32", graph.Int64: "i64",
	graph.Uint8: "ui8", graph.Uint16: "ui16", graph.Uint32: "ui32", graph.Uint64: "ui64",
	graph.Float8E4M3FN: "f8E4M3FN", graph.Float8E5M2: "f8E5M2", graph.Float16: "f16", graph.BFloat16: "bf16",
	graph.Float32: "f32", graph.Float64: "f64",
	complexOf32: "complex<f32>", complexOf64: "complex<f64>",
}

// The complex numbers of StableHLO, which graphs have not.
const (
	complexOf32 = graph.DType(255 - iota)
	complexOf64
)

// String returns the type as MLIR writes it, such as "tensor<2x3xf32>".
func (t tensor) String() string {
	b := append(make([]byte, 0, 32), "tensor<"...)
	for _, d := range t.shape {
		b = append(strconv.AppendInt(b, int64(d), 10), 'x')
	}
	b = append(b, elementTypes[t.dtype]...)
	return string(append(b, '>'))
}

// typeList returns the types of values with commas between them.
func typeList(list []*value) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = v.tensor.String()
	}
	return strings.Join(words, ", ")
}

// String returns the property as MLIR writes it.
func (a attr) String() string {
	list, is := a.value.([]int)
	if !is {
		return a.name + " = " + a.value.(string)
	}
	if len(list) == 0 {
		return a.name + " = array<i64>"
	}
	return a.name + " = array<i64: " + numbers(list) + ">"
}

// numbers writes numbers with commas between them.
func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// axes writes a list of axes, such as "[0, 2]".
func axes(list []int) string { return "[" + numbers(list) + "]" }

// elements returns the text in the brackets of a constant: its elements in row-major order, or one that is the same for
// all.
func elements(t tensor, data any) string {
	_, count := graph.DTypeOfSlice(data)
	switch {
	case t.count() == 0:
		return ""
	case count == 1:
		return element(t.dtype, data, 0)
	case count > 64 && t.dtype != graph.Bool:
		return `"0x` + hexBytes(t.dtype, data, count) + `"`
	}
	at := 0
	return nested(t, data, t.shape, &at)
}

// between returns the text between two marks.
func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// nested writes elements in brackets for each axis.
func nested(t tensor, data any, shape []int, at *int) string {
	if len(shape) == 0 {
		*at++
		return element(t.dtype, data, *at-1)
	}
	words := make([]string, shape[0])
	for i := range words {
		words[i] = nested(t, data, shape[1:], at)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// element writes an element of a slice with dtype d. Floating-point numbers without a short exact decimal are written
// as their bits.
func element(d graph.DType, data any, i int) string {
	x, whole := graph.NumberAt(data, i)
	switch {
	case d == graph.Bool:
		return strconv.FormatBool(whole != 0)
	case d.IsUnsigned():
		return strconv.FormatUint(uint64(whole)<<(64-d.Bits())>>(64-d.Bits()), 10)
	case d.IsInt():
		return strconv.FormatInt(whole<<(64-d.Bits())>>(64-d.Bits()), 10)
	case d.Size() > 2 && math.Abs(x) < 1e6 && x*64 == math.Trunc(x*64):
		return strconv.FormatFloat(x, 'f', 6, 64)
	}
	return fmt.Sprintf("0x%0*X", 2*d.Size(), floatBits(d, x))
}

// floatBits returns the bits of a number as an element.
func floatBits(d graph.DType, x float64) uint64 {
	switch d {
	case graph.Float8E4M3FN:
		return uint64(half.NewFloat8E4M3FN(float32(x)))
	case graph.Float8E5M2:
		return uint64(half.NewFloat8E5M2(float32(x)))
	case graph.Float16:
		return uint64(half.NewFloat16(float32(x)))
	case graph.BFloat16:
		return uint64(half.NewBFloat16(float32(x)))
	case graph.Float32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// hexBytes writes the bytes of elements, in little-endian order.
func hexBytes(d graph.DType, data any, count int) string {
	b := make([]byte, 0, 2*count*d.Size())
	for i := range count {
		x, whole := graph.NumberAt(data, i)
		bits := uint64(whole)
		if d.IsFloat() {
			bits = floatBits(d, x)
		}
		for range d.Size() {
			const digits = "0123456789ABCDEF"
			b = append(b, digits[bits>>4&15], digits[bits&15])
			bits >>= 8
		}
	}
	return string(b)
}
