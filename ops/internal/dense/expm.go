package dense

import (
	"math"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// padé are the coefficients of approximants of the exponential, of even degrees and odd ones in turn, and norm is the
// norm up to which they are exact to the last digit: Higham, The scaling and squaring method for the matrix exponential
// revisited, 2005.
type padé struct {
	coefficients []float64
	norm         float64
}

var (
	padé13 = padé{[]float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
		10559470521600,
		670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}, 5.371920351148152}
	padé7 = padé{[]float64{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}, 3.925724783138660} // for float32
)

func padéOf[T Number]() *padé {
	if isSingle[T]() {
		return &padé7
	}
	return &padé13
}

// Exp writes the exponential of a matrix of n rows. Of a matrix with numbers that are not finite it is NaN.
func Exp[T Number](memory Memory, exp, a []T, n int) error {
	if !isFinite(a) {
		for i := range exp {
			exp[i] = T(math.NaN())
		}
		return nil
	}
	e := exponential[T]{n: n, memory: memory}
	for i := range e.power {
		e.power[i] = triangular.Room[T](memory, n*n)
	}
	e.odd, e.even, e.sum = triangular.Room[T](memory, n*n), triangular.Room[T](memory, n*n),
		triangular.Room[T](memory, n*n)
	halvings := e.scale(a)
	e.approximate()
	pivots := memory.Ints(n)
	for i, odd := range e.odd {
		exp[i], e.even[i] = e.even[i]+odd, e.even[i]-odd
	}
	triangular.LU(memory, e.even, n, n, pivots)
	if err := SolveLU(memory, e.even, n, pivots, false, exp, n); err != nil {
		return err
	}
	for range halvings {
		copy(e.sum, exp)
		multiply(memory, exp, e.sum, e.sum, n, n, n)
	}
	return nil
}

// exponential is what [Exp] computes with.
type exponential[T Number] struct {
	n              int
	memory         Memory
	power          [4][]T // a, a², a⁴ and a⁶
	odd, even, sum []T
}

// scale notes the matrix, halved until the approximant is exact, and its powers. It returns how often it was halved.
func (e *exponential[T]) scale(a []T) (halvings int) {
	norm := 0.0
	for col := range e.n {
		sum := 0.0
		for row := range e.n {
			sum += math.Abs(float64(a[row*e.n+col]))
		}
		norm = max(norm, sum)
	}
	if most := padéOf[T]().norm; norm > most {
		_, halvings = math.Frexp(norm / most)
	}
	copy(e.power[0], a)
	scale(e.power[0], -halvings)
	n := e.n
	multiply(e.memory, e.power[1], e.power[0], e.power[0], n, n, n)
	multiply(e.memory, e.power[2], e.power[1], e.power[1], n, n, n)
	multiply(e.memory, e.power[3], e.power[2], e.power[1], n, n, n)
	return halvings
}

// approximate computes the odd and the even terms of the numerator; those of the denominator differ in the sign of the
// odd ones.
func (e *exponential[T]) approximate() {
	e.terms(e.even, 0)
	e.terms(e.odd, 1)
	copy(e.sum, e.odd)
	multiply(e.memory, e.odd, e.power[0], e.sum, e.n, e.n, e.n)
}

// terms writes the sum of every other term from the given one on, without the factor a of odd ones.
func (e *exponential[T]) terms(to []T, from int) {
	a2, a4, a6 := e.power[1], e.power[2], e.power[3]
	var b [14]T
	for i, v := range padéOf[T]().coefficients[from:] {
		b[i] = T(v)
	}
	if b[8] != 0 { // terms beyond a⁶
		for i := range e.sum {
			e.sum[i] = b[12]*a6[i] + b[10]*a4[i] + b[8]*a2[i]
		}
		multiply(e.memory, to, a6, e.sum, e.n, e.n, e.n)
	} else {
		clear(to)
	}
	for i := range to {
		to[i] += b[6]*a6[i] + b[4]*a4[i] + b[2]*a2[i]
	}
	for i := range e.n {
		to[i*e.n+i] += b[0]
	}
}
