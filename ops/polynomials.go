package ops

import "github.com/broadloom/broadloom/graph"

// maxPolynomial bounds the degree, of which each adds nodes.
const maxPolynomial = 64

// family is a family of polynomials: that of degree 1, and how one of degree k+1 follows from those of degrees k and
// k-1.
type family struct {
	first func(x node) node
	next  func(k float64, x, p, before node) node
}

// doubled is 2x times the last polynomial, less the one before.
func doubled(_ float64, x, p, before node) node { return Sub(Mul(Mul(num(2), x), p), before) }

// straight is slope*x + shift.
func straight(slope, shift float64) func(x node) node {
	return func(x node) node { return Add(Mul(num(slope), x), num(shift)) }
}

func itself(x node) node { return x }

var (
	chebyshevT = family{itself, doubled}
	chebyshevU = family{straight(2, 0), doubled}
	chebyshevV = family{straight(2, -1), doubled}
	chebyshevW = family{straight(2, 1), doubled}
	hermiteH   = family{straight(2, 0), func(k float64, x, p, before node) node {
		return Mul(num(2), Sub(Mul(x, p), Mul(num(k), before)))
	}}
	hermiteHe = family{itself, func(k float64, x, p, before node) node { return Sub(Mul(x, p), Mul(num(k), before)) }}
	laguerreL = family{straight(-1, 1), func(k float64, x, p, before node) node {
		return Div(Sub(Mul(Sub(num(2*k+1), x), p), Mul(num(k), before)), num(k+1))
	}}
	legendreP = family{itself, func(k float64, x, p, before node) node {
		return Div(Sub(Mul(Mul(num(2*k+1), x), p), Mul(num(k), before)), num(k+1))
	}}
)

// of is the polynomial of degree n at x, or at 2x-1 where shifted is set, by the recurrence.
func (f family) of(fn string, x node, n int, shifted bool) node {
	defer building(fn, x, n)()
	call := refused(fn, x).with(n)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if n < 0 || n > maxPolynomial {
		return call.wrong(graph.CodeOperand, "polynomial of degree %d: the degree must be from 0 to %d", n,
			maxPolynomial)
	}
	float := Div(x, num(1))
	if float.Err() != nil || !float.Judged() {
		return float
	}
	wide, round := computedWide(float)
	at := wide[0]
	if shifted {
		at = Sub(Mul(num(2), at), num(1))
	}
	before, p := OnesLike(at), f.first(at)
	if n == 0 {
		return round(before)
	}
	for k := 1; k < n; k++ {
		before, p = p, f.next(float64(k), at, p, before)
	}
	return round(p)
}

func init() {
	for _, p := range []struct {
		name, doc, scipy, torch string
		of                      func(x *graph.Node, n int) *graph.Node
	}{
		{"ChebyshevT", "Chebyshev's polynomial of the first kind, cos(n arccos x).", "scipy.special.eval_chebyt",
			"chebyshev_polynomial_t", ChebyshevT},
		{"ChebyshevU", "Chebyshev's polynomial of the second kind.", "scipy.special.eval_chebyu",
			"chebyshev_polynomial_u", ChebyshevU},
		{"ChebyshevV", "Chebyshev's polynomial of the third kind.", "", "chebyshev_polynomial_v", ChebyshevV},
		{"ChebyshevW", "Chebyshev's polynomial of the fourth kind.", "", "chebyshev_polynomial_w", ChebyshevW},
		{"ShiftedChebyshevT", "Chebyshev's polynomial of the first kind at 2x-1.", "scipy.special.eval_sh_chebyt",
			"shifted_chebyshev_polynomial_t", ShiftedChebyshevT},
		{"ShiftedChebyshevU", "Chebyshev's polynomial of the second kind at 2x-1.", "scipy.special.eval_sh_chebyu",
			"shifted_chebyshev_polynomial_u", ShiftedChebyshevU},
		{"ShiftedChebyshevV", "Chebyshev's polynomial of the third kind at 2x-1.", "", "shifted_chebyshev_polynomial_v",
			ShiftedChebyshevV},
		{"ShiftedChebyshevW", "Chebyshev's polynomial of the fourth kind at 2x-1.", "",
			"shifted_chebyshev_polynomial_w", ShiftedChebyshevW},
		{"HermiteH", "the physicist's Hermite polynomial.", "scipy.special.eval_hermite", "hermite_polynomial_h",
			HermiteH},
		{"HermiteHe", "the probabilist's Hermite polynomial.", "scipy.special.eval_hermitenorm",
			"hermite_polynomial_he", HermiteHe},
		{"LaguerreL", "Laguerre's polynomial.", "scipy.special.eval_laguerre", "laguerre_polynomial_l", LaguerreL},
		{"LegendreP", "Legendre's polynomial.", "scipy.special.eval_legendre", "legendre_polynomial_p", LegendreP},
	} {
		composed(p.name, p.doc, named(p.scipy, "torch.special."+p.torch, "", "", "", func(e *graph.Example) node {
			return p.of(e.Of("x", "k"), 5)
		}))
	}
}

