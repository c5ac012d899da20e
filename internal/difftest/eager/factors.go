package eager

import (
	"math"
	"slices"
)

// The least magnitude of a divisor, and the least distance of values whose vectors are computed separately. Smaller
// ones are refused, since rounding decides there.
const (
	leastPivot = 1e-2
	leastGap   = 5e-2
)

// transposed exchanges rows and columns.
func (a matrix) transposed(rows, cols int) matrix {
	t := newMatrix(cols, rows)
	for i := range rows {
		for j := range cols {
			t[j][i] = a[i][j]
		}
	}
	return t
}

// column is column j as numbers.
func (a matrix) column(j int) []Num {
	list := make([]Num, len(a))
	for i := range a {
		list[i] = a[i][j]
	}
	return list
}

func dot(x, y []Num) (sum Num) {
	for i := range x {
		sum = add(sum, mul(x[i], y[i]))
	}
	return sum
}

// qr orthogonalises the columns one after the other. The diagonal of R is positive.
func qr(a matrix, rows, cols int) (q, r matrix) {
	k := min(rows, cols)
	q, r = newMatrix(rows, k), newMatrix(k, cols)
	for j := range cols {
		v := a.column(j)
		for range 2 { // once more, for what rounding left
			for i := range min(j, k) {
				along := dot(q.column(i), v)
				r[i][j] = add(r[i][j], along)
				for at := range v {
					v[at] = sub(v[at], mul(along, q[at][i]))
				}
			}
		}
		if j >= k {
			continue
		}
		if !(dot(v, v).V > leastPivot) {
			refuseElements("columns that are nearly dependent")
		}
		r[j][j] = sqrt(dot(v, v))
		for i := range v {
			q[i][j] = div(v[i], r[j][j])
		}
	}
	return q, r
}

// lu eliminates below the diagonal, with the greatest element of each column as its pivot: a is P·L·U.
func lu(a matrix, rows, cols int) (p, l, u matrix) {
	k := min(rows, cols)
	order := make([]int, rows)
	for i := range order {
		order[i] = i
	}
	u, l = slices.Clone(a), newMatrix(rows, k)
	for i := range u {
		u[i] = slices.Clone(u[i])
	}
	for j := range k {
		best := j
		for i := j; i < rows; i++ {
			if math.Abs(u[i][j].V) > math.Abs(u[best][j].V) {
				best = i
			}
		}
		for i := j; i < rows; i++ {
			if i != best && !(math.Abs(u[best][j].V)-math.Abs(u[i][j].V) > leastPivot) ||
				!(math.Abs(u[best][j].V) > leastPivot) {
				refuseElements("no pivot is much greater than the others")
			}
		}
		u[j], u[best], l[j], l[best], order[j], order[best] = u[best], u[j], l[best], l[j], order[best], order[j]
		l[j][j] = num(1)
		for i := j + 1; i < rows; i++ {
			l[i][j] = div(u[i][j], u[j][j])
			for c := range cols {
				u[i][c] = sub(u[i][c], mul(l[i][j], u[j][c]))
			}
			u[i][j] = num(0)
		}
	}
	p = newMatrix(rows, rows)
	for i, from := range order {
		p[from][i] = num(1)
	}
	return p, l, u[:k]
}

// turned rotates two numbers by an angle with the given cosine and sine.
func turned(x, y, c, s Num) (Num, Num) { return sub(mul(c, x), mul(s, y)), add(mul(s, x), mul(c, y)) }

// sweeps is the number of sweeps of Jacobi's method over all pairs: values converge in fewer, and derivatives a little
// later.
const sweeps = 14

// turn is the angle, of at most a quarter of π, by which Jacobi's method rotates two columns: half of that whose
// tangent is y/x.
func turn(y, x Num) (c, s Num) {
	if y == (Num{}) {
		return num(1), num(0)
	}
	if x.V == 0 {
		refuseElements("two values that are equal on the way")
	}
	angle := scale(atan(div(y, x)), 0.5)
	return cos(angle), sin(angle)
}

// svd rotates pairs of columns until all are orthogonal: a one-sided Jacobi method. Values are in descending order, and
// vectors have a positive sum in u.
func svd(a matrix, rows, cols int) (u matrix, values []Num, vh matrix) {
	if rows < cols {
		v, s, uh := svdOfColumns(a.transposed(rows, cols), cols, rows)
		return signed(uh.transposed(rows, rows), s, v.transposed(cols, rows))
	}
	return signed(svdOfColumns(a, rows, cols))
}

func svdOfColumns(a matrix, rows, cols int) (u matrix, values []Num, vh matrix) {
	w, v := a.transposed(rows, cols), identity(cols) // rows are the columns
	for range sweeps {
		for p := range cols {
			for q := p + 1; q < cols; q++ {
				c, s := turn(scale(dot(w[p], w[q]), 2), sub(dot(w[q], w[q]), dot(w[p], w[p])))
				for i := range w[p] {
					w[p][i], w[q][i] = turned(w[p][i], w[q][i], c, s)
				}
				for i := range v[p] {
					v[p][i], v[q][i] = turned(v[p][i], v[q][i], c, s)
				}
			}
		}
	}
	lengths := make([]Num, cols)
	for i := range lengths {
		if !(dot(w[i], w[i]).V > leastPivot) {
			refuseElements("a singular value that is nearly 0")
		}
		lengths[i] = sqrt(dot(w[i], w[i]))
	}
	u, vh = newMatrix(rows, cols), newMatrix(cols, cols)
	for to, from := range rising(lengths) {
		to = cols - 1 - to
		values = append([]Num{lengths[from]}, values...)
		vh[to] = v[from]
		for i := range rows {
			u[i][to] = div(w[from][i], lengths[from])
		}
	}
	return u, values, vh
}

