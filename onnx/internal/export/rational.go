package export

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// ONNX Runtime has no Atan and no Erf of float64: they are written with sums and products.

// polynomial is the sum of c[i]·x^i.
func (e *exporter) polynomial(x *value, c ...float64) *value {
	y := e.number(x.dtype, c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		y = e.same("Mul", y, x)
		if c[i] != 0 {
			y = e.same("Add", y, e.number(x.dtype, c[i]))
		}
	}
	return y
}

// atan is the angle of a tangent between 0 and 1. That of a float64 is halved twice by atan x = 2·atan(x/(1+√(1+x²))),
// and then a series, whose next term is less than a unit in the last place.
func (e *exporter) atan(x *value) *value {
	if x.dtype != graph.Float64 {
		return e.same("Atan", x)
	}
	one := e.number(x.dtype, 1)
	for range 2 {
		root := e.same("Sqrt", e.same("Add", one, e.same("Mul", x, x)))
		x = e.same("Div", x, e.same("Add", one, root))
	}
	var c []float64
	for i := range 13 {
		c = append(c, float64(1-2*(i%2))/float64(2*i+1))
	}
	return e.same("Mul", e.same("Mul", e.polynomial(e.same("Mul", x, x), c...), x), e.number(x.dtype, 4))
}

// The error function is a power series up to this bound, and beyond it 1 less a continued fraction.
const (
	erfBound    = 2.5
	erfTerms    = 45
	erfFraction = 60
)

// erf64 is the error function of float64: for small x, 2/√π·e^(-x²)·(x + 2x³/3 + 4x⁵/15 + …), of which all terms have
// one sign; for others, 1 - e^(-x²)/√π·1/(x + (1/2)/(x + 1/(x + (3/2)/(x + …)))).
func (e *exporter) erf64(x *value) *value {
	num := func(v float64) *value { return e.number(x.dtype, v) }
	a := e.same("Abs", x)
	square := e.same("Mul", a, a)
	falling := e.same("Exp", e.same("Neg", square))
	near := e.same("Min", a, num(erfBound))
	c, term := []float64{1}, 1.0
	for i := 1; i < erfTerms; i++ {
		term *= 2 / float64(2*i+1)
		c = append(c, term)
	}
	series := e.same("Mul", e.polynomial(e.same("Mul", near, near), c...),
		e.same("Mul", near, num(2/math.Sqrt(math.Pi))))
	far := e.same("Max", a, num(erfBound))
	fraction := far
	for i := erfFraction; i >= 1; i-- {
		fraction = e.same("Add", far, e.same("Div", num(float64(i)/2), fraction))
	}
	rest := e.same("Div", e.same("Mul", falling, num(1/math.Sqrt(math.Pi))), fraction)
	size := e.choose(e.compare("LessOrEqual", a, num(erfBound)), e.same("Mul", series, falling),
		e.same("Sub", num(1), rest))
	size = e.choose(e.compare("Greater", a, num(6)), num(1), size)
	return e.choose(e.compare("Less", x, num(0)), e.same("Neg", size), e.choose(e.isNaN(x), x, size))
}
