package ops

import (
	"github.com/broadloom/broadloom/graph"
)

// A quantised tensor is integers of 8 or 16 bits with a scale and a zero point: an integer q stands for scale·(q - zero).
// Scales and zero points broadcast with it: scalars are those of all elements, [C, 1, 1] those of each channel of [N, C, H, W].

func init() {
	numbers := func(e *graph.Example, name string, dims ...string) node { return Cast(e.Of(name, dims...), graph.Int8) }
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
			func(e *graph.Example) node { return first(DynamicQuantize(e.Of("x", "n"))) }))
	composed("MatMulInteger", "the matrix product of x - xZero and y - yZero, in int32.",
		flat(noSlope, "", "torch._int_mm", "", "MatMulInteger", "",
			func(e *graph.Example) node {
				return MatMulInteger(numbers(e, "x", "n", "k"), numbers(e, "y", "k", "m"), nil, nil)
			}))
	composed("QLinearMatMul", "the matrix product of quantised matrices, quantised.",
		flat(flatBetweenJumps, "", "torch.ops.quantized.matmul", "", "QLinearMatMul", "",
			func(e *graph.Example) node {
				zero := numbers(e, "zero")
				return QLinearMatMul(numbers(e, "x", "n", "k"), e.Of("xScale"), zero, numbers(e, "y", "k", "m"), e.Of("yScale"), zero, e.Of("scale"), zero)
			}))
}

// Quantize returns round(x/scale) + zero, rounded half to even and brought to the range of the dtype of zero, which is the
// result's: Int8, Uint8, Int16 or Uint16. The scale has the dtype of x. A NaN gives 0.
func Quantize(x, scale, zero *graph.Node) *graph.Node {
	defer building("Quantize", x, scale, zero)()
	if bad := refusedQuantized(refused("Quantize", x, scale, zero), zero); bad != nil {
		return bad
	}
	return quantized(Div(x, scale), zero)
}

// quantized rounds x, adds the zero point and brings the sum to the range of its dtype.
func quantized(x, zero node) node {
	t := zero.DType()
	least, most := 0.0, float64(int64(1)<<t.Bits()-1)
	if !t.IsUnsigned() {
		least, most = -(most+1)/2, (most-1)/2
	}
	return Cast(Clamp(Add(Round(x), Cast(zero, x.DType())), least, most), t)
}

// Dequantize returns scale·(q - zero), in the dtype of the scale. The difference is exact.
func Dequantize(q, scale, zero *graph.Node) *graph.Node {
	defer building("Dequantize", q, scale, zero)()
	if bad := refusedQuantized(refused("Dequantize", q, scale, zero), q, zero); bad != nil {
		return bad
	}
	return Mul(Cast(lessZero(q, zero), scale.DType()), scale)
}

// lessZero is q - zero as Int32; of a zero that is nil, q.
func lessZero(q, zero node) node {
	q = Cast(q, graph.Int32)
	if zero == nil {
		return q
	}
	return Sub(q, Cast(zero, graph.Int32))
}

// DynamicQuantize returns x as Uint8 with the scale and the zero point that its elements ask for: the scale is the 255th part
// of the range from the least to the greatest of them and 0, and 1 where that is empty. It is ONNX's DynamicQuantizeLinear.
func DynamicQuantize(x *graph.Node) (q, scale, zero *graph.Node) {
	defer building("DynamicQuantize", x)()
	least, most := ClampMax(Min(x), 0), ClampMin(Max(x), 0)
	scale = Div(Sub(most, least), num(255))
	scale = Where(Equal(scale, num(0)), num(1), scale)
	zero = Cast(Round(Clamp(Div(Neg(least), scale), 0, 255)), graph.Uint8)
	return Quantize(x, scale, zero), scale, zero
}

// MatMulInteger returns the matrix product of x - xZero and y - yZero, integers of 8 or 16 bits, as Int32, which wraps around: see
// [MatMul] for shapes. The zero points broadcast with their matrices: [M, 1] has one for each row of x, [N] one for each column of y. One that
// is nil is 0.
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

// QLinearMatMul returns the matrix product of two quantised matrices, quantised: [MatMulInteger] times xScale·yScale/scale, rounded
// half to even, plus zero, brought to the range of its dtype. The scales are Float32; those of x and y broadcast with the result.
func QLinearMatMul(x, xScale, xZero, y, yScale, yZero, scale, zero *graph.Node) *graph.Node {
	defer building("QLinearMatMul", x, xScale, xZero, y, yScale, yZero, scale, zero)()
	if bad := refusedQuantized(refused("QLinearMatMul", x, xScale, xZero, y, yScale, yZero, scale, zero), x, xZero, y, yZero, zero); bad != nil {
		return bad
	}
	sums := Cast(MatMul(lessZero(x, xZero), lessZero(y, yZero)), graph.Float32)
	return quantized(Mul(sums, Div(Mul(xScale, yScale), scale)), zero)
}

// refusedQuantized returns the node of a mistake where one of some operands is not of a dtype of quantised integers.
func refusedQuantized(call refusedCall, integers ...node) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	for _, x := range integers {
		if t := x.DType(); !t.IsInt() || t.Bits() > 16 {
			return refusal(call, &graph.Mistake{Code: graph.CodeDType,
				Summary: "quantised integers and their zero points are Int8, Uint8, Int16 or Uint16, and " + x.Called() + " has dtype " + t.String()})
		}
	}
	return nil
}
