package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// maxOrder bounds the order of a Bessel function or a harmonic, of which each adds nodes.
const maxOrder = 64

// BesselJ returns the Bessel function of the first kind of order n, from 0 to 64, at x. It has gradients. In Float64
// the error is at most 1e-14, and for x below n the relative error is at most 1e-13. Integers give Float32. It uses
// the power series for small x, Miller's backward recurrence up to n, normalized by J0 + 2 J2 + 2 J4 + … = 1, and the
// forward recurrence beyond. Source: Abramowitz and Stegun, 9.1.10, 9.1.27 and 9.12.
func BesselJ(n int, x *graph.Node) *graph.Node {
	defer building("BesselJ", n, x)()
	call := refused("BesselJ", x).with(n)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if n < 0 || n > maxOrder {
		return call.wrong(graph.CodeOperand, "Bessel function of order %d: the order must be from 0 to %d", n, maxOrder)
	}
	float := Div(x, num(1))
	if float.Err() != nil || !float.Judged() {
		return float
	}
	return Cast(besselJ(n, Cast(float, graph.Float64)), float.DType())
}

func besselJ(n int, x node) node {
	switch n {
	case 0:
		return J0(x)
	case 1:
		return J1(x)
	}
	return WithGradient("BesselJ", []node{x},
		func(in []node) node { return besselForward(n, in[0]) },
		func(_, dy node, in []node) []node {
			return []node{Mul(dy, Mul(num(0.5), Sub(besselJ(n-1, in[0]), besselJ(n+1, in[0]))))}
		})
}

func besselForward(n int, x node) node {
	a, low := Abs(x), math.Sqrt(float64(n+1))
	isFar, isNear := Greater(a, num(float64(n))), LessEqual(a, num(low))

	far := Where(isFar, a, num(float64(n+1)))
	before, high := J0(far), J1(far)
	for k := 1; k < n; k++ {
		before, high = high, Sub(Mul(Div(num(float64(2*k)), far), high), before)
	}

	middle := Where(Or(isFar, isNear), num(float64(n)), a)
	top := n + n/2 + 24
	top += top % 2
	behind, p := ZerosLike(middle), OnesLike(middle)
	sum, at := Mul(p, num(2)), p
	for k := top; k > 0; k-- {
		behind, p = p, Sub(Mul(Div(num(float64(2*k)), middle), p), behind)
		switch {
		case k == 1:
			sum = Add(sum, p)
		case k%2 == 1:
			sum = Add(sum, Mul(num(2), p))
		}
		if k-1 == n {
			at = p
		}
	}

	near := Where(isNear, a, num(low))
	c, t := make([]float64, 18), 1.0
	for k := range c {
		c[k] = t
		t /= -float64(k+1) * float64(n+k+1)
	}
	half := Mul(near, num(0.5))
	power := num(1 / factorial(n))
	for range n {
		power = Mul(power, half)
	}
	series := Mul(power, seriesOf(c, Square(half)))

	y := Where(isFar, high, Where(isNear, series, Div(at, sum)))
	if n%2 == 1 {
		y = Where(Less(x, num(0)), Neg(y), y)
	}
	return Where(Equal(x, x), y, x)
}

// SphericalHarmonic returns the spherical harmonic of degree n, from 0 to 64, and order m, from -n to n, at the polar
// angles theta and the azimuths phi, which broadcast. The result is [..., 2], pairs of real and imaginary parts, with
// the Condon-Shortley phase. It is computed in Float64 by the recurrence of normalized Legendre functions; integers
// give Float32. It is scipy.special.sph_harm_y.
func SphericalHarmonic(n, m int, theta, phi *graph.Node) *graph.Node {
	defer building("SphericalHarmonic", n, m, theta, phi)()
	call := refused("SphericalHarmonic", theta, phi)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if n < 0 || n > maxOrder || m < -n || m > n {
		return call.wrong(graph.CodeOperand,
			"spherical harmonic of degree %d and order %d: the degree n must be from 0 to %d, and the order from -n to n",
			n, m, maxOrder)
	}
	k := max(m, -m)
	both := Div(theta, phi)
	if both.Err() != nil || !both.Judged() {
		return both
	}
	in := converted(opDiv, theta, phi)
	polar, azimuth := Cast(in[0], graph.Float64), Cast(in[1], graph.Float64)
	x, sine := Cos(polar), Sin(polar)
	first := 1 / math.Sqrt(4*math.Pi)
	for j := 1; j <= k; j++ {
		first *= -math.Sqrt(float64(2*j+1) / float64(2*j))
	}
	p := num(first)
	if k == 0 {
		p = Mul(OnesLike(x), p)
	}
	for range k {
		p = Mul(p, sine)
	}
	var before node
	for l := k + 1; l <= n; l++ {
		next := Mul(x, p)
		if before != nil {
			b := math.Sqrt(float64((l-1)*(l-1)-k*k) / float64(4*(l-1)*(l-1)-1))
			next = Sub(next, Mul(num(b), before))
		}
		a := math.Sqrt(float64(4*l*l-1) / float64(l*l-k*k))
		before, p = p, Mul(num(a), next)
	}
	angle := Mul(num(float64(m)), azimuth)
	if m < 0 && k%2 == 1 {
		p = Neg(p)
	}
	return Cast(Stack(-1, Mul(p, Cos(angle)), Mul(p, Sin(angle))), both.DType())
}

