package ops

import (
	"github.com/broadloom/broadloom/graph"
)

// Polynomials here are vectors of coefficients, that of the highest power first, as numpy.polyval has them. Nothing
// trims leading zeros, so that sizes follow from those of the operands.

// unrolledPowers is up to how many coefficients there is a node for each, and beyond a loop.
const unrolledPowers = 64

// refusedPolynomials refuses operands that are no vectors.
func refusedPolynomials(call refusedCall, ps ...node) node {
	if bad := notTensors(call); bad != nil {
		return bad
	}
	for _, p := range ps {
		if p.Rank() != 1 || p.DType() == graph.Bool {
			return call.wrong(graph.CodeRank, "a polynomial must be a vector of coefficients, but %s is %s of shape %s",
				p.Called(), p.DType(), p.Shape())
		}
	}
	return nil
}

// PolyVal returns the polynomial with the coefficients p at each element of x, by Horner's rule. The coefficient of
// the highest power comes first. The result has the common dtype of both. Without coefficients it is 0.
func PolyVal(p, x *graph.Node) *graph.Node {
	defer building("PolyVal", p, x)()
	withScalars(nil, opMul, &p, &x)
	if bad := refusedPolynomials(refused("PolyVal", p, x), p); bad != nil {
		return bad
	}
	in := converted(opMul, p, x)
	p, x = in[0], in[1]
	y := ZerosLike(x)
	if n, known := p.Shape()[0].Int(); known && n <= unrolledPowers {
		for k := range n {
			if c := Select(p, 0, graph.Dim(k)); k == 0 {
				y = Add(y, c)
			} else {
				y = Add(Mul(y, x), c)
			}
		}
		return y
	}
	final, _ := Scan(Loop{Carry: []node{y}, Over: []node{p}}, func(carry, c []node) (next, out []node) {
		return []node{Add(Mul(carry[0], x), c[0])}, nil
	})
	return final[0]
}

// PolyAdd returns the sum of two polynomials, with as many coefficients as the longer one.
func PolyAdd(p, q *graph.Node) *graph.Node { return termwise("PolyAdd", p, q, Add) }

// PolySub returns the difference of two polynomials, with as many coefficients as the longer one.
func PolySub(p, q *graph.Node) *graph.Node { return termwise("PolySub", p, q, Sub) }

func termwise(fn string, p, q node, f func(p, q *graph.Node) *graph.Node) node {
	defer building(fn, p, q)()
	if bad := refusedPolynomials(refused(fn, p, q), p, q); bad != nil {
		return bad
	}
	n, m := p.Shape()[0], q.Shape()[0]
	least := graph.MinDim(n, m)
	return f(Pad(p, 0, m.Minus(least), 0, 0), Pad(q, 0, n.Minus(least), 0, 0))
}

// PolyMul returns the product of two polynomials with n and m coefficients: n+m-1 coefficients.
func PolyMul(p, q *graph.Node) *graph.Node {
	defer building("PolyMul", p, q)()
	if bad := refusedPolynomials(refused("PolyMul", p, q), p, q); bad != nil {
		return bad
	}
	in := converted(opMul, p, q)
	return Convolve(in[0], in[1], ConvolveFull)
}

// PolyDiv returns the quotient and the remainder of the polynomials p, with n coefficients, and q, with m. They have
// n-m+1 and m-1 coefficients, but at least one each. The first coefficient of q must not be 0, and the sizes must be
// known when the graph is built. The quotient is computed as the solution of a triangular system, in Float32 or
// Float64; integers give Float32.
func PolyDiv(p, q *graph.Node) (quotient, remainder *graph.Node) {
	defer building("PolyDiv", p, q)()
	call := refused("PolyDiv", p, q)
	if bad := refusedPolynomials(call, p, q); bad != nil {
		return bad, bad
	}
	n, known := p.Shape()[0].Int()
	m, alsoKnown := q.Shape()[0].Int()
	if !known || !alsoKnown || n == 0 || m == 0 {
		bad := call.wrong(graph.CodeOperand,
			"the division of polynomials needs known numbers of coefficients, at least one each, but the shapes are %s and %s",
			p.Shape(), q.Shape())
		return bad, bad
	}
	in := converted(opDiv, p, q)
	p, q = in[0], in[1]
	if n < m {
		return Zeros(p.Graph(), p.DType(), 1), Copy(p)
	}
	size := graph.Dim(n - m + 1)
	column := Slice(Pad(q, 0, 0, size, 0), 0, 0, size, 1)
	matrix := Toeplitz(column, Zeros(p.Graph(), p.DType(), size))
	quotient = Select(SolveTriangular(matrix, Unsqueeze(Slice(p, 0, 0, size, 1), 1)), 1, 0)
	if m == 1 {
		return quotient, Zeros(p.Graph(), p.DType(), 1)
	}
	rest := Sub(p, Convolve(quotient, q, ConvolveFull))
	return quotient, Slice(rest, 0, size, graph.Dim(n), 1)
}

