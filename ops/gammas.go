package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opLGamma, opDigamma, opPolygamma *graph.Op

// PolygammaAttrs are the fixed arguments of Polygamma: the order of the derivative of digamma.
type PolygammaAttrs struct{ N int }

// Args writes the order before the operand.
func (a PolygammaAttrs) Args(operands []string) []string {
	return append([]string{fmt.Sprint(a.N)}, operands...)
}

// The formulas of this file are those of Abramowitz and Stegun, Handbook of Mathematical Functions,
// 6.1.33 and 6.1.41 (lgamma), 6.3.18 and 6.4.11 (asymptotic series), 6.3.7 and 6.4.7 (reflection).

// bernoulli are the Bernoulli numbers B2, B4, …
var bernoulli = []float64{1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510,
	43867.0 / 798, -174611.0 / 330}

const eulerGamma = 0.57721566490153286060651209008240243

// Where the series of lgamma begin and end.
const (
	lgammaNear = 2.5 // up to here lgamma(2+e) is a series in e
	lgammaFar  = 8   // from here on it is Stirling's series
)

// lgammaSeries has the coefficients of lgamma(2+e)/e: 1-γ, and (-1)^k (ζ(k)-1)/k. For |e| ≤ 1/2 the last
// one counts less than a float64 holds.
var lgammaSeries = func() []float64 {
	c := []float64{1 - eulerGamma}
	for k := 2; k <= 27; k++ {
		c = append(c, math.Pow(-1, float64(k))*zetaLessOne(float64(k))/float64(k))
	}
	return c
}()

// gammaTerms are how many terms the series of lgamma have: the near one as a polynomial of lower degree than
// [lgammaSeries] that is as exact, and that of Stirling's formula.
type gammaTerms struct {
	near []float64
	far  int
}

// What Float64 wants, and what shorter dtypes want.
var (
	allGammaTerms = gammaTerms{economized(lgammaSeries, 0.5, 19), len(bernoulli)}
	fewGammaTerms = gammaTerms{economized(lgammaSeries, 0.5, 11), 3}
)

// economized is a polynomial with fewer terms, for arguments up to a reach: the highest term is replaced by lower ones,
// which with it make a Chebyshev polynomial, one after the other. Lanczos, Applied Analysis, 1956.
func economized(c []float64, reach float64, terms int) []float64 {
	c = slices.Clone(c)
	before, t := []float64{1}, []float64{0, 1} // Chebyshev polynomials
	all := [][]float64{before, t}
	for len(all) < len(c) {
		next := append(make([]float64, 1), t...)
		for k := range next {
			if next[k] *= 2; k < len(before) {
				next[k] -= before[k]
			}
		}
		before, t = t, next
		all = append(all, t)
	}
	for d := len(c) - 1; d >= terms; d-- {
		share := c[d] * math.Pow(reach, float64(d)) / all[d][d]
		for k, v := range all[d] {
			c[k] -= share * v / math.Pow(reach, float64(k))
		}
	}
	return c[:terms]
}

// zetaLessOne is ζ(s) - 1, by the formula of Euler and Maclaurin from 12 on.
func zetaLessOne(s float64) (sum float64) {
	const n = 12
	term := s * math.Pow(n, -s-1)
	for k, b := range bernoulli {
		d := float64(2*k + 2)
		sum += b / factorial(int(d)) * term
		term *= (s + d - 1) * (s + d) / (n * n)
	}
	sum += math.Pow(n, 1-s)/(s-1) + math.Pow(n, -s)/2
	for j := n - 1; j > 1; j-- {
		sum += math.Pow(float64(j), -s)
	}
	return sum
}

func factorial(n int) float64 {
	f := 1.0
	for i := 2; i <= n; i++ {
		f *= float64(i)
	}
	return f
}

