package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// opConvBack is the gradient of a plain convolution for x, and a transposed convolution: of dy [N, O, …] with the
// weights [O, C, …]. What the product of transposed weights with dy leaves, a window for each place, is added up where
// windows meet. With steps, it is computed by phases where that pays.
var opConvBack *graph.Op

// convBackAttrs are the arguments of the convolution, and the shape of x.
type convBackAttrs struct {
	ConvAttrs
	Shape graph.Shape
}

func init() {
	opConvBack = &graph.Op{Name: "conv_back", Func: "ConvBack",
		Doc: "the gradient of a convolution for what windows slide over.", Class: graph.Composite, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), slices.Clone(c.Attrs().(convBackAttrs).Shape)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			dy, w, a := in[0], in[1], n.Attrs().(convBackAttrs)
			kernel, places := w.Shape()[2:], dy.Shape()[2:]
			weights := Transpose(Reshape(w, w.Shape()[0], a.Shape[1].Times(kernel.NumElements())), 0, 1)
			columns := MatMul(weights, Reshape(dy, dy.Shape()[0], dy.Shape()[1], places.NumElements()))
			return putBack(columns, kernel, places, a.Shape, a.ConvAttrs)
		},
		Faster: func(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
			if p, pays := phasesOf(in[0], in[1], n.Attrs().(convBackAttrs)); pays {
				return p.gradient(in[0], in[1])
			}
			return nil
		},
		Grad: func(n, dx *graph.Node, i int) *graph.Node {
			dy, w, a := n.In(0), n.In(1), n.Attrs().(convBackAttrs).ConvAttrs
			dx, a = withoutSurplus(dx, a)
			if i == 0 {
				return Reshape(plainConv(dx, w, a, dy.Shape()[2:]), dy.Shape()...)
			}
			return Apply(opPlainFilters, plainFilterAttrs{a, w.Shape()}, dx, dy)
		},
	}
}

// putBack adds windows up, given as columns, where they lie in a value of a shape [N, C, …], of which padding is cut
// off.
func putBack(columns node, kernel, places, shape graph.Shape, a ConvAttrs) node {
	sizes := slices.Clone(shape[2:])
	for i, p := range a.Padding {
		sizes[i] = sizes[i].Plus(graph.Dim(2*p - a.surplus(i)))
	}
	x := unslide(Reshape(columns, slices.Concat(shape[:2], kernel, places)...), sizes, a.steps())
	for i, p := range a.Padding {
		if more := a.surplus(i); more > 0 {
			x = Pad(x, 2+i, 0, graph.Dim(more), 0)
		}
		x = Slice(x, 2+i, graph.Dim(p), shape[2+i].Plus(graph.Dim(p)), 1)
	}
	return x
}

// surplus is how many elements the output padding adds at the end of an axis beyond those that a step leaves over:
// there a convolution would have more windows. With dilation there can be such.
func (a ConvAttrs) surplus(i int) int {
	if len(a.OutputPadding) == 0 {
		return 0
	}
	return max(a.OutputPadding[i]-(a.Stride[i]-1), 0)
}

// withoutSurplus has what windows slide over without what they do not see, and its padding as zeros, where there is a
// surplus.
func withoutSurplus(x node, a ConvAttrs) (node, ConvAttrs) {
	surplus := make([]int, len(a.Stride))
	for i := range surplus {
		surplus[i] = a.surplus(i)
	}
	if slices.Max(surplus) == 0 {
		return x, a
	}
	for i, p := range a.Padding {
		x = Pad(x, 2+i, graph.Dim(p), graph.Dim(p-surplus[i]), 0)
	}
	a.Padding, a.OutputPadding = make([]int, len(a.Stride)), nil
	return x, a
}

// Phases of a convolution with a step s along an axis are the places of x that are equal modulo s, with its padding:
// each number of a filter belongs to one of them. The gradient is a convolution of dy with steps of one in each, and
// filters of a part of the numbers.
type phases struct {
	convBackAttrs
	axes [][]phase
	// Of every axis: how many zeros lie around dy so that all phases see them, and how many places a phase has at most.
	before, after, count []int
}

// phase is one phase along an axis: the first number of a filter that it has, how many it has, and the place of dy at
// which the first window starts.
type phase struct{ first, taps, start int }

