package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

var opHardTanh, opHardSigmoid, opHardSwish, opMish, opCelu, opHardShrink, opSoftShrink *graph.Op

// ShrinkAttrs are the fixed arguments of HardShrink and SoftShrink.
type ShrinkAttrs struct{ Lambda float64 }

// Args writes the bound.
func (a ShrinkAttrs) Args(operands []string) []string { return after(operands, a.Lambda) }

func lambda(n node) float64 { return n.Attrs().(ShrinkAttrs).Lambda }

// clip brings an element between two bounds; NaN stays.
func (m arith) clip(x graph.Value, low, high float64) graph.Value {
	return m.Prim(graph.PrimMin, m.Prim(graph.PrimMax, x, m.num(low)), m.num(high))
}

// below is x below 0 and 0 elsewhere, without a gradient at 0. What grows without bound above
// 0 and is chosen below it only is computed from it: 0 times Inf would be NaN.
func below(x node) node { return Where(Less(x, num(0)), x, num(0)) }

func init() {
	opHardTanh = activation("hardtanh", "HardTanh", "x brought between two bounds; no gradient on them.",
		"hardtanh_cpu",
		func(m arith, n node, x graph.Value) graph.Value {
			a := n.Attrs().(ClampAttrs)
			return m.clip(x, a.Min, a.Max)
		},
		func(y, x, dy node) node {
			a := y.Attrs().(ClampAttrs)
			return Where(Or(LessEqual(x, num(a.Min)), GreaterEqual(x, num(a.Max))), num(0), dy)
		})
	opHardTanh.Infer = refuseBool("Bool inputs not supported for hardtanh", sameType)
	opHardSigmoid = activation("hardsigmoid", "HardSigmoid", "x + 3 brought between 0 and 6, over 6.",
		"hardsigmoid_cpu",
		func(m arith, _ node, x graph.Value) graph.Value {
			return m.div(m.clip(m.add(x, m.num(3)), 0, 6), m.num(6))
		},
		func(_, x, dy node) node {
			return Where(And(Greater(x, num(-3)), Less(x, num(3))), Mul(dy, num(1.0/6)), num(0))
		})
	opHardSwish = activation("hardswish", "HardSwish", "x times the hard sigmoid of x.", "hardswish_cpu",
		func(m arith, _ node, x graph.Value) graph.Value {
			return m.div(m.mul(x, m.clip(m.add(x, m.num(3)), 0, 6)), m.num(6))
		},
		func(_, x, dy node) node {
			middle := Mul(dy, Add(Mul(HardTanh(x, -3, 3), num(1.0/3)), num(0.5)))
			return Where(Less(x, num(-3)), num(0), Where(LessEqual(x, num(3)), middle, dy))
		})
	opMish = activation("mish", "Mish", "x times tanh(log(1 + exp(x))).", "mish_cpu",
		func(m arith, _ node, x graph.Value) graph.Value {
			return m.mul(x, m.Prim(graph.PrimTanh, m.log1p(m.exp(x))))
		},
		func(_, x, dy node) node {
			t := Tanh(Softplus(x))
			return Mul(dy, Add(t, Mul(Mul(x, Sigmoid(x)), Sub(num(1), Square(t)))))
		})
	opCelu = activation("celu", "Celu", "x above 0, slope * (exp(x/slope) - 1) below.", "elu_cpu",
		func(m arith, n node, x graph.Value) graph.Value {
			curve := m.mul(m.num(slope(n)), m.Prim(graph.PrimExpm1, m.div(x, m.num(slope(n)))))
			return m.pick(m.positive(x), x, curve)
		},
		func(y, x, dy node) node {
			return Where(LessEqual(x, num(0)), Mul(dy, Exp(Div(below(x), num(slope(y))))), dy)
		})
	opHardShrink = activation("hardshrink", "HardShrink", "x, or 0 where |x| is at most lambda.", "hardshrink_cpu",
		func(m arith, n node, x graph.Value) graph.Value {
			return m.pick(m.Prim(graph.PrimLe, m.abs(x), m.num(lambda(n))), m.num(0), x)
		},
		func(y, x, dy node) node { return Where(LessEqual(Abs(x), num(lambda(y))), num(0), dy) })
	opSoftShrink = activation("softshrink", "SoftShrink",
		"x moved towards 0 by lambda, or 0 where |x| is at most that.", "softshrink_cpu",
		func(m arith, n node, x graph.Value) graph.Value {
			return m.sub(x, m.clip(x, -lambda(n), lambda(n)))
		},
		func(y, x, dy node) node { return Where(LessEqual(Abs(x), num(lambda(y))), num(0), dy) })
	opCelu.Ref = named("", "torch.nn.functional.celu", "jax.nn.celu", "Celu", "",
		func(e *graph.Example) node { return Celu(e.Of("x", "n"), 1.5) })
	opHardShrink.Ref = named("", "torch.nn.functional.hardshrink", "", "Shrink", "",
		func(e *graph.Example) node { return HardShrink(e.Of("x", "n"), 0.5) })
	opHardSigmoid.Ref = named("", "torch.nn.functional.hardsigmoid", "jax.nn.hard_sigmoid", "HardSigmoid", "")
	opHardSwish.Ref = named("", "torch.nn.functional.hardswish", "jax.nn.hard_swish, jax.nn.hard_silu", "HardSwish", "")
	opHardTanh.Ref = named("", "torch.nn.functional.hardtanh", "jax.nn.hard_tanh", "Clip", "",
		func(e *graph.Example) node { return HardTanh(e.Of("x", "n"), -1, 1) })
	opMish.Ref = named("", "torch.nn.functional.mish", "jax.nn.mish", "Mish", "")
	opSoftShrink.Ref = named("", "torch.nn.functional.softshrink", "", "Shrink", "",
		func(e *graph.Example) node { return SoftShrink(e.Of("x", "n"), 0.5) })
	composed("GLU", "the first half of an axis times the sigmoid of the second.",
		named("", "torch.nn.functional.glu", "jax.nn.glu", "", "",
			func(e *graph.Example) node { return GLU(e.Of("x", "n", "2*k"), 1) }))
	composed("PRelu", "x above 0, slope * x below.",
		named("", "torch.nn.functional.prelu", "", "PRelu", "",
			func(e *graph.Example) node { return PRelu(e.Of("x", "n", "c"), e.Of("slope", "c")) }))
	composed("Relu6", "min(max(x, 0), 6).",
		named("", "torch.nn.functional.relu6", "jax.nn.relu6", "Clip", "",
			func(e *graph.Example) node { return Relu6(e.Of("x", "n")) }))
	composed("Selu", "scale * elu(x, alpha), which keeps mean and variance.",
		named("", "torch.nn.functional.selu", "jax.nn.selu", "Selu", "",
			func(e *graph.Example) node { return Selu(e.Of("x", "n")) }))
	composed("Softsign", "x / (1 + |x|).",
		named("", "torch.nn.functional.softsign", "jax.nn.soft_sign", "Softsign", "",
			func(e *graph.Example) node { return Softsign(e.Of("x", "n")) }))
	composed("TanhShrink", "x - tanh(x).",
		named("", "torch.nn.functional.tanhshrink", "", "", "",
			func(e *graph.Example) node { return TanhShrink(e.Of("x", "n")) }))
}

