package stablehlo

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// placed is an operand of an assembled value: element (i0, i1, …) is at (start[0] + i0*step[0], …).
type placed struct {
	x           *value
	start, step []int
}

// assemble puts operands at their places in a value that holds one number elsewhere.
func (e *exporter) assemble(n *graph.Node, t tensor, in []*value) *value {
	a := n.Op().Assemble(n)
	var parts []placed
	for i, x := range in {
		if a.Start[i] != nil && x.count() > 0 {
			parts = append(parts, placed{x, e.ints(a.Start[i]), e.ints(a.Step[i])})
		}
	}
	filling := e.splat(tensor{dtype: t.dtype}, a.Value)
	if axis := joined(t.shape, parts); axis >= 0 {
		list := make([]*value, len(parts))
		for i, p := range parts {
			list[i] = p.x
		}
		return e.concat(list, axis)
	}
	var y *value
	for _, p := range parts {
		if y == nil {
			y = e.put(p, t.shape, filling)
			continue
		}
		inside := e.put(placed{e.splat(p.x.of(graph.Bool), 1), p.start, p.step}, t.shape,
			e.splat(tensor{dtype: graph.Bool}, 0))
		y = e.choose(inside, e.put(p, t.shape, e.splat(tensor{dtype: t.dtype}, 0)), y)
	}
	if y == nil {
		return e.broadcast(filling, t.shape)
	}
	return y
}

// put returns a value of a shape with a part at its place, and a number elsewhere.
func (e *exporter) put(p placed, shape []int, filling *value) *value {
	high, between := make([]int, len(shape)), make([]int, len(shape))
	for i, d := range p.x.shape {
		between[i] = max(p.step[i], 1) - 1
		high[i] = shape[i] - p.start[i] - (d-1)*(between[i]+1) - 1
	}
	return e.pad(p.x, filling, p.start, high, between)
}

// joined returns the axis along which parts are contiguous and fill a value; -1 if there is none.
func joined(shape []int, parts []placed) int {
	if len(parts) == 0 {
		return -1
	}
	for axis := range shape {
		behind := 0
		fits := func(p placed) bool {
			for i, d := range p.x.shape {
				if d > 1 && p.step[i] != 1 || i != axis && (p.start[i] != 0 || d != shape[i]) {
					return false
				}
			}
			ok := p.start[axis] == behind
			behind += p.x.shape[axis]
			return ok
		}
		if !slices.ContainsFunc(parts, func(p placed) bool { return !fits(p) }) && behind == shape[axis] {
			return axis
		}
	}
	return -1
}
