package dense

import (
	"math"

	"github.com/broadloom/broadloom/kernels/triangular"
)

// bidiagonalVectors writes the singular vectors of the upper bidiagonal matrix with d on its diagonal and e behind it,
// as rows; d becomes the singular values, rising: Gu and Eisenstat, A divide-and-conquer algorithm for the bidiagonal
// SVD, 1995.
func bidiagonalVectors[T Number](memory Memory, u, v []T, d, e []float64) {
	m := newMerging(memory, d, e, v, u)
	m.ofU = triangular.Room[T](memory, len(d)*len(d))
	m.bidiagonal(0, len(d))
}

// columnsTo is where the columns of some rows end.
func (m *merging[T]) columnsTo(end int) int { return min(end+1, m.n) }

// bidiagonal computes the part of some rows. But for the last ones there is one more column than rows: the row of v
// behind becomes what is orthogonal to all others.
func (m *merging[T]) bidiagonal(first, end int) {
	switch end - first {
	case 0:
		if first < m.n {
			m.v[first*m.n+first] = 1
		}
	case 1:
		m.leafBidiagonal(first)
	default:
		middle := (first + end) / 2
		m.bidiagonal(first, middle)
		m.bidiagonal(middle+1, end)
		m.mergeBidiagonal(first, middle, end)
	}
}

// leafBidiagonal is the part of one row.
func (m *merging[T]) leafBidiagonal(row int) {
	v, beside := m.v[row*m.n+row:], 0.0
	if row+1 < m.n {
		beside = m.e[row]
	}
	length, cos, sin := math.Hypot(m.d[row], beside), 1.0, 0.0
	if length > 0 {
		cos, sin = m.d[row]/length, beside/length
	}
	m.d[row], m.u[row*m.n+row], v[0] = length, 1, T(cos)
	if row+1 < m.n {
		v[1], v[m.n], v[m.n+1] = T(sin), -T(sin), T(cos)
	}
}

// mergeBidiagonal puts two parts together with the row between them, which has one element in the last column of the
// first part and one in the first column of the second one. With the vectors of the parts the matrix has z in that row,
// and else values on its diagonal.
func (m *merging[T]) mergeBidiagonal(first, middle, end int) {
	columns := m.columnsTo(end)
	at, beside := m.d[middle], 0.0
	if middle+1 < m.n {
		beside = m.e[middle]
	}
	greatest := max(math.Abs(at), math.Abs(beside))
	for i := first; i < end; i++ {
		if i < middle {
			m.z[i], m.halves[i] = at*float64(m.v[i*m.n+middle]), inFirst
		} else if i > middle {
			m.z[i], m.halves[i] = beside*float64(m.v[i*m.n+middle+1]), inSecond
		}
		if m.order[i] = i; i != middle {
			greatest = max(greatest, m.d[i])
		}
	}
	least := 8 * roundingOf[T]() * greatest
	m.halves[middle] = inFirst | inSecond
	m.u[middle*m.n+middle], m.d[middle] = 1, 0
	m.z[middle] = at * float64(m.v[middle*m.n+middle])
	if columns > end { // of two rows that are orthogonal to others, one is left so
		second := beside * float64(m.v[end*m.n+middle+1])
		if length := math.Hypot(m.z[middle], second); length > least {
			rotateRows(m.v[middle*m.n+first:middle*m.n+columns], m.v[end*m.n+first:end*m.n+columns],
				T(m.z[middle]/length), T(-second/length))
			m.z[middle] = length
		}
	}
	if !(math.Abs(m.z[middle]) > least) {
		m.z[middle] = least
	}
	if greatest > 0 {
		m.mergeArrow(first, middle, end, columns, least)
	}
	m.sortSpectrum(first, end, columns)
}

// mergeArrow makes the matrix of [merging.mergeBidiagonal] diagonal: an arrow, of the diagonal and one row.
func (m *merging[T]) mergeArrow(first, middle, end, columns int, least float64) {
	order := m.order[first:end]
	order[0], order[middle-first] = middle, first
	m.sort(order[1:])
	rows := order[:1+m.deflate(order[1:], first, columns, 1, least)]
	k := len(rows)
	if k > 1 { // so that it is not the value of the middle row
		m.d[rows[1]] = max(m.d[rows[1]], least/2)
	}
	weights := m.solveSecular(rows, 1, true)
	alone, both := m.arrange(rows)
	for j := range k {
		right, left := m.distances[j*k:(j+1)*k], m.row[:k]
		sum, sumLeft := 0.0, 0.0
		for i, distance := range right {
			v := weights[i] / distance
			right[i] = v
			sum += float64(v * v)
			v *= m.roots.d[i]
			if i == 0 {
				v = -1
			}
			left[i] = v
			sumLeft += float64(v * v)
		}
		m.place(m.ofV[j*k:(j+1)*k], right, math.Sqrt(sum))
		m.place(m.ofU[j*k:(j+1)*k], left, math.Sqrt(sumLeft))
	}
	m.combine(m.v, m.ofV, rows, first, middle+1, columns, alone, both)
	m.combine(m.u, m.ofU, rows, first, middle+1, end, alone, both)
}
