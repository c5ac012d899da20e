package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// A QuantizeOption changes Quantize and QuantizeBlocks.
type QuantizeOption func(*quantizeCall)

// quantizeCall is what the options of a call say.
type quantizeCall struct {
	dtype       graph.DType
	bits        int
	unsaturated bool
	words       []any // the options as the user wrote them
}

// QuantizedDType sets the dtype of the result if there is no zero point: Int8, Uint8, Int16, Uint16, Float8E4M3FN or
// Float8E5M2. It is ONNX's output_dtype.
func QuantizedDType(t graph.DType) QuantizeOption {
	return func(o *quantizeCall) {
		o.dtype = t
		o.words = append(o.words, "QuantizedDType(graph."+t.GoName()+")")
	}
}

// QuantizedBits clamps the result to the range of integers with the given number of bits, from 2 to that of its
// dtype. QuantizedBits(4) clamps Int8 to the range from -8 to 7, and Uint8 to that from 0 to 15, which [PackInt4]
// packs. With 4 bits they are ONNX's INT4 and UINT4, and with 2 bits its INT2 and UINT2.
func QuantizedBits(bits int) QuantizeOption {
	return func(o *quantizeCall) {
		o.bits = bits
		o.words = append(o.words, fmt.Sprintf("QuantizedBits(%d)", bits))
	}
}

// Unsaturated converts numbers out of the range of Float8E4M3FN to NaN, and those out of the range of Float8E5M2 to
// infinity, like [Cast]. It is ONNX's saturate=0.
func Unsaturated() QuantizeOption {
	return func(o *quantizeCall) {
		o.unsaturated = true
		o.words = append(o.words, "Unsaturated()")
	}
}

// quantizeOptions are the options of a call together.
func quantizeOptions(opts []QuantizeOption) (o quantizeCall) {
	o.bits = -1
	for _, option := range opts {
		if option != nil {
			option(&o)
		}
	}
	return o
}

// judge notes the dtype that the zero point says, and returns the node of a mistake of the operands or the options.
// behind are fixed arguments before the options.
func (o *quantizeCall) judge(fn string, x, scale, zero node, behind ...any) node {
	call := refused(fn, x, scale).with(append(behind, o.words...)...)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	refuse := func(code graph.Code, format string, args ...any) node {
		return refusal(call, &graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...)})
	}
	said := o.dtype
	if zero != nil {
		call.in = append(call.in, zero)
		if bad := notNodes(call); bad != nil {
			return bad
		}
		o.dtype = zero.DType()
	} else if said == graph.InvalidDType {
		o.dtype = graph.Uint8
	}
	switch t := o.dtype; {
	case !isQuantized(t) && !t.IsStorage():
		if zero != nil {
			return refuse(graph.CodeDType,
				"quantised numbers and their zero points must be Int8, Uint8, Int16, Uint16, Float8E4M3FN or Float8E5M2, but %s has dtype %s",
				zero.Called(), t)
		}
		return refuse(graph.CodeDType,
			"quantised numbers must be Int8, Uint8, Int16, Uint16, Float8E4M3FN or Float8E5M2, but are %s", t)
	case said != graph.InvalidDType && said != t:
		return refuse(graph.CodeDType, "the result should be %s, but the zero point %s is %s", said, zero.Called(), t)
	case o.unsaturated && !t.IsStorage():
		return refuse(graph.CodeOperand,
			"Unsaturated applies only to Float8E4M3FN and Float8E5M2: integers are always clamped")
	case o.bits != -1 && t.IsStorage():
		return refuse(graph.CodeOperand, "QuantizedBits is for integers, but the result is %s", t)
	case o.bits != -1 && (o.bits < 2 || o.bits > t.Bits()):
		return refuse(graph.CodeOperand, "QuantizedBits is %d, but must be from 2 to the bits of %s, %d", o.bits, t,
			t.Bits())
	}
	return nil
}

// limits are the least and the greatest integer of the result.
func (o quantizeCall) limits() (least, most float64) {
	bits := o.bits
	if bits == -1 {
		bits = o.dtype.Bits()
	}
	if most = math.Ldexp(1, bits) - 1; o.dtype.IsUnsigned() {
		return 0, most
	}
	return -(most + 1) / 2, (most - 1) / 2
}

// isQuantized reports whether integers of t can be quantised numbers.
func isQuantized(t graph.DType) bool { return t.IsInt() && t.Bits() <= 16 }