// signed flips pairs of vectors so that those of u have a positive sum.
func signed(u matrix, values []Num, vh matrix) (matrix, []Num, matrix) {
	for k := range values {
		sum := 0.
		for i := range u {
			sum += u[i][k].V
		}
		if !(math.Abs(sum) > leastPivot) {
			refuseElements("a vector whose sum is nearly 0")
		}
		for i := range u {
			u[i][k] = scale(u[i][k], sign(sum))
		}
		if vh != nil {
			for j := range vh[k] {
				vh[k][j] = scale(vh[k][j], sign(sum))
			}
		}
	}
	return u, values, vh
}

// rising is the ascending order of numbers, which must not be near each other.
func rising(list []Num) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(sign(list[a].V - list[b].V)) })
	for i := 1; i < len(order); i++ {
		if !(list[order[i]].V-list[order[i-1]].V > leastGap) {
			refuseElements("two values that are nearly equal")
		}
	}
	return order
}

// eigh rotates pairs of axes until a symmetric matrix is diagonal: Jacobi's method. It reads the lower triangle; both
// triangles share its derivatives. Values are in ascending order, and vectors, the columns, have a positive sum.
func eigh(a matrix) (values []Num, vectors matrix) {
	n := len(a)
	w, v := newMatrix(n, n), identity(n)
	for i := range n {
		for j := range i + 1 {
			s, t := a[i][j], a[j][i]
			w[i][j] = Num{s.V, (s.A + t.A) / 2, (s.B + t.B) / 2, (s.AB + t.AB) / 2}
			w[j][i] = w[i][j]
		}
	}
	for range sweeps {
		for p := range n {
			for q := p + 1; q < n; q++ {
				c, s := turn(scale(w[p][q], 2), sub(w[q][q], w[p][p]))
				for i := range n {
					w[p][i], w[q][i] = turned(w[p][i], w[q][i], c, s)
				}
				for i := range n {
					w[i][p], w[i][q] = turned(w[i][p], w[i][q], c, s)
					v[i][p], v[i][q] = turned(v[i][p], v[i][q], c, s)
				}
			}
		}
	}
	diagonal := make([]Num, n)
	for i := range n {
		diagonal[i] = w[i][i]
	}
	vectors = newMatrix(n, n)
	for to, from := range rising(diagonal) {
		values = append(values, diagonal[from])
		for i := range n {
			vectors[i][to] = v[i][from]
		}
	}
	signed(vectors, values, nil)
	return values, vectors
}

// factored is an entry for factors of each matrix of a batch. Their shapes depend on its sides. A list of numbers is a
// matrix of one row.
func factored(shapes func(rows, cols int) [][]int, f func(a matrix, rows, cols int) []matrix) Entry {
	return func(m *Machine, _ *Step, x []*Tensor) (out []*Tensor) {
		list, rank := m.matrices(x[0]), len(x[0].Shape)
		rows, cols := x[0].Shape[rank-2], x[0].Shape[rank-1]
		parts := make([][]matrix, len(shapes(rows, cols)))
		for _, a := range list {
			for i, part := range f(a, rows, cols) {
				parts[i] = append(parts[i], part)
			}
		}
		for i, shape := range shapes(rows, cols) {
			var cells []Cell
			for _, part := range parts[i] {
				for _, row := range part {
					for _, v := range row {
						cells = append(cells, Cell{Num: v})
					}
				}
			}
			out = append(out, m.made(x[0].T, slices.Concat(x[0].Shape[:rank-2], shape), cells))
		}
		return out
	}
}

func init() {
	Entries["QR"] = factored(func(rows, cols int) [][]int {
		return [][]int{{rows, min(rows, cols)}, {min(rows, cols), cols}}
	}, func(a matrix, rows, cols int) []matrix {
		q, r := qr(a, rows, cols)
		return []matrix{q, r}
	})
	Entries["LU"] = factored(func(rows, cols int) [][]int {
		return [][]int{{rows, rows}, {rows, min(rows, cols)}, {min(rows, cols), cols}}
	}, func(a matrix, rows, cols int) []matrix {
		p, l, u := lu(a, rows, cols)
		return []matrix{p, l, u}
	})
	Entries["SVD"] = factored(func(rows, cols int) [][]int {
		return [][]int{{rows, min(rows, cols)}, {min(rows, cols)}, {min(rows, cols), cols}}
	}, func(a matrix, rows, cols int) []matrix {
		u, s, vh := svd(a, rows, cols)
		return []matrix{u, {s}, vh}
	})
	Entries["Eigh"] = factored(func(rows, cols int) [][]int {
		if rows != cols {
			refuse("%d×%d is not square", rows, cols)
		}
		return [][]int{{rows}, {rows, rows}}
	}, func(a matrix, _, _ int) []matrix {
		values, vectors := eigh(a)
		return []matrix{{values}, vectors}
	})
}
