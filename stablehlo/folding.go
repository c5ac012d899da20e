package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// If a product makes windows that are added back onto their axes, the two are a transposed convolution: the gradient of
// a convolution with respect to its image.

// made is a matrix product, kept in case its result is folded.
type made struct{ x, y *value }

// landed is a value of windows that were added back, with the axes of the product's result that its own axes are.
type landed struct {
	made
	result [][]*part // the axes of the product's result
	axes   []*part   // of the value; nil for those of size 1
}

// part is an axis of a value, as a part of an axis of a product's result. If windows were added back on the axis, it
// has the parts that are their places and their elements.
type part struct {
	size             int
	place, element   *part
	stride, dilation int
}

// folds is the composite operation that puts windows back.
var folds = ops.Lookup("fold")

// landing writes windows that are added back as a transposed convolution, if a product made them; else it returns nil.
func (e *exporter) landing(n *graph.Node, in []*value) *value {
	steps, ok := n.Attrs().(interface {
		Steps() (axis, stride, dilation int)
	})
	if !ok || n.Op() != folds || !n.DType().IsFloat() || e.typeOf(n).count() == 0 {
		return nil
	}
	l := e.landedBelow(in[0])
	if l == nil {
		return nil
	}
	axis, stride, dilation := steps.Steps()
	if axis < 0 {
		axis += n.Rank()
	}
	last := len(l.axes) - 1
	p := &part{size: e.typeOf(n).shape[axis], place: l.axes[axis], element: l.axes[last], stride: stride,
		dilation: dilation}
	if p.place != nil && p.place.place != nil || p.element != nil && p.element.place != nil {
		return nil
	}
	own := &landed{made: l.made, result: l.result, axes: slices.Clone(l.axes[:last])}
	own.axes[axis] = p
	y := e.spreadOut(own, e.typeOf(n))
	if y != nil {
		e.landed[y] = own
	}
	return y
}

// landedBelow finds the origin of a value of windows: a product, or a value whose other windows were added back.
func (e *exporter) landedBelow(x *value) *landed {
	axes := make([]*part, len(x.shape))
	for i, size := range x.shape {
		if size != 1 {
			axes[i] = &part{size: size}
		}
	}
	groups := make([][]*part, len(axes))
	for i, p := range axes {
		if p != nil {
			groups[i] = []*part{p}
		}
	}
	for {
		if m, is := e.made[x]; is {
			return &landed{m, groups, axes}
		}
		if l, is := e.landed[x]; is {
			return l.under(axes, groups)
		}
		if x.def == nil || len(x.def.in) != 1 {
			return nil
		}
		below := x.def.in[0]
		switch x.def.op {
		case "stablehlo.transpose":
			before := make([][]*part, len(groups))
			for i, a := range x.def.attrs[0].value.([]int) {
				before[a] = groups[i]
			}
			groups = before
		case "stablehlo.reshape":
			if groups = regroup(slices.Concat(groups...), below.shape, func(p *part) int { return p.size }); groups ==
				nil {
				return nil
			}
		default:
			return nil
		}
		x = below
	}
}

// under returns l with its axes in another order; nil if some were merged or split.
func (l *landed) under(axes []*part, groups [][]*part) *landed {
	own := &landed{made: l.made, result: l.result, axes: make([]*part, len(axes))}
	for i, p := range l.axes {
		switch {
		case p == nil && len(groups[i]) == 0:
		case p != nil && len(groups[i]) == 1:
			own.axes[slices.Index(axes, groups[i][0])] = p
		default:
			return nil
		}
	}
	return own
}

