package eager

import "slices"

// within writes the last operand to a part of a copy of the first one, which another entry picks.
func within(part string) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		whole := dense(x[0].T, x[0].Shape, x[0].Cells())
		if x[1].T != x[0].T && !x[1].weak {
			refuse("%s into %s", x[1].T, x[0].T)
		}
		to := Entries[part](m, s, []*Tensor{whole})[0]
		if !slices.Equal(to.Shape, x[1].Shape) && !x[1].weak {
			refuse("%v into %v", x[1].Shape, to.Shape)
		}
		whole.mem = m.write(to, x[1]).mem
		return one(constant(dense(whole.T, whole.Shape, whole.Cells()))) // it may be what is written
	}
}

// dynamic picks a part of x of the given sizes. A part that would reach past the end is moved back.
func dynamic(x *Tensor, starts []*Tensor, sizes []int) *Tensor {
	if len(starts) != len(x.Shape) || len(sizes) != len(x.Shape) {
		refuse("%d starts of %v", len(starts), x.Shape)
	}
	for axis, at := range starts {
		size := x.Shape[axis]
		if sizes[axis] > size || sizes[axis] < 0 || !at.T.IsInt() || len(at.Shape) > 0 {
			refuse("%v of %v", sizes, x.Shape)
		}
		start := int(at.Cells()[0].I)
		if start < 0 {
			start += size
		}
		start = min(max(start, 0), size-sizes[axis])
		x = x.sliced(axis, start, start+sizes[axis], 1)
	}
	return x
}

func init() {
	Entries["SliceScatter"], Entries["SelectScatter"] = within("Slice"), within("Select")
	Entries["DiagonalScatter"] = within("Diagonal")
	Entries["DynamicSlice"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		y := dynamic(x[0], x[1:], m.sizes(s.S))
		return one(constant(dense(y.T, y.Shape, y.Cells()))) // it may be x
	}
	Entries["DynamicUpdateSlice"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		whole := dense(x[0].T, x[0].Shape, x[0].Cells())
		if x[1].T != x[0].T {
			refuse("%s into %s", x[1].T, x[0].T)
		}
		whole.mem = m.write(dynamic(whole, x[2:], x[1].Shape), x[1]).mem
		return one(constant(dense(whole.T, whole.Shape, whole.Cells()))) // it may be what is written
	}
	// Compress has a mask of the axes of x from I[0] on, and a number that fills the result.
	Entries["Compress"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axis, rank := x[0].axis(s.I[0]), len(x[1].Shape)
		if x[1].T != Bool || rank == 0 || axis+rank > len(x[0].Shape) ||
			!slices.Equal(x[0].Shape[axis:axis+rank], x[1].Shape) {
			refuse("a mask %v of %v", x[1].Shape, x[0].Shape)
		}
		n, inner := s.S[0].Eval(m.At), volume(x[0].Shape[axis+rank:])
		all, keep, fill := x[0].Cells(), x[1].Cells(), m.cast(x[2], x[0].T).Cells()[0]
		count := 0
		for _, c := range keep {
			count += int(c.I)
		}
		var cells []Cell
		for outer := range volume(x[0].Shape[:axis]) {
			var part []Cell
			for i, c := range keep {
				if c.I != 0 {
					part = append(part, all[(outer*len(keep)+i)*inner:][:inner]...)
				}
			}
			cells = append(cells, filledTo(part, n*inner, fill)...)
		}
		if count > n {
			refuseElements("%d slices for %d places", count, n)
		}
		shape := slices.Concat(x[0].Shape[:axis], []int{n}, x[0].Shape[axis+rank:])
		return []*Tensor{dense(x[0].T, shape, cells), dense(Int64, nil, []Cell{{I: int64(count)}})}
	}
	Entries["IndexFill"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := x[0].axis(s.I[0])
		if len(x[1].Shape) != 1 || len(x[2].Shape) != 0 || x[2].T != x[0].T && !x[2].weak {
			refuse("%v at %v", x[2].Shape, x[1].Shape)
		}
		src := m.cast(x[2], x[0].T).expand(resized(x[0].Shape, axis, x[1].Shape[0]))
		step := *s
		return Entries["IndexCopy"](m, &step, []*Tensor{x[0], x[1], src})
	}
}
