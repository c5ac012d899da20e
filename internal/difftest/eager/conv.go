package eager

import (
	"math"
	"slices"
)

// steps are the numbers of a sliding window: of both axes, of which the first may be idle.
type steps struct{ size, stride, padding, dilation [2]int }

// stepsOf reads a step's numbers: for each axis its stride, padding and dilation.
func stepsOf(i []int, axes int) steps {
	w := steps{[2]int{1, 1}, [2]int{1, 1}, [2]int{}, [2]int{1, 1}}
	for k := range axes {
		to := 2 - axes + k
		w.stride[to], w.padding[to], w.dilation[to] = i[3*k], i[3*k+1], i[3*k+2]
	}
	return w
}

// images brings x to [N, C, H, W] and tells the shape before the last axes.
func images(x *Tensor, axes int) (y *Tensor, batch bool) {
	if len(x.Shape) != axes+1 && len(x.Shape) != axes+2 {
		refuse("%v has no windows", x.Shape)
	}
	batch = len(x.Shape) == axes+2
	if !batch {
		x = x.unsqueezed(0)
	}
	if axes == 1 {
		x = x.unsqueezed(2)
	}
	return x, batch
}

// plain undoes images.
func plain(y *Tensor, axes int, batch bool) *Tensor {
	if axes == 1 {
		y = y.selected(2, 0)
	}
	if !batch {
		y = y.selected(0, 0)
	}
	return y
}

// count returns the number of windows along an axis. The last one may be cut off where partial is
// set, but begins inside.
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
		w.size = [2]int{k.Shape[2], k.Shape[3]}
		groups, n, c, h, l := s.I[0], in.Shape[0], in.Shape[1], in.Shape[2], in.Shape[3]
		o := k.Shape[0]
		if in.T != k.T || len(x[1].Shape) != axes+2 || k.Shape[1]*groups != c || o%groups != 0 || o < groups || c == 0 || w.size[0]*w.size[1] == 0 {
			refuse("weights %v of %v", k.Shape, in.Shape)
		}
		shape := []int{n, o, w.count(0, h, false), w.count(1, l, false)}
		cells, a, b := make([]Cell, volume(shape)), m.shaken(in.T, in.Cells()), k.Cells()
		for i := range cells {
			at := [4]int{i / (shape[1] * shape[2] * shape[3]), i / (shape[2] * shape[3]) % o, i / shape[3] % shape[2], i % shape[3]}
			from := at[1] / (o / groups) * (c / groups)
			for ch := range c / groups {
				for p := range w.size[0] {
					for q := range w.size[1] {
						row, col := at[2]*w.stride[0]-w.padding[0]+p*w.dilation[0], at[3]*w.stride[1]-w.padding[1]+q*w.dilation[1]
						if row >= 0 && row < h && col >= 0 && col < l {
							v := a[((at[0]*c+from+ch)*h+row)*l+col]
							cells[i].Num = add(cells[i].Num, mul(v.Num, b[((at[1]*(c/groups)+ch)*w.size[0]+p)*w.size[1]+q].Num))
						}
					}
				}
			}
		}
		return one(plain(m.biased(m.made(in.T, shape, cells), x[2]), axes, batch))
	}
}

// biased adds a number to each channel of [N, C, H, W].
func (m *Machine) biased(y, bias *Tensor) *Tensor {
	if bias == nil {
		return y
	}
	if len(bias.Shape) != 1 || bias.Shape[0] != y.Shape[1] {
		refuse("bias of %v", bias.Shape)
	}
	return m.binary(binaries["Add"], y, bias.unsqueezed(1).unsqueezed(2))
}

