package eager

import (
	"math"
	"slices"
)

// movement is an operation on one value with an axis, I[0].
func movement(f func(m *Machine, s *Step, x *Tensor, axis int) *Tensor) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor { return one(f(m, s, x[0], x[0].axis(s.I[0]))) }
}

// End is the stop of a slice that goes to the end of an axis.
const End = math.MaxInt / 2

// constant marks a value that cannot be written.
func constant(x *Tensor) *Tensor {
	x.Shared = true
	return x
}

func init() {
	// copied marks copies, which may be x itself if there is nothing to do.
	copied := func(names ...string) {
		for _, name := range names {
			entry := Entries[name]
			Entries[name] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
				list := entry(m, s, x)
				for i, y := range list {
					z := *y
					z.Shared = true
					list[i] = &z
				}
				return list
			}
		}
	}
	simple := func(name string, f func(m *Machine, s *Step, x *Tensor) *Tensor) {
		Entries[name] = func(m *Machine, s *Step, x []*Tensor) []*Tensor { return one(f(m, s, x[0])) }
	}
	simple("Reshape", func(m *Machine, s *Step, x *Tensor) *Tensor { return x.reshaped(m.sizes(s.S)) })
	simple("Flatten", func(_ *Machine, s *Step, x *Tensor) *Tensor {
		rank := max(len(x.Shape), 1)
		a, b := axisOf(s.I[0], rank), axisOf(s.I[1], rank)
		if len(x.Shape) == 0 {
			return x.reshaped([]int{1})
		}
		if a > b {
			refuse("flatten %d to %d", a, b)
		}
		return x.reshaped(slices.Concat(x.Shape[:a], []int{volume(x.Shape[a : b+1])}, x.Shape[b+1:]))
	})
	simple("Transpose", func(_ *Machine, s *Step, x *Tensor) *Tensor {
		order := make([]int, len(x.Shape))
		for i := range order {
			order[i] = i
		}
		a, b := x.axis(s.I[0]), x.axis(s.I[1])
		order[a], order[b] = b, a
		return x.permuted(order)
	})
	simple("Permute", func(_ *Machine, s *Step, x *Tensor) *Tensor {
		if len(s.I) != len(x.Shape) {
			refuse("order %v of %v", s.I, x.Shape)
		}
		return x.permuted(s.I)
	})
	simple("Diagonal", func(_ *Machine, s *Step, x *Tensor) *Tensor { return x.diagonal(s.I[0], s.I[1], s.I[2]) })
	simple("Expand", func(m *Machine, s *Step, x *Tensor) *Tensor {
		shape := m.sizes(s.S)
		for i, d := range shape {
			if d != -1 {
				continue
			}
			at := i - len(shape) + len(x.Shape)
			if at < 0 {
				refuse("the size of a new axis is not that of one of %v", x.Shape)
			}
			shape[i] = x.Shape[at]
		}
		return x.expand(shape)
	})
	simple("Tile", func(m *Machine, s *Step, x *Tensor) *Tensor {
		if len(s.S) < len(x.Shape) {
			refuse("%d counts for %v", len(s.S), x.Shape)
		}
		for len(x.Shape) < len(s.S) {
			x = x.unsqueezed(0)
		}
		for i, n := range m.sizes(s.S) {
			axis := len(x.Shape) - len(s.S) + i
			copies := []*Tensor{filled(x.T, resized(x.Shape, axis, 0), 0)}
			for range n {
				copies = append(copies, x)
			}
			x = m.joined(axis, copies...)
		}
		return x
	})
	simple("Flip", func(_ *Machine, s *Step, x *Tensor) *Tensor {
		for _, a := range s.I {
			x = x.flip(x.axis(a))
		}
		return x
	})
	simple("Squeeze", func(_ *Machine, s *Step, x *Tensor) *Tensor {
		rank := len(x.Shape)
		for _, a := range s.I {
			axisOf(a, max(rank, 1))
		}
		for axis := rank - 1; axis >= 0; axis-- {
			asked := slices.ContainsFunc(s.I, func(a int) bool { return a == axis || a+rank == axis })
			if asked && x.Shape[axis] == 1 {
				x = x.selected(axis, 0)
			}
		}
		return x
	})
	simple("Copy", func(_ *Machine, _ *Step, x *Tensor) *Tensor { return dense(x.T, x.Shape, x.Cells()) })
	simple("Triu", func(m *Machine, s *Step, x *Tensor) *Tensor {
		return m.triangle(x, func(r, c int) bool { return c-r >= s.I[0] })
	})
	simple("Tril", func(m *Machine, s *Step, x *Tensor) *Tensor {
		return m.triangle(x, func(r, c int) bool { return c-r <= s.I[0] })
	})
	simple("AsStrided", func(m *Machine, s *Step, x *Tensor) *Tensor {
		// S: the shape, then the strides, then the offset
		n := len(s.S) / 2
		list := m.sizes(s.S)
		y := dense(x.T, x.Shape, x.Cells()).view(list[:n], list[n:2*n], list[2*n])
		for _, at := range y.places() {
			if at < 0 || at >= len(y.mem.cells) {
				refuse("place %d of %d", at, len(y.mem.cells))
			}
		}
		y.Shared = true
		return y
	})
	simple("ZerosLike", func(_ *Machine, _ *Step, x *Tensor) *Tensor { return constant(filled(x.T, x.Shape, 0)) })
	simple("FullLike", func(_ *Machine, s *Step, x *Tensor) *Tensor { return constant(filled(x.T, x.Shape, s.F[0])) })
	Entries["Slice"] = movement(func(m *Machine, s *Step, x *Tensor, axis int) *Tensor {
		// bounds lie inside, but for the end
		n, start, stop := x.Shape[axis], s.S[0].Eval(m.At), s.S[1].Eval(m.At)
		if stop < 0 {
			stop += n
		}
		if start < 0 || start > n || stop < start || stop > n && stop < End {
			refuse("%d to %d of %d", start, stop, n)
		}
		return x.sliced(axis, s.S[0].Eval(m.At), s.S[1].Eval(m.At), s.I[1])
	})
	Entries["Narrow"] = movement(func(m *Machine, s *Step, x *Tensor, axis int) *Tensor {
		start, length := s.S[0].Eval(m.At), s.S[1].Eval(m.At)
		if start < 0 || length < 0 || start+length > x.Shape[axis] {
			refuse("%d from %d of %d", length, start, x.Shape[axis])
		}
		return x.sliced(axis, start, start+length, 1)
	})
	Entries["Select"] = movement(func(m *Machine, s *Step, x *Tensor, axis int) *Tensor {
		return x.selected(axis, s.S[0].Eval(m.At))
	})
	Entries["Pad"] = movement(func(m *Machine, s *Step, x *Tensor, axis int) *Tensor {
		return m.padded(x, axis, s.S[0].Eval(m.At), s.S[1].Eval(m.At), s.F[0])
	})
	Entries["Roll"] = movement(func(m *Machine, s *Step, x *Tensor, axis int) *Tensor {
		n := x.Shape[axis]
		if n == 0 {
			return x
		}
		k := ((s.I[1] % n) + n) % n
		return m.joined(axis, x.sliced(axis, n-k, n, 1), x.sliced(axis, 0, n-k, 1))
	})
	Entries["RepeatInterleave"] = movement(func(m *Machine, s *Step, x *Tensor, axis int) *Tensor {
		y := x.unsqueezed(axis + 1)
		y = y.expand(resized(y.Shape, axis+1, s.S[0].Eval(m.At)))
		return dense(y.T, y.Shape, y.Cells()).reshaped(resized(x.Shape, axis, x.Shape[axis]*y.Shape[axis+1]))
	})
	Entries["Window"] = movement(func(m *Machine, s *Step, x *Tensor, axis int) *Tensor {
		return x.windows(axis, s.I[1], s.I[2], s.I[3])
	})
	Entries["MoveAxis"] = movement(func(_ *Machine, s *Step, x *Tensor, from int) *Tensor {
		var order []int
		for i := range x.Shape {
			if i != from {
				order = append(order, i)
			}
		}
		return x.permuted(slices.Insert(order, x.axis(s.I[1]), from))
	})
	Entries["Unsqueeze"] = func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(x[0].unsqueezed(axisOf(s.I[0], len(x[0].Shape)+1)))
	}
	Entries["Concat"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor { return one(m.joined(s.I[0], x...)) }
	Entries["Stack"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := axisOf(s.I[0], len(x[0].Shape)+1)
		list := make([]*Tensor, len(x))
		for i, v := range x {
			list[i] = v.unsqueezed(axis)
		}
		return one(m.joined(axis, list...))
	}
	Entries["Split"] = func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		return parts(x[0], x[0].axis(s.I[0]), s.I[1])
	}
	Entries["Chunk"] = func(_ *Machine, s *Step, x []*Tensor) []*Tensor {
		axis := x[0].axis(s.I[0])
		return parts(x[0], axis, max(1, (x[0].Shape[axis]+s.I[1]-1)/s.I[1]))
	}
	Entries["Unbind"] = func(_ *Machine, s *Step, x []*Tensor) (list []*Tensor) {
		axis := x[0].axis(s.I[0])
		for i := range x[0].Shape[axis] {
			list = append(list, x[0].selected(axis, i))
		}
		return list
	}
	Entries["Iota"] = func(m *Machine, s *Step, _ []*Tensor) []*Tensor {
		x := filled(Int64, m.sizes(s.S), 0)
		axis := x.axis(s.I[0])
		inner := volume(x.Shape[axis+1:])
		for i := range x.mem.cells {
			x.mem.cells[i].I = int64(i / inner % x.Shape[axis])
		}
		return one(constant(x))
	}
	Entries["Full"] = func(m *Machine, s *Step, _ []*Tensor) []*Tensor {
		return one(constant(filled(s.T, m.sizes(s.S), s.F[0])))
	}
	Entries["Size"] = func(m *Machine, s *Step, _ []*Tensor) []*Tensor {
		return one(constant(filled(s.T, nil, float64(s.S[0].Eval(m.At)))))
	}
	copied("Tile", "Roll", "Pad", "RepeatInterleave", "Concat")
}
