package ops

import (
	"github.com/broadloom/broadloom/graph"
)

func init() {
	composed("FakeQuantize",
		"x as Dequantize(Quantize(x)) gives it back, with the gradient of x where it lies in the range.",
		named("", "torch.fake_quantize_per_tensor_affine, torch.fake_quantize_per_channel_affine", "", "", "",
			func(e *graph.Example) node {
				return FakeQuantize(e.Of("x", "n"), e.Of("scale"), e.As(graph.Int8, "zero"))
			}))
}

// FakeQuantize returns [Dequantize] of [Quantize](x, scale, zero) in x's dtype, for quantisation-aware training. The
// gradient of x ignores the rounding (straight-through) if x is in the range of the integers, and is 0 otherwise, as
// in torch.fake_quantize_per_tensor_affine and, with scales that broadcast along channels,
// fake_quantize_per_channel_affine. The gradient of the scale is that of learned step sizes: the rounding error in
// units of the scale, and outside the range the nearest limit; use [StopGradient] of the scale for none. Options are
// those of Quantize, such as [QuantizedBits]; the integers have 8 or 16 bits. NaN stays NaN. Source: Esser and
// others, Learned Step Size Quantization, 2020.
func FakeQuantize(x, scale, zero *graph.Node, opts ...QuantizeOption) *graph.Node {
	o := quantizeOptions(opts)
	defer building("FakeQuantize", append([]any{x, scale, zero}, o.words...)...)()
	defer inFloat32(&x, &scale)()
	if bad := o.judge("FakeQuantize", x, scale, zero); bad != nil {
		return bad
	}
	call := refused("FakeQuantize", x, scale).with(o.words...)
	switch {
	case !x.DType().IsFloat() || x.DType().IsStorage():
		return call.wrongDType(oneFloat(x), "quantisation needs floating-point numbers, but %s has dtype %s", x.Called(),
			x.DType())
	case !o.dtype.IsInt():
		return call.wrong(graph.CodeDType, "fake quantisation rounds to integers of 8 or 16 bits, not to %s", o.dtype)
	}
	q := overScale(x, scale)
	if q.DType().Bits() < graph.Float32.Bits() {
		q = Cast(q, graph.Float32)
	}
	moved := roundThrough(q)
	if zero != nil {
		zero = Cast(zero, q.DType())
		moved = Add(moved, zero)
	}
	low, high := o.limits()
	least, most := num(low), num(high)
	moved = Where(Less(moved, least), least, Where(Greater(moved, most), most, moved))
	if zero != nil {
		moved = Sub(moved, zero)
	}
	return Cast(Mul(moved, Cast(scale, q.DType())), x.DType())
}

// roundThrough rounds, and lets gradients through as if it did not.
func roundThrough(x node) node {
	return WithGradient("RoundThrough", []node{x}, func(in []node) node { return Round(in[0]) },
		func(_, dy node, _ []node) []node { return []node{dy} })
}
