package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// move rearranges elements.
func (e *exporter) move(n *graph.Node, in []*value) *value {
	t := e.typeOf(n)
	switch {
	case t.isEmpty():
		return e.expand(e.number(t.dtype, 0), t.shape)
	case n.Op().Assemble != nil:
		return e.assemble(n, t, in)
	case slices.Contains(n.Stretch(0), graph.Undecided):
		return e.expand(in[0], t.shape)
	case n.Op().View == nil:
		return e.Fail(n, "says neither by View nor by Assemble where its elements come from")
	}
	layout, ok := n.Op().View(n, graph.RowMajor(n.In(0).Shape()))
	if !ok {
		return e.Fail(n, "says by View that it does not show a dense operand")
	}
	return e.view(in[0], e.layout(layout), !n.Op().IsUsers() && n.Op() != asStrided)
}

var asStrided = ops.Lookup("as_strided")

// layout returns a layout with bound names replaced by numbers.
func (e *exporter) layout(l graph.Layout) graph.Layout {
	return graph.Layout{Shape: e.dims(l.Shape), Strides: e.dims(l.Strides), Offset: e.dim(l.Offset)}
}

// view shows a dense value in another layout: by what becomes of each axis, else by the places of all elements.
// isWithin says that axes of the view stay within those of the value, though sizes that have names do not show it.
func (e *exporter) view(x *value, l graph.Layout, isWithin bool) *value {
	if l.IsRowMajor() && l.Shape.NumElements() == x.shape.NumElements() {
		return e.reshape(x, l.Shape)
	}
	if v := e.viewByAxes(x, l, isWithin); v != nil {
		return v
	}
	flat := e.reshape(x, graph.Shape{x.shape.NumElements()})
	return e.gather(flat, e.expand(e.places(l), l.Shape), 0)
}

// places returns the place of each element of a view in the value that it shows, broadcast over the axes that repeat.
func (e *exporter) places(l graph.Layout) *value {
	place := e.size(l.Offset)
	for axis, stride := range l.Strides {
		if stride == 0 || l.Shape[axis] == 1 {
			continue
		}
		along := e.iota(l.Shape, axis)
		if stride != 1 {
			along = e.same("Mul", along, e.size(stride))
		}
		place = e.plus(place, along)
	}
	return place
}

// plus is the sum of places.
func (e *exporter) plus(x, y *value) *value {
	if _, k, is := numberOf(x); is && k == 0 {
		return y
	}
	return e.same("Add", x, y)
}

// along is what a view makes of an axis of the value that it shows.
type along struct {
	axes  []int // of the view, those of long strides first
	steps []int64
	start graph.Dim // the first element that is shown
}

// viewByAxes shows a view each axis of which goes along one axis of the value; nil for others.
func (e *exporter) viewByAxes(x *value, l graph.Layout, isWithin bool) *value {
	list := e.alongAxes(x, l)
	if list == nil || !isWithin && !areWithin(x, l, list) {
		return nil
	}
	for a, w := range list {
		if len(w.axes) == 0 && x.shape[a] != 1 && !e.hasElements(x.shape[a]) {
			return nil // there may be none to pick
		}
	}
	var spans []span
	for a, w := range list {
		if len(w.axes) == 1 {
			size := l.Shape[w.axes[0]]
			start, step := w.start, graph.Dim(w.steps[0])
			if step < 0 {
				start = start.Plus(size.Minus(1).Times(step.Times(-1)))
			}
			spans = append(spans, span{a, start, size, step})
		}
	}
	v := e.slice(x, spans...)
	var order []int // the axes of the view, in the order in which v has them
	for a := len(x.shape) - 1; a >= 0; a-- {
		w := list[a]
		switch {
		case len(w.axes) > 1:
			if few := e.fewest(l, w); few >= 0 {
				v, w.axes = e.pieces(v, a, l, w, few), []int{w.axes[few], w.axes[1-few]}
				break
			}
			v = e.gather(v, e.windows(l, w), a)
		case len(w.axes) == 0 && x.shape[a] != 1:
			v = e.gather(v, e.size(w.start), a)
		}
		order = append(slices.Clone(w.axes), order...)
		if len(w.axes) == 0 && x.shape[a] == 1 {
			order = append([]int{-1}, order...)
		}
	}
	return e.arranged(v, order, l)
}