// spreadOut writes the transposed convolution of t; nil if the product has axes that one cannot have.
func (e *exporter) spreadOut(l *landed, t tensor) *value {
	rank := len(l.result)
	var slides []*part // the axes on which windows were put back
	for _, p := range l.axes {
		if p != nil && (p.stride != 0) {
			slides = append(slides, p)
		}
	}
	rows, cols := l.result[rank-2], l.result[rank-1]
	image, kernel, places, elements := l.y, l.x, cols, rows
	if slices.ContainsFunc(slides, func(p *part) bool { return p.place != nil && slices.Contains(rows, p.place) }) {
		image, kernel, places, elements = e.swapped(l.x), e.swapped(l.y), rows, cols
	}
	// The image is [batch…, channels, places], and the kernel [batch…, elements, channels].
	alone, shared, ok := e.batches(l, image, kernel)
	if !ok {
		return nil
	}
	plainPlaces, plainElements := slices.Clone(places), slices.Clone(elements)
	for _, p := range slides {
		if p.place != nil && !slices.Contains(places, p.place) ||
			p.element != nil && !slices.Contains(elements, p.element) {
			return nil
		}
		plainPlaces = slices.DeleteFunc(plainPlaces, func(q *part) bool { return q == p.place })
		plainElements = slices.DeleteFunc(plainElements, func(q *part) bool { return q == p.element })
	}
	channels := &part{size: image.shape[len(image.shape)-2]}
	var placeOf, elementOf []*part
	shape := []int{partSize(alone) * partSize(plainPlaces), partSize(shared) * partSize(plainElements)}
	lhs := []int{shape[0], partSize(shared) * channels.size}
	rhs := []int{shape[1], channels.size}
	w := window{}
	for _, p := range slides {
		count, size := partSize(one(p.place)), partSize(one(p.element))
		lhs, rhs, shape = append(lhs, count), append(rhs, size), append(shape, p.size)
		placeOf, elementOf = append(placeOf, one(p.place)...), append(elementOf, one(p.element)...)
		w.strides, w.dilations, w.spread = append(w.strides, 1), append(w.dilations, p.dilation),
			append(w.spread, p.stride)
		w.padding = append(w.padding, (size-1)*p.dilation, p.size-1-(count-1)*p.stride)
	}
	batch := slices.Concat(l.result[:rank-2]...)
	has := append(append(slices.Clone(batch), channels), places...)
	in := e.rearranged(image, has, slices.Concat(alone, plainPlaces, shared, one(channels), placeOf), lhs)
	has = append(append(slices.Clone(shared), elements...), channels)
	weights := e.rearranged(kernel, has, slices.Concat(shared, plainElements, one(channels), elementOf), rhs)
	spatialAxes := []int{}
	for i := range slides {
		spatialAxes = append(spatialAxes, 2+i)
	}
	y := e.convolve(in, e.reverse(weights, spatialAxes), shape, w, partSize(shared))
	return e.rearranged(y, slices.Concat(alone, plainPlaces, shared, plainElements, slides),
		slices.DeleteFunc(slices.Clone(l.axes), func(p *part) bool { return p == nil }), t.shape)
}

// batches separates the axes of the batch into those of the image alone, and those that the kernel has too.
func (e *exporter) batches(l *landed, image, kernel *value) (alone, shared []*part, ok bool) {
	rank := len(l.result)
	for i, group := range l.result[:rank-2] {
		size := partSize(group)
		switch {
		case sizeFrom(image.shape, rank-i) != size:
			return nil, nil, false
		case sizeFrom(kernel.shape, rank-i) == 1:
			alone = append(alone, group...)
		default:
			shared = append(shared, group...)
		}
	}
	return alone, shared, true
}

// rearranged permutes the axes of a value, which are parts, and then reshapes it. Parts of size 1 are ignored.
func (e *exporter) rearranged(x *value, has, wanted []*part, shape []int) *value {
	sizes, order := make([]int, len(has)), make([]int, len(wanted))
	for i, p := range has {
		sizes[i] = p.size
	}
	for i, p := range wanted {
		order[i] = slices.Index(has, p)
	}
	return e.reshape(e.transpose(e.reshape(x, sizes), order), shape)
}

func one(p *part) []*part {
	if p == nil {
		return nil
	}
	return []*part{p}
}

func partSize(list []*part) int {
	n := 1
	for _, p := range list {
		n *= p.size
	}
	return n
}