// powersDown are the numbers n-1, …, 1, 0 in the dtype of p, a vector of n elements.
func powersDown(p node) node {
	g, n := p.Graph(), p.Shape()[0]
	return Cast(Sub(Size(g, graph.Int64, n.Minus(1)), Iota(g, 0, n)), p.DType())
}

// PolyDer returns the derivative of a polynomial, taken the given number of times. Each time removes one coefficient,
// if there are any left.
func PolyDer(p *graph.Node, times int) *graph.Node {
	defer building("PolyDer", p, times)()
	call := refused("PolyDer", p).with(times)
	if bad := refusedPolynomials(call, p); bad != nil {
		return bad
	}
	if times < 0 || times > maxDifferences {
		return call.wrong(graph.CodeOperand, "Order of derivative must be from 0 to %d, but it is %d", maxDifferences,
			times)
	}
	for range times {
		size := p.Shape()[0]
		p = Slice(Mul(p, powersDown(p)), 0, 0, size.Minus(graph.MinDim(size, 1)), 1)
	}
	return p
}

// PolyInt returns the integral of a polynomial, taken the given number of times. Each time adds one coefficient.
// constants are the constants of integration in the order of the integrations: a vector with one element for each, or
// nil for zeros. Integers give Float32.
func PolyInt(p *graph.Node, times int, constants *graph.Node) *graph.Node {
	defer building("PolyInt", withWeights(constants, p, times)...)()
	call := refused("PolyInt", p).with(times)
	if bad := refusedPolynomials(call, p); bad != nil {
		return bad
	}
	if constants != nil {
		if bad := refusedPolynomials(refused("PolyInt", p, constants).with(times), constants); bad != nil {
			return bad
		}
		if k := constants.Shape()[0]; k.IsConst() && k != graph.Dim(times) {
			return call.wrong(graph.CodeOperand,
				"k must be a vector of %d constants of integration, but %s has shape %s", times, constants.Called(),
				constants.Shape())
		}
	}
	if times < 0 || times > maxDifferences {
		return call.wrong(graph.CodeOperand, "Order of integral must be from 0 to %d, but it is %d", maxDifferences,
			times)
	}
	p = Div(p, num(1))
	for i := range times {
		p = Pad(Div(p, Add(powersDown(p), num(1))), 0, 0, 1, 0)
		if constants != nil {
			last := Equal(powersDown(p), num(0))
			p = Add(p, Where(last, Cast(Select(constants, 0, graph.Dim(i)), p.DType()), num(0)))
		}
	}
	return p
}

// PolyFromRoots returns the coefficients of the polynomial with the given roots, a vector of n elements. It has n+1
// coefficients, of which the first is 1. It is numpy.poly of a vector.
func PolyFromRoots(roots *graph.Node) *graph.Node {
	defer building("PolyFromRoots", roots)()
	if bad := refusedPolynomials(refused("PolyFromRoots", roots), roots); bad != nil {
		return bad
	}
	roots = Div(roots, num(1))
	if n, known := roots.Shape()[0].Int(); known && n <= unrolledPowers {
		p := Ones(roots.Graph(), roots.DType(), 1)
		for k := range n {
			p = Sub(Pad(p, 0, 0, 1, 0), Mul(Pad(p, 0, 1, 0, 0), Select(roots, 0, graph.Dim(k))))
		}
		return p
	}
	one := Pad(Ones(roots.Graph(), roots.DType(), 1), 0, 0, roots.Shape()[0], 0)
	final, _ := Scan(Loop{Carry: []node{one}, Over: []node{roots}}, func(carry, root []node) (next, out []node) {
		return []node{Sub(carry[0], Mul(previous(carry[0], 0, 0), root[0]))}, nil
	})
	return final[0]
}

