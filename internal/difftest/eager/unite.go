package eager

import (
	"math"
	"slices"
)

// united folds the elements that an index sends to one place, by the word of a reduction. The dtype decides how numbers
// compare and wrap around.
func (m *Machine) united(t DType, by string, row []Cell) Cell {
	switch {
	case t.IsFloat() && (by == "max" || by == "min"):
		if by == "min" {
			return flipped([]Cell{{Num: greatest(flipped(row))}})[0]
		}
		return Cell{Num: greatest(row)}
	case by == "max":
		return row[first(row, t)]
	case by == "min":
		return row[first(flipped(row), t)]
	}
	row = m.shaken(t, row)
	total := t.nothing(by)
	if by == "prod" {
		sameInAnyOrder(row)
	}
	zeros := 0
	for _, c := range row {
		zeros += int(truth(c.V == 0))
		if by == "prod" {
			total = Cell{mul(total.Num, c.Num), total.I * c.I}
		} else {
			total = Cell{add(total.Num, c.Num), total.I + c.I}
			m.partial(t, &total)
		}
	}
	switch {
	case by == "prod" && zeros > 0 && len(row) > 1: // the gradient's own derivatives count as 0 there
		total.AB = math.NaN()
	case by == "mean" && len(row) > 0 && t.IsFloat():
		total.Num = div(total.Num, num(float64(len(row))))
	case by == "mean" && len(row) > 0:
		total.I = floorDiv(t.fit(total.I), int64(len(row)))
	}
	return total
}

// nothing is the value of a segment without elements.
func (t DType) nothing(by string) Cell {
	if t.IsFloat() {
		return Cell{Num: num(map[string]float64{"prod": 1, "max": math.Inf(-1), "min": math.Inf(1)}[by])}
	}
	bits := kinds[t].bits
	least, most := int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits)
	if t.IsUnsigned() {
		least, most = 0, t.fit(-1)
	}
	switch by {
	case "prod":
		return Cell{I: 1}
	case "max":
		return Cell{I: least}
	case "min":
		return Cell{I: most}
	}
	return Cell{}
}

// segments is an entry for the elements of x[0] that are combined along an axis of the result by the indices x[1].
func segments(by string) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axis, rank := s.I[0], len(x[1].Shape)
		if axis < 0 || axis+rank > len(x[0].Shape) || !slices.Equal(x[0].Shape[axis:axis+rank], x[1].Shape) {
			refuse("indices %v of %v", x[1].Shape, x[0].Shape)
		}
		size, inner := s.S[0].Eval(m.At), volume(x[0].Shape[axis+rank:])
		shape := slices.Concat(x[0].Shape[:axis], []int{size}, x[0].Shape[axis+rank:])
		lists, places := make([][]Cell, volume(shape)), x[1].Cells()
		for _, p := range places {
			index(p, size)
		}
		for i, c := range x[0].Cells() {
			outer, p, in := i/(len(places)*inner), i/inner%len(places), i%inner
			to := &lists[(outer*size+int(places[p].I))*inner+in]
			*to = append(*to, c)
		}
		cells := make([]Cell, len(lists))
		for i, list := range lists {
			if cells[i] = x[0].T.nothing(by); len(list) > 0 {
				cells[i] = m.united(x[0].T, by, list)
			}
		}
		return one(m.made(x[0].T, shape, cells))
	}
}

// arrivals combines the elements sent to places of x with those there, by the word of the step; "last" takes the last
// one. Keep says that old elements are ignored at places that receive any.
func (m *Machine) arrivals(s *Step, x *Tensor, visit func(put func(place int, c Cell))) *Tensor {
	lists, cells := map[int][]Cell{}, x.Cells()
	visit(func(place int, c Cell) { lists[place] = append(lists[place], c) })
	for place, list := range lists {
		switch {
		case s.Text == "last":
			cells[place] = list[len(list)-1]
			continue
		case !s.Keep:
			list = append([]Cell{cells[place]}, list...)
		}
		cells[place] = m.united(x.T, s.Text, list)
	}
	return m.made(x.T, x.Shape, cells)
}

