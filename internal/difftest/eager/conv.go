package eager

import (
	"math"
	"slices"
)

// triple is a number for each of the axes along which windows slide: depth, height and width. The first ones may be
// unused.
type triple [3]int

func (t triple) volume() int { return t[0] * t[1] * t[2] }

// at returns the indices of a place in row-major order.
func (t triple) at(place int) triple {
	return triple{place / (t[1] * t[2]), place / t[2] % t[1], place % t[2]}
}

// place is the inverse of at; -1 if it is out of range.
func (t triple) place(at triple) int {
	for k, i := range at {
		if i < 0 || i >= t[k] {
			return -1
		}
	}
	return (at[0]*t[1]+at[1])*t[2] + at[2]
}

// steps are the numbers of a sliding window.
type steps struct{ size, stride, padding, dilation triple }

// stepsOf reads a step's numbers: for each axis its stride, padding and dilation.
func stepsOf(i []int, axes int) steps {
	w := steps{triple{1, 1, 1}, triple{1, 1, 1}, triple{}, triple{1, 1, 1}}
	for k := range axes {
		to := 3 - axes + k
		w.stride[to], w.padding[to], w.dilation[to] = i[3*k], i[3*k+1], i[3*k+2]
	}
	return w
}

// reaches returns the element of the image under an element of a window at a place. It may be out of range.
func (w *steps) reaches(window, element triple) (at triple) {
	for k := range at {
		at[k] = window[k]*w.stride[k] - w.padding[k] + element[k]*w.dilation[k]
	}
	return at
}

// images reshapes x to [N, C, D, H, W] and reports whether it has a batch.
func images(x *Tensor, axes int) (y *Tensor, batch bool) {
	if len(x.Shape) != axes+1 && len(x.Shape) != axes+2 {
		refuse("%v has no windows", x.Shape)
	}
	batch = len(x.Shape) == axes+2
	if !batch {
		x = x.unsqueezed(0)
	}
	for range 3 - axes {
		x = x.unsqueezed(2)
	}
	return x, batch
}

// plain is the inverse of images.
func plain(y *Tensor, axes int, batch bool) *Tensor {
	for range 3 - axes {
		y = y.selected(2, 0)
	}
	if !batch {
		y = y.selected(0, 0)
	}
	return y
}

// count returns the number of windows along an axis. If partial is set, the last one may be cut off, but must begin
// inside.
func (w *steps) count(axis, length int, partial bool) int {
	room := length + 2*w.padding[axis] - w.dilation[axis]*(w.size[axis]-1) - 1
	n := int(floorDiv(int64(room), int64(w.stride[axis]))) + 1
	if partial && room%w.stride[axis] != 0 && n*w.stride[axis] < length+w.padding[axis] {
		n++
	}
	if n < 1 {
		refuse("a window of %d in %d", w.size[axis], length)
	}
	return n
}

// conv is a convolution: I holds the groups, then stride, padding and dilation of each axis.
func conv(axes int) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		in, batch := images(x[0], axes)
		k, _ := images(x[1], axes)
		w := stepsOf(s.I[1:], axes)
		w.size = triple(k.Shape[2:])
		groups, n, c, lengths := s.I[0], in.Shape[0], in.Shape[1], triple(in.Shape[2:])
		o := k.Shape[0]
		if in.T != k.T || len(x[1].Shape) != axes+2 || k.Shape[1]*groups != c || o%groups != 0 || o < groups ||
			c == 0 || w.size.volume() == 0 {
			refuse("weights %v of %v", k.Shape, in.Shape)
		}
		var counts triple
		for axis, length := range lengths {
			counts[axis] = w.count(axis, length, false)
		}
		shape := append([]int{n, o}, counts[:]...)
		cells, a, b := make([]Cell, volume(shape)), m.shaken(in.T, in.Cells()), k.Cells()
		for i := range cells {
			image, channel, window := i/counts.volume()/o, i/counts.volume()%o, counts.at(i%counts.volume())
			from := channel / (o / groups) * (c / groups)
			for ch := range c / groups {
				for e := range w.size.volume() {
					if place := lengths.place(w.reaches(window, w.size.at(e))); place >= 0 {
						v := a[(image*c+from+ch)*lengths.volume()+place]
						cells[i].Num = add(cells[i].Num, mul(v.Num, b[(channel*(c/groups)+ch)*w.size.volume()+e].Num))
					}
				}
			}
		}
		return one(plain(m.biased(m.made(in.T, shape, cells), x[2]), axes, batch))
	}
}