// ChebyshevT returns the Chebyshev polynomial of the first kind of degree n, from 0 to 64, at x: cos(n arccos x)
// between -1 and 1. Integers give Float32. This and the following polynomials are computed by their recurrences.
// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 22.7.
func ChebyshevT(x *graph.Node, n int) *graph.Node { return chebyshevT.of("ChebyshevT", x, n, false) }

// ChebyshevU returns the Chebyshev polynomial of the second kind of degree n, from 0 to 64.
func ChebyshevU(x *graph.Node, n int) *graph.Node { return chebyshevU.of("ChebyshevU", x, n, false) }

// ChebyshevV returns the Chebyshev polynomial of the third kind of degree n, from 0 to 64.
func ChebyshevV(x *graph.Node, n int) *graph.Node { return chebyshevV.of("ChebyshevV", x, n, false) }

// ChebyshevW returns the Chebyshev polynomial of the fourth kind of degree n, from 0 to 64.
func ChebyshevW(x *graph.Node, n int) *graph.Node { return chebyshevW.of("ChebyshevW", x, n, false) }

// ShiftedChebyshevT returns ChebyshevT(2x-1, n), for x between 0 and 1.
func ShiftedChebyshevT(x *graph.Node, n int) *graph.Node {
	return chebyshevT.of("ShiftedChebyshevT", x, n, true)
}

// ShiftedChebyshevU returns ChebyshevU(2x-1, n), for x between 0 and 1.
func ShiftedChebyshevU(x *graph.Node, n int) *graph.Node {
	return chebyshevU.of("ShiftedChebyshevU", x, n, true)
}

// ShiftedChebyshevV returns ChebyshevV(2x-1, n), for x between 0 and 1.
func ShiftedChebyshevV(x *graph.Node, n int) *graph.Node {
	return chebyshevV.of("ShiftedChebyshevV", x, n, true)
}

// ShiftedChebyshevW returns ChebyshevW(2x-1, n), for x between 0 and 1.
func ShiftedChebyshevW(x *graph.Node, n int) *graph.Node {
	return chebyshevW.of("ShiftedChebyshevW", x, n, true)
}

// HermiteH returns the physicist's Hermite polynomial of degree n, from 0 to 64. Its leading term is (2x)^n.
func HermiteH(x *graph.Node, n int) *graph.Node { return hermiteH.of("HermiteH", x, n, false) }

// HermiteHe returns the probabilist's Hermite polynomial of degree n, from 0 to 64. Its leading term is x^n.
func HermiteHe(x *graph.Node, n int) *graph.Node { return hermiteHe.of("HermiteHe", x, n, false) }

// LaguerreL returns the Laguerre polynomial of degree n, from 0 to 64.
func LaguerreL(x *graph.Node, n int) *graph.Node { return laguerreL.of("LaguerreL", x, n, false) }

// LegendreP returns the Legendre polynomial of degree n, from 0 to 64.
func LegendreP(x *graph.Node, n int) *graph.Node { return legendreP.of("LegendreP", x, n, false) }