// bySlices visits the elements of src. The indices name its slices along an axis of x.
func bySlices(x, at, src *Tensor, axis int, visit func(place int, c Cell)) {
	for i, d := range src.Shape {
		if i != axis && d != x.Shape[i] {
			refuse("slices %v of %v", src.Shape, x.Shape)
		}
	}
	scattered(x, spread(at, src, axis), src, axis, visit)
}

// fromEnd checks a position that may count from the end.
func fromEnd(c Cell, size int) int {
	if c.I < 0 {
		c.I += int64(size)
	}
	return index(c, size)
}

// tuples returns the places in x of the first elements of the slices that vectors along the last axis of the indices
// name, and the number of elements of a slice. The first batch axes of both correspond.
func tuples(x, at *Tensor, batch int) (places []int, width int, shape []int) {
	rank := len(at.Shape) - 1
	if rank < batch || batch > len(x.Shape) || !slices.Equal(at.Shape[:batch], x.Shape[:batch]) {
		refuse("indices %v of %v", at.Shape, x.Shape)
	}
	count := at.Shape[rank]
	if batch+count > len(x.Shape) || count < 1 {
		refuse("vectors of %d for %v", count, x.Shape)
	}
	strides, cells := rowMajor(x.Shape), at.Cells()
	width = volume(x.Shape[batch+count:])
	each := volume(at.Shape[batch:rank])
	for i := range volume(at.Shape[:rank]) {
		place := i / max(each, 1) * volume(x.Shape[batch:])
		for k := range count {
			place += fromEnd(cells[i*count+k], x.Shape[batch+k]) * strides[batch+k]
		}
		places = append(places, place)
	}
	return places, width, slices.Concat(at.Shape[:rank], x.Shape[batch+count:])
}

// byTuples is an entry that writes slices at vectors of indices.
func byTuples(m *Machine, s *Step, x []*Tensor) []*Tensor {
	places, width, shape := tuples(x[0], x[1], 0)
	if !slices.Equal(shape, x[2].Shape) || x[2].T != x[0].T {
		refuse("%v at %v", x[2].Shape, shape)
	}
	return one(m.arrivals(s, x[0], func(put func(int, Cell)) {
		for i, c := range x[2].Cells() {
			put(places[i/width]+i%width, c)
		}
	}))
}

func init() {
	for name, by := range map[string]string{
		"SegmentSum": "sum", "SegmentProd": "prod", "SegmentMax": "max", "SegmentMin": "min", "SegmentMean": "mean"} {
		Entries[name] = lenientSegments(segments(by))
	}
	Entries["ScatterReduce"] = lenient(func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if x[0].T != x[2].T || x[0].T == Bool {
			refuse("%s into %s", x[2].T, x[0].T)
		}
		axis := x[0].axis(s.I[0])
		return one(m.arrivals(s, x[0], func(put func(int, Cell)) { scattered(x[0], x[1], x[2], axis, put) }))
	}, false, along(1))
	Entries["IndexReduce"] = lenient(func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if x[0].T != x[2].T || x[0].T == Bool {
			refuse("%s into %s", x[2].T, x[0].T)
		}
		axis := x[0].axis(s.I[0])
		return one(m.arrivals(s, x[0], func(put func(int, Cell)) { bySlices(x[0], x[1], x[2], axis, put) }))
	}, false, along(1))
	Entries["GatherND"] = lenient(func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		places, width, shape := tuples(x[0], x[1], s.I[0])
		all, cells := x[0].Cells(), []Cell{}
		for _, p := range places {
			cells = append(cells, all[p:p+width]...)
		}
		return one(dense(x[0].T, shape, cells))
	}, false, columns)
	Entries["ScatterND"] = lenient(func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		last := *s
		last.Text = "last"
		return byTuples(m, &last, x)
	}, false, columns)
	Entries["ScatterNDReduce"] = lenient(func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if x[0].T == Bool {
			refuse("truth values")
		}
		return byTuples(m, s, x)
	}, false, columns)
}