// biased adds a number to each channel of [N, C, D, H, W].
func (m *Machine) biased(y, bias *Tensor) *Tensor {
	if bias == nil {
		return y
	}
	if len(bias.Shape) != 1 || bias.Shape[0] != y.Shape[1] {
		refuse("bias of %v", bias.Shape)
	}
	return m.binary(binaries["Add"], y, bias.unsqueezed(1).unsqueezed(2).unsqueezed(3))
}

// transposed is a transposed convolution: I holds the groups, then stride, padding and
// dilation of each axis, then the output padding of each.
func transposed(axes int) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		in, batch := images(x[0], axes)
		k, _ := images(x[1], axes)
		w := stepsOf(s.I[1:], axes)
		w.size = triple(k.Shape[2:])
		var more, counts triple
		copy(more[3-axes:], s.I[1+3*axes:])
		groups, n, c, lengths := s.I[0], in.Shape[0], in.Shape[1], triple(in.Shape[2:])
		o := k.Shape[1] * groups
		for axis, size := range lengths {
			v := (size-1)*w.stride[axis] - 2*w.padding[axis] + w.dilation[axis]*(w.size[axis]-1) + more[axis] + 1
			if v < 1 || more[axis] >= max(w.stride[axis], w.dilation[axis]) && more[axis] > 0 || size < 1 {
				refuse("a result of %d", v)
			}
			counts[axis] = v
		}
		if in.T != k.T || len(x[1].Shape) != axes+2 || k.Shape[0] != c || c%groups != 0 || c < groups ||
			w.size.volume() == 0 {
			refuse("weights %v of %v", k.Shape, in.Shape)
		}
		shape := append([]int{n, o}, counts[:]...)
		cells, a, b := make([]Cell, volume(shape)), m.shaken(in.T, in.Cells()), k.Cells()
		for i, v := range a {
			image, channel, window := i/lengths.volume()/c, i/lengths.volume()%c, lengths.at(i%lengths.volume())
			for ch := range o / groups {
				for e := range w.size.volume() {
					if place := counts.place(w.reaches(window, w.size.at(e))); place >= 0 {
						to := &cells[(image*o+channel/(c/groups)*(o/groups)+ch)*counts.volume()+place]
						to.Num = add(to.Num, mul(v.Num, b[(channel*(o/groups)+ch)*w.size.volume()+e].Num))
					}
				}
			}
		}
		return one(plain(m.biased(m.made(in.T, shape, cells), x[2]), axes, batch))
	}
}

func init() {
	Entries["Conv1D"], Entries["Conv2D"], Entries["Conv3D"] = conv(1), conv(2), conv(3)
	Entries["ConvTranspose1D"], Entries["ConvTranspose2D"], Entries["ConvTranspose3D"] = transposed(1), transposed(2),
		transposed(3)
	Entries["Fold"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor { // I: axis, stride, dilation; S: the length
		rank := len(x[0].Shape)
		axis := axisOf(s.I[0], rank-1)
		length, size := s.S[0].Eval(m.At), x[0].Shape[rank-1]
		room := length - s.I[2]*(size-1) - 1
		if size < 1 || room < 0 || room/s.I[1]+1 != x[0].Shape[axis] {
			refuse("windows %v of %d", x[0].Shape, length)
		}
		out := filled(x[0].T, resized(x[0].Shape[:rank-1], axis, length), 0)
		to := out.windows(axis, size, s.I[1], s.I[2]).places()
		for i, c := range x[0].Cells() {
			old := out.mem.cells[to[i]]
			out.mem.cells[to[i]] = Cell{add(old.Num, c.Num), old.I + c.I}
		}
		return one(m.made(out.T, out.Shape, slices.Clone(out.mem.cells)))
	}
	for name, f := range map[string]func(d Num, f float64) Num{
		"MSE": func(d Num, _ float64) Num { return square(d) },
		"L1":  func(d Num, _ float64) Num { return abs(d) },
		"Huber": func(d Num, delta float64) Num {
			switch {
			case math.Abs(d.V) == delta:
				return d.bend(scale(square(d), 0.5))
			case math.Abs(d.V) < delta:
				return scale(square(d), 0.5)
			}
			return scale(sub(abs(d), num(delta/2)), delta)
		},
		"SmoothL1": func(d Num, beta float64) Num {
			switch {
			case math.Abs(d.V) == beta:
				return d.bend(scale(square(d), 0.5/beta))
			case math.Abs(d.V) < beta:
				return scale(square(d), 0.5/beta)
			}
			return sub(abs(d), num(beta/2))
		},
	} {
		Entries[name] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
			return one(m.loss(s, x, func(x, t Num) Num {
				if len(s.F) == 0 {
					return f(sub(x, t), 0)
				}
				return f(sub(x, t), s.F[0])
			}))
		}
	}
}
