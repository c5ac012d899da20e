package oracle

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// move rearranges elements: as a view where the operation has one, else by copying.
func (e *evaluator) move(n *graph.Node, in []tensor) (tensor, error) {
	switch a := n.Attrs().(type) {
	case ops.ConcatAttrs:
		return e.concat(n, a, in)
	case ops.PadAttrs:
		return e.pad(n, a, in[0])
	}
	x := in[0]
	if slices.Contains(n.Stretch(0), graph.Undecided) {
		return e.repeat(n, x)
	}
	if n.Op().View == nil {
		return tensor{}, fmt.Errorf("a movement without a view")
	}
	if layout, ok := n.Op().View(n, x.layout); ok {
		return tensor{x.dtype, x.store, layout}, nil
	}
	dense, err := e.dense(n.In(0), x)
	if err != nil {
		return tensor{}, err
	}
	layout, ok := n.Op().View(n, dense.layout)
	if !ok {
		return tensor{}, fmt.Errorf("no view of a dense operand")
	}
	return tensor{x.dtype, dense.store, layout}, nil
}

// dense copies a value into row-major order.
func (e *evaluator) dense(n *graph.Node, x tensor) (tensor, error) {
	r, err := e.reader(x)
	return tensor{x.dtype, r.all(), graph.RowMajor(n.Shape())}, err
}

// repeat copies a value into the node's shape by the rule of broadcasting.
func (e *evaluator) repeat(n *graph.Node, x tensor) (tensor, error) {
	r, err := e.reader(x)
	if err != nil {
		return tensor{}, err
	}
	return e.result(n, func(index []int) (cell, error) { return r.broadcastAt(index), nil })
}

// concat joins operands along an axis; those of shape [0] are passed over.
func (e *evaluator) concat(n *graph.Node, a ops.ConcatAttrs, in []tensor) (tensor, error) {
	axis := fromZero(a.Axis, n.Rank())
	var parts []reader
	for i, t := range in {
		if n.In(i).Rank() != n.Rank() {
			continue
		}
		r, err := e.reader(t)
		if err != nil {
			return tensor{}, err
		}
		parts = append(parts, r)
	}
	return e.result(n, func(index []int) (cell, error) {
		at := slices.Clone(index)
		for _, r := range parts {
			if at[axis] < r.shape[axis] {
				return r.at(at), nil
			}
			at[axis] -= r.shape[axis]
		}
		return 0, fmt.Errorf("index %v lies behind the operands", index)
	})
}

// pad puts a number around and between the elements along an axis.
func (e *evaluator) pad(n *graph.Node, a ops.PadAttrs, x tensor) (tensor, error) {
	r, err := e.reader(x)
	if err != nil {
		return tensor{}, err
	}
	before, err := a.Before.Eval(e.sizes.Lookup)
	if err != nil {
		return tensor{}, err
	}
	axis, step := fromZero(a.Axis, n.Rank()), max(a.Step, 1)
	filling := convert(floatCell(a.Value), graph.Float64, x.dtype)
	return e.result(n, func(index []int) (cell, error) {
		at := slices.Clone(index)
		at[axis] -= int(before)
		if at[axis] < 0 || at[axis]%step != 0 || at[axis]/step >= r.shape[axis] {
			return filling, nil
		}
		at[axis] /= step
		return r.at(at), nil
	})
}

// fromZero counts an axis from the first.
func fromZero(axis, rank int) int {
	if axis < 0 {
		axis += rank
	}
	return axis
}

// after gives a copy of the old value in which the written part has its new elements.
func (e *evaluator) after(n *graph.Node, old, written tensor) (tensor, error) {
	whole, err := e.dense(n.In(0), old)
	if err != nil {
		return tensor{}, err
	}
	whole.store = slices.Clone(whole.store)
	part, err := e.reader(written)
	if err != nil {
		return tensor{}, err
	}
	layout := shapeinfer.LayoutOf(n.In(1))
	strides, err := e.ints(layout.Strides)
	if err != nil {
		return tensor{}, err
	}
	offset, err := e.ints([]graph.Dim{layout.Offset})
	if err != nil {
		return tensor{}, err
	}
	err = each(part.shape, func(index []int) error {
		at := offset[0]
		for axis, i := range index {
			at += i * strides[axis]
		}
		whole.store[at] = part.at(index)
		return nil
	})
	return whole, err
}
