package importer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// sizeRules compute tensors of sizes when the graph is made. Where one gives nil, the operator's rule computes a node.
var sizeRules = map[string]func(c *call, in []*sizes) []*sizes{
	"Identity": sameSizes(func(c *call, s *sizes) *sizes { return s }),
	"Cast":     sameSizes(func(c *call, s *sizes) *sizes { return c.castSizes(s, c.dtype("to", 0)) }),
	"CastLike": func(c *call, in []*sizes) []*sizes {
		return some(c.castSizes(in[0], in[1].dtype))
	},
	"Neg": eachSize(func(c *call, d graph.Dim) (graph.Dim, bool) { return graph.Dim(0).Minus(d), true }),
	"Abs": eachSize(func(c *call, d graph.Dim) (graph.Dim, bool) { return greatest(c, d, graph.Dim(0).Minus(d)) }),
	"Not": eachSize(func(c *call, d graph.Dim) (graph.Dim, bool) { return graph.Dim(1).Minus(d), true }),
	"Floor": sameSizes(func(c *call, s *sizes) *sizes {
		return s.divided(s.dtype, func(d graph.Dim) graph.Dim { return d.FloorDiv(s.by) })
	}),
	"Ceil": sameSizes(func(c *call, s *sizes) *sizes {
		return s.divided(s.dtype, func(d graph.Dim) graph.Dim { return d.CeilDiv(s.by) })
	}),
	"Clip": func(c *call, in []*sizes) []*sizes {
		y := in[:1]
		for i, bound := range in[1:] {
			if bound != nil {
				y = twoSizes([]func(c *call, x, y graph.Dim) (graph.Dim, bool){greatest, least}[i])(
					c, []*sizes{y[0], bound})
			}
		}
		return y
	},

	"Add": twoSizes(plus), "Sum": twoSizes(plus),
	"Pow": twoWhole(power),
	"Sub": twoSizes(func(c *call, x, y graph.Dim) (graph.Dim, bool) { return x.Minus(y), true }),
	"Mul": multiply, "Div": divide, "Mod": twoWhole(remainder),
	"Min": twoSizes(least), "Max": twoSizes(greatest),

	"Equal":          comparison(func(c *call, x, y graph.Dim) (bool, bool) { return c.equal(x, y) }),
	"Less":           comparison(func(c *call, x, y graph.Dim) (bool, bool) { return c.less(x, y) }),
	"Greater":        comparison(func(c *call, x, y graph.Dim) (bool, bool) { return c.less(y, x) }),
	"LessOrEqual":    comparison(func(c *call, x, y graph.Dim) (bool, bool) { return not(c.less(y, x)) }),
	"GreaterOrEqual": comparison(func(c *call, x, y graph.Dim) (bool, bool) { return not(c.less(x, y)) }),
	"And":            twoSizes(product),
	"Or":             twoSizes(greatest),
	"Where":          whereSizes,

	"ReduceSum": foldSizes(0, plus),
	"ReduceProd": func(c *call, in []*sizes) []*sizes {
		if in[0].by != 1 { // a product of fractions has another divisor
			return nil
		}
		return foldSizes(1, product)(c, in)
	},
	"ReduceMax": foldSizes(0, greatest),
	"ReduceMin": foldSizes(0, least),
}

func some(s *sizes) []*sizes {
	if s == nil {
		return nil
	}
	return []*sizes{s}
}

func sameSizes(f func(c *call, s *sizes) *sizes) func(c *call, in []*sizes) []*sizes {
	return func(c *call, in []*sizes) []*sizes { return some(f(c, in[0])) }
}

func eachSize(f func(c *call, d graph.Dim) (graph.Dim, bool)) func(c *call, in []*sizes) []*sizes {
	return func(c *call, in []*sizes) []*sizes {
		list := make([]graph.Dim, len(in[0].dims))
		for i, d := range in[0].dims {
			var ok bool
			if list[i], ok = f(c, d); !ok {
				return nil
			}
		}
		return []*sizes{in[0].like(list)}
	}
}