// transposed is a transposed convolution: I holds the groups, then stride, padding and
// dilation of each axis, then the output padding of each.
func transposed(axes int) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		in, batch := images(x[0], axes)
		k, _ := images(x[1], axes)
		w := stepsOf(s.I[1:], axes)
		more := [2]int{}
		copy(more[2-axes:], s.I[1+3*axes:])
		groups, n, c, h, l := s.I[0], in.Shape[0], in.Shape[1], in.Shape[2], in.Shape[3]
		o, kh, kw := k.Shape[1]*groups, k.Shape[2], k.Shape[3]
		length := func(axis, size, k int) int {
			v := (size-1)*w.stride[axis] - 2*w.padding[axis] + w.dilation[axis]*(k-1) + more[axis] + 1
			if v < 1 || more[axis] >= max(w.stride[axis], w.dilation[axis]) && more[axis] > 0 || size < 1 {
				refuse("a result of %d", v)
			}
			return v
		}
		if in.T != k.T || len(x[1].Shape) != axes+2 || k.Shape[0] != c || c%groups != 0 || c < groups || kh*kw == 0 {
			refuse("weights %v of %v", k.Shape, in.Shape)
		}
		shape := []int{n, o, length(0, h, kh), length(1, l, kw)}
		cells, a, b := make([]Cell, volume(shape)), m.shaken(in.T, in.Cells()), k.Cells()
		for i, v := range a {
			at := [4]int{i / (c * h * l), i / (h * l) % c, i / l % h, i % l}
			for ch := range o / groups {
				for p := range kh {
					for q := range kw {
						row, col := at[2]*w.stride[0]-w.padding[0]+p*w.dilation[0], at[3]*w.stride[1]-w.padding[1]+q*w.dilation[1]
						if row < 0 || row >= shape[2] || col < 0 || col >= shape[3] {
							continue
						}
						to := &cells[((at[0]*o+at[1]/(c/groups)*(o/groups)+ch)*shape[2]+row)*shape[3]+col]
						to.Num = add(to.Num, mul(v.Num, b[((at[1]*(o/groups)+ch)*kh+p)*kw+q].Num))
					}
				}
			}
		}
		return one(plain(m.biased(m.made(in.T, shape, cells), x[2]), axes, batch))
	}
}

// pool folds windows: I holds, for each axis, its stride, padding and dilation, then the sizes of
// the window. Text has the words "ceil" and "exclude".
func pool(axes int, greatestOf bool) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if !x[0].T.IsFloat() {
			refuse("%s", x[0].T)
		}
		in, batch := images(x[0], axes)
		w := stepsOf(s.I, axes)
		copy(w.size[2-axes:], s.I[3*axes:])
		lengths := [2]int{in.Shape[2], in.Shape[3]}
		var counts [2]int
		for axis, length := range lengths {
			if 2*w.padding[axis] > w.size[axis] || length < 1 || in.Shape[1] < 1 || !batch && in.Shape[0] < 1 {
				refuse("padding %d of a window of %d", w.padding[axis], w.size[axis])
			}
			counts[axis] = w.count(axis, length, s.Text == "ceil")
		}
		shape := []int{in.Shape[0], in.Shape[1], counts[0], counts[1]}
		cells, a := make([]Cell, volume(shape)), in.Cells()
		if !greatestOf {
			a = m.shaken(in.T, a)
		}
		for i := range cells {
			image := a[i/(counts[0]*counts[1])*lengths[0]*lengths[1]:]
			row, padded := w.window(image, lengths, i/counts[1]%counts[0], i%counts[1])
			switch {
			case greatestOf && len(row) == 0:
				refuseElements("a window beside all elements")
			case greatestOf:
				cells[i].Num = row[first(row, Float64)].Num
			case s.Text == "exclude":
				cells[i].Num = mean(row)
			default:
				cells[i].Num = div(sum(row), num(float64(padded)))
			}
		}
		return one(plain(m.made(in.T, shape, cells), axes, batch))
	}
}

// window returns the elements of a window, and how many there are with the padding.
func (w *steps) window(image []Cell, lengths [2]int, i, j int) (row []Cell, padded int) {
	for p := range w.size[0] {
		for q := range w.size[1] {
			r, c := i*w.stride[0]-w.padding[0]+p*w.dilation[0], j*w.stride[1]-w.padding[1]+q*w.dilation[1]
			if r >= 0 && r < lengths[0] && c >= 0 && c < lengths[1] {
				row = append(row, image[r*lengths[1]+c])
			}
			if r < lengths[0]+w.padding[0] && c < lengths[1]+w.padding[1] {
				padded++
			}
		}
	}
	return row, padded
}

func init() {
	Entries["Conv1D"], Entries["Conv2D"] = conv(1), conv(2)
	Entries["ConvTranspose1D"], Entries["ConvTranspose2D"] = transposed(1), transposed(2)
	Entries["MaxPool1D"], Entries["MaxPool2D"] = pool(1, true), pool(2, true)
	Entries["AvgPool1D"], Entries["AvgPool2D"] = pool(1, false), pool(2, false)
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
