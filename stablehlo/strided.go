package stablehlo

import (
	"cmp"
	"math"
	"slices"
)

// strided is a view of a dense value of some size: element (i0, i1, …) of the view is element
// offset + i0*strides[0] + i1*strides[1] + … in row-major order.
type strided struct {
	shape, strides []int
	offset         int
}

// moved is an axis of a view that goes from element to element.
type moved struct{ axis, size, stride int }

// boxed is a view as a box cut out of the dense value under another shape: in axis i of that shape elements from
// start[i] up to and without limit[i], step[i] apart. Each axis of the view runs along one axis of the box.
type boxed struct {
	shape, start, limit, step []int
	axes                      []moved // of the view, by axis of the box: those of size 1 have axis -1
	reversed                  []int   // axes of the box that the view goes through backwards
}

// forwards returns the axes that go from element to element, the one of the longest stride first, as if all went
// forwards; reversed are the axes of the view that do not.
func (s strided) forwards() (list []moved, reversed map[int]bool, offset int) {
	reversed, offset = map[int]bool{}, s.offset
	for axis, size := range s.shape {
		stride := s.strides[axis]
		if size == 1 || stride == 0 {
			continue
		}
		if stride < 0 {
			reversed[axis], offset, stride = true, offset+(size-1)*stride, -stride
		}
		list = append(list, moved{axis, size, stride})
	}
	slices.SortStableFunc(list, func(a, b moved) int { return cmp.Compare(b.stride, a.stride) })
	return list, reversed, offset
}

// boxIn finds a box of a dense value of the given shape that shows a view; ok is false if there is none.
func (s strided) boxIn(shape []int) (b boxed, ok bool) {
	list, reversed, offset := s.forwards()
	total := 1
	for _, d := range shape {
		total *= d
	}
	var own, cut []int // strides of the value's axes; where the view's axes begin and end
	step := 1
	for _, d := range slices.Backward(shape) {
		own = append(own, step)
		step *= d
	}
	for _, m := range list {
		cut = append(cut, m.stride, m.stride*m.size)
	}
	for _, bounds := range [][]int{own, slices.Concat(own, cut), cut} {
		if b, ok = boxBetween(chain(bounds, total), total, list, offset); ok {
			for i, m := range b.axes {
				if reversed[m.axis] {
					b.reversed = append(b.reversed, i)
				}
			}
			return b, true
		}
	}
	return b, false
}

// chain returns those of numbers that divide one another, from 1 up to the total, the greatest first.
func chain(numbers []int, total int) []int {
	slices.Sort(numbers)
	list := []int{1}
	for _, n := range numbers {
		if last := list[len(list)-1]; n > last && n < total && n%last == 0 && total%n == 0 {
			list = append(list, n)
		}
	}
	slices.Reverse(list)
	return list
}

// boxBetween finds the box in the shape whose axes have the given strides.
func boxBetween(strides []int, total int, list []moved, offset int) (b boxed, ok bool) {
	end := total
	for _, step := range strides {
		size, start := end/step, offset%end/step
		b.shape, b.start = append(b.shape, size), append(b.start, start)
		b.limit, b.step = append(b.limit, start+1), append(b.step, 1)
		b.axes = append(b.axes, moved{axis: -1, size: 1})
		i := len(b.shape) - 1
		if len(list) > 0 && list[0].stride >= step {
			m := list[0]
			list = list[1:]
			q := m.stride / step
			last := start + (m.size-1)*q
			if m.stride%step != 0 || last >= size {
				return b, false
			}
			b.limit[i], b.step[i], b.axes[i] = last+1, q, m
		}
		end = step
	}
	return b, len(list) == 0 && offset >= 0 && offset < total
}

// order returns the axis of the box for each axis of the view with a stride, in the view's order, followed by those of
// size 1.
func (b boxed) order() (list []int) {
	for i := range b.axes {
		list = append(list, i)
	}
	key := func(i int) int {
		if axis := b.axes[i].axis; axis >= 0 {
			return axis
		}
		return math.MaxInt
	}
	slices.SortStableFunc(list, func(i, k int) int { return cmp.Compare(key(i), key(k)) })
	return list
}
