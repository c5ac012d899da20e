package importer

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"Concat": func(c *call) []node { return []node{ops.Concat(c.axis(0), c.all()...)} },
		"Transpose": with(func(c *call, x node) node {
			return ops.Permute(x, c.ints("perm", backwards(x.Rank())...)...)
		}),
		"Expand":  with(func(c *call, x node) node { return expand(x, c.dims(1)) }),
		"Tile":    with(func(c *call, x node) node { return ops.Tile(x, c.dims(1)...) }),
		"Reshape": with(reshape),
		"Flatten": with(func(c *call, x node) node {
			axis := c.axis(1)
			return ops.Reshape(x, x.Shape()[:axis].NumElements(), x.Shape()[axis:].NumElements())
		}),
		"Squeeze": with(squeeze),
		"Unsqueeze": with(func(c *call, x node) node {
			for _, axis := range c.newAxes(x.Rank()) {
				x = ops.Unsqueeze(x, axis)
			}
			return x
		}),
		"Slice": with(slice),
		"Split": func(c *call) []node {
			return ops.SplitSizes(c.in(0), c.axis(0), c.partLengths(c.in(0).Shape()[c.axis(0)])...)
		},
		"Range": func(c *call) []node { return []node{rangeOf(c)} },
		"EyeLike": with(func(c *call, x node) node {
			k := c.int("k", 0)
			ones := ops.Ones(c.g, c.dtype("dtype", x.DType()), x.Shape()[0], x.Shape()[1])
			return ops.Triu(ops.Tril(ones, k), k)
		}),
		"Trilu": with(triangle),
		"Pad":   with(pad),
		"CenterCropPad": with(func(c *call, x node) node {
			to := c.list(1)
			for i, axis := range c.ints("axes", upwards(x.Rank())...) {
				axis = c.fromEnd(axis)
				if more := to[i] - c.size(x, axis); more >= 0 {
					x = ops.Pad(x, axis, graph.Dim(more/2), graph.Dim(more-more/2), 0)
				} else {
					x = ops.Narrow(x, axis, graph.Dim(-more/2), graph.Dim(to[i]))
				}
			}
			return x
		}),
		"DepthToSpace": with(func(c *call, x node) node {
			if c.text("mode", "DCR") == "CRD" {
				return ops.PixelShuffle(x, c.int("blocksize", 0))
			}
			return ops.DepthToSpace(x, c.int("blocksize", 0))
		}),
		"SpaceToDepth": with(func(c *call, x node) node {
			if c.text("mode", "DCR") == "CRD" {
				return ops.PixelUnshuffle(x, c.int("blocksize", 0))
			}
			return ops.SpaceToDepth(x, c.int("blocksize", 0))
		}),
		"ReverseSequence": with(func(c *call, x node) node {
			return ops.ReverseSequence(x, c.in(1), c.int("batch_axis", 1), c.int("time_axis", 0))
		}),
	})
}

func backwards(n int) (list []int) {
	for i := range n {
		list = append(list, n-1-i)
	}
	return list
}

func upwards(n int) []int {
	list := backwards(n)
	slices.Reverse(list)
	return list
}

// expand is ops.Expand that keeps the sizes of x where the wanted ones are 1.
func expand(x node, to []graph.Dim) node {
	to = slices.Clone(to)
	for len(to) < x.Rank() {
		to = slices.Insert(to, 0, 1)
	}
	for i, n := range x.Shape() {
		if at := len(to) - x.Rank() + i; to[at] == 1 {
			to[at] = n
		}
	}
	return ops.Expand(x, to...)
}

// squeeze drops axes of size 1. What is not known to be 1 is required to be.
func squeeze(c *call, x node) node {
	over := c.listOr(1, "axes")
	isDropped := make([]bool, x.Rank())
	for _, axis := range over {
		isDropped[wrapped(axis, x.Rank())] = true
	}
	kept := graph.Shape{}
	for i, n := range x.Shape() {
		if over == nil {
			isOne, known := c.equal(n, 1)
			if !known {
				refuse(
					"it removes axes of size 1, but whether %s is 1 is known only when the model runs: bind its names to numbers",
					n)
			}
			isDropped[i] = isOne
		}
		if !isDropped[i] {
			kept = append(kept, n)
		}
	}
	return ops.Reshape(x, kept...)
}