// legendreNodes are the places and weights of Gauss's formula on 0 to 1, by Newton's method.
func legendreNodes(n int) (places, weights []float64) {
	for i := range n {
		z := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		var slope float64
		for range 100 {
			p, before := 1.0, 0.0
			for k := range n {
				p, before = (float64(2*k+1)*z*p-float64(k)*before)/float64(k+1), p
			}
			slope = float64(n) * (z*p - before) / (z*z - 1)
			step := p / slope
			if z -= step; math.Abs(step) < 1e-15 {
				break
			}
		}
		places, weights = append(places, (1+z)/2), append(weights, 1/((1-z*z)*slope*slope))
	}
	return places, weights
}

// OwensT returns Owen's T function, the integral of exp(-h²(1+t²)/2)/(2π(1+t²)) for t from 0 to a, with a relative
// error of at most 1e-14. Both operands broadcast and have gradients; integers give Float32. For a up to 1 it uses
// Gaussian quadrature, and beyond 1 the formulas of D. B. Owen, Tables for Computing Bivariate Normal Probabilities,
// 1956.
func OwensT(h, a *graph.Node) *graph.Node {
	return asDoubles("OwensT", h, a, func(h, a node) node {
		return WithGradient("OwensT", []node{h, a},
			func(in []node) node { return owensT(Abs(in[0]), in[1]) },
			func(_, dy node, in []node) []node {
				h, a := in[0], in[1]
				fall := Exp(Mul(num(-0.5), Square(h)))
				byH := Mul(Mul(num(-0.5/math.Sqrt(2*math.Pi)), fall), Erf(Mul(Mul(a, h), num(math.Sqrt2/2))))
				more := Add(num(1), Square(a))
				byA := Div(Exp(Mul(num(-0.5), Mul(Square(h), more))), Mul(num(2*math.Pi), more))
				return []node{Mul(dy, byH), Mul(dy, byA)}
			})
	})
}

func owensT(h, a node) node {
	h = Minimum(h, num(1000)) // where nothing is left
	sign, b := Sign(a), Abs(a)
	isLong := Greater(b, num(1))
	isZero := Equal(h, num(0))
	far := Minimum(Mul(Where(isZero, num(1), h), b), num(1000))
	inner := owensInside(Where(isLong, far, h), Where(isLong, Reciprocal(b), b))
	q, r := Ndtr(Neg(h)), Ndtr(Neg(far))
	long := Sub(Sub(Add(Mul(num(0.5), q), Mul(num(0.5), r)), Mul(q, r)), inner)
	y := Mul(sign, Where(isLong, long, inner))
	return Where(isZero, Mul(Atan(a), num(0.5/math.Pi)), y)
}

// owensInside is the integral up to a of at most 1, and not beyond 9/h, where nothing is left.
func owensInside(h, a node) node {
	places, weights := legendreNodes(48)
	g := h.Graph()
	at, weight := graph.Constant(g, places, 48), graph.Constant(g, weights, 48)
	reach := Minimum(a, Div(num(9), ClampMin(h, 1e-3)))
	t := Mul(lastAxis(reach), at)
	power := Square(Mul(lastAxis(Minimum(Mul(h, reach), num(9))), at))
	sum := Sum(Mul(Div(Exp(Mul(num(-0.5), power)), Add(num(1), Square(t))), weight), -1)
	return Mul(Mul(sum, reach), Mul(Exp(Mul(num(-0.5), Square(h))), num(0.5/math.Pi)))
}

func init() {
	composed("BesselJ", "the Bessel function of the first kind of a whole order.",
		named("scipy.special.jv, scipy.special.jn", "", "jax.scipy.special.bessel_jn", "", "",
			func(e *graph.Example) node { return BesselJ(3, e.Of("x", "n")) }))
	composed("SphericalHarmonic", "the spherical harmonic of a degree and an order, as pairs.",
		named("scipy.special.sph_harm_y", "", "jax.scipy.special.sph_harm_y", "", "", func(e *graph.Example) node {
			return SphericalHarmonic(3, 2, e.Of("theta", "n"), e.Of("phi", "n"))
		}))
	composed("OwensT", "the integral of exp(-h²(1+t²)/2) / (2π(1+t²)) for t from 0 to a.",
		named("scipy.special.owens_t", "", "jax.scipy.special.owens_t", "", "", func(e *graph.Example) node {
			return OwensT(e.Of("h", "n"), e.Of("a", "n"))
		}))
}
