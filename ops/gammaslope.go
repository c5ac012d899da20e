package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// Where the variable of the double exponential formula begins and ends, and its step: for shapes from 1e-6 to
// 1e7 and all probabilities from 1e-8 on, slopes were within 1e-12 of those with a step of 1/100.
const (
	nodesFrom = -4
	nodesTo   = 3.25
	nodesStep = 1.0 / 16
)

// halfLine has the places and weights of an integral from 0 to infinity by the formula exp(π/2 sinh t) of Takahasi and
// Mori, Double Exponential Formulas for Numerical Integration, 1974.
func halfLine(from, step float64) (at, weight []float64) {
	for t := from; t <= nodesTo; t += step {
		place := math.Exp(math.Pi / 2 * math.Sinh(t))
		at, weight = append(at, place), append(weight, step*math.Pi/2*math.Cosh(t)*place)
	}
	return at, weight
}

// logGammaSlope is the derivative of y, the logarithm of a number x of the gamma distribution, with respect to the
// shape a, where the probability F of less than x stays: Figurnov, Mohamed and Mnih, Implicit Reparameterization
// Gradients, 2018. With the density p it is -(dF/da)/(x p), the integral of (ψ(a) - ln(x s)) s^(a-1) exp(x(1-s)) over s
// from 0 to 1, or the negative of that from 1 on. The first one, with s = exp(-v/a) and once by parts, is taken up to
// y = ψ(a+1), the second one, with s = 1 + u/x, from there on: nothing that they add up is below 0.
func logGammaSlope(a, y node) node {
	t := a.DType()
	a, y = Unsqueeze(Cast(a, graph.Float64), -1), Unsqueeze(Cast(y, graph.Float64), -1)
	edge := Digamma(Add(a, num(1)))

	low := Minimum(y, edge)
	x := Exp(low)
	narrow := Add(ClampMin(Sub(num(1), Div(x, a)), 0), Div(Sqrt(StopGradient(x)), ClampMin(a, 1)))
	below := Div(lastAxis(overHalfLine(narrow, func(v node) node {
		s := ClampMax(Div(v, a), 1000) // exp(-1000) is 0
		slope := Add(Sub(edge, low), Mul(Mul(Div(x, a), s), Exp(Neg(s))))
		return Mul(Exp(Neg(Add(v, Mul(x, Expm1(Neg(s)))))), slope)
	})), a)

	high, less := Maximum(y, edge), Sub(a, num(1))
	x = Exp(high)
	narrow = Add(ClampMin(Sub(num(1), Div(less, x)), 0), Div(Sqrt(ClampMin(StopGradient(less), 0)), x))
	above := Div(lastAxis(overHalfLine(narrow, func(u node) node {
		q := Log1p(Div(u, x))
		slope := Add(Add(Sub(high, edge), Reciprocal(a)), q) // ψ(a) is ψ(a+1) - 1/a
		return Mul(Exp(Sub(Mul(less, q), u)), slope)
	})), x)
	return Cast(Squeeze(Where(LessEqual(y, edge), below, above), -1), t)
}
