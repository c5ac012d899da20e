package eager

import (
	"slices"
	"strings"
)

func (m *Machine) matmul(x, y *Tensor) *Tensor {
	if x.T != y.T || len(x.Shape) == 0 || len(y.Shape) == 0 {
		refuse("product of %s%v and %s%v", x.T, x.Shape, y.T, y.Shape)
	}
	if len(x.Shape) == 1 {
		z := m.matmul(x.unsqueezed(0), y)
		axis := max(len(z.Shape)-2, 0)
		if len(y.Shape) == 1 {
			axis = 0
		}
		return z.selected(axis, 0)
	}
	if len(y.Shape) == 1 {
		z := m.matmul(x, y.unsqueezed(1))
		return z.selected(len(z.Shape)-1, 0)
	}
	rx, ry := len(x.Shape), len(y.Shape)
	rows, inner, cols := x.Shape[rx-2], x.Shape[rx-1], y.Shape[ry-1]
	if inner != y.Shape[ry-2] {
		refuse("product of %v and %v", x.Shape, y.Shape)
	}
	batch := broadcast(x.Shape[:rx-2], y.Shape[:ry-2])
	a := m.shaken(x.T, x.over(slices.Concat(batch, []int{rows, inner})))
	b := y.over(slices.Concat(batch, []int{inner, cols}))
	shape := slices.Concat(batch, []int{rows, cols})
	cells := make([]Cell, volume(shape))
	for i := range cells {
		n, r, c := i/(rows*cols), i/cols%rows, i%cols
		for k := range inner {
			p, q := a[(n*rows+r)*inner+k], b[(n*inner+k)*cols+c]
			cells[i] = Cell{add(cells[i].Num, mul(p.Num, q.Num)), cells[i].I + p.I*q.I}
		}
	}
	return m.made(x.T, shape, cells)
}

// spelled writes an equation with a letter for each axis of an ellipsis, capital ones from the right. If the equation
// has no result, it adds the implied one: the axes of ellipses, then the letters that occur once.
func spelled(equation string, x []*Tensor) string {
	in, out, arrow := strings.Cut(equation, "->")
	terms := strings.Split(in, ",")
	const capitals = "GFEDCBA"
	most := 0
	for i, term := range terms {
		if letters := strings.Replace(term, "...", "", 1); letters != term {
			n := len(x[i].Shape) - len(letters)
			if n < 0 {
				refuse("%s of %v", term, x[i].Shape)
			}
			most = max(most, n)
			terms[i] = strings.Replace(term, "...", capitals[len(capitals)-n:], 1)
		}
	}
	if !arrow {
		out = "..."
		for l := 'a'; l <= 'z'; l++ {
			if strings.Count(in, string(l)) == 1 {
				out += string(l)
			}
		}
	}
	return strings.Join(terms, ",") + "->" + strings.Replace(out, "...", capitals[len(capitals)-most:], 1)
}

// einsum sums products over the letters that the result lacks.
func (m *Machine) einsum(equation string, x []*Tensor) *Tensor {
	in, out, _ := strings.Cut(spelled(equation, x), "->")
	t := promote(x...)
	size := map[rune]int{}
	letters := []rune(out)
	terms := strings.Split(in, ",")
	for i, term := range terms {
		if len(term) != len(x[i].Shape) {
			refuse("%s of %v", term, x[i].Shape)
		}
		for axis, l := range term {
			d := x[i].Shape[axis]
			if first := strings.IndexRune(term, l); d != x[i].Shape[first] {
				refuse("%s of %v", term, x[i].Shape)
			}
			if old, is := size[l]; is && old != d && old != 1 && d != 1 {
				refuse("%c is %d and %d", l, old, d)
			} else if !is || old == 1 {
				size[l] = d
			}
			if !slices.Contains(letters, l) {
				letters = append(letters, l)
			}
		}
	}
	full := make([]int, len(letters))
	for i, l := range letters {
		full[i] = size[l]
	}
	factors := make([][]Cell, len(x))
	for i, term := range terms {
		src := m.cast(x[i], t)
		y := src.view(full, make([]int, len(full)), src.off)
		for axis, l := range term {
			if src.Shape[axis] != 1 {
				y.stride[slices.Index(letters, l)] += src.stride[axis]
			}
		}
		factors[i] = m.shaken(t, y.Cells())
	}
	shape := full[:len(out)]
	cells := make([]Cell, volume(shape))
	inner := volume(full[len(out):])
	for i := range cells {
		for k := range inner {
			p := Cell{num(1), 1}
			for _, f := range factors {
				p = Cell{mul(p.Num, f[i*inner+k].Num), p.I * f[i*inner+k].I}
			}
			cells[i] = Cell{add(cells[i].Num, p.Num), cells[i].I + p.I}
		}
	}
	y := m.made(t, shape, cells)
	y.Shared = len(x) == 1 // such as a transposed view
	return y
}

func init() {
	Entries["MatMul"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor { return one(m.matmul(x[0], x[1])) }
	Entries["Einsum"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor { return one(m.einsum(s.Text, x)) }
	Entries["Outer"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		if len(x[0].Shape) != 1 || len(x[1].Shape) != 1 {
			refuse("no vectors")
		}
		return one(m.binary(binaries["Mul"], x[0].unsqueezed(1), x[1]))
	}
	Entries["Linear"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		if len(x[1].Shape) != 2 {
			refuse("weights of %v", x[1].Shape)
		}
		y := m.matmul(x[0], x[1].permuted([]int{1, 0}))
		if x[2] != nil {
			if len(x[2].Shape) != 1 || x[2].Shape[0] != x[1].Shape[0] {
				refuse("bias of %v", x[2].Shape)
			}
			y = m.binary(binaries["Add"], y, x[2])
		}
		return one(y)
	}
}