// PolyFit returns the polynomial of the given degree that fits y at x by least squares. x is a vector [m], y is [m]
// or [m, k], and the result is [degree+1] or [degree+1, k]. weights, [m] or nil, multiply the differences before they
// are squared. The dtype is Float32 or Float64; integers give Float32. It is numpy.polyfit.
func PolyFit(x, y *graph.Node, degree int, weights *graph.Node) *graph.Node {
	defer building("PolyFit", withWeights(weights, x, y, degree)...)()
	call := refused("PolyFit", x, y).with(degree)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	switch {
	case x.Rank() != 1 || y.Rank() < 1 || y.Rank() > 2 ||
		x.Shape()[0].IsConst() && y.Shape()[0].IsConst() && x.Shape()[0] != y.Shape()[0]:
		return call.wrong(graph.CodeRank, "expected x and y to have same length, but their shapes are %s and %s",
			x.Shape(), y.Shape())
	case degree < 0 || degree >= maxPowers:
		return call.wrong(graph.CodeOperand, "the degree must be from 0 to %d, but it is %d", maxPowers-1, degree)
	}
	in := converted(opDiv, x, y)
	x, y = in[0], in[1]
	matrix := Vander(x, degree+1, false)
	if weights != nil {
		if bad := refusedPolynomials(refused("PolyFit", x, y, weights).with(degree), weights); bad != nil {
			return bad
		}
		w := Cast(weights, x.DType())
		matrix = Mul(matrix, Unsqueeze(w, 1))
		if y.Rank() == 2 {
			w = Unsqueeze(w, 1)
		}
		y = Mul(y, w)
	}
	// Columns of length 1 make the matrix as well conditioned as scaling can.
	scale := StopGradient(Sqrt(Sum(Square(matrix), 0)))
	scale = Where(Equal(scale, num(0)), num(1), scale)
	c := Lstsq(Div(matrix, scale), y)
	if y.Rank() == 2 {
		scale = Unsqueeze(scale, 1)
	}
	return Div(c, scale)
}

func init() {
	both := func(f func(p, q *graph.Node) *graph.Node) example {
		return func(e *graph.Example) node { return f(e.Of("p", "n"), e.Of("q", "3")) }
	}
	row := func(name, doc, word string, shown example) {
		composed(name, doc, named("numpy."+word, "", "jax.numpy."+word, "", "", shown))
	}
	row("PolyVal", "p[0] x^(n-1) + … + p[n-1], of a vector p of coefficients.", "polyval", func(e *graph.Example) node {
		return PolyVal(e.Of("p", "4"), e.Of("x", "n"))
	})
	row("PolyAdd", "the sum of two polynomials.", "polyadd", both(PolyAdd))
	row("PolySub", "the difference of two polynomials.", "polysub", both(PolySub))
	row("PolyMul", "the product of two polynomials.", "polymul", both(PolyMul))
	row("PolyDiv", "the quotient and the remainder of two polynomials.", "polydiv",
		func(e *graph.Example) node { return e.Several(PolyDiv(e.Of("p", "8"), e.Of("q", "3"))) })
	row("PolyDer", "the derivative of a polynomial.", "polyder", func(e *graph.Example) node {
		return PolyDer(e.Of("p", "n"), 1)
	})
	row("PolyInt", "the integral of a polynomial.", "polyint", func(e *graph.Example) node {
		return PolyInt(e.Of("p", "n"), 2, e.Of("constants", "2"))
	})
	row("PolyFromRoots", "the polynomial (x - roots[0]) (x - roots[1]) ….", "poly", func(e *graph.Example) node {
		return PolyFromRoots(e.Of("roots", "n"))
	})
	row("PolyFit", "the polynomial that is nearest to values at places, by least squares.", "polyfit",
		func(e *graph.Example) node { return PolyFit(e.Of("sorted", "8"), e.Of("y", "8"), 2, nil) })
}
