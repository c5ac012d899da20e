package dense

import (
	"errors"
	"math"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// errSingular says that a system has no unique solution.
var errSingular = errors.New("the input matrix is singular")

// SolveLU makes of b, of n rows and k columns, the solution x of a·x = b, for the matrix a that [triangular.LU] has
// factored, or of aᵀ·x = b.
func SolveLU[T Number](memory Memory, lu []T, n int, pivots []int, transposed bool, b []T, k int) error {
	for i := range n {
		if lu[i*n+i] == 0 {
			return errSingular
		}
	}
	triangular.SolveLU(memory, lu, n, pivots, transposed, b, k)
	return nil
}

// InverseOfLU writes the inverse of a matrix that [triangular.LU] has factored: that of the factors, whose columns are
// exchanged as the rows of the matrix were. Zeros that L has above its diagonal cost nothing so.
func InverseOfLU[T Number](memory Memory, inverse, lu []T, n int, pivots []int) error {
	identity(inverse, n)
	if n < 64 { // exchanges would take longer than zeros
		return SolveLU(memory, lu, n, pivots, false, inverse, n)
	}
	none, columns, row := memory.Ints(n), memory.Ints(n), triangular.Room[T](memory, n)
	for i := range n {
		none[i], columns[i] = i, i
	}
	if err := SolveLU(memory, lu, n, none, false, inverse, n); err != nil {
		return err
	}
	for i := n - 1; i >= 0; i-- {
		columns[i], columns[pivots[i]] = columns[pivots[i]], columns[i]
	}
	for i := range n {
		to := inverse[i*n : (i+1)*n]
		copy(row, to)
		for j, from := range columns {
			to[j] = row[from]
		}
	}
	return nil
}

func identity[T Number](a []T, n int) {
	clear(a)
	for i := range n {
		a[i*n+i] = 1
	}
}

// Cofactors writes the matrix of cofactors of a matrix of n rows: the gradient of its determinant. It is the
// determinant times the transposed inverse; of matrices that are singular, or nearly, it is computed from singular
// values, U·cof(S)·Vᵀ times the determinants of U and V, which are 1 or -1.
func Cofactors[T Number](m Memory, cofactors, a []T, n int) error {
	lu, pivots := triangular.Room[T](m, n*n), m.Ints(n)
	copy(lu, a)
	triangular.LU(m, lu, n, n, pivots)
	if !wellConditioned(lu, n) {
		return cofactorsWithCare(m, cofactors, a, n)
	}
	identity(cofactors, n)
	if err := SolveLU(m, lu, n, pivots, true, cofactors, n); err != nil {
		return err
	}
	det := detOfLU(lu, n, pivots)
	for i, v := range cofactors {
		cofactors[i] = T(float64(v) * det)
	}
	return nil
}

// cofactorsWithCare are those of a matrix that may be singular.
func cofactorsWithCare[T Number](m Memory, cofactors, a []T, n int) error {
	if isSingle[T]() {
		wide := m.Floats(n * n)
		if err := Cofactors(m, wide, widened(m, a), n); err != nil {
			return err
		}
		narrowed(cofactors, wide)
		return nil
	}
	return cofactorsBySVD(m, any(cofactors).([]float64), any(a).([]float64), n)
}

// wellConditioned reports whether no pivot is so small that rounding may have made it.
func wellConditioned[T Number](lu []T, n int) bool {
	least, greatest := math.Inf(1), 0.0
	for i := range n {
		pivot := math.Abs(float64(lu[i*n+i]))
		least, greatest = min(least, pivot), max(greatest, pivot)
	}
	share := 1e-11 * float64(n)
	if isSingle[T]() {
		share = 1e-4
	}
	return n == 0 || least > share*greatest || math.IsNaN(least)
}

func detOfLU[T Number](lu []T, n int, pivots []int) float64 {
	det := 1.0
	for i := range n {
		det *= float64(lu[i*n+i])
		if pivots[i] != i {
			det = -det
		}
	}
	return det
}

func cofactorsBySVD(m Memory, cofactors, a []float64, n int) error {
	u, s, vt := m.Floats(n*n), m.Floats(n), m.Floats(n*n)
	if err := SVD(m, u, s, vt, a, n, n); err != nil {
		return err
	}
	lu, pivots := m.Floats(n*n), m.Ints(n)
	sign := 1.0
	for _, orthogonal := range [][]float64{u, vt} {
		copy(lu, orthogonal)
		triangular.LU(m, lu, n, n, pivots)
		sign = math.Copysign(sign, sign*detOfLU(lu, n, pivots))
	}
	for i := range n {
		others := sign
		for k, v := range s {
			if k != i {
				others *= v
			}
		}
		for row := range n {
			u[row*n+i] *= others
		}
	}
	multiply(m, cofactors, u, vt, n, n, n)
	return nil
}
