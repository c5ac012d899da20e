package importer

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// ramp says that the elements of a tensor are first, first+step, first+2·step and so on along an axis, and the same
// wherever they lie along the others. Models count positions so, and compute sizes of the last or the greatest one.
type ramp struct {
	axis        int
	first, step graph.Dim
}

// at is the element at a place.
func (r *ramp) at(place graph.Dim) graph.Dim { return r.first.Plus(r.step.Times(place)) }

// noteRamp notes that the result of an operator is a ramp.
func (c *call) noteRamp(results []*value) {
	if len(results) != 1 || results[0] == nil || results[0].node == nil || results[0].counted != nil {
		return
	}
	y := results[0]
	if f := rampRules[c.from.Op]; f != nil && c.domain == "" {
		y.ramp = f(c, y.node.Shape())
	}
}

// rampRules say when the result of an operator, which has a shape, is a ramp.
var rampRules map[string]func(c *call, shape graph.Shape) *ramp

func init() {
	same := func(c *call, _ graph.Shape) *ramp { return c.operands[0].ramp }
	rampRules = map[string]func(c *call, shape graph.Shape) *ramp{
		"Identity": same,
		"Cast": func(c *call, _ graph.Shape) *ramp {
			if t := c.dtype("to", 0); !t.IsInt() && t.Bits() < 32 {
				return nil
			}
			return c.operands[0].ramp
		},
		"Range": func(c *call, _ graph.Shape) *ramp {
			start, step := c.oneSize(0), c.oneSize(2)
			if start == nil || step == nil {
				return nil
			}
			return &ramp{first: *start, step: *step}
		},
		"Unsqueeze": movedRamp, "Squeeze": movedRamp, "Reshape": movedRamp, "Expand": expandedRamp,
		"Add": func(c *call, shape graph.Shape) *ramp {
			return c.changedRamp(0, 1, shape, func(r *ramp, d graph.Dim) { r.first = r.first.Plus(d) })
		},
		"Sub": func(c *call, shape graph.Shape) *ramp {
			if c.operands[0].ramp == nil {
				return nil
			}
			return c.changedRamp(0, 1, shape, func(r *ramp, d graph.Dim) { r.first = r.first.Minus(d) })
		},
		"Mul": func(c *call, shape graph.Shape) *ramp {
			return c.changedRamp(0, 1, shape, func(r *ramp, d graph.Dim) {
				r.first, r.step = r.first.Times(d), r.step.Times(d)
			})
		},
	}
}

// oneSize is an operand of one element that is a size, or nil.
func (c *call) oneSize(i int) *graph.Dim {
	if !c.has(i) || c.operands[i].isList {
		return nil
	}
	s, ok := c.sizesOf(c.operands[i])
	if !ok || len(s.dims) != 1 || s.by != 1 || s.ends || c.isOpen(s.dims[0]) {
		return nil
	}
	return &s.dims[0]
}

// changedRamp is a ramp, one of two operands, that is changed by a size, the other one.
func (c *call) changedRamp(i, j int, shape graph.Shape, change func(r *ramp, d graph.Dim)) *ramp {
	if c.operands[i].ramp == nil {
		i, j = j, i
	}
	r := c.operands[i].ramp
	if r == nil || len(shape) != c.operands[i].node.Rank() {
		return nil
	}
	d := c.oneSize(j)
	if d == nil {
		return nil
	}
	y := *r
	change(&y, *d)
	return &y
}

// movedRamp is a ramp between other axes of size 1.
func movedRamp(c *call, shape graph.Shape) *ramp {
	r := c.operands[0].ramp
	if r == nil {
		return nil
	}
	n := c.operands[0].node.Shape()[r.axis]
	if n == 1 || slices.ContainsFunc(c.operands[0].node.Shape(), func(d graph.Dim) bool { return d != 1 && d != n }) {
		return nil
	}
	axis := -1
	for i, d := range shape {
		switch {
		case d == 1:
		case d != n || axis >= 0:
			return nil
		default:
			axis = i
		}
	}
	if axis < 0 {
		return nil
	}
	return &ramp{axis, r.first, r.step}
}

// expandedRamp is a ramp that is repeated along other axes.
func expandedRamp(c *call, shape graph.Shape) *ramp {
	r, from := c.operands[0].ramp, c.operands[0].node
	if r == nil {
		return nil
	}
	axis := len(shape) - from.Rank() + r.axis
	if shape[axis] != from.Shape()[r.axis] {
		return nil
	}
	return &ramp{axis, r.first, r.step}
}

// ofRamp computes results that are sizes, of an operand that is a ramp.
func (c *call) ofRamp(key string) []*value {
	if len(c.operands) == 0 || c.operands[0] == nil || c.operands[0].ramp == nil {
		return nil
	}
	var s *sizes
	switch key {
	case "Gather":
		s = c.pickedOfRamp(c.operands[0])
	case "ReduceMax":
		s = c.endOfRamp(c.operands[0], true)
	case "ReduceMin":
		s = c.endOfRamp(c.operands[0], false)
	}
	if s == nil || !s.isWithin() {
		return nil
	}
	return []*value{c.builder.ofSizes(s)}
}

// pickedOfRamp are elements of a vector at known places, if it has them for all sizes.
func (c *call) pickedOfRamp(v *value) *sizes {
	if v.node.Rank() != 1 || !c.has(1) {
		return nil
	}
	index, ok := c.sizesOf(c.operands[1])
	if !ok || !index.areNumbers() || index.by != 1 || index.ends {
		return nil
	}
	n := v.node.Shape()[0]
	y := &sizes{dtype: v.node.DType(), shape: index.shape, by: 1}
	for _, place := range index.dims {
		if from, _ := place.Int(); from < 0 {
			place = n.Plus(place)
		}
		if !c.atLeast(place, 0) || !c.atLeast(n.Minus(place), 1) {
			return nil
		}
		y.dims = append(y.dims, v.ramp.at(place))
	}
	return y
}

// endOfRamp is the greatest or the least element. Of none there is neither.
func (c *call) endOfRamp(v *value, greatest bool) *sizes {
	r, shape := v.ramp, v.node.Shape()
	over := c.listOr(1, "axes")
	if len(over) == 0 && c.int("noop_with_empty_axes", 0) == 1 || !c.atLeast(shape.NumElements(), 1) {
		return nil
	}
	to := []int{}
	for axis, n := range shape {
		isOver := len(over) == 0 ||
			slices.ContainsFunc(over, func(i int) bool { return wrapped(i, len(shape)) == axis })
		if !isOver && (axis == r.axis || n != 1) {
			return nil
		}
		if !isOver || c.int("keepdims", 1) == 1 {
			to = append(to, 1)
		}
	}
	place := shape[r.axis].Minus(1)
	switch grows, falls := c.atLeast(r.step, 0), c.atLeast(graph.Dim(0).Minus(r.step), 0); {
	case grows && !greatest, falls && greatest:
		place = 0
	case !grows && !falls:
		return nil
	}
	return &sizes{dtype: v.node.DType(), shape: to, dims: []graph.Dim{r.at(place)}, by: 1}
}
