package importer

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"Conv": func(c *call) []node {
			return []node{c.conv()}
		},
		"ConvTranspose": convTranspose,
		"ConvInteger": func(c *call) []node {
			return []node{ops.ConvInteger(c.in(0), c.in(1), c.at(2), c.at(3), c.convOptions()...)}
		},
		"QLinearConv": func(c *call) []node {
			return []node{ops.QLinearConv(c.in(0), c.in(1), c.in(2), c.in(3), c.in(4), c.in(5), c.in(6), c.in(7),
				c.at(8), c.convOptions()...)}
		},
		"DeformConv": func(c *call) []node {
			return []node{ops.DeformConv2D(c.in(0), c.in(2), c.in(1), c.at(3), c.at(4), c.steps()...)}
		},
		"Col2Im": func(c *call) []node { return col2im(c) },
	})
}

// conv is a convolution. Where how much lies beside images depends on a size that has no number, it is put there
// before.
func (c *call) conv() node {
	x, w := c.in(0), c.in(1)
	n := imageAxes(x, w)
	f := conv(n)
	if _, isStatic := x.Shape()[2:].Ints(); isStatic || !strings.HasPrefix(c.text("auto_pad", ""), "SAME") {
		return f(x, w, c.at(2), c.convOptions()...)
	}
	over := c.windows(n, c.filterSizes(w))
	before, after := over.sides(c, x)
	for i := range n {
		x = ops.Pad(x, 2+i, before[i], after[i], 0)
	}
	return f(x, w, c.at(2), ops.Stride(over.strides...), ops.Dilation(over.dilations...), ops.Groups(c.int("group", 1)))
}

// imageAxes is the number of axes over which filters w slide, of images x.
func imageAxes(x, w node) int {
	n := x.Rank() - 2
	if n < 1 || n > 3 || w.Rank() != n+2 {
		refuse("its its operands have different numbers of axes, %d and %d", x.Rank(), w.Rank())
	}
	return n
}

// filterSizes are the sizes of filters along the axes of images.
func (c *call) filterSizes(w node) []int {
	sizes := make([]int, w.Rank()-2)
	for i := range sizes {
		sizes[i] = c.size(w, 2+i)
	}
	return sizes
}

func conv(axes int) func(x, w, b node, opts ...ops.ConvOption) node {
	return []func(x, w, b node, opts ...ops.ConvOption) node{nil, ops.Conv1D, ops.Conv2D, ops.Conv3D}[axes]
}

// steps are the options that say how windows move, with equal sides.
func (c *call) steps() (opts []ops.StepOption) {
	if s := c.ints("strides"); s != nil {
		opts = append(opts, ops.Stride(s...))
	}
	if d := c.ints("dilations"); d != nil {
		opts = append(opts, ops.Dilation(d...))
	}
	if p := c.ints("pads"); p != nil {
		opts = append(opts, ops.Padding(p[:len(p)/2]...))
	}
	return opts
}

// convOptions are those of a convolution.
func (c *call) convOptions() (opts []ops.ConvOption) {
	for _, o := range c.steps() {
		opts = append(opts, o)
	}
	if n := c.int("group", 1); n != 1 {
		opts = append(opts, ops.Groups(n))
	}
	if side := c.sides(); side != nil {
		opts = append(opts, side)
	}
	return opts
}

// sides is the option for what lies behind, or of equal sides nil.
func (c *call) sides() ops.SideOption {
	switch c.text("auto_pad", "NOTSET") {
	case "SAME_UPPER":
		return ops.SamePadding()
	case "SAME_LOWER":
		return ops.SamePaddingLower()
	}
	if p := c.ints("pads"); p != nil {
		return ops.PaddingBehind(p[len(p)/2:]...)
	}
	return nil
}

func convTranspose(c *call) []node {
	x, w := c.in(0), c.in(1)
	n := imageAxes(x, w)
	f := []func(x, w, b node, opts ...ops.ConvOption) node{
		nil, ops.ConvTranspose1D, ops.ConvTranspose2D, ops.ConvTranspose3D}[n]
	over := c.windows(n, c.filterSizes(w))
	strides, pads := over.strides, slices.Clone(over.pads)
	more := slices.Clone(c.ints("output_padding", make([]int, n)...))
	wanted := c.ints("output_shape")
	auto := c.text("auto_pad", "NOTSET")
	for i := range n {
		size := more[i] + over.extent(i) - strides[i] // what goes beyond a step for each element
		switch {
		case wanted != nil:
			size += strides[i]*c.size(x, 2+i) - wanted[len(wanted)-n+i]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
		default:
			continue
		}
		if size < 0 {
			more[i] -= size
			size = 0
		}
		pads[i], pads[n+i] = size/2, size-size/2
		if auto == "SAME_LOWER" {
			pads[i], pads[n+i] = pads[n+i], pads[i]
		}
	}
	return []node{f(x, w, c.at(2), ops.Stride(strides...), ops.Dilation(over.dilations...), ops.Padding(pads[:n]...),
		ops.PaddingBehind(pads[n:]...),
		ops.OutputPadding(more...), ops.Groups(c.int("group", 1)))}
}

// col2im adds up columns of windows of any number of axes.
func col2im(c *call) []node {
	x, to, kernel := c.in(0), c.list(1), c.list(2)
	n := len(to)
	over := c.windows(n, kernel)
	strides, pads := over.strides, over.pads
	if n == 2 && pads[0] == pads[2] && pads[1] == pads[3] {
		return []node{ops.Col2Im(x, graph.Dim(to[0]), graph.Dim(to[1]), [2]int(kernel), c.steps()...)}
	}
	shape := append([]int{c.size(x, 0), -1}, kernel...)
	for i := range n {
		shape = append(shape, (to[i]+pads[i]+pads[n+i]-over.extent(i))/strides[i]+1)
	}
	y := ops.Reshape(x, dims(shape)...)
	for i := range n { // [N, C, kernel axes that are left, places that are left, axes that are done]
		axis := 2 + n - 1 - i
		y = ops.Fold(ops.MoveAxis(y, 2, -1), axis, graph.Dim(to[i]+pads[i]+pads[n+i]), strides[i], over.dilations[i])
		y = ops.MoveAxis(ops.Narrow(y, axis, graph.Dim(pads[i]), graph.Dim(to[i])), axis, -1)
	}
	return []node{y}
}