// HardTanh returns x limited to the range from low to high. Unlike [Clamp], it has gradient 0 on the bounds.
func HardTanh(x *graph.Node, low, high float64) *graph.Node {
	if low > high {
		return refusal(refused("HardTanh", x).with(low, high), &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("min_val cannot be greater than max_val, but they are %v and %v", low, high)})
	}
	return Apply(opHardTanh, ClampAttrs{low, high}, x)
}

// Relu6 returns x limited to the range from 0 to 6.
func Relu6(x *graph.Node) *graph.Node {
	defer building("Relu6", x)()
	return HardTanh(x, 0, 6)
}

// HardSigmoid returns x + 3, limited to the range from 0 to 6, divided by 6.
func HardSigmoid(x *graph.Node) *graph.Node { return Apply(opHardSigmoid, nil, x) }

// HardSwish returns x * HardSigmoid(x). Its gradient at -3 and 3 is that of the curve between them, -1/2 and 3/2, as
// in PyTorch.
func HardSwish(x *graph.Node) *graph.Node { return Apply(opHardSwish, nil, x) }

// Mish returns x * tanh(Softplus(x)).
func Mish(x *graph.Node) *graph.Node { return Apply(opMish, nil, x) }

// Celu returns x above 0 and alpha*(exp(x/alpha) - 1) below.
func Celu(x *graph.Node, alpha float64) *graph.Node { return Apply(opCelu, SlopeAttrs{alpha}, x) }

