package eager

import (
	"math"
	"slices"
)

// matrix is a matrix of numbers with their derivatives. Elimination on it gives right derivatives without further
// rules.
type matrix [][]Num

func newMatrix(rows, cols int) matrix {
	a := make(matrix, rows)
	for i := range a {
		a[i] = make([]Num, cols)
	}
	return a
}

func identity(n int) matrix {
	a := newMatrix(n, n)
	for i := range a {
		a[i][i] = num(1)
	}
	return a
}

// matrices reads the matrices of a batch. If rounding is measured, each element is moved a little.
func (m *Machine) matrices(x *Tensor) (list []matrix) {
	rank := len(x.Shape)
	if rank < 2 || x.T != Float32 && x.T != Float64 {
		refuse("matrices of %s%v", x.T, x.Shape)
	}
	rows, cols := x.Shape[rank-2], x.Shape[rank-1]
	cells := m.shaken(x.T, x.Cells())
	for k := range volume(x.Shape[:rank-2]) {
		a := newMatrix(rows, cols)
		for i := range rows * cols {
			a[i/cols][i%cols] = cells[k*rows*cols+i].Num
		}
		list = append(list, a)
	}
	return list
}

// squareOnes are the matrices of a batch of square ones.
func (m *Machine) squareOnes(x *Tensor) []matrix {
	list := m.matrices(x)
	if rank := len(x.Shape); x.Shape[rank-2] != x.Shape[rank-1] {
		refuse("%v are not square", x.Shape)
	}
	return list
}

// ofMatrices makes a value of matrices.
func (m *Machine) ofMatrices(t DType, batch []int, rows, cols int, list []matrix) *Tensor {
	var cells []Cell
	for _, a := range list {
		for _, row := range a {
			for _, v := range row {
				cells = append(cells, Cell{Num: v})
			}
		}
	}
	return m.made(t, slices.Concat(batch, []int{rows, cols}), cells)
}

// eliminated solves a·x = b by Gaussian elimination and returns the determinant of a too. Nearly singular matrices are
// refused, since rounding decides there.
func eliminated(a, b matrix) (x matrix, det Num) {
	n := len(a)
	a, b, det = slices.Clone(a), slices.Clone(b), num(1)
	for i := range a {
		a[i] = slices.Clone(a[i])
		b[i] = slices.Clone(b[i])
	}
	for k := range n {
		best := k
		for i := k; i < n; i++ {
			if math.Abs(a[i][k].V) > math.Abs(a[best][k].V) {
				best = i
			}
		}
		if !(math.Abs(a[best][k].V) > 1e-2) {
			refuseElements("a matrix that is nearly singular")
		}
		if best != k {
			a[k], a[best], b[k], b[best], det = a[best], a[k], b[best], b[k], neg(det)
		}
		det = mul(det, a[k][k])
		for i := range n {
			if i == k {
				continue
			}
			f := div(a[i][k], a[k][k])
			for j := range a[i] {
				a[i][j] = sub(a[i][j], mul(f, a[k][j]))
			}
			for j := range b[i] {
				b[i][j] = sub(b[i][j], mul(f, b[k][j]))
			}
		}
	}
	for i := range b {
		for j := range b[i] {
			b[i][j] = div(b[i][j], a[i][i])
		}
	}
	return b, det
}

// cholesky reads the lower triangle of a symmetric matrix. Both triangles share its derivatives: half of them belong to
// the upper one, which is not read.
func cholesky(a matrix) matrix {
	n := len(a)
	l := newMatrix(n, n)
	for i := range n {
		for j := range i + 1 {
			s := a[i][j]
			if i != j { // of a symmetric matrix that the derivatives keep symmetric
				t := a[j][i]
				s = Num{s.V, (s.A + t.A) / 2, (s.B + t.B) / 2, (s.AB + t.AB) / 2}
			}
			for k := range j {
				s = sub(s, mul(l[i][k], l[j][k]))
			}
			switch {
			case i != j:
				l[i][j] = div(s, l[j][j])
			case !(s.V > 1e-2):
				refuseElements("a matrix that is hardly positive-definite")
			default:
				l[i][i] = sqrt(s)
			}
		}
	}
	return l
}

