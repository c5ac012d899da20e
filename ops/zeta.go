package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// zetaTerms is how many terms of the sum stand before the formula of Euler and Maclaurin.
const zetaTerms = 12

func init() {
	composed("Zeta", "the sum of (k+q)^(-order) for k from 0 on, Hurwitz's zeta function; 1 for q is Riemann's.",
		named("scipy.special.zeta", "torch.special.zeta", "jax.scipy.special.zeta, jax.lax.zeta", "", "",
			func(e *graph.Example) node { return Zeta(e.Of("order", "n"), e.Of("q", "n")) }))
	composed("ExpN", "the integral of exp(-x t)/t^n from 1 to infinity.",
		named("scipy.special.expn", "", "jax.scipy.special.expn", "", "",
			func(e *graph.Example) node { return ExpN(3, e.Of("x", "n")) }))
	composed("BoxCox", "(x^power - 1)/power, or log(x) where power is 0.",
		named("scipy.special.boxcox", "", "jax.scipy.special.boxcox", "", "",
			func(e *graph.Example) node { return BoxCox(e.Of("x", "n"), e.Of("power", "n")) }))
	composed("BoxCox1P", "((1+x)^power - 1)/power, or log(1+x) where power is 0.",
		named("scipy.special.boxcox1p", "", "jax.scipy.special.boxcox1p", "", "",
			func(e *graph.Example) node { return BoxCox1P(e.Of("x", "n"), e.Of("power", "n")) }))
}

// Zeta returns the Hurwitz zeta function, the sum of (k+q)^(-s) over k = 0, 1, 2, …. The relative error is at most
// 1e-12 for s up to 40. It is Inf where s is 1, or q is 0 or a negative whole number, and NaN where s is less than 1
// or q is another negative number. Both operands broadcast and have gradients; PyTorch has none for s.
func Zeta(s, q *graph.Node) *graph.Node {
	return asDoubles("Zeta", s, q, func(s, q node) node {
		isInside := And(Greater(s, num(1)), Greater(q, num(0)))
		s0, q0 := Where(isInside, s, num(2)), Where(isInside, q, num(1))
		sum := Pow(q0, Neg(s0))
		for k := 1; k < zetaTerms; k++ {
			sum = Add(sum, Pow(Add(q0, num(float64(k))), Neg(s0)))
		}
		end := Add(q0, num(zetaTerms))
		last := Pow(end, Neg(s0))
		sum = Add(sum, Add(Div(Mul(last, end), Sub(s0, num(1))), Mul(last, num(0.5))))
		factor, over := Mul(last, Div(s0, end)), Square(Reciprocal(end))
		for k, b := range bernoulli {
			sum = Add(sum, Mul(factor, num(b/factorial(2*k+2))))
			factor = Mul(factor, Mul(over, Mul(Add(s0, num(float64(2*k+1))), Add(s0, num(float64(2*k+2))))))
		}
		pole := And(Greater(s, num(1)), And(LessEqual(q, num(0)), Equal(q, Floor(q))))
		edge := Where(Or(And(Equal(s, num(1)), Equal(q, q)), pole), num(inf), num(math.NaN()))
		return Where(isInside, sum, edge)
	})
}

// maxExpN bounds the order of the exponential integral, of which each adds nodes.
const maxExpN = 64

// ExpN returns the exponential integral of order n, from 0 to 64: the integral of exp(-x t)/t^n for t from 1 to
// infinity. The relative error is at most 1e-13. At 0 it is 1/(n-1), or Inf for n up to 1; below 0 it is NaN. Its
// derivative is -ExpN(n-1, x). [Exp1] is the one of order 1.
func ExpN(n int, x *graph.Node) *graph.Node {
	defer building("ExpN", n, x)()
	call := refused("ExpN", x)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if n < 0 || n > maxExpN {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("exponential integral of order %d: the order must be from 0 to %d", n, maxExpN)})
	}
	float := Div(x, num(1))
	if float.Err() != nil || !float.Judged() {
		return float
	}
	return Cast(expN(n, Cast(float, graph.Float64)), float.DType())
}

func expN(n int, x node) node {
	switch n {
	case 0:
		return Where(Less(x, num(0)), num(math.NaN()), Div(Exp(Neg(x)), x))
	case 1:
		return Exp1(x)
	}
	return WithGradient("ExpN", []node{x},
		func(in []node) node { return expNForward(n, in[0]) },
		func(_, dy node, in []node) []node { return []node{Neg(Mul(dy, expN(n-1, in[0])))} })
}

// expNForward is, up to 1, the recurrence 5.1.14 of Abramowitz and Stegun, and beyond exp(-x)/x times the integral of
// exp(-u) (1 + u/x)^(-n).
func expNForward(n int, x node) node {
	isNear := LessEqual(x, num(1))
	near := Where(isNear, x, num(1))
	fall, y := Exp(Neg(near)), Exp1(near)
	for k := 1; k < n; k++ {
		product := Where(Equal(near, num(0)), num(0), Mul(near, y)) // x E1(x) is 0 at 0
		y = Mul(Sub(fall, product), num(1/float64(k)))
	}
	isFar := And(Greater(x, num(1)), Less(x, num(inf)))
	far := Where(isFar, x, num(2))
	at := lastAxis(far)
	tail := overHalfLine(Add(num(1), Div(num(float64(n)), at)), func(u node) node {
		return Exp(Neg(Add(u, Mul(num(float64(n)), Log1p(Div(u, at))))))
	})
	tail = Where(Equal(x, num(inf)), num(0), Mul(tail, Div(Exp(Neg(far)), far)))
	return Where(Greater(x, num(1)), tail, Where(isNear, y, num(math.NaN())))
}

// boxCox is log * exprel(lambda log) of a logarithm.
func boxCox(fn string, x, lambda node, log func(x node) node) node {
	return asDoubles(fn, x, lambda, func(x, lambda node) node {
		l := log(x)
		atZero := Equal(l, num(-inf))
		safe := Where(atZero, num(-1), l)
		y := Mul(safe, ExpRel(Mul(lambda, safe)))
		limit := Where(Greater(lambda, num(0)), Neg(Reciprocal(Where(Greater(lambda, num(0)), lambda, num(1)))),
			num(-inf))
		return Where(atZero, limit, y)
	})
}

// BoxCox returns (x^power - 1)/power, or log(x) where power is 0. It is exact for small power. Both operands
// broadcast and have gradients.
func BoxCox(x, power *graph.Node) *graph.Node { return boxCox("BoxCox", x, power, Log) }

// BoxCox1P returns [BoxCox] of 1+x, exact for small x.
func BoxCox1P(x, power *graph.Node) *graph.Node { return boxCox("BoxCox1P", x, power, Log1p) }
