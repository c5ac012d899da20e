package ops

import "github.com/broadloom/broadloom/graph"

var opCbrt *graph.Op

func init() {
	opCbrt = special("cbrt", "Cbrt", "the cube root, of negative numbers too.",
		func(m arith, x graph.Value) graph.Value {
			return m.odd(x, func(a graph.Value) graph.Value {
				isTiny := m.less(a, tiny) // powers of such have few digits
				b := m.mul(a, m.pick(isTiny, m.num(0x1p300), m.num(1)))
				y := m.Prim(graph.PrimPow, b, m.num(1.0/3))
				square := m.mul(y, y)
				near := m.sub(y, m.div(m.sub(m.mul(square, y), b), m.mul(m.num(3), square))) // one of Newton's steps
				return m.pick(m.equals(a, inf), a, m.mul(near, m.pick(isTiny, m.num(0x1p-100), m.num(1))))
			})
		},
		func(y, x, dy node) node { return Div(dy, Mul(num(3), Square(y))) })
	opCbrt.Ref = named("numpy.cbrt", "", "jax.numpy.cbrt, jax.lax.cbrt", "", "")
	composed("FloatPower", "x to the power y, in Float64.",
		named("numpy.float_power", "torch.float_power", "jax.numpy.float_power", "", "", func(e *graph.Example) node {
			return FloatPower(e.Of("x", "n"), e.Of("y", "n"))
		}))
}

// tiny is somewhat above the least numbers with all digits.
const tiny = 0x1p-1000

// Cbrt returns the cube root of x.
func Cbrt(x *graph.Node) *graph.Node { return Apply(opCbrt, nil, x) }

// FloatPower returns x to the power y, computed in Float64. It is torch.float_power.
func FloatPower(x, y *graph.Node) *graph.Node {
	defer building("FloatPower", x, y)()
	wide := func(v node) node {
		if v == nil || !v.Judged() || v.Graph() == nil {
			return v
		}
		return v.Graph().Convert(v, graph.Float64)
	}
	return Pow(wide(x), wide(y))
}
