package eager

import "slices"

// held returns the elements of x where a mask is true, in row-major order, and the common shape.
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

// filledTo extends a list to a length with fill.
func filledTo(list []Cell, n int, fill Cell) []Cell {
	if len(list) > n {
		refuseElements("%d elements for %d places", len(list), n)
	}
	for len(list) < n {
		list = append(list, fill)
	}
	return list
}

// bag folds rows of a table. Of equal maxima, the first counts.
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
		return []*Tensor{dense(x[0].T, []int{n}, filledTo(slices.Clone(list), n, fill)),
			dense(Int64, nil, []Cell{{I: int64(len(list))}})}
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
	// EmbeddingBag has the indices, a table, weights or none, and of a vector of indices where bags begin, with Keep
	// where the last one ends; I[0] is the row that counts for nothing, if any.
	Entries["EmbeddingBag"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		at, table := x[0], x[1]
		if len(table.Shape) != 2 || !table.T.IsFloat() || !at.T.IsInt() {
			refuse("bags %v of %v", at.Shape, table.Shape)
		}
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
		all, width, cells := table.Cells(), table.Shape[1], []Cell{}
		places := at.Cells()
		for _, p := range places {
			index(p, table.Shape[0])
		}
		ends := bagEnds(at, x[3], s.Keep)
		begin := ends[0]
		for _, end := range ends[1:] {
			var rows [][]Cell
			for i := begin; i < end; i++ {
				row := int(places[i].I)
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
			begin = end
			cells = append(cells, m.bag(table.T, s.Text, rows, width)...)
		}
		return one(m.made(table.T, []int{len(ends) - 1, width}, cells))
	}
}

// bagEnds is where the first bag begins, and where each bag ends.
func bagEnds(at, offsets *Tensor, hasLast bool) []int {
	if offsets == nil {
		if len(at.Shape) != 2 {
			refuse("bags %v", at.Shape)
		}
		ends := make([]int, at.Shape[0]+1)
		for i := range ends {
			ends[i] = i * at.Shape[1]
		}
		return ends
	}
	if len(at.Shape) != 1 || len(offsets.Shape) != 1 || hasLast && offsets.Shape[0] == 0 {
		refuse("bags of %v at %v", at.Shape, offsets.Shape)
	}
	var ends []int
	for i, c := range offsets.Cells() {
		if i == 0 && c.I != 0 || i > 0 && int(c.I) < ends[i-1] || int(c.I) > at.Shape[0] {
			refuseElements("offsets that fall, or lead too far")
		}
		ends = append(ends, int(c.I))
	}
	if !hasLast {
		ends = append(ends, at.Shape[0])
	}
	return ends
}
