package ops

import "github.com/broadloom/broadloom/graph"

var opFmax, opFmin, opHeaviside *graph.Op

// ignoringNaN is the entry of the greater or the smaller of two, of which NaN never wins. A tie gives
// the gradient to x, as in PyTorch.
func ignoringNaN(name, fn, doc string, p, ofBools graph.Prim, wins func(x, y *graph.Node) *graph.Node) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: sameType,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			switch t := n.DType(); {
			case t == graph.Bool:
				return e.Prim(ofBools, x...)
			case !t.IsFloat():
				return e.Prim(p, x...)
			}
			isNaN := func(v graph.Value) graph.Value { return e.Prim(graph.PrimNe, v, v) }
			return e.Prim(graph.PrimSelect, isNaN(x[1]), x[0],
				e.Prim(graph.PrimSelect, isNaN(x[0]), x[1], e.Prim(p, x...)))
		},
		Grad: func(n, dy node, i int) node {
			first := Or(wins(n.In(0), n.In(1)), IsNaN(n.In(1)))
			if i == 0 {
				return Where(first, dy, num(0))
			}
			return Where(first, num(0), dy)
		},
	})
}

func init() {
	opFmax = ignoringNaN("fmax", "Fmax", "the greater of x and y; NaN loses; a tie is x's.", graph.PrimMax,
		graph.PrimOr, GreaterEqual)
	opFmin = ignoringNaN("fmin", "Fmin", "the smaller of x and y; NaN loses; a tie is x's.", graph.PrimMin,
		graph.PrimAnd, LessEqual)
	opHeaviside = define(
		graph.Op{Name: "heaviside", Func: "Heaviside", Doc: "0 below 0, 1 above, and y at 0.", Class: graph.Elementwise,
			MinIn: 2, MaxIn: 2,
			Promote: ToCommonType, Infer: sameType, Grad: noGradient,
			Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
				m := arith{Emitter: e, t: n.DType()}
				return m.pick(m.equals(x[0], 0), x[1], m.Convert(m.positive(x[0]), m.t))
			},
		})
	opFmax.Ref = named("numpy.fmax", "torch.fmax", "jax.numpy.fmax", "", "")
	opFmin.Ref = named("numpy.fmin", "torch.fmin", "jax.numpy.fmin", "", "")
	opHeaviside.Ref = flat("it jumps, and PyTorch has none either", "numpy.heaviside", "torch.heaviside",
		"jax.numpy.heaviside", "", "")
	composed("IsClose", "|x - y| <= absolute + relative*|y|.",
		named("numpy.isclose, numpy.allclose", "torch.isclose, torch.allclose", "jax.numpy.isclose, jax.numpy.allclose",
			"", "",
			func(e *graph.Example) node { return IsClose(e.Of("x", "n"), e.Of("y", "n"), 1e-5, 1e-8) }))
	composed("IsPosInf", "whether x is the positive infinity.",
		named("numpy.isposinf", "torch.isposinf", "jax.numpy.isposinf", "", "",
			func(e *graph.Example) node { return IsPosInf(e.Of("x", "n")) }))
	composed("IsNegInf", "whether x is the negative infinity.",
		named("numpy.isneginf", "torch.isneginf", "jax.numpy.isneginf", "", "",
			func(e *graph.Example) node { return IsNegInf(e.Of("x", "n")) }))
}

// Fmax returns the greater of x and y. If one of them is NaN, it returns the other.
func Fmax(x, y *graph.Node) *graph.Node { return Apply(opFmax, nil, x, y) }

// Fmin returns the smaller of x and y. If one of them is NaN, it returns the other.
func Fmin(x, y *graph.Node) *graph.Node { return Apply(opFmin, nil, x, y) }

// Heaviside returns 0 where x is negative or NaN, 1 where it is positive, and y where it is 0.
func Heaviside(x, y *graph.Node) *graph.Node { return Apply(opHeaviside, nil, x, y) }

// IsClose reports where |x - y| is at most absolute + relative*|y|. Equal infinities are close; NaN is close to
// nothing. Integers and booleans are compared as Float32.
func IsClose(x, y *graph.Node, relative, absolute float64) *graph.Node {
	defer building("IsClose", x, y, relative, absolute)()
	equal := Equal(x, y)
	if !equal.Judged() {
		return equal // its own mistake
	}
	withScalars(nil, opMul, &x, &y)
	x, y = asFloat(x), asFloat(y)
	distance := Abs(Sub(x, y))
	near := LessEqual(distance, Add(Mul(Abs(y), num(relative)), num(absolute)))
	return Or(equal, And(near, IsFinite(distance)))
}

// asFloat is x, whole numbers and truth values as Float32.
func asFloat(x node) node {
	if _, isNumber := x.Literal(); isNumber || x.DType().IsFloat() {
		return x
	}
	return Cast(x, graph.Float32)
}

// IsPosInf reports where x is the positive infinity.
func IsPosInf(x *graph.Node) *graph.Node {
	defer building("IsPosInf", x)()
	return Equal(x, num(inf))
}

// IsNegInf reports where x is the negative infinity.
func IsNegInf(x *graph.Node) *graph.Node {
	defer building("IsNegInf", x)()
	return Equal(x, num(-inf))
}
