package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opShiftLeft, opShiftRight *graph.Op

// shift is the entry of bits moved by y places. emit moves by a fixed power of 2, up to half of the bits. A shift is
// one such move for each bit of y that is set. Where y is negative or not less than the number of bits, it is two moves
// by half of the bits, which move all.
func shift(name, fn, doc string, emit func(m arith, x graph.Value, power float64) graph.Value) *graph.Op {
	op := graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: 2, MaxIn: 2, Promote: ToCommonType,
		Grad: noGradient}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := sameType(c)
		if !t.IsInt() && !c.Failed() {
			rules.RefuseDType(c, `"`+name+`_cpu" not implemented for '`+t.TorchName()+`'`)
		}
		return t, s
	}
	op.Emit = func(e graph.Emitter, n node, x []graph.Value) graph.Value {
		m := arith{Emitter: e, t: n.DType()}
		bits := 8 * m.t.Size()
		outside := m.Prim(graph.PrimOr, m.less(x[1], 0), m.Prim(graph.PrimGe, x[1], m.num(float64(bits))))
		half := math.Ldexp(1, bits/2)
		all := emit(m, emit(m, x[0], half), half)
		moved := x[0]
		for places := 1; places < bits; places *= 2 {
			isSet := m.Prim(graph.PrimNe, m.Prim(graph.PrimAnd, x[1], m.num(float64(places))), m.num(0))
			moved = m.pick(isSet, emit(m, moved, math.Ldexp(1, places)), moved)
		}
		return m.pick(outside, all, moved)
	}
	return define(op)
}

// euclidSteps is how many remainders the greatest common divisor of two 64-bit numbers takes at most:
// Lamé's theorem, by the Fibonacci numbers, and one more that brings the greater number to the front.
const euclidSteps = 93

func init() {
	opShiftLeft = shift("bitwise_left_shift", "ShiftLeft",
		"x * 2^y, without the bits that leave the dtype; 0 if y is not a valid number of bits.",
		func(m arith, x graph.Value, power float64) graph.Value { return m.mul(x, m.num(power)) })
	opShiftRight = shift("bitwise_right_shift", "ShiftRight",
		"x / 2^y, rounded down; only the sign if y is not a valid number of bits.",
		func(m arith, x graph.Value, power float64) graph.Value {
			return m.Prim(graph.PrimFloorDiv, x, m.num(power))
		})
	opShiftLeft.Ref = named("numpy.left_shift", "torch.bitwise_left_shift",
		"jax.numpy.left_shift, jax.numpy.bitwise_left_shift, jax.lax.shift_left", "BitShift", "",
		func(e *graph.Example) node { return ShiftLeft(e.Of("x", "n"), e.Of("y", "n")) })
	opShiftRight.Ref = named("numpy.right_shift", "torch.bitwise_right_shift",
		"jax.numpy.right_shift, jax.numpy.bitwise_right_shift, jax.lax.shift_right_arithmetic", "BitShift", "",
		func(e *graph.Example) node { return ShiftRight(e.Of("x", "n"), e.Of("y", "n")) })
	composed("Gcd", "the greatest common divisor.", named("numpy.gcd", "torch.gcd", "jax.numpy.gcd", "", "",
		func(e *graph.Example) node { return Gcd(e.Of("x", "n"), e.Of("y", "n")) }))
	composed("Lcm", "the least common multiple.", named("numpy.lcm", "torch.lcm", "jax.numpy.lcm", "", "",
		func(e *graph.Example) node { return Lcm(e.Of("x", "n"), e.Of("y", "n")) }))
}

// ShiftLeft returns integers with their bits shifted left by y. Bits shifted out are lost. The result is 0 where y is
// negative or at least the number of bits.
func ShiftLeft(x, y *graph.Node) *graph.Node { return Apply(opShiftLeft, nil, x, y) }

// ShiftRight returns integers with their bits shifted right by y, with sign extension: x / 2^y, rounded down. Where y
// is negative or at least the number of bits, only the sign is left.
func ShiftRight(x, y *graph.Node) *graph.Node { return Apply(opShiftRight, nil, x, y) }

// Gcd returns the greatest common divisor of integers, which is not negative. That of 0 and 0 is 0. Euclid's
// algorithm runs until the slowest element is done. The least number of a dtype has no absolute value in that dtype,
// and stays negative.
func Gcd(x, y *graph.Node) *graph.Node {
	defer building("Gcd", x, y)()
	if bad := notWhole("Gcd", x, y); bad != nil {
		return bad
	}
	zero := ZerosLike(Add(x, y))                                       // of the shape and the dtype of both
	final, _ := While(euclidSteps, []node{Add(x, zero), Add(y, zero)}, // all remainders have one sign, that of y
		func(c []node) node { return Any(NotEqual(c[1], num64(0))) },
		func(_ node, c []node) []node {
			done := Equal(c[1], num64(0))
			rest := Remainder(c[0], Where(done, num64(1), c[1]))
			return []node{Where(done, c[0], c[1]), Where(done, num64(0), rest)}
		})
	return Abs(final[0])
}

// Lcm returns the least common multiple of integers, which is not negative. It is 0 if one of them is 0.
func Lcm(x, y *graph.Node) *graph.Node {
	defer building("Lcm", x, y)()
	if bad := notWhole("Lcm", x, y); bad != nil {
		return bad
	}
	divisor := Gcd(x, y)
	return Abs(Mul(FloorDiv(x, Where(Equal(divisor, num64(0)), num64(1), divisor)), y))
}

// notWhole refuses operands that are no whole numbers; nil where they are.
func notWhole(fn string, in ...node) node {
	for _, x := range in {
		if x != nil && x.Judged() && !x.DType().IsInt() {
			return refusal(refused(fn, in...), &graph.Mistake{Code: graph.CodeDType, Casts: cast(x, graph.Int64),
				Summary: fn + " is of whole numbers, and " + x.Called() + " has dtype " + x.DType().String()})
		}
	}
	return nil
}
