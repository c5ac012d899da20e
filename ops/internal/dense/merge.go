package dense

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/kernels/gemm"
	"github.com/broadloom/broadloom/kernels/triangular"
)

// merging is the spectrum of a matrix with two diagonals, put together from those of its halves. Each value has a row
// of v, and of u if there are vectors of two kinds, and a number in z.
type merging[T Number] struct {
	memory    Memory
	n         int // rows, and columns
	d, e      []float64
	v, u      []T
	z         []float64
	order     []int     // rows of two halves by rising values, or those that stay behind these that change
	halves    []int     // of rows: which ones they have numbers in
	places    []int     // of rows that change, by halves
	packed    []T       // rows that change, without gaps
	ofV, ofU  []T       // shares of these rows in the new ones, row by row
	distances []float64 // of poles from solutions, solution by solution
	fresh     []T       // the new rows
	row       []float64 // numbers for each row
	roots     secular
}

// Halves that a row has numbers in.
const (
	inFirst = 1 << iota
	inSecond
)

func newMerging[T Number](memory Memory, d, e []float64, v, u []T) merging[T] {
	n := len(d)
	m := merging[T]{memory: memory, n: n, d: d, e: e, v: v, u: u, z: memory.Floats(n), row: memory.Floats(n),
		order:  memory.Ints(n),
		halves: memory.Ints(n), places: memory.Ints(n)}
	m.packed, m.fresh, m.ofV = triangular.Room[T](memory, n*n), triangular.Room[T](memory, n*n),
		triangular.Room[T](memory, n*n)
	m.distances = memory.Floats(n * n)
	m.roots = secular{d: memory.Floats(n), z: memory.Floats(n), gaps: memory.Floats(n)}
	clear(v)
	clear(u)
	least := math.Ldexp(max(maxAbs(d), maxAbs(e)), -200)
	flush(d, least)
	flush(e, least)
	return m
}

// flush makes numbers 0 that are so small that their squares count for nothing, and might be too small for float64.
func flush(a []float64, least float64) {
	for i, v := range a {
		if math.Abs(v) < least {
			a[i] = 0
		}
	}
}

// sort sorts rows by their values.
func (m *merging[T]) sort(rows []int) {
	slices.SortFunc(rows, func(a, b int) int {
		switch {
		case m.d[a] < m.d[b]:
			return -1
		case m.d[a] > m.d[b]:
			return 1
		}
		return a - b
	})
}

// deflate puts those of rows, which have rising values, first that change, and returns how many. Others have up to
// rounding nothing in z, or get nothing by a rotation with a row of nearly the same value. The numbers of rows are from
// one up to an end.
func (m *merging[T]) deflate(rows []int, first, end int, rho, least float64) (changed int) {
	stay := m.places[:0]
	before := -1
	for _, i := range rows {
		if rho*math.Abs(m.z[i]) <= least {
			stay = append(stay, i)
			continue
		}
		if before >= 0 {
			length := math.Hypot(m.z[before], m.z[i])
			cos, sin := m.z[i]/length, m.z[before]/length
			if math.Abs((m.d[i]-m.d[before])*cos*sin) <= least {
				m.rotate(before, i, first, end, cos, sin)
				m.z[i] = length
				m.halves[i] |= m.halves[before]
				stay = append(stay, before)
				before = i
				continue
			}
			rows[changed] = before
			changed++
		}
		before = i
	}
	if before >= 0 {
		rows[changed] = before
		changed++
	}
	copy(rows[changed:], stay)
	return changed
}

// rotate makes of two rows those of which only the second one has something in z.
func (m *merging[T]) rotate(a, b, first, end int, cos, sin float64) {
	rotateRows(m.v[a*m.n+first:a*m.n+end], m.v[b*m.n+first:b*m.n+end], T(cos), T(sin))
	if m.u != nil {
		rotateRows(m.u[a*m.n+first:a*m.n+end], m.u[b*m.n+first:b*m.n+end], T(cos), T(sin))
	}
	low, high := m.d[a], m.d[b]
	m.d[a] = float64(low*cos*cos) + float64(high*sin*sin)
	m.d[b] = float64(low*sin*sin) + float64(high*cos*cos)
}