// circle is sin(π x) and cos(π x), exact where they are 0.
func (m arith) circle(x graph.Value) (sine, cosine graph.Value) {
	near := m.mul(m.num(0.5), m.Prim(graph.PrimRound, m.add(x, x))) // a multiple of 1/2
	angle := m.mul(m.num(math.Pi), m.sub(x, near))
	s, c := m.Prim(graph.PrimSin, angle), m.Prim(graph.PrimCos, angle)
	quarter := m.sub(m.add(near, near), m.mul(m.num(4), m.floor(m.mul(near, m.num(0.5))))) // 0 to 3
	isOdd := m.Prim(graph.PrimOr, m.equals(quarter, 1), m.equals(quarter, 3))
	sine, cosine = m.pick(isOdd, c, s), m.pick(isOdd, s, c)
	sine = m.pick(m.above(quarter, 1.5), m.neg(sine), sine)
	turned := m.Prim(graph.PrimOr, m.equals(quarter, 1), m.equals(quarter, 2))
	return sine, m.pick(turned, m.neg(cosine), cosine)
}

func (m arith) equals(x graph.Value, v float64) graph.Value { return m.Prim(graph.PrimEq, x, m.num(v)) }

// gammaReduction says how Γ(x) follows from Γ(2+e), |e| ≤ 1/2: over x or x(x+1), or times (x-1)…(x-k).
type gammaReduction struct{ e, times, over graph.Value }

// gammaReduced is the reduction of x from 0 to [lgammaFar].
func (m arith) gammaReduced(x graph.Value) gammaReduction {
	below := m.pick(m.less(x, 0.5), m.num(2), m.pick(m.less(x, 1.5), m.num(1), m.num(0)))
	over := m.pick(m.less(x, 0.5), m.mul(x, m.add(x, m.num(1))), m.pick(m.less(x, 1.5), x, m.num(1)))
	steps := m.floor(m.sub(x, m.num(1.5)))
	steps = m.pick(m.less(x, lgammaNear), m.num(0), steps)
	times := m.num(1)
	for k := 1; k < lgammaFar-1; k++ {
		times = m.pick(m.Prim(graph.PrimGe, steps, m.num(float64(k))), m.mul(times, m.sub(x, m.num(float64(k)))), times)
	}
	return gammaReduction{m.sub(m.sub(x, m.sub(m.num(2), below)), steps), times, over}
}

// stirlingRest is what Stirling's formula without its series lacks of lgamma(x), x of at least [lgammaFar].
func (m arith) stirlingRest(x graph.Value) graph.Value { return m.stirlingTerms(x, len(bernoulli)) }

// stirlingTerms is the sum of some terms of [arith.stirlingRest].
func (m arith) stirlingTerms(x graph.Value, terms int) graph.Value {
	u := m.div(m.num(1), x)
	var c []float64
	for k, b := range bernoulli[:terms] {
		c = append(c, b/float64((2*k+1)*(2*k+2)))
	}
	return m.mul(u, m.polynomial(c, m.mul(u, u)))
}

// lgammaAbove is the logarithm of the gamma function of x of at least 0. One logarithm is that of what Γ(2+e) is
// multiplied with or divided by, or Stirling's.
func (m arith) lgammaAbove(x graph.Value, terms gammaTerms) graph.Value {
	r, far := m.gammaReduced(x), m.Prim(graph.PrimMax, x, m.num(lgammaFar))
	isNear, isOver := m.Prim(graph.PrimLt, x, m.num(lgammaFar)), m.less(x, 1.5)
	log := m.log(m.pick(isNear, m.pick(isOver, r.over, r.times), far))
	near := m.add(m.mul(r.e, m.polynomial(terms.near, r.e)), m.pick(isOver, m.neg(log), log))
	tail := m.add(m.num(0.5*math.Log(2*math.Pi)), m.stirlingTerms(far, terms.far))
	stirling := m.add(m.mul(m.sub(far, m.num(0.5)), m.sub(log, m.num(1))), m.sub(tail, m.num(0.5)))
	return m.pick(isNear, near, stirling)
}

