package importer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// sizeMoves move the elements of tensors of sizes, as [sizeRules] do.
var sizeMoves = map[string]func(c *call, in []*sizes) []*sizes{
	"Gather":    gatherSizes,
	"Concat":    concatSizes,
	"Slice":     sameSizes(sliceSizes),
	"Split":     func(c *call, in []*sizes) []*sizes { return splitSizes(c, in[0]) },
	"Reshape":   func(c *call, in []*sizes) []*sizes { return some(reshapeSizes(c, in[0])) },
	"Flatten":   sameSizes(flattenSizes),
	"Squeeze":   sameSizes(squeezeSizes),
	"Unsqueeze": sameSizes(unsqueezeSizes),
	"Transpose": sameSizes(transposeSizes),
	"Expand": func(c *call, in []*sizes) []*sizes {
		if count(c.list(1)) > maxSizes {
			return nil
		}
		return some(in[0].expanded(broadcast(in[0].shape, c.list(1))))
	},
	"Tile": func(c *call, in []*sizes) []*sizes {
		s, times := in[0], c.list(1)
		shape := make([]int, len(s.shape))
		for i := range shape {
			shape[i] = s.shape[i] * times[i]
		}
		return some(s.picked(shape, func(index []int) int {
			index = slices.Clone(index)
			for i := range index {
				index[i] %= s.shape[i]
			}
			return place(index, s.shape)
		}))
	},
	"ConstantOfShape": func(c *call, in []*sizes) []*sizes {
		if count(c.list(0)) > maxSizes {
			return nil
		}
		value, ok := sizesOfArray(c.tensorOr("value", []float32{0}))
		if !ok {
			return nil
		}
		value.shape = nil
		return some(value.expanded(c.list(0)))
	},
	"Range": func(c *call, in []*sizes) []*sizes {
		start, limit, step, ok := rangeNumbers(in)
		if !ok || in[0].dtype.IsFloat() {
			return nil
		}
		s := &sizes{dtype: in[0].dtype, by: 1}
		for v := start; step > 0 && v < limit || step < 0 && v > limit; v += step {
			if s.dims = append(s.dims, graph.Dim(v)); len(s.dims) > maxSizes {
				return nil
			}
		}
		s.shape = []int{len(s.dims)}
		return some(s)
	},
	"ScatterND": scatterSizes,
	"OneHot":    oneHotSizes,
	"NonZero": sameSizes(func(c *call, s *sizes) *sizes {
		a, ok := s.array()
		if !ok {
			return nil
		}
		return nonZeroSizes(a.Data, s.shape)
	}),
}

func (s *sizes) areNumbers() bool {
	return !slices.ContainsFunc(s.dims, func(d graph.Dim) bool { return !d.IsConst() })
}

// numbers are the elements, where all are whole numbers.
func (s *sizes) numbers() []int {
	list := make([]int, len(s.dims))
	for i, d := range s.dims {
		n, ok := d.Int()
		if !ok || s.by != 1 {
			refuse("%s must be a known number", d)
		}
		list[i] = int(n)
	}
	return list
}

// wrapped counts an axis or a place from the beginning.
func wrapped(i, n int) int {
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		refuse("there is no position %d among %d", i, n)
	}
	return i
}

func gatherSizes(c *call, in []*sizes) []*sizes {
	s, index := in[0], in[1]
	if !index.areNumbers() || len(s.shape) == 0 {
		return nil
	}
	axis, at := wrapped(c.int("axis", 0), len(s.shape)), index.numbers()
	shape := slices.Concat(s.shape[:axis], index.shape, s.shape[axis+1:])
	return some(s.picked(shape, func(i []int) int {
		k := at[place(i[axis:axis+len(index.shape)], index.shape)]
		return place(slices.Concat(i[:axis], []int{wrapped(k, s.shape[axis])}, i[axis+len(index.shape):]), s.shape)
	}))
}

func concatSizes(c *call, in []*sizes) []*sizes {
	axis := wrapped(c.int("axis", 0), len(in[0].shape))
	shape, by := slices.Clone(in[0].shape), int64(1)
	shape[axis] = 0
	for _, s := range in {
		if len(s.shape) != len(shape) {
			refuse("its operands have different numbers of axes, %d and %d", len(shape), len(s.shape))
		}
		shape[axis] += s.shape[axis]
		by = commonMultiple(by, s.by)
	}
	y := &sizes{dtype: in[0].dtype, shape: shape, by: by}
	eachIndex(shape, func(index []int) {
		index = slices.Clone(index)
		for _, s := range in {
			if index[axis] < s.shape[axis] {
				y.dims = append(y.dims, s.dims[place(index, s.shape)].Times(graph.Dim(by/s.by)))
				return
			}
			index[axis] -= s.shape[axis]
		}
	})
	return some(y)
}

func sliceSizes(c *call, s *sizes) *sizes {
	starts, ends, over, steps := c.listOr(1, "starts"), c.listOr(2, "ends"), c.listOr(3, "axes"), c.list(4)
	for i := range starts {
		axis, step := i, 1
		if over != nil {
			axis = over[i]
		}
		if steps != nil {
			step = steps[i]
		}
		axis = wrapped(axis, len(s.shape))
		n := s.shape[axis]
		start, end := starts[i], ends[i]
		if start < 0 {
			start += n
		}
		if end < 0 {
			end = max(end+n, -1)
		}
		shape := slices.Clone(s.shape)
		switch {
		case step == 0:
			refuse("a step of 0")
		case step < 0:
			start, end = max(min(start, n-1), 0), max(end, -1)
			shape[axis] = max(0, (start-end-step-1)/-step)
		default:
			start, end = min(max(start, 0), n), min(end, n)
			shape[axis] = max(0, (end-start+step-1)/step)
		}
		from := s
		s = s.picked(shape, func(index []int) int {
			index = slices.Clone(index)
			index[axis] = start + index[axis]*step
			return place(index, from.shape)
		})
	}
	return s
}