func reshape(c *call, x node) node {
	to := slices.Clone(c.dimsOr(1, "shape"))
	for i, d := range to {
		if d == 0 && c.int("allowzero", 0) == 0 {
			to[i] = x.Shape()[i]
		}
	}
	return ops.Reshape(x, to...)
}

// slice takes parts of axes. Bounds below 0 count from the end, and those outside are brought in.
func slice(c *call, x node) node {
	if y := c.sliceFrom(x); y != nil {
		return y
	}
	starts, ends, steps := c.dimsOr(1, "starts"), c.dimsOr(2, "ends"), c.list(4)
	over := c.listOr(3, "axes")
	for i := range starts {
		axis, step := i, 1
		if over != nil {
			axis = wrapped(over[i], x.Rank())
		}
		if steps != nil {
			step = steps[i]
		}
		n := x.Shape()[axis]
		start, end := starts[i], ends[i]
		if step < 0 { // the last place is -1 from the beginning, which no other bound says
			x = ops.Flip(x, axis)
			first, _ := greatest(c, c.placeBefore(n, start), 0)
			start, _ = greatest(c, n.Minus(1).Minus(first), 0) // of an axis without elements, too
			end, step = n.Minus(1).Minus(c.placeBefore(n, end)), -step
		} else {
			start, end = c.placeOn(n, start), c.placeOn(n, end)
		}
		length, _ := greatest(c, end.Minus(start), 0)
		switch {
		case step != 1:
			x = ops.Slice(x, axis, start, start.Plus(length), step)
		case start != 0 || end != n:
			x = ops.Narrow(x, axis, start, length)
		}
		for _, d := range []graph.Dim{starts[i], ends[i]} {
			if _, known := c.less(d, 0); !known { // it counts from the end for some sizes
				x.Require(graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: 0, Axis: axis,
					Why: "a bound of a slice that is computed of sizes"})
			}
		}
	}
	return x
}

// sliceFrom is a slice of one axis from a place that is known only when the model runs, and as long as the bounds say:
// from i up to i+1. It is nil where the slice is another one.
func (c *call) sliceFrom(x node) node {
	if !c.has(1) || !c.has(2) {
		return nil
	}
	start, end := c.operands[1], c.operands[2]
	if _, known := c.sizesOf(start); known || start.base == nil || end.base != start.base ||
		end.offset <= start.offset {
		return nil
	}
	axis := 0
	if over := c.list(3); len(over) == 1 {
		axis = wrapped(over[0], x.Rank())
	}
	if count, isOne := c.nodeOf(start).Shape().NumElements().Int(); !isOne || count != 1 ||
		c.has(4) && c.list(4)[0] != 1 {
		return nil
	}
	at := nonNegative(ops.Cast(ops.Reshape(c.in(1)), graph.Int64), c.length(x.Shape()[axis]))
	return ops.Take(x, axis, ops.Add(ops.Iota(c.g, 0, graph.Dim(end.offset-start.offset)), at))
}

// placeOn brings a bound to 0 up to n.
func (c *call) placeOn(n, at graph.Dim) graph.Dim {
	switch v, _ := at.Int(); {
	case v == most:
		return n
	case v == -most:
		return 0
	case c.isNegative(at):
		at = n.Plus(at)
		if is, known := c.less(at, 0); known && !is {
			return at
		}
		at, _ = greatest(c, at, 0)
		return at
	}
	if is, known := c.less(n, at); known && !is {
		return at
	}
	at, _ = least(c, at, n)
	return at
}

// isNegative reports whether a size is less than 0 for all sizes.
func (c *call) isNegative(d graph.Dim) bool {
	is, known := c.less(d, 0)
	return is && known
}

// placeBefore brings a bound of what is taken backwards to -1 up to n-1.
func (c *call) placeBefore(n, at graph.Dim) graph.Dim {
	switch v, _ := at.Int(); {
	case v == -most:
		return -1
	case c.isNegative(at):
		at = n.Plus(at)
		if is, known := c.less(at, -1); known && !is {
			return at
		}
		at, _ = greatest(c, at, -1)
		return at
	}
	at, _ = least(c, at, n.Minus(1))
	return at
}

// partLengths are those of the parts of an axis of size n.
func (c *call) partLengths(n graph.Dim) []graph.Dim {
	if list := c.dimsOr(1, "split"); len(list) > 0 {
		return list
	}
	parts := c.int("num_outputs", len(c.from.Outputs))
	each, left := n.CeilDiv(int64(parts)), n
	var list []graph.Dim
	for range parts - 1 {
		length, _ := least(c, each, left)
		list, left = append(list, length), left.Minus(length)
	}
	return append(list, left)
}

