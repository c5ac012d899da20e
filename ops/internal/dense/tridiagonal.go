package dense

import "math"

// leafRows is up to how many rows a tridiagonal matrix has its eigenvectors by rotations.
const leafRows = 24

// tridiagonalVectors writes the eigenvectors of the tridiagonal matrix with d on its diagonal and e beside it, as rows;
// d becomes the eigenvalues, rising. Cuppen, A divide and conquer method for the symmetric tridiagonal eigenproblem,
// 1981.
func tridiagonalVectors[T Number](memory Memory, v []T, d, e []float64) error {
	m := newMerging(memory, d, e, v, nil)
	return m.tridiagonal(0, len(d))
}

// tridiagonal computes the part of some rows.
func (m *merging[T]) tridiagonal(first, end int) error {
	if end-first <= leafRows {
		for i := first; i < end; i++ {
			m.v[i*m.n+i] = 1
		}
		return implicitQL(m.d[first:end], m.e[first:end-1], m.v[first*m.n+first:], m.n, end-first)
	}
	middle := (first + end) / 2
	beside := m.e[middle-1]
	m.d[middle-1] -= math.Abs(beside)
	m.d[middle] -= math.Abs(beside)
	if err := m.tridiagonal(first, middle); err != nil {
		return err
	}
	if err := m.tridiagonal(middle, end); err != nil {
		return err
	}
	m.mergeTridiagonal(first, middle, end, beside)
	return nil
}

// mergeTridiagonal adds |beside|·w·wᵀ to two parts, where w has 1 at the end of the first part and ±1 at the begin of
// the second one.
func (m *merging[T]) mergeTridiagonal(first, middle, end int, beside float64) {
	rho, sign := 2*math.Abs(beside), math.Copysign(math.Sqrt2/2, beside)
	greatest := 0.0
	for i := first; i < end; i++ {
		if i < middle {
			m.z[i], m.halves[i] = float64(m.v[i*m.n+middle-1])*(math.Sqrt2/2), inFirst
		} else {
			m.z[i], m.halves[i] = float64(m.v[i*m.n+middle])*sign, inSecond
		}
		m.order[i] = i
		greatest = max(greatest, math.Abs(m.d[i]), rho*math.Abs(m.z[i]))
	}
	order := m.order[first:end]
	m.sort(order)
	rows := order[:m.deflate(order, first, end, rho, 8*roundingOf[T]()*greatest)]
	if k := len(rows); k > 0 {
		weights := m.solveSecular(rows, rho, false)
		alone, both := m.arrange(rows)
		for j := range k {
			shares, sum := m.distances[j*k:(j+1)*k], 0.0
			for i, distance := range shares {
				v := weights[i] / distance
				shares[i] = v
				sum += float64(v * v)
			}
			m.place(m.ofV[j*k:(j+1)*k], shares, math.Sqrt(sum))
		}
		m.combine(m.v, m.ofV, rows, first, middle, end, alone, both)
	}
	m.sortSpectrum(first, end, end)
}
