package ops

import (
	"github.com/broadloom/broadloom/graph"
)

// A quantised tensor is integers of 8 or 16 bits with a scale and a zero point: an integer q stands for scale·(q -
// zero). Scales and zero points broadcast with it: scalars are those of all elements, [C, 1, 1] those of each channel
// of [N, C, H, W].

func init() {
	numbers := func(e *graph.Example, name string, dims ...string) node { return e.As(graph.Int8, name, dims...) }
	composed("Quantize", "round(x/scale) + zero, brought to the range of zero's dtype.",
		flat(flatBetweenJumps, "", "torch.quantize_per_tensor, torch.quantize_per_channel", "", "QuantizeLinear", "",
			func(e *graph.Example) node { return Quantize(e.Of("x", "n"), e.Of("scale"), numbers(e, "zero")) }))
	composed("Dequantize", "scale * (q - zero).",
		named("", "torch.dequantize", "", "DequantizeLinear", "",
			func(e *graph.Example) node {
				return Dequantize(numbers(e, "q", "n"), e.Of("scale"), numbers(e, "zero"))
			}))
	composed("DynamicQuantize", "x as uint8, with the scale and zero point of its range.",
		flat(flatBetweenJumps, "", "", "", "DynamicQuantizeLinear", "",
			func(e *graph.Example) node { return e.Several(DynamicQuantize(e.Of("x", "n"))) }))
	composed("MatMulInteger", "the matrix product of x - xZero and y - yZero, in int32.",
		named("", "torch._int_mm", "", "MatMulInteger", "",
			func(e *graph.Example) node {
				return MatMulInteger(numbers(e, "x", "n", "k"), numbers(e, "y", "k", "m"), nil, nil)
			}))
	composed("QLinearMatMul", "the matrix product of quantised matrices, quantised.",
		shownAs("QLinearMatMul(x, xScale, zero, y, yScale, zero, scale, zero)",
			flat(flatBetweenJumps, "", "torch.ops.quantized.matmul", "", "QLinearMatMul", "",
				func(e *graph.Example) node {
					zero := numbers(e, "zero")
					return QLinearMatMul(numbers(e, "x", "n", "k"), e.Of("xScale"), zero, numbers(e, "y", "k", "m"),
						e.Of("yScale"), zero, e.Of("scale"), zero)
				})))
}

// Quantize returns round(x/scale) + zero, rounded half to even and clamped to the range of zero's dtype: Int8, Uint8,
// Int16 or Uint16. NaN gives 0. A nil zero is 0; the result is then Uint8, or the dtype of [QuantizedDType]. For
// Float8E4M3FN and Float8E5M2 the result is x/scale + zero, converted by [CastSaturated], or by [Cast] with
// [Unsaturated].
//
// The quotient is rounded to the wider dtype of x and scale: Float16 by Float16 is Float16, as in ONNX's
// QuantizeLinear. The rest is computed in float32. Quantize of Cast(x, graph.Float32) divides in float32 too.
func Quantize(x, scale, zero *graph.Node, opts ...QuantizeOption) *graph.Node {
	o := quantizeOptions(opts)
	defer building("Quantize", append([]any{x, scale, zero}, o.words...)...)()
	if bad := o.judge("Quantize", x, scale, zero); bad != nil {
		return bad
	}
	return o.quantized(overScale(x, scale), zero)
}

// overScale is x/scale in the wider of both dtypes. A scalar counts as much as another tensor.
func overScale(x, scale node) node {
	if t, ok := graph.Promote(x.DType(), scale.DType()); ok {
		x, scale = Cast(x, t), Cast(scale, t)
	}
	return Div(x, scale)
}

// quantized rounds x, adds the zero point and brings the sum to the range of its dtype.
func quantized(x, zero node) node {
	return quantizeCall{dtype: zero.DType(), bits: -1}.quantized(x, zero)
}

func (o quantizeCall) quantized(x, zero node) node {
	if t := x.DType(); t.IsFloat() && t.Bits() < graph.Float32.Bits() {
		x = Cast(x, graph.Float32)
	}
	if zero != nil {
		zero = Cast(zero, x.DType())
	}
	switch t := o.dtype; {
	case !t.IsInt():
		if zero != nil {
			x = Sub(x, Sub(num(0), zero)) // where zero is 0, x as it is, -0 too
		}
		if o.unsaturated {
			return Cast(x, t)
		}
		return saturated(x, t)
	default:
		if x = Round(x); zero != nil {
			x = Add(x, zero)
		}
		least, most := o.limits()
		return Cast(Clamp(x, least, most), t)
	}
}

// Dequantize returns scale·(q - zero) in the floating-point dtype of the scale. q and zero are Int8, Uint8, Int16,
// Uint16, Int32, Float8E4M3FN or Float8E5M2. A nil zero is 0. Differences of 8-bit and 16-bit integers are exact, and
// the product is rounded once.
func Dequantize(q, scale, zero *graph.Node) *graph.Node {
	defer building("Dequantize", q, scale, zero)()
	call, stored := refused("Dequantize", q, scale), []node{q}
	if zero != nil {
		call.in, stored = append(call.in, zero), append(stored, zero)
	}
	if bad := refusedStored(call, scale, stored...); bad != nil {
		return bad
	}
	return dequantized(q, scale, zero)
}

