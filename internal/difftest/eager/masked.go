package eager

import "slices"

// held returns the elements of x in the places where a mask holds, in row-major order, and the common shape.
func held(x, mask *Tensor) (list []Cell, shape []int) {
	if mask.T != Bool {
		refuse("a mask of %s", mask.T)
	}
	shape = broadcast(x.Shape, mask.Shape)
	all := x.over(shape)
	for i, c := range mask.over(shape) {
		if c.I != 0 {
			list = append(list, all[i])
		}
	}
	return list, shape
}

// filledTo brings a list to a length with further elements.
func filledTo(list []Cell, n int, fill Cell) []Cell {
	if len(list) > n {
		refuseElements("%d elements for %d places", len(list), n)
	}
	for len(list) < n {
		list = append(list, fill)
	}
	return list
}

// bag folds rows of a table: the first of the greatest elements counts.
func (m *Machine) bag(t DType, by string, rows [][]Cell, width int) []Cell {
	out := make([]Cell, width)
	for k := range out {
		var column []Cell
		for _, row := range rows {
			column = append(column, row[k])
		}
		switch {
		case len(column) == 0:
		case by == "max":
			out[k] = column[first(column, t)]
		default:
			out[k] = m.united(t, by, column)
		}
	}
	return out
}

func init() {
	Entries["MaskedScatter"] = func(_ *Machine, _ *Step, x []*Tensor) []*Tensor {
		if x[0].T != x[2].T || x[1].T != Bool {
			refuse("%s among %s where %s", x[2].T, x[0].T, x[1].T)
		}
		shape := broadcast(x[0].Shape, x[1].Shape)
		cells, src := x[0].over(shape), x[2].Cells()
		for i, c := range x[1].over(shape) {
			if c.I == 0 {
				continue
			}
			if len(src) == 0 {
				refuseElements("too few elements")
			}
			cells[i], src = src[0], src[1:]
		}
		return one(dense(x[0].T, shape, cells))
	}
	Entries["MaskedSelect"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		list, _ := held(x[0], x[1])
		n := s.S[0].Eval(m.At)
		fill := m.cast(x[2], x[0].T).Cells()[0]
		return []*Tensor{dense(x[0].T, []int{n}, filledTo(slices.Clone(list), n, fill)), dense(Int64, nil, []Cell{{I: int64(len(list))}})}
	}
	Entries["Nonzero"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		n, rank, count := s.S[0].Eval(m.At), len(x[0].Shape), 0
		var cells []Cell
		for i, c := range m.cast(x[0], Bool).Cells() {
			if c.I == 0 {
				continue
			}
			count++
			for axis, d := range x[0].Shape {
				cells = append(cells, Cell{I: int64(i / volume(x[0].Shape[axis+1:]) % d)})
			}
		}
		cells = filledTo(cells, n*rank, m.cast(x[1], Int64).Cells()[0])
		if count > n {
			refuseElements("%d places for %d", count, n)
		}
		return []*Tensor{dense(Int64, []int{n, rank}, cells), dense(Int64, nil, []Cell{{I: int64(count)}})}
	}
	// EmbeddingBag has the indices, a table, and weights or none; I[0] is the row that counts for nothing, if any.
	Entries["EmbeddingBag"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		at, table := x[0], x[1]
		if len(at.Shape) != 2 || len(table.Shape) != 2 || !table.T.IsFloat() {
			refuse("bags %v of %v", at.Shape, table.Shape)
		}
		all, width, cells := table.Cells(), table.Shape[1], []Cell{}
		var weights []Cell
		if x[2] != nil {
			if weights = x[2].Cells(); x[2].T != table.T || !slices.Equal(x[2].Shape, at.Shape) {
				refuse("weights %v of %v", x[2].Shape, at.Shape)
			}
		}
		out := -1
		if len(s.I) > 0 {
			out = axisOf(s.I[0], table.Shape[0])
		}
		places := at.Cells()
		for b := range at.Shape[0] {
			var rows [][]Cell
			for k := range at.Shape[1] {
				i := b*at.Shape[1] + k
				row := index(places[i], table.Shape[0])
				if row == out {
					continue
				}
				list := slices.Clone(all[row*width:][:width])
				for j := range list {
					if weights != nil {
						list[j].Num = mul(list[j].Num, weights[i].Num)
					}
				}
				rows = append(rows, list)
			}
			cells = append(cells, m.bag(table.T, s.Text, rows, width)...)
		}
		return one(m.made(table.T, []int{at.Shape[0], width}, cells))
	}
}
