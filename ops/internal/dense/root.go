package dense

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
)

// Sqrt writes the principal square root of a matrix of n rows, by its Schur form: Björck and Hammarling, A Schur method
// for the square root of a matrix, 1983. A matrix with numbers that are not finite has NaN.
func Sqrt(memory Memory, root, a []float64, n int) error {
	t, z, err := principal(memory, root, a, n, false)
	if err != nil || t.re == nil {
		return err
	}
	r := newComplexes(memory, n, n)
	if err := triangularSqrt(memory, r, t); err != nil {
		return err
	}
	between(memory, root, z, r, z)
	return nil
}

// principal is the Schur form of a matrix whose principal function is real, without a form where there is nothing to
// compute. The eigenvalues must not be negative, and positive, or in pairs, where zeros are no good either.
func principal(memory Memory, y, a []float64, n int, positive bool) (t, z complexes, err error) {
	if !isFinite(a) {
		for i := range y {
			y[i] = math.NaN()
		}
		return t, z, nil
	}
	if n == 0 {
		return t, z, nil
	}
	if t, z, err = complexSchur(memory, a, n); err != nil {
		return t, z, err
	}
	greatest := 0.0
	for i := range n {
		greatest = max(greatest, cmplx.Abs(t.at(i, i)))
	}
	for i := range n {
		v := t.at(i, i)
		if real(v) > 0 || imag(v) != 0 {
			continue
		}
		if cmplx.Abs(v) > greatest*float64(n)*0x1p-52 {
			return t, z, fmt.Errorf(
				"the input matrix has the negative eigenvalue %.4g, and so the function is not real", real(v))
		}
		if t.set(i, i, 0); positive {
			return t, z, errors.New("the input matrix is singular")
		}
	}
	return t, z, nil
}

// triangularSqrt writes the square root of a triangle.
func triangularSqrt(memory Memory, r, t complexes) error {
	n := t.rows
	for j := range n {
		r.set(j, j, cmplx.Sqrt(t.at(j, j)))
		for i := j - 1; i >= 0; i-- {
			memory.Poll(4 * (j - i))
			sum := t.at(i, j)
			for k := i + 1; k < j; k++ {
				sum -= r.at(i, k) * r.at(k, j)
			}
			if sum != 0 {
				by := r.at(i, i) + r.at(j, j)
				if by == 0 {
					return errors.New("the input matrix is singular and has no square root")
				}
				sum /= by
			}
			r.set(i, j, sum)
		}
	}
	return nil
}

// nodes and weights are those of Gauss and Legendre's quadrature over [0, 1] with 7 points, and maxNorm7 the norm up to
// which the approximant of the logarithm that it makes is exact to the last digit: Higham, Functions of Matrices, 2008,
// section 11.
var (
	nodes = [7]float64{0.02544604382862073773690516, 0.12923440720030278006806761, 0.29707742431130141654669679, 0.5,
		0.70292257568869858345330321, 0.87076559279969721993193239, 0.97455395617137926226309484}
	weights = [7]float64{0.06474248308443484663530572, 0.13985269574463833395073388, 0.19091502525255947247518488,
		0.20897959183673469387755102,
		0.19091502525255947247518488, 0.13985269574463833395073388, 0.06474248308443484663530572}
)

const maxNorm7 = 0.25

// Log writes the principal logarithm of a matrix of n rows, by square roots of its Schur form until that is close to
// the identity: Al-Mohy and Higham, Improved inverse scaling and squaring algorithms for the matrix logarithm, 2012. A
// matrix with numbers that are not finite has NaN.
func Log(memory Memory, log, a []float64, n int) error {
	t, z, err := principal(memory, log, a, n, true)
	if err != nil || t.re == nil {
		return err
	}
	diagonal := newComplexes(memory, n, 1)
	for i := range n {
		diagonal.set(i, 0, cmplx.Log(t.at(i, i)))
	}
	r, halvings := newComplexes(memory, n, n), 0
	for ; fromIdentity(t) > maxNorm7; halvings++ {
		if err := triangularSqrt(memory, r, t); err != nil {
			return err
		}
		t, r = r, t
	}
	for i := range n {
		t.set(i, i, t.at(i, i)-1)
	}
	sum, part := newComplexes(memory, n, n), newComplexes(memory, n, n)
	for k, x := range nodes {
		quotient(memory, part, t, complex(x, 0))
		for i, v := range part.re {
			sum.re[i] += weights[k] * v
			sum.im[i] += weights[k] * part.im[i]
		}
	}
	for i, v := range sum.re {
		sum.re[i], sum.im[i] = math.Ldexp(v, halvings), math.Ldexp(sum.im[i], halvings)
	}
	for i := range n {
		sum.set(i, i, diagonal.at(i, 0))
	}
	between(memory, log, z, sum, z)
	return nil
}

// fromIdentity is the greatest sum of a column of a triangle less the identity.
func fromIdentity(t complexes) (norm float64) {
	for j := range t.cols {
		sum := cmplx.Abs(t.at(j, j) - 1)
		for i := range j {
			sum += cmplx.Abs(t.at(i, j))
		}
		norm = max(norm, sum)
	}
	return norm
}

// quotient writes (1 + x·t)⁻¹·t of a triangle.
func quotient(memory Memory, y, t complexes, x complex128) {
	n := t.rows
	for j := range n {
		for i := j; i >= 0; i-- {
			memory.Poll(4 * (j - i))
			sum := t.at(i, j)
			for k := i + 1; k <= j; k++ {
				sum -= x * t.at(i, k) * y.at(k, j)
			}
			y.set(i, j, sum/(1+x*t.at(i, i)))
		}
	}
}

// Sylvester writes the solution x of a·x + x·b = c, for a of n rows and b of m: Bartels and Stewart, Solution of the
// matrix equation AX + XB = C, 1972.
func Sylvester(memory Memory, x, a, b, c []float64, n, m int) error {
	if !isFinite(a) || !isFinite(b) {
		return errNotFinite
	}
	if n == 0 || m == 0 {
		return nil
	}
	r, u, err := complexSchur(memory, a, n)
	if err != nil {
		return err
	}
	s, v, err := complexSchur(memory, b, m)
	if err != nil {
		return err
	}
	y := u.adjoint(memory).times(memory, complexOf(memory, c, n, m)).times(memory, v)
	for k := range m {
		for i := n - 1; i >= 0; i-- {
			memory.Poll(4 * (k + n - i))
			sum, by := y.at(i, k), r.at(i, i)+s.at(k, k)
			if by == 0 {
				return errors.New(
					"the first matrix and the negative of the second one have an eigenvalue in common: there is no one solution")
			}
			for j := range k {
				sum -= y.at(i, j) * s.at(j, k)
			}
			for j := i + 1; j < n; j++ {
				sum -= r.at(i, j) * y.at(j, k)
			}
			y.set(i, k, sum/by)
		}
	}
	between(memory, x, u, y, v)
	return nil
}