// arranged brings a value, whose axes are axes of a view or -1 for one of size 1 that it has not, into the view's form.
func (e *exporter) arranged(v *value, order []int, l graph.Layout) *value {
	var squeezed []int
	for i, axis := range order {
		if axis < 0 {
			squeezed = append(squeezed, i)
		}
	}
	kept := slices.DeleteFunc(slices.Clone(order), func(a int) bool { return a < 0 })
	var full graph.Shape
	var missing []int
	for i, d := range l.Shape {
		if slices.Contains(kept, i) {
			full = append(full, d)
			continue
		}
		full = append(full, 1)
		missing = append(missing, i)
	}
	if slices.IsSorted(kept) {
		v = e.fitted(v, squeezed, missing, full)
		return e.expand(v, l.Shape)
	}
	v = e.squeeze(v, squeezed)
	perm := make([]int, len(kept))
	for i := range perm {
		perm[i] = i
	}
	slices.SortFunc(perm, func(i, k int) int { return kept[i] - kept[k] })
	return e.expand(e.unsqueeze(e.transpose(v, perm), missing), l.Shape)
}

// fitted takes axes of size 1 away and puts others in, in one step if sizes allow it.
func (e *exporter) fitted(v *value, squeezed, missing []int, full graph.Shape) *value {
	if slices.Equal(v.shape, full) {
		return v
	}
	open := 0
	for _, d := range full {
		if !d.IsConst() {
			open++
		}
	}
	if len(squeezed) > 0 && len(missing) > 0 && open < 2 {
		return e.reshape(v, full)
	}
	return e.unsqueeze(e.squeeze(v, squeezed), missing)
}

// maxPieces is the most parts of which windows are put together: more are picked by index, element by element.
const maxPieces = 16

// fewest returns which of two axes of windows has few elements; -1 where none has.
func (e *exporter) fewest(l graph.Layout, w along) int {
	if len(w.axes) != 2 || w.steps[0] < 0 || w.steps[1] < 0 {
		return -1
	}
	least, at := int64(maxPieces+1), -1
	for i, axis := range w.axes {
		if n, static := l.Shape[axis].Int(); static && n < least {
			least, at = n, i
		}
	}
	return at
}

// pieces puts windows together along the axis of w that has few elements: each part is a slice.
func (e *exporter) pieces(v *value, axis int, l graph.Layout, w along, few int) *value {
	count, _ := l.Shape[w.axes[few]].Int()
	var list []*value
	for k := range count {
		start := w.start.Plus(graph.Dim(k * w.steps[few]))
		part := e.slice(v, span{axis, start, l.Shape[w.axes[1-few]], graph.Dim(w.steps[1-few])})
		list = append(list, e.unsqueeze(part, []int{axis}))
	}
	return e.concat(axis, list...)
}

// windows is the index that picks the elements of several axes of a view along one axis.
func (e *exporter) windows(l graph.Layout, w along) *value {
	inner := graph.Layout{Offset: w.start}
	for i, a := range w.axes {
		inner.Shape, inner.Strides = append(inner.Shape, l.Shape[a]), append(inner.Strides, graph.Dim(w.steps[i]))
		if w.steps[i] < 0 {
			inner.Offset = inner.Offset.Plus(l.Shape[a].Minus(1).Times(graph.Dim(-w.steps[i])))
		}
	}
	return e.placesWritten(inner)
}

// placesWritten are the places of a view as a constant, if it is small and its sizes are known.
func (e *exporter) placesWritten(l graph.Layout) *value {
	t := tensor{graph.Int64, l.Shape}
	total, static := t.count()
	offset, known := l.Offset.Int()
	if !static || !known || total > maxConstant {
		return e.expand(e.places(l), l.Shape)
	}
	list := []int64{offset}
	for axis, d := range l.Shape {
		n, _ := d.Int()
		stride, _ := l.Strides[axis].Int()
		longer := make([]int64, 0, len(list)*int(n))
		for _, place := range list {
			for i := range n {
				longer = append(longer, place+i*stride)
			}
		}
		list = longer
	}
	return e.initialiser(t, &literal{raw: bytesOf(list)})
}