func (m arith) lgamma(x graph.Value, terms gammaTerms) graph.Value {
	isNegative := m.less(x, 0)
	y := m.lgammaAbove(m.pick(isNegative, m.sub(m.num(1), x), x), terms)
	// of πx, but for its sign
	sine := m.sineOfHalfTurns(m.sub(x, m.Prim(graph.PrimRound, x)))
	mirrored := m.sub(m.num(math.Log(math.Pi)), m.add(m.log(m.abs(sine)), y))
	pole := m.Prim(graph.PrimAnd, m.Prim(graph.PrimLe, x, m.num(0)), m.Prim(graph.PrimEq, x, m.floor(x)))
	pole = m.Prim(graph.PrimOr, pole, m.equals(m.abs(x), inf))
	return m.pick(pole, m.num(inf), m.pick(isNegative, mirrored, y))
}

// sineOfHalfTurns is sin(πx), |x| ≤ 1/2.
func (m arith) sineOfHalfTurns(x graph.Value) graph.Value {
	if !m.rounds {
		return m.Prim(graph.PrimSin, m.mul(m.num(math.Pi), x))
	}
	c := make([]float64, 8) // of which the next one would count less than 1e-11
	for k := range c {
		c[k] = math.Pow(-1, float64(k)) * math.Pow(math.Pi, float64(2*k+1)) / factorial(2*k+1)
	}
	return m.mul(x, m.polynomial(c, m.mul(x, x)))
}

// polygammaAbove is derivative n of digamma at x of at least 1/2: it is moved up by a sum to where
// the asymptotic series holds.
func (m arith) polygammaAbove(n int, x graph.Value) graph.Value {
	sign := math.Pow(-1, float64(n+1))
	shift := 10 + n
	if m.rounds {
		shift = 6 + n
	}
	isNear := m.less(x, float64(shift))
	sum, at := m.fallingPowers(n, m.pick(isNear, x, m.num(1)), shift)
	sum = m.pick(isNear, m.mul(sum, m.num(sign*factorial(n))), m.num(0))
	z := m.pick(isNear, at, x)
	u := m.div(m.num(1), z)
	var c []float64
	for k, b := range bernoulli {
		c = append(c, sign*b*factorial(2*k+2+n-1)/factorial(2*k+2))
	}
	series := m.mul(m.mul(u, u), m.polynomial(c, m.mul(u, u)))
	if n == 0 {
		return m.add(sum, m.add(m.log(z), m.sub(series, m.mul(m.num(0.5), u))))
	}
	lead := m.add(m.num(sign*factorial(n-1)), m.mul(m.num(sign*factorial(n)/2), u))
	return m.add(sum, m.mul(m.add(lead, series), m.power(u, n)))
}

// fallingPowers adds up 1/x, 1/(x+1), … to the power n+1, and returns the number behind the last one. Without a power
// it adds fractions up, which needs one division.
func (m arith) fallingPowers(n int, x graph.Value, count int) (sum, behind graph.Value) {
	if n == 0 {
		numerator, denominator := m.num(1), x
		for range count - 1 {
			x = m.add(x, m.num(1))
			numerator = m.Prim(graph.PrimFMA, numerator, x, denominator)
			denominator = m.mul(denominator, x)
		}
		return m.div(numerator, denominator), m.add(x, m.num(1))
	}
	sum = m.num(0)
	for range count {
		sum = m.add(sum, m.power(m.div(m.num(1), x), n+1))
		x = m.add(x, m.num(1))
	}
	return sum, x
}

// power is x to a whole power of at least 0, by squaring.
func (m arith) power(x graph.Value, n int) graph.Value {
	y, isOne := m.num(1), true
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			if y = m.mul(y, x); isOne {
				y, isOne = x, false
			}
		}
		if n > 1 {
			x = m.mul(x, x)
		}
	}
	return y
}

// cotangents has the coefficients of derivative n of π cot(π x) as a polynomial in cot(π x).
func cotangents(n int) []float64 {
	c := []float64{0, math.Pi}
	for range n { // d cot(πx) = -π (1 + cot²)
		next := make([]float64, len(c)+1)
		for k := 1; k < len(c); k++ {
			next[k-1] -= math.Pi * float64(k) * c[k]
			next[k+1] -= math.Pi * float64(k) * c[k]
		}
		c = next
	}
	return c
}

