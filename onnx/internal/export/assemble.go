package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// placed is an operand of an assembled value: element (i0, i1, …) stands at (start[0] + i0*step[0], …).
type placed struct {
	x           *value
	start, step graph.Shape
}

// assemble puts operands at their places in a value that holds one number elsewhere.
func (e *exporter) assemble(n *graph.Node, t tensor, in []*value) *value {
	a := n.Op().Assemble(n)
	var parts []placed
	for i, x := range in {
		if a.Start[i] != nil && !x.isEmpty() {
			parts = append(parts, placed{x, e.dims(a.Start[i]), e.dims(a.Step[i])})
		}
	}
	filling := e.number(t.dtype, a.Value)
	if axis := joined(t.shape, parts); axis >= 0 {
		list := make([]*value, len(parts))
		for i, p := range parts {
			list[i] = p.x
		}
		return e.concat(axis, list...)
	}
	var y *value
	for _, p := range parts {
		if y == nil {
			y = e.put(p, t.shape, filling)
			continue
		}
		inside := e.put(placed{e.expand(e.number(graph.Bool, 1), p.x.shape), p.start, p.step}, t.shape,
			e.number(graph.Bool, 0))
		y = e.choose(inside, e.put(p, t.shape, e.number(t.dtype, 0)), y)
	}
	if y == nil {
		return e.expand(filling, t.shape)
	}
	return y
}

// put returns a value of a shape with a part at its place, and a number elsewhere.
func (e *exporter) put(p placed, shape graph.Shape, filling *value) *value {
	x, high := p.x, make(graph.Shape, len(shape))
	for axis, step := range p.step {
		if step != 1 && x.shape[axis] != 1 {
			x = e.spread(x, axis, step, filling)
		}
		high[axis] = shape[axis].Minus(p.start[axis]).Minus(x.shape[axis])
	}
	return e.pad(x, filling, p.start, high)
}

// spread puts a number between the elements of an axis, so that they are step apart.
func (e *exporter) spread(x *value, axis int, step graph.Dim, filling *value) *value {
	n := x.shape[axis]
	wide := slices.Clone(x.shape)
	wide[axis] = n.Times(step)
	apart := e.apart(x, axis, step, filling)
	return e.slice(e.reshape(apart, wide), span{axis, 0, n.Minus(1).Times(step).Plus(1), 1})
}

// apart gives each element of an axis one behind it, on which numbers follow. Elements of the last axis are no
// neighbours then: whole values are laid one behind the other, and turned, which takes ONNX Runtime a fifth of the
// time.
func (e *exporter) apart(x *value, axis int, step graph.Dim, filling *value) *value {
	rank := len(x.shape)
	if axis < rank-1 {
		y := e.unsqueeze(x, []int{axis + 1})
		low, high := make(graph.Shape, rank+1), make(graph.Shape, rank+1)
		high[axis+1] = step.Minus(1)
		return e.pad(y, filling, low, high)
	}
	rest := e.expand(filling, append(graph.Shape{step.Minus(1)}, x.shape...))
	perm := make([]int, rank+1)
	for i := range rank {
		perm[i] = i + 1
	}
	return e.transpose(e.concat(0, e.unsqueeze(x, []int{0}), rest), perm)
}

// joined returns the axis along which parts stand one behind the other and fill a value; -1 where they do not.
func joined(shape graph.Shape, parts []placed) int {
	if len(parts) == 0 {
		return -1
	}
	for axis := range shape {
		behind := graph.Dim(0)
		fits := func(p placed) bool {
			for i, d := range p.x.shape {
				if d != 1 && p.step[i] != 1 || i != axis && (p.start[i] != 0 || d != shape[i]) {
					return false
				}
			}
			ok := p.start[axis] == behind
			behind = behind.Plus(p.x.shape[axis])
			return ok
		}
		if !slices.ContainsFunc(parts, func(p placed) bool { return !fits(p) }) && behind == shape[axis] {
			return axis
		}
	}
	return -1
}
