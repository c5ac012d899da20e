package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// move rearranges elements.
func (e *exporter) move(n *graph.Node, in []*value) *value {
	t := e.typeOf(n)
	switch {
	case t.count() == 0:
		return e.literal(t, "")
	case n.Op().Assemble != nil:
		return e.assemble(n, t, in)
	case slices.Contains(n.Stretch(0), graph.Undecided):
		return e.broadcast(in[0], t.shape)
	case n.Op().View == nil:
		return e.Fail(n, "says neither by View nor by Assemble where its elements come from")
	}
	if n.Op().Waits {
		in = e.append("stablehlo.optimization_barrier", typesOf(in), nil, nil, in).out
	}
	layout, ok := n.Op().View(n, graph.RowMajor(n.In(0).Shape()))
	if !ok {
		return e.Fail(n, "says by View that it does not show a dense operand")
	}
	v := e.view(in[0], e.strided(layout))
	e.show(n, v, in[0], layout)
	return v
}

func (e *exporter) strided(l graph.Layout) strided {
	return strided{e.ints(l.Shape), e.ints(l.Strides), e.int(l.Offset)}
}

// maxPieces is the most parts from which a view that is no box is assembled; one with more is gathered.
const maxPieces = 64

// view shows a dense value in another layout: as a box cut out of it, else assembled from boxes, else by index.
func (e *exporter) view(x *value, s strided) *value {
	if b, ok := s.boxIn(x.shape); ok {
		return e.cut(x, s, b)
	}
	if v := e.padded(x, s); v != nil {
		return v
	}
	if axis := s.shortest(); axis >= 0 && s.shape[axis] <= maxPieces {
		return e.pieces(x, s, axis)
	}
	return e.picked(x, s)
}

// cut shows a box.
func (e *exporter) cut(x *value, s strided, b boxed) *value {
	y := e.slice(e.reshape(x, b.shape), b.start, b.limit, b.step)
	return e.spread(e.transpose(e.reverse(y, b.reversed), b.order()), s)
}

// spread gives a value, whose elements are those of a view in order, the view's axes of size 1, and repeats it along
// those of stride 0.
func (e *exporter) spread(y *value, s strided) *value {
	shape, repeats := slices.Clone(s.shape), false
	for i, stride := range s.strides {
		if stride == 0 && shape[i] != 1 {
			shape[i], repeats = 1, true
		}
	}
	y = e.reshape(y, shape)
	if repeats {
		y = e.broadcastInDim(y, s.shape, allAxes(y))
	}
	return y
}

// padded shows a view whose longest stride does not fit the value, such as a diagonal: it fits a value with more, or
// fewer, elements at the end. It is nil if that does not help.
func (e *exporter) padded(x *value, s strided) *value {
	list, _, offset := s.forwards()
	if len(list) == 0 || list[0].stride > 2*x.count() {
		return nil
	}
	length := list[0].size * list[0].stride
	rest := strided{s.shape, s.strides, s.offset - offset}
	b, ok := rest.boxIn([]int{length})
	if !ok {
		return nil
	}
	flat := e.reshape(x, []int{x.count()})
	end := min(x.count(), offset+length)
	flat = e.slice(flat, []int{offset}, []int{end}, []int{1})
	flat = e.pad(flat, e.splat(tensor{dtype: x.dtype}, 0), []int{0}, []int{length - (end - offset)}, []int{0})
	return e.cut(flat, rest, b)
}

// shortest returns the axis of fewest elements that goes from element to element, or -1.
func (s strided) shortest() int {
	at := -1
	for axis, size := range s.shape {
		if size > 1 && s.strides[axis] != 0 && (at < 0 || size < s.shape[at]) {
			at = axis
		}
	}
	return at
}

// pieces puts a view together along an axis: each piece is a view without it. Windows that overlap are such.
func (e *exporter) pieces(x *value, s strided, axis int) *value {
	list := make([]*value, s.shape[axis])
	for k := range list {
		part := strided{slices.Clone(s.shape), s.strides, s.offset + k*s.strides[axis]}
		part.shape[axis] = 1
		list[k] = e.view(x, part)
	}
	return e.concat(list, axis)
}

// places returns the place of each element of a view in the value that it shows.
func (e *exporter) places(s strided) *value {
	t := tensor{graph.Int64, s.shape}
	place := e.whole(t, int64(s.offset))
	for axis, stride := range s.strides {
		if stride != 0 && s.shape[axis] > 1 {
			place = e.same("add", place, e.same("multiply", e.iota(t, axis), e.whole(t, int64(stride))))
		}
	}
	return place
}

// picked shows a view by the places of its elements.
func (e *exporter) picked(x *value, s strided) *value {
	return e.gather(e.reshape(x, []int{x.count()}), e.places(s), 0)
}
