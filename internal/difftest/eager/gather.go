package eager

import "slices"

// index checks a position.
func index(c Cell, size int) int {
	if c.I < 0 || c.I >= int64(size) {
		refuseElements("index %d of %d", c.I, size)
	}
	return int(c.I)
}

// take picks along an axis, which the indices' axes replace.
func take(x, at *Tensor, axis int) *Tensor {
	axis = x.axis(axis)
	if !at.T.IsInt() {
		refuse("indices of %s", at.T)
	}
	inner, size := volume(x.Shape[axis+1:]), x.Shape[axis]
	all, places := x.Cells(), at.Cells()
	var cells []Cell
	for outer := range volume(x.Shape[:axis]) {
		for _, p := range places {
			from := (outer*size + index(p, size)) * inner
			cells = append(cells, all[from:from+inner]...)
		}
	}
	for _, p := range places {
		index(p, size)
	}
	return dense(x.T, slices.Concat(x.Shape[:axis], at.Shape, x.Shape[axis+1:]), cells)
}

func init() {
	Entries["Take"] = lenient(func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(take(x[0], x[1], s.I[0]))
	}, true, along(1))
	Entries["IndexSelect"] = lenient(func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		if len(x[1].Shape) != 1 {
			refuse("indices %v", x[1].Shape)
		}
		return one(take(x[0], x[1], s.I[0]))
	}, true, along(1))
	Entries["Embedding"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		table := x[1]
		if len(table.Shape) != 2 {
			refuse("a table of %v", table.Shape)
		}
		if len(s.I) > 0 { // the row that is not trained
			cells := table.Cells()
			row := cells[axisOf(s.I[0], table.Shape[0])*table.Shape[1]:][:table.Shape[1]]
			for i, c := range row {
				row[i].Num = num(c.V)
			}
			table = dense(table.T, table.Shape, cells)
		}
		return one(take(table, x[0], 0))
	}
	Entries["Gather"] = lenient(func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := x[0].axis(s.I[0])
		if len(x[1].Shape) != len(x[0].Shape) {
			refuse("indices %v of %v", x[1].Shape, x[0].Shape)
		}
		if volume(x[1].Shape) == 0 { // as in PyTorch, whatever the other axes
			return one(dense(x[0].T, x[1].Shape, nil))
		}
		part := slices.Clone(x[0].Shape) // that the indices reach
		for i, d := range x[1].Shape {
			if i != axis && d > part[i] {
				refuse("indices %v of %v", x[1].Shape, x[0].Shape)
			} else if i != axis {
				part[i] = d
			}
		}
		places := x[1].Cells()
		cells, all := make([]Cell, len(places)), x[0].view(part, x[0].stride, x[0].off).Cells()
		inner, n, size := volume(part[axis+1:]), x[1].Shape[axis], part[axis]
		for i, p := range places {
			outer, in := i/(n*inner), i%inner
			cells[i] = all[(outer*size+index(p, size))*inner+in]
		}
		return one(dense(x[0].T, x[1].Shape, cells))
	}, false, along(1))
	Entries["TakeAlongAxis"] = lenient(alongAxis, false, along(1))
	Entries["OneHot"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		n := s.S[0].Eval(m.At)
		if !x[0].T.IsInt() {
			refuse("%s", x[0].T)
		}
		var cells []Cell
		for _, p := range x[0].Cells() {
			for k := range n {
				cells = append(cells, castCell(Cell{I: truth(p.I == int64(k))}, Int64, s.T))
			}
		}
		return one(dense(s.T, append(slices.Clone(x[0].Shape), n), cells))
	}
}