// phasesOf returns the phases where sizes are known, and reports whether it pays to compute by them.
func phasesOf(dy, w node, a convBackAttrs) (p phases, pays bool) {
	if !hasFewWeights(a.Shape[1], w.Shape()[0], dy.Shape()[0], dy.Shape()[2:].NumElements()) ||
		!w.Shape()[2:].IsStatic() ||
		!a.Shape[2:].IsStatic() || !slices.ContainsFunc(a.Stride, func(step int) bool { return step != 1 }) {
		return p, false
	}
	p.convBackAttrs = a
	for i, step := range a.Stride {
		kernel, _ := w.Shape()[2+i].Int()
		size, _ := a.Shape[2+i].Int()
		windows, _ := dy.Shape()[2+i].Int()
		if a.Dilation[i] != 1 || size == 0 || windows == 0 {
			return p, false
		}
		count := (int(size) + step - 1) / step
		var list []phase
		before, after := 0, 0
		for place := range step { // the first one of a phase
			at := place + a.Padding[i]
			f := phase{first: at % step}
			f.taps = (max(int(kernel)-f.first, 0) + step - 1) / step
			f.start = at/step - max(f.taps-1, 0)
			before, after = max(before, -f.start), max(after, at/step+count-int(windows))
			list = append(list, f)
		}
		p.axes = append(p.axes, list)
		p.before, p.after, p.count = append(p.before, before), append(p.after, after), append(p.count, count)
	}
	return p, true
}

// gradient is that for x of dy and w.
func (p phases) gradient(dy, w node) node {
	for i := range p.axes {
		dy = Pad(dy, 2+i, graph.Dim(p.before[i]), graph.Dim(p.after[i]), 0)
	}
	// Numbers of one place of the filters lie side by side, so that parts of them are copied in long rows.
	order := []int{}
	for i := range p.axes {
		order = append(order, 2+i)
	}
	dx := p.along(0, dy, Copy(Permute(w, append(order, 0, 1)...)))
	shape := slices.Clone(p.Shape)
	for i, list := range p.axes {
		shape[2+i] = graph.Dim(p.count[i] * len(list))
	}
	dx = Reshape(dx, shape...)
	for i, size := range p.Shape[2:] {
		dx = Slice(dx, 2+i, 0, size, 1)
	}
	return dx
}

// along joins the phases along the axes from one on: [N, C, places of a phase, phases, …].
func (p phases) along(axis int, dy, w node) node {
	if axis == len(p.axes) {
		return p.convolved(dy, w)
	}
	var parts []node
	for _, f := range p.axes[axis] {
		at := p.before[axis] + f.start
		seen := Slice(dy, 2+axis, graph.Dim(at), graph.Dim(at+p.count[axis]+max(f.taps-1, 0)), 1)
		parts = append(parts, p.along(axis+1, seen, Slice(w, axis, graph.Dim(f.first), End, p.Stride[axis])))
	}
	return Concat(3+2*axis, parts...)
}

// convolved is the convolution of one phase with filters [K…, O, C]: [N, C, places, 1, places, 1, …].
func (p phases) convolved(dy, w node) node {
	axes := len(p.axes)
	kernel, outputs := w.Shape()[:axes], w.Shape()[axes]
	shape, turned, steps := slices.Clone(p.Shape[:2]), make([]int, axes), rules.Steps{Padding: make([]int, axes)}
	for i, count := range p.count {
		shape, turned[i] = append(shape, graph.Dim(count), 1), i
	}
	if slices.Contains(kernel, 0) { // no window sees these places
		return Zeros(dy.Graph(), dy.DType(), shape...)
	}
	steps.Stride = slices.Repeat([]int{1}, axes)
	steps.Dilation = steps.Stride
	terms := kernel.NumElements().Times(outputs)
	windows := MoveAxis(slide(dy, kernel, steps, make([]graph.Dim, axes), 0), 1, 1+axes)
	filters := Transpose(Reshape(Flip(w, turned...), terms, p.Shape[1]), 0, 1)
	return Reshape(MatMul(filters, Reshape(windows, p.Shape[0], terms, graph.MakeShape(p.count...).NumElements())),
		shape...)
}

// hasFewWeights reports whether the gradient for x of so many channels is best computed with weights that are turned
// round, which copies them: if there are no more than windows would be put back, of so many places in each image, and
// channels enough, which are the rows of the product, to fill tiles.
func hasFewWeights(channels, outputs, images, places graph.Dim) bool {
	if n, known := channels.Int(); known && n < fewestChannels {
		return false
	}
	o := numberOr(outputs, usualChannels)
	if _, bound := images.Int(); !bound {
		images = trainedImages
	}
	n, bound := images.Times(places).Int()
	return !bound || o <= n
}
