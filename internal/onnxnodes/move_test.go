package onnxnodes

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"Concat":    func(c *call) []node { return []node{ops.Concat(c.axis(0), c.in...)} },
		"Transpose": with(func(c *call, x node) node { return ops.Permute(x, c.ints("perm", backwards(x.Rank())...)...) }),
		"Expand":    with(func(c *call, x node) node { return expand(x, c.list(1)) }),
		"Tile":      with(func(c *call, x node) node { return ops.Tile(x, dims(c.list(1))...) }),
		"Reshape":   with(func(c *call, x node) node { return reshape(c, x) }),
		"Flatten": with(func(c *call, x node) node {
			before := 1
			for _, n := range sizes(x)[:c.axis(1)] {
				before *= n
			}
			return ops.Reshape(x, graph.Dim(before), -1)
		}),
		"Squeeze": with(func(c *call, x node) node { return ops.Squeeze(x, c.listOr(1, "axes")...) }),
		"Unsqueeze": with(func(c *call, x node) node {
			list := c.listOr(1, "axes")
			for i := range list {
				if list[i] < 0 {
					list[i] += x.Rank() + len(list)
				}
			}
			slices.Sort(list)
			for _, axis := range list {
				x = ops.Unsqueeze(x, axis)
			}
			return x
		}),
		"Slice":           with(func(c *call, x node) node { return slice(c, x) }),
		"Split":           func(c *call) []node { return split(c) },
		"Shape":           with(func(c *call, x node) node { return shape(c, x) }),
		"Size":            with(func(c *call, x node) node { return constant(c, int64(count(sizes(x)))) }),
		"ConstantOfShape": func(c *call) []node { return []node{ops.Expand(c.value("value"), dims(c.list(0))...)} },
		"Constant":        func(c *call) []node { return []node{c.constant()} },
		"Range": func(c *call) []node {
			n := max(0, int(math.Ceil((c.floats(1)[0]-c.floats(0)[0])/c.floats(2)[0])))
			return []node{ops.Cast(ops.Add(ops.Mul(ops.Cast(ops.Iota(c.g, 0, graph.Dim(n)), c.in[0].DType()), c.in[2]), c.in[0]), c.in[0].DType())}
		},
		"EyeLike": with(func(c *call, x node) node {
			n, m := x.Shape()[0], x.Shape()[1]
			k := c.int("k", 0)
			ones := ops.Ones(c.g, c.dtype("dtype", x.DType()), n, m)
			return ops.Triu(ops.Tril(ones, k), k)
		}),
		"Trilu": with(func(c *call, x node) node {
			k := 0
			if c.at(1) != nil {
				k = c.list(1)[0]
			}
			if c.int("upper", 1) == 1 {
				return ops.Triu(x, k)
			}
			return ops.Tril(x, k)
		}),
		"Pad": with(func(c *call, x node) node { return pad(c, x) }),
		"CenterCropPad": with(func(c *call, x node) node {
			to := c.list(1)
			for i, axis := range c.ints("axes", upwards(x.Rank())...) {
				n := sizes(x)[c.from(axis)]
				if more := to[i] - n; more >= 0 {
					x = ops.Pad(x, c.from(axis), graph.Dim(more/2), graph.Dim(more-more/2), 0)
				} else {
					x = ops.Narrow(x, c.from(axis), graph.Dim(-more/2), graph.Dim(to[i]))
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
			return ops.ReverseSequence(x, c.in[1], c.int("batch_axis", 1), c.int("time_axis", 0))
		}),
	})
}

func backwards(n int) (list []int) {
	for i := range n {
		list = append(list, n-1-i)
	}
	return list
}

