package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// end is the stop of a slice that goes to the end of an axis.
var end = eager.Whole(eager.End)

func (g *gen) arrange() bool {
	x := g.pick(hasAxes)
	if x < 0 {
		return false
	}
	s := eager.Step{In: []int{x}, Op: oneOf(
		g, "Reshape", "Reshape", "Flatten", "Transpose", "Transpose", "Permute", "Slice", "Slice", "Slice", "Select",
		"Narrow", "Flip",
		"Expand", "Squeeze", "Unsqueeze", "Pad", "Tile", "Roll", "Diagonal", "Triu", "Tril", "AsStrided", "Window",
		"MoveAxis", "RepeatInterleave", "Copy")}
	rank, axis := g.rank(x), g.axis(x)
	s.I = []int{axis}
	switch s.Op {
	case "Reshape":
		s.I = nil
		return g.reshape(s, x)
	case "Flatten", "Transpose", "MoveAxis":
		s.I = []int{axis, g.axis(x)}
	case "Permute":
		s.I = g.Perm(rank)
	case "Slice":
		return g.slice(s, x)
	case "Narrow":
		s.S = []eager.Size{eager.Whole(g.IntN(2)), eager.Whole(1 + g.IntN(2))}
	case "Select":
		s.S = []eager.Size{eager.Whole(oneOf(g, 0, 0, 1, -1, -2))}
	case "Flip":
		if other := g.axis(x); (other-axis)%rank != 0 && g.IntN(2) == 0 {
			s.I = append(s.I, other)
		}
	case "Expand":
		return g.expand(s, x)
	case "Squeeze": // a size that has a name is never taken for 1
		if d := g.sizeOf(x, axis); d == nil || !d.IsWhole() {
			return false
		}
	case "Unsqueeze":
		s.I[0] = g.IntN(rank + 1)
	case "Pad":
		s.S, s.F = []eager.Size{eager.Whole(g.IntN(3)), eager.Whole(g.IntN(3))}, []float64{oneOf(g, 0, 0, 1.5)}
	case "Tile":
		s.I = nil
		for range rank + g.IntN(2) {
			s.S = append(s.S, eager.Whole(oneOf(g, 1, 1, 2, 3)))
		}
	case "RepeatInterleave":
		s.S = []eager.Size{eager.Whole(1 + g.IntN(3))}
	case "Roll":
		s.I = append(s.I, g.IntN(7)-3)
	case "Diagonal":
		s.I = []int{oneOf(g, 0, 0, 0, 1, -1), axis, g.axis(x)}
	case "Triu", "Tril":
		s.I = []int{g.IntN(4) - 2}
	case "Window":
		s.I = []int{axis, 1 + g.IntN(3), 1 + g.IntN(2), 1 + g.IntN(2)}
		w := g.do(s)
		if w >= 0 && g.v(x).T.IsFloat() && g.IntN(2) == 0 { // and put the windows back
			return g.did(eager.Step{Op: "Fold", In: []int{w}, I: []int{axis, s.I[2], s.I[3]},
				S: []eager.Size{g.sizeOf(x, axis)}})
		}
		return w >= 0
	case "AsStrided":
		s.I = nil
		s.S = []eager.Size{eager.Whole(2), eager.Whole(1 + g.IntN(3)), eager.Whole(g.IntN(3)), eager.Whole(g.IntN(3)),
			eager.Whole(g.IntN(2))}
	case "Copy":
		s.I = nil
	}
	return g.did(s)
}

// reshape draws the new shape: axes merged, split, or all in one.
func (g *gen) reshape(s eager.Step, x int) bool {
	shape := g.shapeOf(x)
	open := eager.Whole(-1)
	switch at := g.IntN(len(shape)); g.IntN(5) {
	case 0:
		s.S = []eager.Size{open}
	case 1: // a factor of an axis apart
		factor := oneOf(g, 2, 3)
		shape[at] = open
		s.S = slices.Insert(shape, at+g.IntN(2), eager.Whole(factor))
	case 2:
		s.S = slices.Insert(shape, at, eager.Whole(1))
	case 3: // two axes that change places, as if they were not the axes that they are
		other := g.IntN(len(shape))
		shape[at], shape[other] = shape[other], shape[at]
		s.S = shape
	default: // two axes in one
		if at+1 == len(shape) {
			return false
		}
		shape[at] = open
		s.S = slices.Delete(shape, at+1, at+2)
	}
	return g.did(s)
}

func (g *gen) slice(s eager.Step, x int) bool {
	size := g.sizeOf(x, s.I[0])
	s.I = append(s.I, oneOf(g, 1, 1, 1, 2, 3))
	start, stop := oneOf(g, 0, 0, 1, 2), end
	switch g.IntN(4) {
	case 0:
		stop = eager.Whole(oneOf(g, 1, 2, 3, 4))
	case 1:
		stop = eager.Whole(-1 - g.IntN(2))
	case 2:
		if stop = size; size != nil && size.IsWhole() {
			stop = eager.Whole(max(1, size.Eval(nil)-g.IntN(2)))
		}
	}
	s.S = []eager.Size{eager.Whole(start), stop}
	return g.did(s)
}