func splitSizes(c *call, s *sizes) (list []*sizes) {
	axis := wrapped(c.int("axis", 0), len(s.shape))
	at := 0
	for _, length := range c.partLengths(graph.Dim(s.shape[axis])) {
		n, ok := length.Int()
		if !ok || at+int(n) > s.shape[axis] {
			return nil
		}
		shape, first := slices.Clone(s.shape), at
		shape[axis] = int(n)
		list = append(list, s.picked(shape, func(index []int) int {
			index = slices.Clone(index)
			index[axis] += first
			return place(index, s.shape)
		}))
		at += int(n)
	}
	return list
}

func (s *sizes) reshaped(shape []int) *sizes {
	if count(shape) != len(s.dims) {
		refuse("%d elements do not have the shape %v", len(s.dims), shape)
	}
	return &sizes{dtype: s.dtype, shape: shape, dims: s.dims, by: s.by}
}

func reshapeSizes(c *call, s *sizes) *sizes {
	to := slices.Clone(c.listOr(1, "shape"))
	free := -1
	for i, n := range to {
		switch {
		case n == 0 && c.int("allowzero", 0) == 0 && i < len(s.shape):
			to[i] = s.shape[i]
		case n == -1:
			free, to[i] = i, 1
		}
	}
	if free >= 0 && count(to) > 0 {
		to[free] = len(s.dims) / count(to)
	}
	return s.reshaped(to)
}

func flattenSizes(c *call, s *sizes) *sizes {
	axis := c.int("axis", 1)
	if axis < 0 {
		axis += len(s.shape)
	}
	return s.reshaped([]int{count(s.shape[:axis]), count(s.shape[axis:])})
}

func squeezeSizes(c *call, s *sizes) *sizes {
	over := slices.Clone(c.listOr(1, "axes"))
	for i := range over {
		over[i] = wrapped(over[i], len(s.shape))
	}
	shape := []int{}
	for i, n := range s.shape {
		if !slices.Contains(over, i) && (over != nil || n != 1) {
			shape = append(shape, n)
		}
	}
	return s.reshaped(shape)
}

func unsqueezeSizes(c *call, s *sizes) *sizes {
	shape := slices.Clone(s.shape)
	for _, axis := range c.newAxes(len(shape)) {
		shape = slices.Insert(shape, axis, 1)
	}
	return s.reshaped(shape)
}

func transposeSizes(c *call, s *sizes) *sizes {
	order := c.ints("perm", backwards(len(s.shape))...)
	shape := make([]int, len(order))
	for i, axis := range order {
		shape[i] = s.shape[axis]
	}
	return s.picked(shape, func(index []int) int {
		from := make([]int, len(index))
		for i, axis := range order {
			from[axis] = index[i]
		}
		return place(from, s.shape)
	})
}

// rangeNumbers are start, limit and step, where they are whole numbers.
func rangeNumbers(in []*sizes) (start, limit, step int64, ok bool) {
	var numbers [3]int64
	for i := range numbers {
		n, known := in[i].dims[0].Int()
		if !known || in[i].by != 1 {
			return 0, 0, 0, false
		}
		numbers[i] = n
	}
	return numbers[0], numbers[1], numbers[2], numbers[2] != 0
}

// scatterSizes replaces single elements, as x[i] = v does of a shape.
func scatterSizes(c *call, in []*sizes) []*sizes {
	s, index, update := in[0], in[1], in[2]
	n := len(index.shape)
	if c.text("reduction", "none") != "none" || !index.areNumbers() || n == 0 || index.shape[n-1] != len(s.shape) ||
		s.by != update.by {
		return nil
	}
	y := s.like(slices.Clone(s.dims))
	at := index.numbers()
	for i := range update.dims {
		to := slices.Clone(at[i*len(s.shape):][:len(s.shape)])
		for k := range to {
			to[k] = wrapped(to[k], s.shape[k])
		}
		y.dims[place(to, s.shape)] = update.dims[i]
	}
	return some(y)
}

// oneHotSizes have one of two elements where an index is the place along a new axis, and the other elsewhere:
// PyTorch's repeat_interleave says so which axis it repeats.
func oneHotSizes(c *call, in []*sizes) []*sizes {
	index, depth, two := in[0], in[1], in[2]
	if !index.areNumbers() || !depth.areNumbers() || len(depth.dims) != 1 || len(two.dims) != 2 {
		return nil
	}
	n, at := depth.numbers()[0], index.numbers()
	axis := c.int("axis", -1)
	if axis < 0 {
		axis += len(index.shape) + 1
	}
	return some(two.picked(slices.Insert(slices.Clone(index.shape), axis, n), func(i []int) int {
		k := at[place(slices.Concat(i[:axis], i[axis+1:]), index.shape)]
		if k == i[axis] || k+n == i[axis] {
			return 1
		}
		return 0
	}))
}

// nonZeroSizes are the places of elements that are not 0, a row for each axis.
func nonZeroSizes(data any, shape []int) *sizes {
	rows := make([][]graph.Dim, len(shape))
	i := 0
	eachIndex(shape, func(index []int) {
		if v, _ := graph.NumberAt(data, i); v != 0 {
			for k, at := range index {
				rows[k] = append(rows[k], graph.Dim(at))
			}
		}
		i++
	})
	y := &sizes{dtype: graph.Int64, shape: []int{len(shape), 0}, by: 1}
	for _, row := range rows {
		y.dims, y.shape[1] = append(y.dims, row...), len(row)
	}
	return y
}