// triangular solves with the lower triangle of a, or the upper one.
func triangular(a, b matrix, upper bool) matrix {
	n := len(a)
	x := newMatrix(n, len(b[0]))
	for step := range n {
		i := step
		if upper {
			i = n - 1 - step
		}
		if !(math.Abs(a[i][i].V) > 1e-2) {
			refuseElements("a triangle that is nearly singular")
		}
		for c := range x[i] {
			s := b[i][c]
			for j := range n {
				if j != i && (j > i) == upper {
					s = sub(s, mul(a[i][j], x[j][c]))
				}
			}
			x[i][c] = div(s, a[i][i])
		}
	}
	return x
}

// together broadcasts two batches of matrices to one batch shape.
func together(x, y *Tensor) (a, b *Tensor, batch []int) {
	if x.T != y.T || len(x.Shape) < 2 || len(y.Shape) < 2 {
		refuse("%v beside %v", x.Shape, y.Shape)
	}
	p, q := len(x.Shape)-2, len(y.Shape)-2
	batch = broadcast(x.Shape[:p], y.Shape[:q])
	return x.expand(slices.Concat(batch, x.Shape[p:])), y.expand(slices.Concat(batch, y.Shape[q:])), batch
}

// solving is an entry for solutions of systems.
func solving(f func(s *Step, a, b matrix) matrix) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		a, b, batch := together(x[0], x[1])
		as, bs := m.squareOnes(a), m.matrices(b)
		n, k := b.Shape[len(b.Shape)-2], b.Shape[len(b.Shape)-1]
		if a.Shape[len(a.Shape)-1] != n || n == 0 {
			refuse("systems %v of %v", a.Shape, b.Shape)
		}
		for i := range as {
			bs[i] = f(s, as[i], bs[i])
		}
		return one(m.ofMatrices(a.T, batch, n, k, bs))
	}
}

func init() {
	Entries["Solve"] = solving(func(_ *Step, a, b matrix) matrix {
		x, _ := eliminated(a, b)
		return x
	})
	Entries["SolveTriangular"] = solving(func(s *Step, a, b matrix) matrix {
		return triangular(a, b, s.Text == "upper")
	})
	squared := func(f func(a matrix) matrix) Entry {
		return func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
			list, rank := m.squareOnes(x[0]), len(x[0].Shape)
			for i, a := range list {
				list[i] = f(a)
			}
			return one(m.ofMatrices(x[0].T, x[0].Shape[:rank-2], x[0].Shape[rank-2], x[0].Shape[rank-1], list))
		}
	}
	Entries["Inv"] = squared(func(a matrix) matrix {
		x, _ := eliminated(a, identity(len(a)))
		return x
	})
	Entries["Cholesky"] = squared(cholesky)
	determinants := func(m *Machine, x *Tensor) []Cell {
		var cells []Cell
		for _, a := range m.squareOnes(x) {
			_, det := eliminated(a, newMatrix(len(a), 0))
			cells = append(cells, Cell{Num: det})
		}
		return cells
	}
	Entries["Det"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		cells := determinants(m, x[0])
		return one(m.made(x[0].T, x[0].Shape[:len(x[0].Shape)-2], cells))
	}
	Entries["SlogDet"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		cells := determinants(m, x[0])
		signs := make([]Cell, len(cells))
		for i, c := range cells {
			signs[i].Num, cells[i].Num = num(sign(c.V)), log(abs(c.Num))
		}
		shape := x[0].Shape[:len(x[0].Shape)-2]
		return []*Tensor{m.made(x[0].T, shape, signs), m.made(x[0].T, shape, cells)}
	}
	Entries["Trace"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return Entries["Sum"](m, &Step{I: []int{-1}}, []*Tensor{x[0].diagonal(0, -2, -1)})
	}
}
