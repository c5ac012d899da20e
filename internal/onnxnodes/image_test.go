package onnxnodes

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"AveragePool": with(averagePool), "MaxPool": maxPool, "LpPool": with(lpPool),
		"MaxUnpool":         func(c *call) []node { return []node{maxUnpool(c)} },
		"GlobalAveragePool": with(func(c *call, x node) node { return ops.Mean(x, spatial(x)...) }),
		"GlobalMaxPool":     with(func(c *call, x node) node { return ops.Max(x, spatial(x)...) }),
		"GridSample": func(c *call) []node {
			modes := map[string]ops.ResizeMode{"linear": ops.ResizeLinear, "bilinear": ops.ResizeLinear, "nearest": ops.ResizeNearest, "cubic": ops.ResizeCubic, "bicubic": ops.ResizeCubic}
			paddings := map[string]ops.PaddingMode{"zeros": ops.PadZeros, "border": ops.PadReplicate, "reflection": ops.PadReflect}
			return []node{ops.GridSample(c.in[0], c.in[1], modes[c.text("mode", "linear")], paddings[c.text("padding_mode", "zeros")], c.corners()...)}
		},
		"AffineGrid": func(c *call) []node { return []node{ops.AffineGrid(c.in[0], dims(c.list(1)[2:]), c.corners()...)} },
	})
}

func (c *call) corners() []ops.CornerOption {
	if c.int("align_corners", 0) == 1 {
		return []ops.CornerOption{ops.AlignCorners()}
	}
	return nil
}

// spatial are the axes behind the channels.
func spatial(x node) []ops.Axis {
	over := []ops.Axis{ops.KeepDims()}
	for i := 2; i < x.Rank(); i++ {
		over = append(over, ops.Axis(i))
	}
	return over
}

// pooled brings an operand and the options of pooling in a form with equal sides: what one side has more is put there before.
func pooled(c *call, x node, fill float64) (padded node, kernel []int, opts []ops.PoolOption) {
	kernel = c.ints("kernel_shape")
	n := len(kernel)
	ones := make([]int, n)
	for i := range ones {
		ones[i] = 1
	}
	strides, dilations, pads := c.ints("strides", ones...), c.ints("dilations", ones...), slices.Clone(c.ints("pads", make([]int, 2*n)...))
	auto := c.text("auto_pad", "NOTSET")
	equal := true
	for i := range n {
		if size := sizes(x)[2+i]; auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			more := max(0, ((size+strides[i]-1)/strides[i]-1)*strides[i]+dilations[i]*(kernel[i]-1)+1-size)
			pads[i], pads[n+i] = more/2, more-more/2
			if auto == "SAME_LOWER" {
				pads[i], pads[n+i] = more-more/2, more/2
			}
		}
		equal = equal && pads[i] == pads[n+i] && 2*pads[i] <= dilations[i]*(kernel[i]-1)+1 // PyTorch's pooling has no more padding
	}
	opts = []ops.PoolOption{ops.Stride(strides...), ops.Dilation(dilations...)}
	if c.int("ceil_mode", 0) == 1 {
		opts = append(opts, ops.CeilMode())
	}
	if equal {
		return x, kernel, append(opts, ops.Padding(pads[:n]...))
	}
	for i := range n {
		x = ops.Pad(x, 2+i, graph.Dim(pads[i]), graph.Dim(pads[n+i]), fill)
	}
	return x, kernel, opts
}

func maxPool(c *call) []node {
	x, kernel, opts := pooled(c, c.in[0], math.Inf(-1))
	values, indices := ops.MaxPoolIndex(x, kernel, opts...)
	if n := sizes(x); c.int("storage_order", 0) == 1 {
		width := whole(n[3])
		indices = ops.Add(ops.Mul(ops.Remainder(indices, width), whole(n[2])), ops.FloorDiv(indices, width))
	}
	return []node{values, ops.Add(indices, c.channelPlaces(count(sizes(x)[2:])))}
}

func averagePool(c *call, x node) node {
	padded, kernel, opts := pooled(c, x, 0)
	if c.int("count_include_pad", 0) == 0 {
		opts = append(opts, ops.ExcludePadding())
	}
	if padded != x && c.int("count_include_pad", 0) == 0 {
		ones, _, _ := pooled(c, ops.OnesLike(x), 0)
		return ops.Div(average(padded, kernel, opts), average(ones, kernel, opts))
	}
	return average(padded, kernel, opts)
}

func average(x node, kernel []int, opts []ops.PoolOption) node {
	switch len(kernel) {
	case 1:
		return ops.AvgPool1D(x, kernel[0], opts...)
	case 2:
		return ops.AvgPool2D(x, kernel[0], kernel[1], opts...)
	}
	return ops.AvgPool3D(x, kernel[0], kernel[1], kernel[2], opts...)
}

func lpPool(c *call, x node) node {
	x, kernel, opts := pooled(c, x, 0)
	return ops.LpPool(ops.Abs(x), float64(c.int("p", 2)), kernel, opts...)
}

// maxUnpool puts elements at indices that count along the sizes which follow from the windows; a greater size that is asked for adds zeros.
func maxUnpool(c *call) node {
	x, kernel := c.in[0], c.ints("kernel_shape")
	n := len(kernel)
	strides, pads := c.ints("strides", slices.Repeat([]int{1}, n)...), c.ints("pads", make([]int, 2*n)...)
	to := sizes(x)[2:]
	for i, k := range kernel {
		to[i] = (to[i]-1)*strides[i] + k - pads[i] - pads[n+i]
	}
	y := ops.MaxUnpool(x, ops.Sub(c.in[1], c.channelPlaces(count(to))), dims(to)...)
	for i, size := range c.list(2) {
		if i >= 2 {
			y = ops.Pad(y, i, 0, graph.Dim(size-to[i-2]), 0)
		}
	}
	return y
}

// channelPlaces is where each channel of the first operand begins among the elements of all: indices of windows count along all of them.
func (c *call) channelPlaces(elements int) node {
	x := c.in[0]
	shape := slices.Repeat([]int{1}, x.Rank())
	shape[0], shape[1] = sizes(x)[0], sizes(x)[1]
	return ops.Mul(ops.Reshape(ops.Iota(c.g, 0, graph.Dim(shape[0]*shape[1])), dims(shape)...), whole(elements))
}