// HardShrink returns x where |x| is greater than lambda, and 0 elsewhere.
func HardShrink(x *graph.Node, lambda float64) *graph.Node {
	return Apply(opHardShrink, ShrinkAttrs{lambda}, x)
}

// SoftShrink returns x - lambda above lambda, x + lambda below -lambda, and 0 between.
func SoftShrink(x *graph.Node, lambda float64) *graph.Node {
	if !(lambda >= 0) { // NaN too
		return refusal(refused("SoftShrink", x).with(lambda), &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("lambda must be greater or equal to 0, but found to be %v", lambda)})
	}
	return Apply(opSoftShrink, ShrinkAttrs{lambda}, x)
}

// The constants of Selu, with which mean 0 and variance 1 are kept from layer to layer:
// Klambauer et al., Self-Normalizing Neural Networks, 2017.
const (
	seluAlpha = 1.6732632423543772848170429916717
	seluScale = 1.0507009873554804934193349852946
)

// Selu returns 1.0507… * Elu(x, 1.6732…).
func Selu(x *graph.Node) *graph.Node {
	defer building("Selu", x)()
	in, round := computedWide(x)
	return round(Mul(Elu(in[0], seluAlpha), num(seluScale)))
}

// Softsign returns x / (1 + |x|).
func Softsign(x *graph.Node) *graph.Node {
	defer building("Softsign", x)()
	return Div(x, Add(Abs(x), num(1)))
}

// TanhShrink returns x - tanh(x).
func TanhShrink(x *graph.Node) *graph.Node {
	defer building("TanhShrink", x)()
	return Sub(x, Tanh(x))
}

// PRelu returns x where it is above 0, and slope*x elsewhere. slope is one number, or has one element for each
// channel of x, [N, C, …]. At 0 all derivatives are those of the negative side; PyTorch has no mixed derivative with
// respect to x and slope there.
func PRelu(x, slope *graph.Node) *graph.Node {
	defer building("PRelu", x, slope)()
	defer lowering(&x, &slope)()
	if slope != nil && slope.Judged() && slope.Rank() == 1 && slope.Shape()[0] != 1 {
		slope = perChannel("weight", slope, x)
	}
	above := Greater(x, num(0))
	return Where(above, x, Mul(slope, Where(above, num(0), x))) // an infinite x has no part in the gradient to slope
}

// GLU returns the first half of an axis times the sigmoid of the second half. The axis must have an even size.
func GLU(x *graph.Node, axis int) *graph.Node {
	defer building("GLU", x, axis)()
	in, round := computedWide(x)
	return round(gated("GLU", in[0], axis, func(a, b node) node { return Mul(a, Sigmoid(b)) }))
}

// gated unites the two halves of an axis.
func gated(fn string, x node, axis int, unite func(a, b node) node) node {
	if x == nil || !x.Judged() || axis < -x.Rank() || axis >= x.Rank() {
		return Slice(x, axis, 0, End, 1) // its own mistake
	}
	at := countedFromZero([]int{axis}, x.Rank())[0]
	size := x.Shape()[at]
	if n, static := size.Int(); static && n%2 != 0 {
		return refusal(refused(fn, x).with(axis),
			&graph.Mistake{Code: graph.CodeSlice,
				Summary: fmt.Sprintf("Halving dimension must be even, but dimension %d is size %d", axis, n)})
	}
	half := size.DividedBy(2)
	if size.IsSymbolic() {
		halves := Reshape(x, slices.Concat(x.Shape()[:at], graph.Shape{2, half}, x.Shape()[at+1:])...)
		if halves.Judged() { // also where another axis has no elements
			requireMultiple(halves, size, 2, "the halves of an axis", "Halving dimension must be even")
		}
		return unite(Select(halves, at, 0), Select(halves, at, 1))
	}
	return unite(Slice(x, axis, 0, half, 1), Slice(x, axis, half, End, 1))
}