func count(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// expand broadcasts both ways.
func expand(x node, to []int) node {
	to = slices.Clone(to)
	from := sizes(x)
	for len(to) < len(from) {
		to = slices.Insert(to, 0, 1)
	}
	for i := range from {
		if at := len(to) - len(from) + i; to[at] == 1 {
			to[at] = from[i]
		}
	}
	return ops.Expand(x, dims(to)...)
}

func reshape(c *call, x node) node {
	to := dims(c.listOr(1, "shape"))
	for i, d := range to {
		if d == 0 && c.int("allowzero", 0) == 0 {
			to[i] = x.Shape()[i]
		}
	}
	return ops.Reshape(x, to...)
}

func slice(c *call, x node) node {
	starts, ends := c.listOr(1, "starts"), c.listOr(2, "ends")
	over, steps := c.listOr(3, "axes"), c.list(4)
	for i := range starts {
		axis, step := i, 1
		if over != nil {
			axis = c.from(over[i])
		}
		if steps != nil {
			step = steps[i]
		}
		n := sizes(x)[axis]
		start, end := starts[i], ends[i]
		if start < 0 {
			start += n
		}
		if end < 0 {
			end = max(end+n, -1)
		}
		if step < 0 {
			start, end = max(min(start, n-1), 0), max(min(end, n-1), -1)
			x = ops.Flip(x, axis)
			start, end, step = n-1-start, n-1-end, -step
		} else {
			start, end = min(max(start, 0), n), min(max(end, 0), n)
		}
		x = ops.Slice(x, axis, graph.Dim(start), graph.Dim(max(start, end)), step)
	}
	return x
}

func split(c *call) []node {
	x, axis := c.in[0], c.axis(0)
	lengths := c.listOr(1, "split")
	if lengths == nil {
		n, parts := sizes(x)[axis], len(c.outs)
		each := (n + parts - 1) / parts
		for range parts {
			lengths = append(lengths, min(each, n))
			n -= min(each, n)
		}
	}
	return ops.SplitSizes(x, axis, dims(lengths)...)
}

func shape(c *call, x node) node {
	list := sizes(x)
	bound := func(v int) int {
		if v < 0 {
			v += len(list)
		}
		return min(max(v, 0), len(list))
	}
	start, end := bound(c.int("start", 0)), bound(c.int("end", len(list)))
	var data []int64
	for _, n := range list[start:max(start, end)] {
		data = append(data, int64(n))
	}
	return graph.Constant(c.g, data, graph.Dim(len(data)))
}

func constant[T graph.Element](c *call, v T) node { return graph.Constant(c.g, []T{v}) }

// value is the tensor of an attribute; without it 0.
func (c *call) value(name string) node {
	if !c.given(name) {
		return constant(c, float32(0))
	}
	var a array
	c.read(name, &a)
	v, err := a.value()
	if err != nil {
		panic(err)
	}
	return ops.Reshape(c.known(v))
}

// constant is the value of the operator Constant.
func (c *call) constant() node {
	switch {
	case c.given("value_int"):
		return constant(c, int64(c.int("value_int", 0)))
	case c.given("value_float"):
		return constant(c, float32(c.float("value_float", 0)))
	case c.given("value_ints"):
		return c.known(reference.FromFloats(graph.Int64, floats(c.ints("value_ints")), len(c.ints("value_ints"))))
	case c.given("value_floats"):
		var list []float64
		c.read("value_floats", &list)
		return c.known(reference.FromFloats(graph.Float32, list, len(list)))
	}
	var a array
	c.read("value", &a)
	v, err := a.value()
	if err != nil {
		panic(err)
	}
	return c.known(v)
}

func (c *call) known(v reference.Value) node { return graph.ConstantOf(c.g, v.Data, dims(v.Shape)...) }

func floats(list []int) (out []float64) {
	for _, v := range list {
		out = append(out, float64(v))
	}
	return out
}

func pad(c *call, x node) node {
	amounts := c.listOr(1, "pads")
	over := c.list(3)
	if over == nil {
		for i := range x.Rank() {
			over = append(over, i)
		}
	}
	value := c.float("value", 0)
	if list := c.floats(2); len(list) > 0 {
		value = list[0]
	}
	modes := map[string]ops.PaddingMode{"reflect": ops.PadReflect, "edge": ops.PadReplicate, "wrap": ops.PadCircular}
	for i, axis := range over {
		axis = c.from(axis)
		before, after := graph.Dim(amounts[i]), graph.Dim(amounts[i+len(over)])
		if before == 0 && after == 0 {
			continue
		}
		if mode, ok := modes[c.text("mode", "constant")]; ok {
			x = ops.PadWith(x, axis, before, after, mode)
		} else {
			x = ops.Pad(x, axis, before, after, value)
		}
	}
	return x
}

func upwards(n int) []int {
	list := backwards(n)
	slices.Reverse(list)
	return list
}
