package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

var opSinc, opLogit, opXLog1PY, opEntr, opRad2Deg, opDeg2Rad *graph.Op

// scaled is the entry of x times a number.
func scaled(name, fn, doc string, by float64) *graph.Op {
	return formula(name, fn, doc, func(m arith, x graph.Value) graph.Value { return m.mul(x, m.num(by)) },
		func(_, _, dy node) node { return Mul(dy, num(by)) })
}

func init() {
	opSinc = special("sinc", "Sinc", "sin(πx) / (πx), and 1 at 0.",
		func(m arith, x graph.Value) graph.Value {
			sine, _ := m.circle(x)
			quotient := m.div(sine, m.mul(m.num(math.Pi), x))
			return m.pick(m.equals(x, 0), m.num(1), quotient)
		},
		func(y, x, dy node) node { return Mul(dy, Mul(num(math.Pi), sphericalJ0Slope(y, Mul(x, num(math.Pi))))) })
	opLogit = formula("logit", "Logit", "log(x / (1 - x)).",
		func(m arith, x graph.Value) graph.Value { return m.log(m.div(x, m.sub(m.num(1), x))) },
		func(y, x, dy node) node {
			inside := And(GreaterEqual(x, num(0)), LessEqual(x, num(1)))
			return Where(inside, Div(dy, Mul(x, Sub(num(1), x))), num(math.NaN()))
		})
	opXLog1PY = floatPair("xlog1py", "XLog1PY", "x log(1 + y), or 0 where x is 0.", "xlog1py_cpu",
		func(m arith, x, y graph.Value) graph.Value {
			isNumber := m.Prim(graph.PrimEq, y, y)
			nothing := m.Prim(graph.PrimAnd, m.equals(x, 0), isNumber)
			return m.pick(nothing, m.num(0), m.mul(x, m.log1p(y)))
		},
		each(
			func(n, dy node) node {
				nothing := And(Equal(n.In(0), num(0)), LessEqual(n.In(1), num(-1)))
				return Where(nothing, num(0), XLog1PY(dy, n.In(1)))
			},
			func(n, dy node) node { return Mul(dy, Div(n.In(0), Add(n.In(1), num(1)))) }))
	opXLog1PY.Promote = ToCommonFloat
	opEntr = formula("entr", "Entr", "-x log(x), 0 at 0, and -Inf below.",
		func(m arith, x graph.Value) graph.Value {
			y := m.mul(m.neg(x), m.log(x))
			return m.pick(m.equals(x, 0), m.num(0), m.pick(m.less(x, 0), m.num(-inf), y))
		},
		func(y, x, dy node) node { return Mul(dy, Sub(num(-1), Log(x))) })
	opSinc.Ref = named("numpy.sinc", "torch.sinc, torch.special.sinc", "jax.numpy.sinc", "", "")
	opLogit.Ref = named("scipy.special.logit", "torch.logit, torch.special.logit", "jax.scipy.special.logit", "", "")
	opXLog1PY.Ref = named("scipy.special.xlog1py", "torch.special.xlog1py", "jax.scipy.special.xlog1py", "", "")
	opEntr.Ref = named("scipy.special.entr", "torch.special.entr", "jax.scipy.special.entr", "", "")
	opRad2Deg = scaled("rad2deg", "Rad2Deg", "x * 180/π.", 180/math.Pi)
	opDeg2Rad = scaled("deg2rad", "Deg2Rad", "x * π/180.", math.Pi/180)
	opRad2Deg.Ref = named("numpy.rad2deg, numpy.degrees", "torch.rad2deg", "jax.numpy.rad2deg, jax.numpy.degrees",
		"", "")
	opDeg2Rad.Ref = named("numpy.deg2rad, numpy.radians", "torch.deg2rad", "jax.numpy.deg2rad, jax.numpy.radians",
		"", "")
	composed("MvLGamma", "the logarithm of the multivariate gamma function of dimension p.",
		named("scipy.special.multigammaln", "torch.mvlgamma, torch.special.multigammaln",
			"jax.scipy.special.multigammaln", "", "",
			func(e *graph.Example) node { return MvLGamma(e.Of("x", "n"), 3) }))
}

// Sinc returns sin(πx) / (πx), and 1 at 0. At whole numbers it is exactly 0; PyTorch's has a rounding error there.
func Sinc(x *graph.Node) *graph.Node { return Apply(opSinc, nil, x) }

// Logit returns log(x / (1 - x)), the inverse of Sigmoid. Use [Clamp] to keep x away from 0 and 1.
func Logit(x *graph.Node) *graph.Node { return Apply(opLogit, nil, x) }

// XLog1PY returns x log(1 + y). It is 0 where x is 0, unless y is NaN.
func XLog1PY(x, y *graph.Node) *graph.Node { return Apply(opXLog1PY, nil, x, y) }

// Entr returns -x log(x), the terms of the entropy.
func Entr(x *graph.Node) *graph.Node { return Apply(opEntr, nil, x) }

// Rad2Deg converts an angle from radians to degrees.
func Rad2Deg(x *graph.Node) *graph.Node { return Apply(opRad2Deg, nil, x) }

// Deg2Rad converts an angle from degrees to radians.
func Deg2Rad(x *graph.Node) *graph.Node { return Apply(opDeg2Rad, nil, x) }

// MvLGamma returns the logarithm of the multivariate gamma function of dimension p, at least 1: log(π) p(p-1)/4 plus
// the sum of LGamma(x - i/2) for i from 0 to p-1.
func MvLGamma(x *graph.Node, p int) *graph.Node {
	defer building("MvLGamma", x, p)()
	if p < 1 || p > maxMvLGamma {
		return refusal(refused("MvLGamma", x).with(p),
			&graph.Mistake{Code: graph.CodeOperand, Summary: "p must be between 1 and 64"})
	}
	y := Add(LGamma(x), num(math.Log(math.Pi)*float64(p*(p-1))/4))
	for i := 1; i < p; i++ {
		y = Add(y, LGamma(Sub(x, num(float64(i)/2))))
	}
	return y
}

// maxMvLGamma bounds the dimension, of which each adds nodes.
const maxMvLGamma = 64