func (m arith) polygamma(n int, x graph.Value) graph.Value {
	isLow := m.less(x, 0.5)
	y := m.polygammaAbove(n, m.pick(isLow, m.sub(m.num(1), x), x))
	sine, cosine := m.circle(x)
	mirrored := m.sub(m.mul(m.num(math.Pow(-1, float64(n))), y), m.polynomial(cotangents(n), m.div(cosine, sine)))
	pole := m.Prim(graph.PrimAnd, m.Prim(graph.PrimLe, x, m.num(0)), m.Prim(graph.PrimEq, x, m.floor(x)))
	atPole := m.num(inf * math.Pow(-1, float64(n+1)))
	if n == 0 { // as PyTorch: -Inf at 0, Inf at -0, and no number at the others
		atPole = m.pick(m.equals(x, 0), m.neg(m.div(m.num(1), x)), m.num(math.NaN()))
	}
	return m.pick(pole, atPole, m.pick(isLow, mirrored, y))
}

func init() {
	opLGamma = formula("lgamma", "LGamma", "log(|gamma(x)|).",
		func(m arith, x graph.Value) graph.Value {
			terms := allGammaTerms
			if m.t != graph.Float64 {
				terms = fewGammaTerms
			}
			return m.wide(x, func(m arith, x graph.Value) graph.Value { return m.lgamma(x, terms) })
		},
		func(y, x, dy node) node { return Mul(dy, Digamma(x)) })
	opDigamma = special("digamma", "Digamma", "the derivative of lgamma.",
		func(m arith, x graph.Value) graph.Value { return m.polygamma(0, x) },
		func(y, x, dy node) node { return Mul(dy, Polygamma(1, x)) })
	opPolygamma = special("polygamma", "Polygamma", "derivative n of digamma.", nil,
		func(y, x, dy node) node { return Mul(dy, Polygamma(orderOf(y)+1, x)) })
	opPolygamma.Emit = func(e graph.Emitter, n node, x []graph.Value) graph.Value {
		return arith{Emitter: e, t: n.DType()}.wide(x[0], func(m arith, x graph.Value) graph.Value {
			return m.polygamma(orderOf(n), x)
		})
	}
	opPolygamma.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		if n := c.Attrs().(PolygammaAttrs).N; n < 0 || n > maxPolygamma {
			c.Fail(&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("polygamma of order %d: the order must be from 0 to %d", n, maxPolygamma)})
		}
		return c.DType(0), rules.BroadcastOperands(c)
	}
	opLGamma.Ref = named("scipy.special.gammaln, scipy.special.loggamma", "torch.lgamma, torch.special.gammaln",
		"jax.scipy.special.gammaln, jax.scipy.special.loggamma, jax.lax.lgamma", "", "")
	opDigamma.Ref = named("scipy.special.digamma, scipy.special.psi",
		"torch.digamma, torch.special.digamma, torch.special.psi", "jax.scipy.special.digamma, jax.lax.digamma", "", "")
	opPolygamma.Ref = named("scipy.special.polygamma", "torch.polygamma, torch.special.polygamma",
		"jax.scipy.special.polygamma, jax.lax.polygamma", "", "",
		func(e *graph.Example) node { return Polygamma(1, e.Of("x", "n")) })
}

// maxPolygamma bounds the order: beyond, factorials leave float64 and the series its accuracy.
const maxPolygamma = 20

func orderOf(n node) int { return n.Attrs().(PolygammaAttrs).N }

// LGamma returns log|Γ(x)|. Above 0 the error is at most 8 ulp. Near its zeros below 0 the error is about 1e-15 times
// x.
func LGamma(x *graph.Node) *graph.Node { return Apply(opLGamma, nil, x) }

// Digamma returns the derivative of [LGamma]. The absolute or the relative error is at most 4e-15.
func Digamma(x *graph.Node) *graph.Node { return Apply(opDigamma, nil, x) }

// Polygamma returns the n-th derivative of [Digamma], for n from 0 to 20. Below 1/2 it uses the reflection formula,
// and the error grows towards the poles.
func Polygamma(n int, x *graph.Node) *graph.Node {
	return Apply(opPolygamma, PolygammaAttrs{n}, x)
}
