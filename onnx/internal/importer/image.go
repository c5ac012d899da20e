package importer

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
		"GlobalLpPool": with(func(c *call, x node) node {
			return ops.Norm(x, float64(c.int("p", 2)), spatial(x)...)
		}),
		"GridSample": func(c *call) []node {
			modes := map[string]ops.ResizeMode{"linear": ops.ResizeLinear, "bilinear": ops.ResizeLinear,
				"nearest": ops.ResizeNearest, "cubic": ops.ResizeCubic, "bicubic": ops.ResizeCubic}
			paddings := map[string]ops.PaddingMode{
				"zeros": ops.PadZeros, "border": ops.PadReplicate, "reflection": ops.PadReflect}
			return []node{ops.GridSample(c.in(0), c.in(1), modes[c.text("mode", "linear")],
				paddings[c.text("padding_mode", "zeros")], c.corners()...)}
		},
		"AffineGrid": func(c *call) []node { return []node{ops.AffineGrid(c.in(0), c.dims(1)[2:], c.corners()...)} },
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

// pooled brings an operand and the options of pooling in a form with equal sides, of which PyTorch's pooling has no
// more than half a kernel: others are put there before. Where windows beyond the end are counted exactly, ceil_mode is
// put there too.
func pooled(c *call, x node, fill float64, exact bool) (padded node, kernel []int, opts []ops.PoolOption) {
	kernel = c.ints("kernel_shape")
	n := len(kernel)
	if n == 0 || n > 3 || x.Rank() != n+2 {
		refuse("windows have %d axes, and the operand %d", n, x.Rank())
	}
	w := c.windows(n, kernel)
	before, after := w.sides(c, x)
	ceil := c.int("ceil_mode", 0) == 1
	equal, isCeiled := true, math.IsInf(fill, -1)
	half := make([]int, n)
	for i := range n {
		b, isNumber := before[i].Int()
		half[i] = int(b)
		equal = equal && isNumber && before[i] == after[i] && 2*int(b) <= kernel[i]
		isCeiled = isCeiled && isNumber && 2*int(b) <= kernel[i] &&
			after[i].Minus(before[i]) == graph.Dim(w.strides[i]-1) && w.extent(i) >= w.strides[i]
	}
	opts = []ops.PoolOption{ops.Stride(w.strides...), ops.Dilation(w.dilations...)}
	if !equal && !ceil && isCeiled {
		// one step less behind than a window more needs: PyTorch's ceil_mode in files of old versions
		equal, ceil = true, true
	}
	if equal && !(ceil && exact) {
		if ceil {
			opts = append(opts, ops.CeilMode())
		}
		return x, kernel, append(opts, ops.Padding(half...))
	}
	fill = extremeOf(x.DType(), fill)
	for i := range n {
		if ceil {
			after[i] = w.lastSide(c.size(x, 2+i), i, c.number(before[i]), c.number(after[i]))
		}
		x = ops.Pad(x, 2+i, before[i], after[i], fill)
	}
	return x, kernel, opts
}

// windows are how windows of an operator lie.
type windows struct{ kernel, strides, dilations, pads []int }

func (c *call) windows(n int, kernel []int) windows {
	ones := slices.Repeat([]int{1}, n)
	return windows{kernel, c.ints("strides", ones...), c.ints("dilations", ones...),
		c.ints("pads", make([]int, 2*n)...)}
}

// extent is the length of a window along an axis.
func (w windows) extent(i int) int { return w.dilations[i]*(w.kernel[i]-1) + 1 }

// sides are what lies before and behind images, of which SAME says so much that there is a window for each step.
func (w windows) sides(c *call, x node) (before, after []graph.Dim) {
	n := len(w.kernel)
	auto := c.text("auto_pad", "NOTSET")
	for i := range n {
		if auto != "SAME_UPPER" && auto != "SAME_LOWER" {
			before, after = append(before, graph.Dim(w.pads[i])), append(after, graph.Dim(w.pads[n+i]))
			continue
		}
		size, step := x.Shape()[2+i], graph.Dim(w.strides[i])
		more, _ := greatest(
			c, size.CeilDiv(int64(w.strides[i])).Minus(1).Times(step).Plus(graph.Dim(w.extent(i))).Minus(size), 0)
		less := more.FloorDiv(2)
		low, high := less, more.Minus(less)
		if auto == "SAME_LOWER" {
			low, high = high, low
		}
		before, after = append(before, low), append(after, high)
	}
	return before, after
}

