package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// deforming is a deformable convolution: its operands, and numbers that are found from their shapes.
type deforming struct {
	x, offset, weight, bias, mask node
	steps                         rules.Steps
	height, width, groups, fields int // of a window; of channels for products and for offsets
	out                           graph.Shape
}

// DeformConv2D is [Conv2D] with an offset for each element of each window: x, [N, C, H, W], is read between its
// elements, and is 0 outside. offset is [N, 2·fields·KH·KW, H', W'], with the vertical distance of each element
// before the horizontal one. weight is [O, C/groups, KH, KW], and bias [O] or nil. mask, [N, fields·KH·KW, H', W'] or
// nil, multiplies what is read. The channels are divided into fields, each with its own offsets, and into groups,
// each with its own weights. Options are [Stride], [Padding] and [Dilation]. All operands are Float32 or Float64. It
// is torchvision's deform_conv2d. Source: X. Zhu et al., Deformable ConvNets v2, 2019.
func DeformConv2D(x, offset, weight, bias, mask *graph.Node, opts ...StepOption) *graph.Node {
	defer joining(&x, &offset, &weight, &bias, &mask)()
	d := deforming{x: x, offset: offset, weight: weight, bias: bias, mask: mask, steps: stepsOf(opts)}
	words := anys(stepWords(nil, d.steps, []int{1}))
	defer building("DeformConv2D", append([]any{x, offset, weight, bias, mask}, words...)...)()
	call := refused("DeformConv2D", x, offset, weight, bias, mask).with(words...)
	if bad := d.read(call); bad != nil {
		return bad
	}
	n, field := x.Shape()[0], graph.Dim(d.fields)
	elements := graph.Dim(d.height * d.width)
	images := Reshape(Unflatten(x, 1, field, -1), n.Times(field), x.Shape()[1].DividedBy(field), x.Shape()[2],
		x.Shape()[3])
	away := Reshape(offset, n.Times(field), elements, 2, d.out[2], d.out[3], 1)
	read := sampler{GridAttrs{Mode: ResizeLinear}, images}.at([]node{d.place(away, 0), d.place(away, 1)})
	if mask != nil {
		read = Mul(read, Reshape(mask, n.Times(field), 1, elements, d.out[2], d.out[3]))
	}
	group := graph.Dim(d.groups)
	places := d.out[2].Times(d.out[3])
	columns := Reshape(read, n, group, x.Shape()[1].DividedBy(group).Times(elements), places)
	y := Reshape(MatMul(Reshape(weight, group, d.out[1].DividedBy(group), -1), columns), d.out...)
	if bias != nil {
		y = Add(y, Reshape(bias, d.out[1], 1, 1))
	}
	for i, size := range x.Shape()[2:] {
		if y.Judged() {
			requireSizes(y, graph.Requirement{Kind: graph.MustBeAtLeast, A: size, B: 1, Axis: 2 + i,
				Why: "sampled images must have elements"},
				fmt.Sprintf("deform_conv2d: %s has shape %s, without elements along axis %d to interpolate", x.Called(),
					x.Shape(), 2+i))
		}
	}
	return y
}

// place is where along one axis the elements of windows lie: [N·fields, KH·KW, H', W', 1].
func (d deforming) place(away node, axis int) node {
	g, x := d.x.Graph(), d.x
	element := Iota(g, 0, graph.Dim(d.height*d.width), 1, 1, 1)
	if axis == 0 {
		element = FloorDiv(element, num64(int64(d.width)))
	} else {
		element = Remainder(element, num64(int64(d.width)))
	}
	window := Iota(g, axis, d.out[2], d.out[3], 1)
	at := Add(Mul(element, num64(int64(d.steps.Dilation[axis]))), Mul(window, num64(int64(d.steps.Stride[axis]))))
	return Add(Select(away, 2, graph.Dim(axis)), Cast(Sub(at, num64(int64(d.steps.Padding[axis]))), x.DType()))
}

