package eager

import "slices"

// Outside says what indices out of range do, and "" that there are none: "clip" to the nearest one inside, "wrap" by
// the size of the axis, "fill" with the step's last number, or "drop" what would be written.

// lenient wraps an entry whose step may have such a word. The plain entry gets indices in range: those that name
// nothing name a place behind the end, by which the axis of x[0] is longer. of lists, for an operand, the axes that its
// elements name in turn. fromZero says that what is clipped does not count from the end where it is negative.
func lenient(plain Entry, fromZero bool, of func(s *Step, x []*Tensor) map[int][]int) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if s.Outside == "" {
			return plain(m, s, x)
		}
		shape, longer := x[0].Shape, x[0]
		indexed := of(s, x)
		x = slices.Clone(x)
		for operand, axes := range indexed {
			cells := x[operand].Cells()
			for i := range cells {
				cells[i].I = settled(cells[i].I, int64(shape[axes[i%len(axes)]]), s.Outside,
					fromZero && s.Outside == "clip")
			}
			x[operand] = dense(x[operand].T, x[operand].Shape, cells)
		}
		if s.Outside == "clip" || s.Outside == "wrap" {
			return plain(m, s, x)
		}
		for axis := range shape {
			if slices.ContainsFunc(listed(indexed), func(a int) bool { return a == axis }) {
				fill := 0.0
				if s.Outside == "fill" {
					fill = s.F[len(s.F)-1]
				}
				longer = m.joined(axis, longer, filled(longer.T, resized(longer.Shape, axis, 1), fill))
			}
		}
		x[0] = longer
		out := plain(m, s, x)
		if s.Outside == "drop" {
			for axis, size := range shape {
				out[0] = out[0].sliced(axis, 0, size, 1)
			}
			out[0] = dense(out[0].T, out[0].Shape, out[0].Cells())
		}
		return out
	}
}

// listed is all axes that operands index.
func listed(indexed map[int][]int) (all []int) {
	for _, axes := range indexed {
		all = append(all, axes...)
	}
	return all
}

// settled is the place of an index in range, or the one behind the end.
func settled(i, size int64, outside string, fromZero bool) int64 {
	if size == 0 && (outside == "clip" || outside == "wrap") {
		refuseElements("index %d of none", i)
	}
	if outside == "wrap" {
		return (i%size + size) % size
	}
	if i < 0 && !fromZero {
		i += size
	}
	switch {
	case outside == "clip":
		return min(max(i, 0), size-1)
	case i < 0 || i >= size:
		return size
	}
	return i
}

// lenientSegments is lenient for segments, whose indices name places of the result.
func lenientSegments(plain Entry) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if s.Outside == "" {
			return plain(m, s, x)
		}
		size, longer := s.S[0].Eval(m.At), *s
		cells := x[1].Cells()
		for i := range cells {
			cells[i].I = settled(cells[i].I, int64(size), s.Outside, true)
		}
		longer.S = []Size{append(slices.Clone(s.S[0]), Term{Times: 1})}
		out := plain(m, &longer, []*Tensor{x[0], dense(x[1].T, x[1].Shape, cells)})[0].sliced(s.I[0], 0, size, 1)
		return one(dense(out.T, out.Shape, out.Cells()))
	}
}

// along is the indices of an operand along the axis I[0] of x[0].
func along(operand int) func(s *Step, x []*Tensor) map[int][]int {
	return func(s *Step, x []*Tensor) map[int][]int { return map[int][]int{operand: {x[0].axis(s.I[0])}} }
}

// eachAxis is the indices of the axes I, in the operands from the second on.
func eachAxis(s *Step, _ []*Tensor) map[int][]int {
	list := map[int][]int{}
	for i, axis := range s.I {
		list[1+i] = []int{axis}
	}
	return list
}

// columns is vectors of indices along the last axis of the second operand, of the axes from the I[0]th on.
func columns(s *Step, x []*Tensor) map[int][]int {
	first := 0
	if len(s.I) > 0 {
		first = s.I[0]
	}
	axes := make([]int, x[1].Shape[len(x[1].Shape)-1])
	for i := range axes {
		axes[i] = first + i
	}
	if first+len(axes) > len(x[0].Shape) || len(axes) == 0 {
		refuse("vectors of %d for %v", len(axes), x[0].Shape)
	}
	return map[int][]int{1: axes}
}

// flat is an entry for x[0] as a vector, which I then names.
func flat(entry Entry, shaped bool) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		step, shape := *s, x[0].Shape
		step.I = []int{0}
		x = slices.Clone(x)
		x[0] = dense(x[0].T, []int{volume(shape)}, x[0].Cells())
		out := entry(m, &step, x)
		if shaped {
			out[0] = dense(out[0].T, shape, out[0].Cells())
		}
		return out
	}
}

// alongAxis picks along an axis, with indices that broadcast to the other axes of x[0], and it to theirs.
func alongAxis(m *Machine, s *Step, x []*Tensor) []*Tensor {
	axis := x[0].axis(s.I[0])
	if len(x[0].Shape) != len(x[1].Shape) {
		refuse("indices %v of %v", x[1].Shape, x[0].Shape)
	}
	common := broadcast(resized(x[0].Shape, axis, 1), resized(x[1].Shape, axis, 1))
	size := x[0].Shape[axis]
	from := x[0].expand(resized(common, axis, size))
	at := x[1].expand(resized(common, axis, x[1].Shape[axis]))
	cells := at.Cells()
	for i := range cells {
		cells[i] = Cell{I: int64(fromEnd(cells[i], size))}
	}
	return Entries["Gather"](m, s, []*Tensor{from, dense(at.T, at.Shape, cells)})
}