// castSizes converts to another dtype: floating-point numbers to integers by rounding towards 0.
func (c *call) castSizes(s *sizes, to graph.DType) *sizes {
	if to == graph.Bool {
		list := make([]graph.Dim, len(s.dims))
		for i, d := range s.dims {
			is0, ok := c.equal(d, 0)
			if !ok {
				return nil
			}
			if !is0 {
				list[i] = 1
			}
		}
		return &sizes{dtype: to, shape: s.shape, dims: list, by: 1}
	}
	if to.IsFloat() && to.Bits() < 32 { // which does not have all of them
		return nil
	}
	if to.IsInt() && s.by != 1 {
		return s.divided(to, func(d graph.Dim) graph.Dim { return c.truncated(d, s.by) })
	}
	return &sizes{dtype: to, shape: s.shape, dims: s.dims, by: s.by}
}

// divided rounds elements to whole numbers.
func (s *sizes) divided(t graph.DType, round func(d graph.Dim) graph.Dim) *sizes {
	y := &sizes{dtype: t, shape: s.shape, by: 1}
	for _, d := range s.dims {
		y.dims = append(y.dims, round(d))
	}
	return y
}

// truncated is d/k rounded towards 0.
func (c *call) truncated(d graph.Dim, k int64) graph.Dim {
	if c.atLeast(d, 0) {
		return d.FloorDiv(k)
	}
	above, _ := greatest(c, d, 0)
	below, _ := greatest(c, graph.Dim(0).Minus(d), 0)
	return above.FloorDiv(k).Minus(below.FloorDiv(k))
}

// together brings two to one shape and one divisor.
func together(x, y *sizes) (a, b *sizes) {
	shape := broadcast(x.shape, y.shape)
	a, b = x.expanded(shape), y.expanded(shape)
	by := commonMultiple(a.by, b.by)
	a.dims, b.dims = a.over(by), b.over(by)
	a.by, b.by = by, by
	return a, b
}