// dequantized is scale·(q - zero), computed in float32 at least.
func dequantized(q, scale, zero node) node {
	t := scale.DType()
	wide := t
	if t.IsFloat() && t.Bits() < graph.Float32.Bits() {
		wide = graph.Float32
	}
	difference := lessZero
	if q.DType().IsStorage() {
		difference = lessFloat8
	}
	return Cast(Mul(Cast(difference(q, zero), wide), Cast(scale, wide)), t)
}

// lessFloat8 is q - zero in Float32; of a zero that is nil, q.
func lessFloat8(q, zero node) node {
	q = Cast(q, graph.Float32)
	if zero == nil {
		return q
	}
	return Sub(q, Cast(zero, graph.Float32))
}

// lessZero is q - zero as Int32; of a zero that is nil, q.
func lessZero(q, zero node) node {
	q = Cast(q, graph.Int32)
	if zero == nil {
		return q
	}
	return Sub(q, Cast(zero, graph.Int32))
}

// DynamicQuantize returns x as Uint8, with the scale and the zero point that fit its elements. The scale is the range
// from the least to the greatest of them and 0, divided by 255, or 1 if the range is empty. It is ONNX's
// DynamicQuantizeLinear.
func DynamicQuantize(x *graph.Node) (q, scale, zero *graph.Node) {
	defer building("DynamicQuantize", x)()
	least, most := ClampMax(Min(x), 0), ClampMin(Max(x), 0)
	scale = Div(Sub(most, least), num(255))
	scale = Where(Equal(scale, num(0)), num(1), scale)
	zero = Cast(Round(Clamp(Div(Neg(least), scale), 0, 255)), graph.Uint8)
	return Quantize(x, scale, zero), scale, zero
}

// MatMulInteger returns the matrix product of x - xZero and y - yZero, 8-bit or 16-bit integers, as Int32, which
// wraps around. Shapes are those of [MatMul]. The zero points broadcast with their matrices: [M, 1] has one for each
// row of x, [N] one for each column of y. A nil zero point is 0.
func MatMulInteger(x, y, xZero, yZero *graph.Node) *graph.Node {
	defer building("MatMulInteger", x, y, xZero, yZero)()
	in := []node{x, y}
	for _, zero := range []node{xZero, yZero} {
		if zero != nil {
			in = append(in, zero)
		}
	}
	if bad := refusedQuantized(refused("MatMulInteger", in...), in...); bad != nil {
		return bad
	}
	return MatMul(lessZero(x, xZero), lessZero(y, yZero))
}

// QLinearMatMul returns the quantised matrix product of two quantised matrices: [MatMulInteger] times
// xScale·yScale/scale, rounded half to even, plus zero, clamped to the range of zero's dtype. The scales are Float32;
// those of x and y broadcast with the result.
func QLinearMatMul(x, xScale, xZero, y, yScale, yZero, scale, zero *graph.Node) *graph.Node {
	defer building("QLinearMatMul", x, xScale, xZero, y, yScale, yZero, scale, zero)()
	if bad := refusedQuantized(refused("QLinearMatMul", x, xScale, xZero, y, yScale, yZero, scale, zero), x, xZero, y,
		yZero, zero); bad != nil {
		return bad
	}
	sums := Cast(MatMul(lessZero(x, xZero), lessZero(y, yZero)), graph.Float32)
	return quantized(Mul(sums, Div(Mul(xScale, yScale), scale)), zero)
}

// refusedStored returns the node of a mistake where a scale is not computed with, or one of some operands not of a
// dtype of quantised numbers.
func refusedStored(call refusedCall, scale node, numbers ...node) node {
	if bad := notNodes(call); bad != nil {
		return bad
	}
	if scale.DType().IsStorage() {
		return refusal(call, scale.StorageMistake(call.fn))
	}
	if t := scale.DType(); !t.IsFloat() {
		return refusal(call, &graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(scale),
			Summary: "a scale is of floating-point numbers, whose dtype the result has, and " + scale.Called() +
				" has dtype " + t.String(),
			Help: []string{"convert it: ops.Cast(…, graph.Float32); of a number, graph.Num(2.0)"}})
	}
	for _, x := range numbers {
		if t := x.DType(); !isQuantized(t) && !t.IsStorage() && t != graph.Int32 {
			return refusal(call, &graph.Mistake{Code: graph.CodeDType,
				Summary: "quantised numbers and their zero points are Int8, Uint8, Int16, Uint16, Int32, Float8E4M3FN or Float8E5M2, and " +
					x.Called() + " has dtype " + t.String()})
		}
	}
	return nil
}

// refusedQuantized returns the node of a mistake where one of some operands is not of a dtype of quantised integers.
func refusedQuantized(call refusedCall, integers ...node) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	for _, x := range integers {
		if t := x.DType(); !isQuantized(t) {
			return refusal(call, &graph.Mistake{Code: graph.CodeDType,
				Summary: "quantised integers and their zero points are Int8, Uint8, Int16 or Uint16, and " +
					x.Called() + " has dtype " + t.String()})
		}
	}
	return nil
}
