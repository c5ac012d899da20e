package eager

import (
	"math"
	"slices"
)

// pooling is a pooling of a value: its windows, and its elements as [N, C, D, H, W].
type pooling struct {
	steps
	in              *Tensor
	cells           []Cell
	lengths, counts triple
}

// poolingOf reads a pooling: I holds, for each axis, its stride, padding and dilation, then the sizes of the window.
// Text has the words "ceil" and "exclude".
func poolingOf(s *Step, x *Tensor, axes int) (p *pooling, batch bool) {
	if !x.T.IsFloat() {
		refuse("%s", x.T)
	}
	in, batch := images(x, axes)
	p = &pooling{steps: stepsOf(s.I, axes), in: in, lengths: triple(in.Shape[2:]), cells: in.Cells()}
	copy(p.size[3-axes:], s.I[3*axes:])
	for axis, length := range p.lengths {
		if 2*p.padding[axis] > p.size[axis] || length < 1 || in.Shape[1] < 1 || !batch && in.Shape[0] < 1 {
			refuse("padding %d of a window of %d", p.padding[axis], p.size[axis])
		}
		p.counts[axis] = p.count(axis, length, s.Text == "ceil")
	}
	return p, batch
}

func (p *pooling) shape() []int { return slices.Concat(p.in.Shape[:2], p.counts[:]) }

// window returns the elements in a window of the result's element i, their places in the image, and their number with
// the padding.
func (p *pooling) window(i int) (row []Cell, places []int, padded int) {
	image := p.cells[i/p.counts.volume()*p.lengths.volume():]
	for e := range p.size.volume() {
		at := p.reaches(p.counts.at(i%p.counts.volume()), p.size.at(e))
		if place := p.lengths.place(at); place >= 0 {
			row, places = append(row, image[place]), append(places, place)
		}
		within := true
		for axis, v := range at {
			within = within && v < p.lengths[axis]+p.padding[axis]
		}
		padded += int(truth(within))
	}
	return row, places, padded
}

// greatestOf returns the greatest elements of windows, and their places.
func greatestOf(axes int) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		p, batch := poolingOf(s, x[0], axes)
		shape := p.shape()
		cells, indices := make([]Cell, volume(shape)), make([]Cell, volume(shape))
		for i := range cells {
			row, places, _ := p.window(i)
			if len(row) == 0 {
				refuseElements("a window beside all elements")
			}
			best := first(row, Float64)
			for k, c := range row {
				if math.IsNaN(c.V) {
					best = k // the last one
				}
			}
			cells[i].Num, indices[i].I = row[best].Num, int64(places[best])
		}
		y := plain(m.made(p.in.T, shape, cells), axes, batch)
		if s.Op != "MaxPoolIndex" {
			return one(y)
		}
		return []*Tensor{y, plain(dense(Int64, shape, indices), axes, batch)}
	}
}

// meanOf returns the means of windows.
func meanOf(axes int) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		p, batch := poolingOf(s, x[0], axes)
		p.cells = m.shaken(p.in.T, p.cells)
		shape := p.shape()
		cells := make([]Cell, volume(shape))
		for i := range cells {
			row, _, padded := p.window(i)
			if s.Text == "exclude" {
				padded = len(row)
			}
			cells[i].Num = div(sum(row), num(float64(padded)))
		}
		return one(plain(m.made(p.in.T, shape, cells), axes, batch))
	}
}

func init() {
	Entries["MaxPool1D"], Entries["MaxPool2D"], Entries["MaxPool3D"] = greatestOf(1), greatestOf(2), greatestOf(3)
	Entries["AvgPool1D"], Entries["AvgPool2D"], Entries["AvgPool3D"] = meanOf(1), meanOf(2), meanOf(3)
	// The number of axes of MaxPoolIndex is that of the sizes of its window.
	Entries["MaxPoolIndex"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return greatestOf(len(s.I)/4)(m, s, x)
	}
	// LpPool has the power F[0]: the root of the mean of powers times the size of a window. It is 0 for powers that
	// cancel.
	Entries["LpPool"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		axes, count := len(s.I)/4, 1
		for _, size := range s.I[3*axes:] {
			count *= size
		}
		if !x[0].T.IsFloat() {
			refuse("%s", x[0].T)
		}
		powers := m.mapped(x[0], func(v Num) Num { return pow(v, num(s.F[0])) })
		means := meanOf(axes)(m, s, one(powers))[0]
		return one(m.mapped(means, func(v Num) Num {
			if v.V == 0 {
				return num(0)
			}
			return pow(scale(v, float64(count)), num(1/s.F[0]))
		}))
	}
	// MaxUnpool puts elements at their places: the last of several stays.
	Entries["MaxUnpool"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		sizes := m.sizes(s.S)
		rank := len(x[0].Shape) - len(sizes)
		if rank < 1 || rank > 2 || !slices.Equal(x[0].Shape, x[1].Shape) {
			refuse("%v at %v", x[0].Shape, x[1].Shape)
		}
		shape := slices.Concat(x[0].Shape[:rank], sizes)
		cells, at := make([]Cell, volume(shape)), x[1].Cells()
		each := max(volume(x[0].Shape[rank:]), 1)
		for i, c := range x[0].Cells() {
			cells[i/each*volume(sizes)+index(at[i], volume(sizes))] = c
		}
		return one(dense(x[0].T, shape, cells))
	}
}
