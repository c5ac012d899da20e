package eager

import "slices"

// write makes a version of x's memory in which x has new elements, and returns x in it.
func (m *Machine) write(x, y *Tensor) *Tensor {
	if !slices.Equal(broadcast(x.Shape, y.Shape), x.Shape) {
		refuse("%v written into %v", y.Shape, x.Shape)
	}
	if kinds[y.T].order/10 > kinds[x.T].order/10 {
		refuse("%s written into %s", y.T, x.T)
	}
	fresh := &memory{cells: slices.Clone(x.mem.cells), root: x.mem.root}
	from := m.cast(y, x.T).over(x.Shape)
	for i, at := range x.places() {
		fresh.cells[at] = from[i]
		m.round(x.T, &fresh.cells[at])
	}
	z := x.view(x.Shape, x.stride, x.off)
	z.mem = fresh
	return z
}

func init() {
	for name, op := range map[string]string{
		"AddInPlace": "Add", "SubInPlace": "Sub", "MulInPlace": "Mul", "DivInPlace": "Div",
		"PowInPlace": "Pow"} {
		Entries[name] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
			return one(m.write(x[0], Entries[op](m, s, x)[0]))
		}
	}
	// InPlace writes the result of the elementwise operation Text.
	Entries["InPlace"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.write(x[0], Entries[s.Text](m, s, x)[0]))
	}
	Entries["CopyInPlace"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		return one(m.write(x[0], m.cast(x[1], x[0].T)))
	}
	// After returns x in the version of memory that a write made.
	Entries["After"] = func(_ *Machine, _ *Step, x []*Tensor) []*Tensor {
		if !x[0].SharesMemory(x[1]) {
			refuse("memory that was not written")
		}
		y := x[0].view(x[0].Shape, x[0].stride, x[0].off)
		y.mem = x[1].mem
		return one(y)
	}
}
