package dense

import (
	"math"
	"math/cmplx"
)

// complexes is a matrix of complex numbers, their parts apart.
type complexes struct {
	rows, cols int
	re, im     []float64
}

func newComplexes(memory Memory, rows, cols int) complexes {
	c := complexes{rows, cols, memory.Floats(rows * cols), memory.Floats(rows * cols)}
	clear(c.re)
	clear(c.im)
	return c
}

// complexOf is a matrix whose imaginary parts are 0.
func complexOf(memory Memory, a []float64, rows, cols int) complexes {
	c := newComplexes(memory, rows, cols)
	copy(c.re, a)
	return c
}

func (c complexes) at(i, j int) complex128 {
	return complex(c.re[i*c.cols+j], c.im[i*c.cols+j])
}

func (c complexes) set(i, j int, v complex128) {
	c.re[i*c.cols+j], c.im[i*c.cols+j] = real(v), imag(v)
}

// adjoint is the conjugate transpose.
func (c complexes) adjoint(memory Memory) complexes {
	t := newComplexes(memory, c.cols, c.rows)
	for i := range c.rows {
		for j := range c.cols {
			t.set(j, i, cmplx.Conj(c.at(i, j)))
		}
	}
	return t
}

// times is the product with another matrix.
func (c complexes) times(memory Memory, b complexes) complexes {
	y, part := newComplexes(memory, c.rows, b.cols), memory.Floats(c.rows*b.cols)
	if c.rows == 0 || c.cols == 0 || b.cols == 0 {
		return y
	}
	multiply(memory, y.re, c.re, b.re, c.rows, c.cols, b.cols)
	multiply(memory, part, c.im, b.im, c.rows, c.cols, b.cols)
	for i, v := range part {
		y.re[i] -= v
	}
	multiply(memory, y.im, c.re, b.im, c.rows, c.cols, b.cols)
	multiply(memory, part, c.im, b.re, c.rows, c.cols, b.cols)
	for i, v := range part {
		y.im[i] += v
	}
	return y
}

// complexSchur is the Schur form of a real matrix of n rows, a triangle with its eigenvalues on the diagonal, and the
// unitary matrix z: a = z·t·zᴴ. The blocks of the real form are made triangles by rotations, from below: Golub and Van
// Loan, Matrix Computations, 2013, section 7.4.
func complexSchur(memory Memory, a []float64, n int) (t, z complexes, err error) {
	form, vectors := memory.Floats(n*n), memory.Floats(n*n)
	copy(form, a)
	if err := Schur(memory, form, vectors, n); err != nil {
		return t, z, err
	}
	t, z = complexOf(memory, form, n, n), complexOf(memory, vectors, n, n)
	for m := n - 1; m > 0; m-- {
		memory.Poll(8 * n)
		below := t.at(m, m-1)
		if below == 0 {
			continue
		}
		// One eigenvalue of the block, from its last element on.
		p, q, r := t.at(m-1, m-1), t.at(m-1, m), t.at(m, m)
		half := (p - r) / 2
		first := half + cmplx.Sqrt(half*half+q*below)
		length := complex(math.Hypot(cmplx.Abs(first), cmplx.Abs(below)), 0)
		cos, sin := first/length, below/length
		for j := range n { // from the left
			upper, lower := t.at(m-1, j), t.at(m, j)
			t.set(m-1, j, cmplx.Conj(cos)*upper+cmplx.Conj(sin)*lower)
			t.set(m, j, cos*lower-sin*upper)
		}
		for _, c := range []complexes{t, z} { // from the right
			for i := range n {
				left, right := c.at(i, m-1), c.at(i, m)
				c.set(i, m-1, left*cos+right*sin)
				c.set(i, m, right*cmplx.Conj(cos)-left*cmplx.Conj(sin))
			}
		}
		t.set(m, m-1, 0)
	}
	return t, z, nil
}

// between writes the real part of z·c·wᴴ.
func between(memory Memory, y []float64, z, c, w complexes) {
	copy(y, z.times(memory, c).times(memory, w.adjoint(memory)).re)
}