// solveSecular finds the values of rows that change, which become those of the rows, and the weights that these have in
// the vectors.
func (m *merging[T]) solveSecular(rows []int, rho float64, squares bool) (weights []float64) {
	k := len(rows)
	s := &m.roots
	roots := secular{d: s.d[:k], z: s.z[:k], gaps: s.gaps[:k], rho: rho, squares: squares}
	for i, row := range rows {
		roots.d[i], roots.z[i] = m.d[row], m.z[row]
	}
	distances := m.distances[:k*k]
	for j, row := range rows {
		m.memory.Poll(k * rootSteps)
		origin, x := roots.root(j, distances[j*k:(j+1)*k])
		from := roots.d[origin]
		if squares { // the root of from² + x
			m.d[row] = from + x/(from+math.Sqrt(max(float64(from*from)+x, 0)))
		} else {
			m.d[row] = from + x
		}
	}
	weights = m.z[:k] // which is not wanted any more
	roots.weights(m.memory, weights, distances)
	return weights
}

// arrange gives rows their places: those with numbers in the first half alone come first, then those in both. It
// returns how many there are of the first ones, and of both.
func (m *merging[T]) arrange(rows []int) (alone, both int) {
	counts := [4]int{}
	for _, row := range rows {
		counts[m.halves[row]]++
	}
	alone, both = counts[inFirst], counts[inFirst|inSecond]
	next := [4]int{inFirst: 0, inFirst | inSecond: alone, inSecond: alone + both}
	for i, row := range rows {
		half := m.halves[row]
		m.places[i] = next[half]
		next[half]++
	}
	return alone, both
}

// place divides shares by the length of their vector, and puts them where their rows are arranged.
func (m *merging[T]) place(to []T, shares []float64, length float64) {
	for i, v := range shares {
		to[m.places[i]] = T(v / length)
	}
}

// combine makes of rows of v, with numbers in columns from one up to an end, the sums of their shares. alone and both
// are those of [merging.arrange].
func (m *merging[T]) combine(v, shares []T, rows []int, first, middle, end, alone, both int) {
	k := len(rows)
	widths := [2]int{middle - first, end - middle}
	upper, lower := m.packed, m.packed[(alone+both)*widths[0]:]
	for i, row := range rows {
		if m.halves[row]&inFirst != 0 {
			copy(upper[m.places[i]*widths[0]:][:widths[0]], v[row*m.n+first:])
		}
		if m.halves[row]&inSecond != 0 {
			copy(lower[(m.places[i]-alone)*widths[1]:][:widths[1]], v[row*m.n+middle:])
		}
	}
	width := end - first
	fresh := func(from int) gemm.Matrix[T] {
		return gemm.Matrix[T]{Data: m.fresh, Start: from, Row: width, Col: 1}
	}
	of := rowByRow(shares, k)
	run(m.memory, gemm.Product[T]{M: k, N: widths[0], K: alone + both, A: of, B: rowByRow(upper, widths[0]),
		C: fresh(0)})
	of.Start = alone
	run(m.memory, gemm.Product[T]{M: k, N: widths[1], K: k - alone, A: of, B: rowByRow(lower, widths[1]),
		C: fresh(widths[0])})
	for j, row := range rows {
		copy(v[row*m.n+first:row*m.n+end], m.fresh[j*width:(j+1)*width])
	}
}

// sortSpectrum puts rows, from one up to an end, in the order of their values. Their numbers are in as many columns,
// and one more of v perhaps.
func (m *merging[T]) sortSpectrum(first, end, endOfV int) {
	order := m.order[first:end]
	m.sort(order)
	for i, row := range order {
		m.row[i] = m.d[row]
	}
	copy(m.d[first:end], m.row)
	m.permute(m.v, order, first, endOfV)
	if m.u != nil {
		m.permute(m.u, order, first, end)
	}
}

func (m *merging[T]) permute(v []T, order []int, first, end int) {
	width := end - first
	m.memory.Poll(len(order) * width / vectorized)
	for i, row := range order {
		copy(m.fresh[i*width:], v[row*m.n+first:row*m.n+end])
	}
	for i := range order {
		copy(v[(first+i)*m.n+first:], m.fresh[i*width:(i+1)*width])
	}
}