// read finds the numbers, or refuses the operands.
func (d *deforming) read(call refusedCall) node {
	call.in = []node{d.x, d.offset, d.weight}
	for _, v := range []node{d.bias, d.mask} {
		if v != nil {
			call.in = append(call.in, v)
		}
	}
	if bad := notTensors(call); bad != nil {
		return bad
	}
	for i, v := range call.in {
		switch t := v.DType(); {
		case t != graph.Float32 && t != graph.Float64 || t != d.x.DType():
			return refusal(call, &graph.Mistake{
				Code: graph.CodeDType, Casts: oneWideFloat(call.in...), Summary: fmt.Sprintf(
					"deform_conv2d: all operands must be Float32, or all Float64, but %s has dtype %s", v.Called(), t)})
		case v.Rank() != 4 && (i < 3 || v == d.mask):
			return d.refuse(call, "%s has shape %s, but must have 4 axes", v.Called(), v.Shape())
		}
	}
	x, w, offset := d.x.Shape(), d.weight.Shape(), d.offset.Shape()
	for _, size := range append(w[:4:4], x[1], offset[1]) {
		if n, known := size.Int(); !known || n < 1 || n > 1<<31 {
			return d.refuse(call,
				"channels and kernel sizes must be known numbers other than 0, but the shapes are %s, %s and %s", x,
				offset, w)
		}
	}
	d.height, d.width = int(w[2]), int(w[3])
	if bad := badSteps(call, d.height, d.width, d.steps); bad != nil {
		return bad
	}
	return d.readChannels(call)
}

// readChannels finds the groups of channels, the fields of offsets and the shape of the result.
func (d *deforming) readChannels(call refusedCall) node {
	x, w, offset := d.x.Shape(), d.weight.Shape(), d.offset.Shape()
	d.groups, d.fields = int(x[1]/w[1]), int(offset[1])/(2*d.height*d.width)
	if d.groups == 0 || x[1]%w[1] != 0 || w[0]%graph.Dim(d.groups) != 0 {
		return d.refuse(call,
			"weights %s need a multiple of %s input channels, with a number of groups that divides the %s output channels, but %s has %s",
			w, w[1], w[0], d.x.Called(), x[1])
	}
	d.out = graph.Shape{x[0], w[0], 0, 0}
	for i, size := range x[2:] {
		d.out[2+i] = rules.WindowCount(size.Plus(graph.Dim(2*d.steps.Padding[i])), w[2+i], d.steps.Stride[i],
			d.steps.Dilation[i])
	}
	if d.fields == 0 || x[1]%graph.Dim(d.fields) != 0 {
		return d.refuse(call,
			"offsets must have 2·fields·%d·%d channels, where fields divides the %s channels of %s, but %s has %s",
			d.height, d.width, x[1], d.x.Called(), d.offset.Called(), offset[1])
	}
	field := graph.Dim(d.fields * d.height * d.width)
	wanted := []graph.Shape{{x[0], 2 * field, d.out[2], d.out[3]}, {w[0]}, {x[0], field, d.out[2], d.out[3]}}
	for i, v := range []node{d.offset, d.bias, d.mask} {
		if v != nil && !v.Shape().Equal(wanted[i]) {
			return d.refuse(call, "%s has shape %s, but must have %s", v.Called(), v.Shape(), wanted[i])
		}
	}
	return nil
}

func (d *deforming) refuse(call refusedCall, format string, args ...any) node {
	return call.wrong(graph.CodeWindow, "deform_conv2d: "+format, args...)
}

func init() {
	composed("DeformConv2D", "windows with elements at arbitrary positions, times weights, summed.",
		named("", "torchvision.ops.deform_conv2d", "", "DeformConv", "", func(e *graph.Example) node {
			return DeformConv2D(e.Of("x", "n", "2", "8", "8"), e.Of("offset", "n", "18", "6", "6"),
				e.Of("weight", "4", "2", "3", "3"), nil, nil)
		}))
}