func (g *gen) expand(s eager.Step, x int) bool {
	shape := g.shapeOf(x)
	s.I = nil
	for i, d := range shape {
		if d != nil && d.IsWhole() && d.Eval(nil) == 1 {
			shape[i] = g.someSize()
		} else if g.IntN(2) == 0 {
			shape[i] = eager.Whole(-1)
		}
	}
	if g.IntN(2) == 0 {
		shape = slices.Insert(shape, 0, g.someSize())
	}
	s.S = shape
	return g.did(s)
}

// join concatenates values.
func (g *gen) join() bool {
	x := g.pick(hasAxes)
	if x < 0 {
		return false
	}
	s := eager.Step{Op: oneOf(g, "Concat", "Stack"), In: []int{x}, I: []int{g.axis(x)}}
	for range 1 + g.IntN(2) {
		shape := g.shapeOf(x)
		if s.Op == "Concat" && g.IntN(2) == 0 {
			axis := s.I[0]
			if axis < 0 {
				axis += len(shape)
			}
			shape[axis] = g.someSize()
		}
		y := x
		if g.IntN(3) > 0 {
			if y = g.pick(func(v *eager.Tensor) bool {
				return v.T == g.v(x).T && slices.Equal(v.Shape, g.v(x).Shape)
			}); y < 0 || g.IntN(2) == 0 {
				y = g.input(g.v(x).T, shape, "")
			}
		}
		s.In = append(s.In, y)
	}
	if g.IntN(2) == 0 {
		slices.Reverse(s.In)
	}
	return !slices.Contains(s.In, -1) && g.did(s)
}

// part cuts an axis of constant size.
func (g *gen) part() bool {
	x := g.pick(hasAxes)
	if x < 0 {
		return false
	}
	axis := g.axis(x)
	size := g.sizeOf(x, axis)
	if size == nil || !size.IsWhole() || size.Eval(nil) > 5 || size.Eval(nil) < 1 {
		return false
	}
	s := eager.Step{Op: oneOf(g, "Split", "Chunk", "Unbind"), In: []int{x}, I: []int{axis, 1 + g.IntN(3)}}
	if s.Op == "Unbind" {
		s.I = s.I[:1]
	}
	return g.did(s)
}

// indexType is the dtype of the next indices: for every other input 32 bits, by which kernels pick themselves. It draws
// nothing, so that programs of old seeds do not change.
func (g *gen) indexType() eager.DType {
	if len(g.p.Inputs)%2 == 0 {
		return eager.Int32
	}
	return eager.Int64
}

// gather picks and adds by index.
func (g *gen) gather() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	axis := g.axis(x)
	size := g.sizeOf(x, axis)
	if size == nil {
		return false
	}
	at := func(t eager.DType, shape []eager.Size) int {
		return g.declare(eager.Input{T: t, Shape: shape, Kind: "index", Below: size})
	}
	switch g.IntN(6) {
	case 0:
		return g.did(eager.Step{Op: "IndexSelect", In: []int{x, at(g.indexType(), []eager.Size{g.someSize()})},
			I: []int{axis}})
	case 1:
		shape := g.shapeOf(x)
		if axis < 0 {
			axis += len(shape)
		}
		shape[axis] = g.someSize()
		return g.did(eager.Step{Op: "Gather", In: []int{x, at(eager.Int64, shape)}, I: []int{axis}})
	case 2:
		if axis < 0 {
			axis += g.rank(x)
		}
		to := g.someSize()
		index := g.declare(eager.Input{T: eager.Int64, Shape: []eager.Size{size}, Kind: "index", Below: to})
		return g.did(eager.Step{Op: "SegmentSum", In: []int{x, index}, I: []int{axis}, S: []eager.Size{to}})
	case 3:
		classes := g.someSize()
		index := g.declare(eager.Input{T: eager.Int64, Shape: []eager.Size{size}, Kind: "index", Below: classes})
		return g.did(eager.Step{Op: "OneHot", In: []int{index}, S: []eager.Size{classes}, T: g.float})
	case 4:
		rows := g.someSize()
		table := g.input(g.float, []eager.Size{rows, g.someSize()}, "")
		index := g.declare(eager.Input{T: g.indexType(), Shape: g.someShape(g.IntN(3)), Kind: "index", Below: rows})
		s := eager.Step{Op: "Embedding", In: []int{index, table}}
		if g.IntN(3) == 0 {
			s.I = []int{0}
		}
		return table >= 0 && index >= 0 && g.did(s)
	}
	return g.did(eager.Step{Op: "Take", In: []int{x, at(g.indexType(), g.someShape(g.IntN(3)))}, I: []int{axis}})
}
