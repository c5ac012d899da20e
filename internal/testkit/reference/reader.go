package reference

import "slices"

// reader returns the elements of a tensor by index.
type reader struct {
	store          []cell
	shape, strides []int
	offset         int
}

func (e *evaluator) reader(t tensor) (reader, error) {
	r := reader{store: t.store}
	var err error
	if r.shape, err = e.ints(t.layout.Shape); err != nil {
		return r, err
	}
	if r.strides, err = e.ints(t.layout.Strides); err != nil {
		return r, err
	}
	offset, err := t.layout.Offset.Eval(e.sizes.Lookup)
	r.offset = int(offset)
	return r, err
}

// at returns the element at an index.
func (r reader) at(index []int) cell {
	at := r.offset
	for i, k := range index {
		at += k * r.strides[i]
	}
	return r.store[at]
}

// broadcastAt returns the element that is broadcast to an index of a result: shapes are aligned from the right, and an
// axis of size 1 is repeated.
func (r reader) broadcastAt(index []int) cell {
	at, lead := r.offset, len(index)-len(r.shape)
	for i, n := range r.shape {
		if n != 1 {
			at += index[lead+i] * r.strides[i]
		}
	}
	return r.store[at]
}

// all returns the elements in row-major order.
func (r reader) all() []cell {
	list := []cell{}
	_ = each(r.shape, func(index []int) error {
		list = append(list, r.at(index))
		return nil
	})
	return list
}

// each calls f with every index of a shape in row-major order; f must not keep it.
func each(shape []int, f func(index []int) error) error {
	if slices.Contains(shape, 0) {
		return nil
	}
	index := make([]int, len(shape))
	for {
		if err := f(index); err != nil {
			return err
		}
		axis := len(shape) - 1
		for ; axis >= 0; axis-- {
			if index[axis]++; index[axis] < shape[axis] {
				break
			}
			index[axis] = 0
		}
		if axis < 0 {
			return nil
		}
	}
}

// place returns the row-major position of an index.
func place(index, shape []int) int {
	at := 0
	for i, k := range index {
		at = at*shape[i] + k
	}
	return at
}