func commonMultiple(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

func twoSizes(f func(c *call, x, y graph.Dim) (graph.Dim, bool)) func(c *call, in []*sizes) []*sizes {
	return func(c *call, in []*sizes) []*sizes {
		y := in[0]
		for _, next := range in[1:] {
			a, b := together(y, next)
			for i := range a.dims {
				var ok bool
				if a.dims[i], ok = f(c, a.dims[i], b.dims[i]); !ok {
					return nil
				}
			}
			y = a
		}
		return []*sizes{y}
	}
}

// twoWhole is of whole numbers alone.
func twoWhole(f func(c *call, x, y graph.Dim) (graph.Dim, bool)) func(c *call, in []*sizes) []*sizes {
	return func(c *call, in []*sizes) []*sizes {
		if in[0].by != 1 || in[1].by != 1 {
			return nil
		}
		return twoSizes(f)(c, in)
	}
}

func multiply(c *call, in []*sizes) []*sizes {
	shape := broadcast(in[0].shape, in[1].shape)
	a, b := in[0].expanded(shape), in[1].expanded(shape)
	for i := range a.dims {
		a.dims[i] = a.dims[i].Times(b.dims[i])
	}
	a.by *= b.by
	return []*sizes{a}
}

// divide rounds integers towards 0, which for sizes is down.
func divide(c *call, in []*sizes) []*sizes {
	if !in[0].dtype.IsFloat() {
		return twoSizes(quotient)(c, in)
	}
	shape := broadcast(in[0].shape, in[1].shape)
	a, b := in[0].expanded(shape), in[1].expanded(shape)
	by := int64(1)
	for _, d := range b.dims {
		n, ok := d.Int()
		if !ok || n <= 0 || by > 1<<20 {
			return nil
		}
		by = commonMultiple(by, n)
	}
	for i, d := range b.dims {
		n, _ := d.Int()
		a.dims[i] = a.dims[i].Times(graph.Dim(b.by * (by / n)))
	}
	a.by *= by
	return []*sizes{a}
}

func quotient(c *call, x, y graph.Dim) (graph.Dim, bool) {
	n, isNumber := x.Int()
	m, byNumber := y.Int()
	switch {
	case byNumber && m == 0:
		return 0, false
	case isNumber && byNumber:
		return graph.Dim(n / m), true
	case byNumber && m > 0:
		return c.truncated(x, m), true
	case byNumber:
		return graph.Dim(0).Minus(c.truncated(x, -m)), true
	case !c.atLeast(x, 0) || !c.atLeast(y, 0): // nothing is divided by 0
		return 0, false
	}
	if q, exact := x.ExactDiv(y); exact {
		return q, true
	}
	return x.FloorDivBy(y), true
}

// remainder has the sign of y or, as C's, that of x.
func remainder(c *call, x, y graph.Dim) (graph.Dim, bool) {
	if c.int("fmod", 0) == 1 {
		q, ok := quotient(c, x, y)
		return x.Minus(q.Times(y)), ok
	}
	m, byNumber := y.Int()
	switch {
	case byNumber && m > 0:
		return x.Mod(m), true
	case !byNumber && c.atLeast(x, 0) && c.atLeast(y, 1):
		return x.Minus(x.FloorDivBy(y).Times(y)), true
	}
	return 0, false
}

// power is of small exponents.
func power(c *call, x, y graph.Dim) (graph.Dim, bool) {
	n, isNumber := y.Int()
	if !isNumber || n < 0 || n > 8 {
		return 0, false
	}
	p := graph.Dim(1)
	for range n {
		p = p.Times(x)
	}
	return p, true
}

func plus(_ *call, x, y graph.Dim) (graph.Dim, bool) { return x.Plus(y), true }

func product(_ *call, x, y graph.Dim) (graph.Dim, bool) { return x.Times(y), true }

func least(c *call, x, y graph.Dim) (graph.Dim, bool) {
	if isLess, ok := c.less(x, y); ok {
		if isLess {
			return x, true
		}
		return y, true
	}
	if isLess, ok := c.less(y, x); ok && !isLess {
		return x, true
	}
	return graph.MinDim(x, y), true
}

func greatest(c *call, x, y graph.Dim) (graph.Dim, bool) {
	low, ok := least(c, x, y)
	return x.Plus(y).Minus(low), ok
}

func comparison(f func(c *call, x, y graph.Dim) (is, ok bool)) func(c *call, in []*sizes) []*sizes {
	return func(c *call, in []*sizes) []*sizes {
		y := twoSizes(func(c *call, x, y graph.Dim) (graph.Dim, bool) {
			is, ok := f(c, x, y)
			if is {
				return 1, ok
			}
			return 0, ok
		})(c, in)
		if y != nil {
			y[0].dtype, y[0].by = graph.Bool, 1
		}
		return y
	}
}

func not(is, ok bool) (bool, bool) { return !is, ok }

func whereSizes(c *call, in []*sizes) []*sizes {
	x, y := together(in[1], in[2])
	condition := in[0].expanded(broadcast(in[0].shape, x.shape))
	x, y = x.expanded(condition.shape), y.expanded(condition.shape)
	for i, d := range condition.dims {
		switch is, known := d.Int(); {
		case !known:
			return nil
		case is == 0:
			x.dims[i] = y.dims[i]
		}
	}
	return []*sizes{x}
}

// foldSizes reduces over axes.
func foldSizes(first graph.Dim, f func(c *call, x, y graph.Dim) (graph.Dim, bool)) func(c *call, in []*sizes) []*sizes {
	return func(c *call, in []*sizes) []*sizes {
		s := in[0]
		over := c.listOr(1, "axes")
		if len(over) == 0 && c.int("noop_with_empty_axes", 0) == 1 {
			return []*sizes{s}
		}
		isOver := make([]bool, len(s.shape))
		for _, axis := range over {
			isOver[wrapped(axis, len(s.shape))] = true
		}
		kept, final := slices.Clone(s.shape), []int{}
		for i := range kept {
			if isOver[i] || len(over) == 0 {
				kept[i] = 1
			} else {
				final = append(final, kept[i])
			}
		}
		if c.int("keepdims", 1) == 1 {
			final = kept
		}
		y := &sizes{dtype: s.dtype, shape: final, by: s.by, dims: slices.Repeat([]graph.Dim{first}, count(kept))}
		isSet, failed := make([]bool, len(y.dims)), false
		eachIndex(s.shape, func(index []int) {
			from, to := place(index, s.shape), place(index, kept)
			if !isSet[to] {
				y.dims[to], isSet[to] = s.dims[from], true
				return
			}
			d, ok := f(c, y.dims[to], s.dims[from])
			y.dims[to], failed = d, failed || !ok
		})
		if failed {
			return nil
		}
		return []*sizes{y}
	}
}
