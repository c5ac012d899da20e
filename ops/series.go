package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
)

// chebyshev sums a series of Chebyshev polynomials at x between low and high. If the result is rounded, and the
// coefficients by powers are not much larger, it is a polynomial of these; otherwise it is summed by Clenshaw's rule,
// which takes three operations for a coefficient in place of one, but adds less to the error.
func (m arith) chebyshev(c []float64, x graph.Value, low, high float64) graph.Value {
	const grown = 8
	if powers := byPowers(c); m.rounds && totalSize(powers) <= grown*totalSize(c) {
		return m.polynomial(powers, m.scaled(x, low, high))
	}
	return m.clenshaw(c, m.scaled(x, low, high))
}

// steady is chebyshev of a series whose sum is about as large as its first coefficient. If the result is rounded, the
// last coefficients are of no use, and those by powers are exact enough.
func (m arith) steady(c []float64, x graph.Value, low, high float64) graph.Value {
	if !m.rounds {
		return m.clenshaw(c, m.scaled(x, low, high))
	}
	return m.polynomial(byPowers(enough(c)), m.scaled(x, low, high))
}

// scaled maps low to -1, and high to 1.
func (m arith) scaled(x graph.Value, low, high float64) graph.Value {
	return m.mul(m.sub(x, m.num((low+high)/2)), m.num(2/(high-low)))
}

func (m arith) clenshaw(c []float64, s graph.Value) graph.Value {
	twice := m.add(s, s)
	b1, b2 := m.num(c[len(c)-1]), m.num(0)
	for k := len(c) - 2; k > 0; k-- {
		b1, b2 = m.add(m.sub(m.mul(twice, b1), b2), m.num(c[k])), b1
	}
	return m.add(m.sub(m.mul(s, b1), b2), m.num(c[0]))
}

// polynomial is c[0] + c[1]*x + …, by Horner's rule.
func (m arith) polynomial(c []float64, x graph.Value) graph.Value {
	y := m.num(c[len(c)-1])
	for k := len(c) - 2; k >= 0; k-- {
		y = m.Prim(graph.PrimFMA, y, x, m.num(c[k]))
	}
	return y
}

// enough is what is needed of a series if the result is rounded to 32 bits.
func enough(c []float64) []float64 {
	const share = 1. / (1 << 32) // of the first one that the others may leave out
	left := 0.0
	for n := len(c); n > 2; n-- {
		if left += math.Abs(c[n-1]); left > share*math.Abs(c[0]) {
			return c[:n]
		}
	}
	return c
}

// byPowers are the coefficients by powers of x of a series of Chebyshev polynomials.
func byPowers(c []float64) []float64 {
	p := make([]float64, len(c))
	last, next := []float64{1}, []float64{0, 1} // two polynomials in turn
	for _, factor := range c {
		for i, a := range last {
			p[i] += factor * a
		}
		after := make([]float64, len(next)+1)
		for i, a := range next {
			after[i+1] = 2 * a
		}
		for i, a := range last {
			after[i] -= a
		}
		last, next = next, after
	}
	return p
}

func totalSize(c []float64) (sum float64) {
	for _, v := range c {
		sum += math.Abs(v)
	}
	return sum
}
