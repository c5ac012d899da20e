package dense

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/kernels/gemm"
)

// leaf is up to how many rows a tridiagonal matrix has its eigenvectors by rotations.
const leaf = 24

// merging is the spectrum of a tridiagonal matrix of n rows, put together from those of its halves: Cuppen, A divide and conquer method for the symmetric
// tridiagonal eigenproblem, 1981, with Gu and Eisenstat's weights.
type merging struct {
	n      int
	d, e   []float64
	v      []float64 // n rows, each an eigenvector
	z      []float64
	order  []int     // rows of two halves by rising values, or those that stay behind these that change
	halves []int     // of rows: which ones they have numbers in
	places []int     // of rows that change, by halves
	packed []float64 // rows that change, without gaps
	shares []float64 // of these rows in the new ones, row by row
	fresh  []float64 // the new rows
	roots  secular
	row    []float64
}

// Halves that a row has numbers in.
const (
	inFirst = 1 << iota
	inSecond
)

// tridiagonalVectors writes the eigenvectors of the tridiagonal matrix with d on its diagonal and e beside it, as rows; d becomes the eigenvalues, rising.
func tridiagonalVectors(memory Memory, v, d, e []float64) error {
	n := len(d)
	m := merging{n: n, d: d, e: e, v: v, z: memory.Floats(n), order: memory.Ints(n), halves: memory.Ints(n), places: memory.Ints(n), row: memory.Floats(n)}
	m.packed, m.shares, m.fresh = memory.Floats(n*n), memory.Floats(n*n), memory.Floats(n*n)
	m.roots = secular{d: memory.Floats(n), z: memory.Floats(n), gaps: memory.Floats(n)}
	clear(v)
	return m.solve(0, n)
}

// solve computes the part of some rows.
func (m *merging) solve(first, end int) error {
	if end-first <= leaf {
		return m.leaf(first, end)
	}
	middle := (first + end) / 2
	beside := m.e[middle-1]
	m.d[middle-1] -= math.Abs(beside)
	m.d[middle] -= math.Abs(beside)
	if err := m.solve(first, middle); err != nil {
		return err
	}
	if err := m.solve(middle, end); err != nil {
		return err
	}
	m.merge(first, middle, end, beside)
	return nil
}

func (m *merging) leaf(first, end int) error {
	for i := first; i < end; i++ {
		m.v[i*m.n+i] = 1
	}
	return tridiagonalRotations(m.d[first:end], m.e[first:end-1], m.v[first*m.n+first:], m.n, end-first)
}

// merge adds |beside|·u·uᵀ to two parts, where u has 1 at the end of the first part and ±1 at the begin of the second one.
func (m *merging) merge(first, middle, end int, beside float64) {
	rho, sign := 2*math.Abs(beside), math.Copysign(math.Sqrt2/2, beside)
	greatest := 0.0
	for i := first; i < end; i++ {
		if i < middle {
			m.z[i], m.halves[i] = m.v[i*m.n+middle-1]*(math.Sqrt2/2), inFirst
		} else {
			m.z[i], m.halves[i] = m.v[i*m.n+middle]*sign, inSecond
		}
		m.order[i] = i
		greatest = max(greatest, math.Abs(m.d[i]), rho*math.Abs(m.z[i]))
	}
	m.sort(m.order[first:end])
	changed := m.deflate(first, end, rho, 8*epsilon*greatest)
	if changed > 0 {
		m.change(m.order[first:first+changed], first, middle, end, rho)
	}
	m.settle(first, end)
}

// sort sorts rows by their values.
func (m *merging) sort(rows []int) {
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

// deflate finds the rows that change, and puts them first, by rising values. Others have a share of u up to rounding, or get one by a rotation with a row
// of nearly the same value.
func (m *merging) deflate(first, end int, rho, least float64) (changed int) {
	order := m.order[first:end]
	stay := m.places[:0]
	before := -1
	for _, i := range order {
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
			order[changed] = before
			changed++
		}
		before = i
	}
	if before >= 0 {
		order[changed] = before
		changed++
	}
	copy(order[changed:], stay)
	return changed
}

