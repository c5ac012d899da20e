package eager

import "slices"

// named finds the elements that indices name. I lists the indexed axes, and x the indices, which broadcast. The result
// is the shape of the picked elements, and their places in the operand's row-major order.
func named(of []int, axes []int, x []*Tensor) (shape, places []int) {
	var shapes [][]int
	for _, at := range x {
		if !at.T.IsInt() {
			refuse("indices of %s", at.T)
		}
		shapes = append(shapes, at.Shape)
	}
	if len(axes) != len(x) || len(axes) == 0 || axes[len(axes)-1] >= len(of) {
		refuse("%d indices of %v", len(x), of)
	}
	common := broadcast(shapes...)
	all := make([][]Cell, len(x))
	for i, at := range x {
		all[i] = at.over(common)
		for k, c := range all[i] {
			if c.I < 0 {
				c.I += int64(of[axes[i]])
			}
			all[i][k] = Cell{I: int64(index(c, of[axes[i]]))}
		}
	}
	first := 0 // where the axes of the indices go
	if axes[len(axes)-1]-axes[0] == len(axes)-1 {
		first = axes[0]
	}
	var kept []int
	for axis, size := range of {
		if !slices.Contains(axes, axis) {
			kept, shape = append(kept, axis), append(shape, size)
		}
	}
	shape = slices.Insert(shape, first, common...)
	step := rowMajor(of)
	for i := range volume(shape) {
		rest, place, turn := i, 0, 0
		times := 1
		for axis := len(shape) - 1; axis >= 0; axis-- {
			at := rest % shape[axis]
			rest /= shape[axis]
			switch {
			case axis >= first && axis < first+len(common):
				turn += at * times
				times *= shape[axis]
			case axis < first:
				place += at * step[kept[axis]]
			default:
				place += at * step[kept[axis-len(common)]]
			}
		}
		for k, axis := range axes {
			place += int(all[k][turn].I) * step[axis]
		}
		places = append(places, place)
	}
	return shape, places
}

func init() {
	pick := func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		shape, places := named(x[0].Shape, s.I, x[1:])
		all, cells := x[0].Cells(), make([]Cell, len(places))
		for i, at := range places {
			cells[i] = all[at]
		}
		return one(dense(x[0].T, shape, cells))
	}
	Entries["Index"], Entries["IndexGet"] = pick, lenient(pick, false, eachAxis)
	Entries["TakeFlat"] = flat(lenient(pick, true, eachAxis), false)
	// IndexPut has the elements to write after the indices. Text is "add" if they are added.
	put := lenient(func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		last := len(x) - 1
		shape, places := named(x[0].Shape, s.I, x[1:last])
		if x[last].T != x[0].T {
			refuse("%s into %s", x[last].T, x[0].T)
		}
		cells, from := x[0].Cells(), x[last].over(shape)
		for i, at := range places {
			c := from[i]
			if s.Text == "add" {
				c = Cell{add(cells[at].Num, c.Num), cells[at].I + c.I}
				m.partial(x[0].T, &c)
			}
			cells[at] = c
		}
		return one(m.made(x[0].T, x[0].Shape, cells))
	}, false, eachAxis)
	Entries["IndexPut"], Entries["PutFlat"] = put, flat(put, true)
	// IndexPutInPlace writes what IndexPut gives.
	Entries["IndexPutInPlace"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.write(x[0], put(m, s, x)[0]))
	}
}
