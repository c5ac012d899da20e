package reference

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// move rearranges elements: as a view if the operation has one, else by copying.
func (e *evaluator) move(n *graph.Node, in []tensor) (tensor, error) {
	if n.Op().Assemble != nil {
		return e.assemble(n, in)
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

// assemble puts each operand at its place in a value that holds one number elsewhere.
func (e *evaluator) assemble(n *graph.Node, in []tensor) (tensor, error) {
	shape, err := e.ints(n.Shape())
	if err != nil {
		return tensor{}, err
	}
	a := n.Op().Assemble(n)
	filling := convert(floatCell(a.Value), graph.Float64, n.DType())
	t, err := e.result(n, func([]int) (cell, error) { return filling, nil })
	for i := 0; i < len(in) && err == nil; i++ {
		if a.Start[i] != nil {
			err = e.put(in[i], t, shape, a.Start[i], a.Step[i])
		}
	}
	return t, err
}

// put stores a value's elements in another one.
func (e *evaluator) put(x, into tensor, shape []int, from, by graph.Shape) error {
	r, err := e.reader(x)
	if err != nil {
		return err
	}
	start, err := e.ints(from)
	if err != nil {
		return err
	}
	step, err := e.ints(by)
	if err != nil {
		return err
	}
	return each(r.shape, func(index []int) error {
		to := make([]int, len(index))
		for axis, i := range index {
			to[axis] = start[axis] + i*step[axis]
		}
		into.store[place(to, shape)] = r.at(index)
		return nil
	})
}

// after returns a copy of the old value in which the written part has its new elements.
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
	layout := alias.LayoutOf(n.In(1))
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