// rotate makes of two rows those of which only the second one has a share of u.
func (m *merging) rotate(a, b, first, end int, cos, sin float64) {
	rotateRows(m.v[a*m.n+first:a*m.n+end], m.v[b*m.n+first:b*m.n+end], cos, sin)
	low, high := m.d[a], m.d[b]
	m.d[a] = float64(low*cos*cos) + float64(high*sin*sin)
	m.d[b] = float64(low*sin*sin) + float64(high*cos*cos)
}

// change makes of rows those of the sum.
func (m *merging) change(rows []int, first, middle, end int, rho float64) {
	k := len(rows)
	s := &m.roots
	roots := secular{d: s.d[:k], z: s.z[:k], gaps: s.gaps[:k], rho: rho}
	for i, row := range rows {
		roots.d[i], roots.z[i] = m.d[row], m.z[row]
	}
	shares := m.shares[:k*k]
	for j, row := range rows {
		origin, x := roots.root(j, shares[j*k:(j+1)*k])
		m.d[row] = roots.d[origin] + x
	}
	weights := m.z[first : first+k] // which are not wanted any more
	roots.weights(weights, shares)
	// Rows of the first half alone come first, then those of both.
	places := m.places[:k]
	counts := [4]int{}
	for _, row := range rows {
		counts[m.halves[row]]++
	}
	next := [4]int{inFirst: 0, inFirst | inSecond: counts[inFirst], inSecond: counts[inFirst] + counts[inFirst|inSecond]}
	for i, row := range rows {
		places[i] = next[m.halves[row]]
		next[m.halves[row]]++
	}
	for j := range k {
		share, sum := shares[j*k:(j+1)*k], 0.0
		row := m.row[:k]
		for i, distance := range share {
			v := weights[i] / distance
			sum += float64(v * v)
			row[places[i]] = v
		}
		length := math.Sqrt(sum)
		for i, v := range row {
			share[i] = v / length
		}
	}
	upper, lower := m.packed, m.packed[k*(middle-first):]
	for i, row := range rows {
		if m.halves[row]&inFirst != 0 {
			copy(upper[places[i]*(middle-first):][:middle-first], m.v[row*m.n+first:])
		}
		if m.halves[row]&inSecond != 0 {
			copy(lower[(places[i]-counts[inFirst])*(end-middle):][:end-middle], m.v[row*m.n+middle:])
		}
	}
	width := end - first
	in := counts[inFirst] + counts[inFirst|inSecond]
	run(&gemm.Product[float64]{M: k, N: middle - first, K: in, A: gemm.Matrix[float64]{Data: shares, Row: k, Col: 1}, B: rowByRow(upper, middle-first),
		C: gemm.Matrix[float64]{Data: m.fresh, Row: width, Col: 1}})
	run(&gemm.Product[float64]{M: k, N: end - middle, K: k - counts[inFirst], A: gemm.Matrix[float64]{Data: shares, Start: counts[inFirst], Row: k, Col: 1}, B: rowByRow(lower, end-middle),
		C: gemm.Matrix[float64]{Data: m.fresh, Start: middle - first, Row: width, Col: 1}})
	for j, row := range rows {
		copy(m.v[row*m.n+first:row*m.n+end], m.fresh[j*width:(j+1)*width])
	}
}

// settle puts rows in the order of their values.
func (m *merging) settle(first, end int) {
	order, width := m.order[first:end], end-first
	m.sort(order)
	for j, row := range order {
		copy(m.packed[j*width:], m.v[row*m.n+first:row*m.n+end])
		m.row[j] = m.d[row]
	}
	for j := range width {
		copy(m.v[(first+j)*m.n+first:], m.packed[j*width:(j+1)*width])
		m.d[first+j] = m.row[j]
	}
}
