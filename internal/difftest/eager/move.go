package eager

import "slices"

func (x *Tensor) permuted(order []int) *Tensor {
	shape, stride := make([]int, len(order)), make([]int, len(order))
	for i, a := range order {
		shape[i], stride[i] = x.Shape[a], x.stride[a]
	}
	return x.view(shape, stride, x.off)
}

// reshaped is a view if x is dense. Otherwise it is a view if strides can express it, or a copy.
func (x *Tensor) reshaped(shape []int) *Tensor {
	known, open := 1, -1
	for i, d := range shape {
		if d == -1 {
			open = i
		} else {
			known *= d
		}
	}
	if open >= 0 {
		if known == 0 || volume(x.Shape)%known != 0 {
			refuse("%v as %v", x.Shape, shape)
		}
		shape = slices.Clone(shape)
		shape[open] = volume(x.Shape) / known
	}
	if volume(shape) != volume(x.Shape) {
		refuse("%v as %v", x.Shape, shape)
	}
	if x.isDense() {
		return x.view(shape, rowMajor(shape), x.off)
	}
	y := dense(x.T, shape, x.Cells())
	y.Shared = true
	return y
}

// sliced returns x[start:stop:step] along an axis, for bounds in range.
func (x *Tensor) sliced(axis, start, stop, step int) *Tensor {
	size := x.Shape[axis]
	bound := func(v int) int {
		if v < 0 {
			v += size
		}
		return min(max(v, 0), size)
	}
	start, stop = bound(start), bound(stop)
	shape, stride := slices.Clone(x.Shape), slices.Clone(x.stride)
	shape[axis] = max(0, (stop-start+step-1)/step)
	stride[axis] *= step
	return x.view(shape, stride, x.off+start*x.stride[axis])
}

func (x *Tensor) selected(axis, index int) *Tensor {
	if index < 0 {
		index += x.Shape[axis]
	}
	if index < 0 || index >= x.Shape[axis] {
		refuse("index %d of %d", index, x.Shape[axis])
	}
	return x.view(slices.Delete(slices.Clone(x.Shape), axis, axis+1),
		slices.Delete(slices.Clone(x.stride), axis, axis+1), x.off+index*x.stride[axis])
}

func (x *Tensor) unsqueezed(axis int) *Tensor {
	return x.view(slices.Insert(slices.Clone(x.Shape), axis, 1), slices.Insert(slices.Clone(x.stride), axis, 0), x.off)
}

func (x *Tensor) diagonal(offset, a, b int) *Tensor {
	a, b = x.axis(a), x.axis(b)
	if a == b {
		refuse("one axis twice")
	}
	rows, cols := x.Shape[a], x.Shape[b]
	off := x.off
	if offset >= 0 {
		cols -= offset
		off += offset * x.stride[b]
	} else {
		rows += offset
		off -= offset * x.stride[a]
	}
	n := max(min(rows, cols), 0)
	var shape, stride []int
	for i := range x.Shape {
		if i != a && i != b {
			shape, stride = append(shape, x.Shape[i]), append(stride, x.stride[i])
		}
	}
	return x.view(append(shape, n), append(stride, x.stride[a]+x.stride[b]), off)
}

func (x *Tensor) flip(axis int) *Tensor {
	y := x.view(x.Shape, slices.Clone(x.stride), x.off)
	if x.Shape[axis] > 0 {
		y.off += (x.Shape[axis] - 1) * x.stride[axis]
		y.stride[axis] = -x.stride[axis]
	}
	return y
}

// joined concatenates values.
func (m *Machine) joined(axis int, x ...*Tensor) *Tensor {
	t := promote(x...)
	shape := slices.Clone(x[0].Shape)
	axis = axisOf(axis, len(shape))
	shape[axis] = 0
	for _, v := range x {
		for i, d := range v.Shape {
			if len(v.Shape) != len(shape) || i != axis && d != shape[i] {
				refuse("%v beside %v", v.Shape, shape)
			}
		}
		shape[axis] += v.Shape[axis]
	}
	inner := volume(shape[axis+1:])
	cells := make([]Cell, 0, volume(shape))
	parts := make([][]Cell, len(x))
	for i, v := range x {
		parts[i] = m.cast(v, t).Cells()
	}
	for outer := range volume(shape[:axis]) {
		for i, v := range x {
			n := v.Shape[axis] * inner
			cells = append(cells, parts[i][outer*n:(outer+1)*n]...)
		}
	}
	return dense(t, shape, cells)
}

// filled is one number in every place.
func filled(t DType, shape []int, v float64) *Tensor {
	cells := make([]Cell, volume(shape))
	for i := range cells {
		cells[i] = castCell(Cell{Num: num(v)}, Float64, t)
	}
	return dense(t, shape, cells)
}

// resized is the shape with another size of one axis.
func resized(shape []int, axis, size int) []int {
	shape = slices.Clone(shape)
	shape[axis] = size
	return shape
}

func (m *Machine) padded(x *Tensor, axis, before, after int, v float64) *Tensor {
	if before < 0 || after < 0 {
		refuse("pad %d %d", before, after)
	}
	fill := func(n int) *Tensor { return filled(x.T, resized(x.Shape, axis, n), v) }
	return m.joined(axis, fill(before), x, fill(after))
}

// triangle keeps the elements whose row and column keep accepts.
func (m *Machine) triangle(x *Tensor, keep func(row, col int) bool) *Tensor {
	if len(x.Shape) < 2 {
		refuse("no matrix")
	}
	cells := x.Cells()
	cols, rows := x.Shape[len(x.Shape)-1], x.Shape[len(x.Shape)-2]
	for i := range cells {
		if !keep(i/cols%rows, i%cols) {
			cells[i] = Cell{}
		}
	}
	return dense(x.T, x.Shape, cells)
}

// parts cuts an axis.
func parts(x *Tensor, axis, size int) (list []*Tensor) {
	for at := 0; at < x.Shape[axis]; at += size {
		list = append(list, x.sliced(axis, at, min(at+size, x.Shape[axis]), 1))
	}
	return list
}

// windows slides along an axis.
func (x *Tensor) windows(axis, size, stride, dilation int) *Tensor {
	room := x.Shape[axis] - dilation*(size-1) - 1
	if room < 0 || size < 1 {
		refuse("a window of %d in %d", size, x.Shape[axis])
	}
	y := x.view(resized(x.Shape, axis, room/stride+1), slices.Clone(x.stride), x.off)
	y.stride[axis] *= stride
	y.Shape, y.stride = append(y.Shape, size), append(y.stride, dilation*x.stride[axis])
	return y
}