// rangeOf counts from a start to a limit. How far that is must be known.
func rangeOf(c *call) node {
	var in []*sizes
	for i := range 3 {
		c.in(i)
		s, ok := c.sizesOf(c.operands[i])
		if !ok {
			return rangeOfNumbers(c)
		}
		in = append(in, s)
	}
	by := commonMultiple(commonMultiple(in[0].by, in[1].by), in[2].by)
	start, step := in[0].over(by)[0], in[2].over(by)[0]
	way := in[1].over(by)[0].Minus(start)
	var n graph.Dim
	switch by, isNumber := step.Int(); {
	case isNumber && by > 0:
		n = way.CeilDiv(by)
	case isNumber && by < 0:
		n = graph.Dim(0).Minus(way).CeilDiv(-by)
	case !isNumber && c.atLeast(step, 1):
		n = way.Plus(step).Minus(1).FloorDivBy(step)
	default:
		return rangeOfNumbers(c)
	}
	n, _ = greatest(c, n, 0)
	t := c.in(0).DType()
	y := ops.Cast(ops.Iota(c.g, 0, n), t)
	if step != graph.Dim(by) {
		y = ops.Mul(y, c.in(2))
	}
	if start != 0 {
		y = ops.Add(y, c.in(0))
	}
	return ops.Cast(y, t)
}

func rangeOfNumbers(c *call) node {
	start, limit, step := c.floats(0)[0], c.floats(1)[0], c.floats(2)[0]
	n := 0
	if step != 0 {
		n = max(0, int(min(math.Ceil((limit-start)/step), most)))
	}
	t := c.in(0).DType()
	return ops.Cast(ops.Add(ops.Mul(ops.Cast(ops.Iota(c.g, 0, graph.Dim(n)), t), c.in(2)), c.in(0)), t)
}

// triangle keeps what is above or below a diagonal.
func triangle(c *call, x node) node {
	k, isUpper := graph.Dim(0), c.int("upper", 1) == 1
	if c.has(1) {
		k = c.dims(1)[0]
	}
	if n, isNumber := k.Int(); isNumber {
		if isUpper {
			return ops.Triu(x, int(n))
		}
		return ops.Tril(x, int(n))
	}
	rows, columns := x.Shape()[x.Rank()-2], x.Shape()[x.Rank()-1]
	first, column := ops.Add(ops.Iota(c.g, 0, rows, 1), c.length(k)), ops.Iota(c.g, 0, columns)
	isKept := ops.LessEqual(column, first)
	if isUpper {
		isKept = ops.GreaterEqual(column, first)
	}
	return ops.Where(isKept, x, ops.ZerosLike(x))
}

func pad(c *call, x node) node {
	amounts := c.dimsOr(1, "pads")
	over := c.list(3)
	if over == nil {
		over = upwards(x.Rank())
	}
	value := c.float("value", 0)
	if list := c.floats(2); len(list) > 0 {
		value = list[0]
	}
	modes := map[string]ops.PaddingMode{"reflect": ops.PadReflect, "edge": ops.PadReplicate, "wrap": ops.PadCircular}
	mode, isMode := modes[c.text("mode", "constant")]
	for i, axis := range over {
		axis = c.fromEnd(axis)
		before, after := amounts[i], amounts[i+len(over)]
		if isMode {
			x, before, after = c.cropped(x, axis, before, after)
		}
		switch {
		case before == 0 && after == 0:
		case isMode:
			x = ops.PadWith(x, axis, before, after, mode)
		default:
			x = ops.Pad(x, axis, before, after, value)
		}
	}
	return x
}

// cropped takes away what negative amounts of padding say.
func (c *call) cropped(x node, axis int, before, after graph.Dim) (y node, b, a graph.Dim) {
	if n, ok := before.Int(); ok && n < 0 {
		x, before = ops.Narrow(x, axis, graph.Dim(-n), x.Shape()[axis].Plus(before)), 0
	}
	if n, ok := after.Int(); ok && n < 0 {
		x, after = ops.Narrow(x, axis, 0, x.Shape()[axis].Plus(after)), 0
	}
	return x, before, after
}
