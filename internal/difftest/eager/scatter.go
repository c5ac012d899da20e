package eager

import (
	"cmp"
	"math"
	"slices"
)

// scattered visits the elements of src in order, each with its destination in x.
func scattered(x, at, src *Tensor, axis int, visit func(place int, c Cell)) {
	if len(at.Shape) != len(x.Shape) || len(src.Shape) != len(x.Shape) {
		refuse("indices %v and elements %v of %v", at.Shape, src.Shape, x.Shape)
	}
	if volume(at.Shape) == 0 {
		return // an index without elements may be longer than what it picks from, as in PyTorch
	}
	for i, d := range at.Shape {
		if d > src.Shape[i] || i != axis && d > x.Shape[i] {
			refuse("indices %v and elements %v of %v", at.Shape, src.Shape, x.Shape)
		}
	}
	places, from := at.Cells(), src.view(at.Shape, src.stride, src.off).Cells()
	to := rowMajor(x.Shape)
	for i, p := range places {
		place, rest := 0, i
		for a := len(at.Shape) - 1; a >= 0; a-- {
			coordinate := rest % at.Shape[a]
			rest /= at.Shape[a]
			if a == axis {
				coordinate = index(p, x.Shape[axis])
			}
			place += coordinate * to[a]
		}
		visit(place, from[i])
	}
}

// spread repeats a vector of indices, so that each slice along an axis has the same.
func spread(at, src *Tensor, axis int) *Tensor {
	if len(at.Shape) != 1 || at.Shape[0] != src.Shape[axis] {
		refuse("indices %v of %v", at.Shape, src.Shape)
	}
	strides := make([]int, len(src.Shape))
	strides[axis] = at.stride[0]
	return at.view(src.Shape, strides, at.off)
}

// scatter is an entry that puts the elements of the third operand into the first; whole says that indices name slices.
func scatter(whole, adds bool) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := x[0].axis(s.I[0])
		at := x[1]
		if x[0].T != x[2].T {
			refuse("%s into %s", x[2].T, x[0].T)
		}
		if whole {
			for i, d := range x[2].Shape {
				if i != axis && d != x[0].Shape[i] {
					refuse("slices %v of %v", x[2].Shape, x[0].Shape)
				}
			}
			at = spread(at, x[2], axis)
		}
		cells := x[0].Cells()
		scattered(x[0], at, x[2], axis, func(place int, c Cell) {
			if adds {
				c = Cell{add(cells[place].Num, c.Num), cells[place].I + c.I}
				m.partial(x[0].T, &c)
			}
			cells[place] = c
		})
		return one(m.made(x[0].T, x[0].Shape, cells))
	}
}

// running is an entry of the extreme elements up to each place of an axis, and their places. Of equal ones the last
// counts, and NaN wins.
func running(sign int) Entry {
	return func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := x[0].axis(s.I[0])
		size, inner := x[0].Shape[axis], volume(x[0].Shape[axis+1:])
		cells := x[0].Cells()
		places := make([]Cell, len(cells))
		for i, c := range cells { // rows are visited side by side, each from its beginning
			k := i / inner % size
			places[i].I = int64(k)
			if k == 0 {
				continue
			}
			best := cells[i-inner]
			switch isNaN := math.IsNaN(c.V); {
			case isNaN, !math.IsNaN(best.V) && sign*order(x[0].T, c, best) >= 0:
			default:
				cells[i], places[i] = best, places[i-inner]
			}
		}
		return []*Tensor{dense(x[0].T, x[0].Shape, cells), dense(Int64, x[0].Shape, places)}
	}
}

// order compares elements for sorting: NaN is the greatest, and equals itself.
func order(t DType, a, b Cell) int {
	switch {
	case !t.IsFloat():
		return cmp.Compare(a.I, b.I)
	case math.IsNaN(a.V), math.IsNaN(b.V):
		return int(truth(math.IsNaN(a.V)) - truth(math.IsNaN(b.V)))
	case a.V < b.V:
		return -1
	}
	return int(truth(a.V > b.V))
}

// sorted returns the first elements along an axis in ascending or descending order, and their places. The sort is
// stable.
func sorted(x *Tensor, axis, count int, falling bool) []*Tensor {
	size, inner := x.Shape[axis], volume(x.Shape[axis+1:])
	if count > size {
		refuse("%d of %d", count, size)
	}
	shape := slices.Clone(x.Shape)
	shape[axis] = count
	all := x.Cells()
	cells, places := make([]Cell, volume(shape)), make([]Cell, volume(shape))
	for row := range volume(x.Shape[:axis]) * inner {
		outer, in := row/inner, row%inner
		at := func(k int) Cell { return all[(outer*size+k)*inner+in] }
		list := make([]int, size)
		for k := range list {
			list[k] = k
		}
		slices.SortStableFunc(list, func(a, b int) int {
			if falling {
				a, b = b, a
			}
			return order(x.T, at(a), at(b))
		})
		for k := range count {
			to := (outer*count+k)*inner + in
			cells[to], places[to] = at(list[k]), Cell{I: int64(list[k])}
		}
	}
	return []*Tensor{dense(x.T, shape, cells), dense(Int64, shape, places)}
}

func init() {
	for i, name := range []string{"Scatter", "ScatterAdd", "IndexCopy", "IndexAdd"} {
		Entries[name] = lenient(scatter(i > 1, i%2 == 1), false, along(1))
	}
	Entries["Sort"] = func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := x[0].axis(s.I[0])
		return sorted(x[0], axis, x[0].Shape[axis], s.I[1] != 0)
	}
	Entries["CumMax"], Entries["CumMin"] = running(1), running(-1)
	Entries["KthValue"] = func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		axis, k := x[0].axis(s.I[1]), s.I[0]
		out := sorted(x[0], axis, k, false)
		for i, y := range out { // the last of those
			out[i] = y.view(slices.Delete(slices.Clone(y.Shape), axis, axis+1),
				slices.Delete(slices.Clone(y.stride), axis, axis+1), y.off+(k-1)*y.stride[axis])
			out[i] = dense(y.T, out[i].Shape, out[i].Cells())
		}
		return out
	}
	Entries["TopK"] = func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		return sorted(x[0], x[0].axis(s.I[1]), s.I[0], s.I[2] != 0)
	}
}