// alongAxes finds, for each axis of a value, the axes of a view that go along it; nil where one goes along none.
func (e *exporter) alongAxes(x *value, l graph.Layout) []along {
	own := graph.RowMajor(x.shape).Strides
	list := make([]along, len(own))
	offset := l.Offset
	for i, stride := range l.Strides {
		size := l.Shape[i]
		if size == 1 || stride == 0 {
			continue
		}
		found := false
		for a, step := range own {
			k, ok := quotient(stride, step)
			if x.shape[a] == 1 || !ok || !reaches(k, size, x.shape[a]) {
				continue
			}
			if k < 0 {
				offset = offset.Plus(size.Minus(1).Times(stride))
			}
			w := &list[a]
			at, _ := slices.BinarySearchFunc(w.steps, k, func(have, k int64) int {
				return int(max(k, -k) - max(have, -have))
			})
			w.axes, w.steps = slices.Insert(w.axes, at, i), slices.Insert(w.steps, at, k)
			found = true
			break
		}
		if !found {
			return nil
		}
	}
	for a, step := range own {
		list[a].start = 0
		if x.shape[a] == 1 || offset == 0 {
			continue
		}
		n, static := offset.Int()
		k, known := step.Int()
		switch {
		case static && known:
			list[a].start, offset = graph.Dim(n/k), graph.Dim(n%k)
		case static: // it is less than the axis' stride, or so it is hoped
		default:
			if q, ok := offset.ExactDiv(step); ok {
				list[a].start, offset = q, 0
			}
		}
	}
	if offset != 0 {
		return nil
	}
	return list
}

// quotient returns the whole number k with stride = k·step.
func quotient(stride, step graph.Dim) (k int64, ok bool) {
	n, static := stride.Int()
	m, known := step.Int()
	if static && known {
		return n / max(m, 1), m > 0 && n%m == 0
	}
	if q, exact := stride.ExactDiv(step); exact {
		return q.Int()
	}
	return 0, false
}

// reaches reports whether a step along an axis may take as many elements, which are two or more unless that is a
// number.
func reaches(k int64, size, axis graph.Dim) bool {
	n, static := size.Int()
	if !static {
		n = 2
	}
	m, known := axis.Int()
	return !known || max(k, -k)*(n-1) < m
}

// areWithin reports whether all that a view shows along each axis of a value is known to be there.
func areWithin(x *value, l graph.Layout, list []along) bool {
	for a, w := range list {
		last := w.start
		for i, axis := range w.axes {
			last = last.Plus(l.Shape[axis].Minus(1).Times(graph.Dim(max(w.steps[i], -w.steps[i]))))
		}
		if left, static := x.shape[a].Minus(last).Int(); !static || left < 1 {
			return false
		}
	}
	return true
}

// squeeze takes axes of size 1 away.
func (b *builder) squeeze(x *value, axes []int) *value {
	if len(axes) == 0 {
		return x
	}
	var shape graph.Shape
	for i, d := range x.shape {
		if !slices.Contains(axes, i) {
			shape = append(shape, d)
		}
	}
	if x.data != nil && x.data.single {
		return b.initialiser(tensor{x.dtype, shape}, x.data)
	}
	return b.apply("Squeeze", tensor{x.dtype, shape}, nil, x, b.intsOf(axes))
}

// unsqueeze puts axes of size 1 at places of the result.
func (b *builder) unsqueeze(x *value, axes []int) *value {
	if len(axes) == 0 {
		return x
	}
	shape := slices.Clone(x.shape)
	for _, a := range axes {
		shape = slices.Insert(shape, a, 1)
	}
	if x.data != nil && x.data.single {
		return b.initialiser(tensor{x.dtype, shape}, x.data)
	}
	return b.apply("Unsqueeze", tensor{x.dtype, shape}, nil, x, b.intsOf(axes))
}