// lastSide is how much lies behind an axis where the last window may go beyond the end, but does not begin there.
func (w windows) lastSide(size, i, before, after int) graph.Dim {
	last := (size + before + after - w.extent(i) + w.strides[i] - 1) / w.strides[i]
	if last*w.strides[i] >= size+before {
		last--
	}
	return graph.Dim(max(0, last*w.strides[i]+w.extent(i)-size-before))
}

func maxPool(c *call) []node {
	x := c.in(0)
	padded, kernel, opts := pooled(c, x, math.Inf(-1), false)
	if !c.wants(1) {
		return []node{greatestOf(padded, kernel, opts)}
	}
	values, indices := ops.MaxPoolIndex(padded, kernel, opts...)
	return []node{values,
		ops.Add(c.placesIn(x, padded, len(kernel), indices), c.channelPlaces(x.Shape()[2:].NumElements()))}
}

// placesIn are the places in images of places in padded ones, counted along columns where the attribute says so.
func (c *call) placesIn(x, padded node, n int, indices node) node {
	isByColumns := c.int("storage_order", 0) == 1
	if padded == x && !isByColumns {
		return indices
	}
	var before []graph.Dim
	if padded != x {
		before, _ = c.windows(n, c.ints("kernel_shape")).sides(c, x)
	}
	at := make([]node, n)
	for i := n - 1; i >= 0; i-- {
		size := c.length(padded.Shape()[2+i])
		at[i], indices = ops.Remainder(indices, size), ops.FloorDiv(indices, size)
		if padded != x {
			at[i] = ops.Sub(at[i], c.length(before[i]))
		}
	}
	order := upwards(n)
	if isByColumns {
		slices.Reverse(order)
	}
	place := at[order[0]]
	for _, axis := range order[1:] {
		place = ops.Add(ops.Mul(place, c.length(x.Shape()[2+axis])), at[axis])
	}
	return place
}

func greatestOf(x node, kernel []int, opts []ops.PoolOption) node {
	switch len(kernel) {
	case 1:
		return ops.MaxPool1D(x, kernel[0], opts...)
	case 2:
		return ops.MaxPool2D(x, kernel[0], kernel[1], opts...)
	}
	return ops.MaxPool3D(x, kernel[0], kernel[1], kernel[2], opts...)
}

func averagePool(c *call, x node) node {
	includes := c.int("count_include_pad", 0) == 1
	padded, kernel, opts := pooled(c, x, 0, false)
	if padded == x {
		if !includes {
			opts = append(opts, ops.ExcludePadding())
		}
		return average(x, kernel, opts)
	}
	if includes && c.int("ceil_mode", 0) == 0 {
		return average(padded, kernel, opts)
	}
	// what counts: with the padding that was said, and never what lies behind it for the last window
	counted := ops.OnesLike(x)
	if includes {
		before, after := c.windows(len(kernel), kernel).sides(c, x)
		for i := range kernel {
			counted = ops.Pad(counted, 2+i, before[i], after[i], 1)
		}
		for i := range kernel {
			rest := padded.Shape()[2+i].Minus(counted.Shape()[2+i])
			counted = ops.Pad(counted, 2+i, 0, rest, 0)
		}
	} else {
		counted, _, _ = pooled(c, counted, 0, false)
	}
	return ops.Div(average(padded, kernel, opts), average(counted, kernel, opts))
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
	x, kernel, opts := pooled(c, x, 0, true)
	return ops.LpPool(ops.Abs(x), float64(c.int("p", 2)), kernel, opts...)
}

// maxUnpool puts elements at indices that count along the sizes which follow from the windows; a greater requested size
// adds zeros.
func maxUnpool(c *call) node {
	x, kernel := c.in(0), c.ints("kernel_shape")
	n := len(kernel)
	over := c.windows(n, kernel)
	to := slices.Clone(x.Shape()[2:])
	for i, k := range kernel {
		to[i] = to[i].Minus(1).Times(graph.Dim(over.strides[i])).Plus(graph.Dim(k - over.pads[i] - over.pads[n+i]))
	}
	y := ops.MaxUnpool(x, ops.Sub(c.in(1), c.channelPlaces(to.NumElements())), to...)
	for i, size := range c.dims(2) {
		if i >= 2 {
			y = ops.Pad(y, i, 0, size.Minus(to[i-2]), 0)
		}
	}
	return y
}

// channelPlaces is where each channel of the first operand begins among the elements of all: indices of windows count
// along all of them.
func (c *call) channelPlaces(elements graph.Dim) node {
	x := c.in(0)
	shape := slices.Repeat([]graph.Dim{1}, x.Rank())
	shape[0], shape[1] = x.Shape()[0], x.Shape()[1]
	return ops.Mul(ops.Reshape(ops.Iota(c.g, 0, shape[0].Times(shape[1])), shape...), c.length(elements))
}
