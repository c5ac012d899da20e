package reference

import (
	"errors"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// gather picks elements along an axis by index, or combines them by index.
func (e *evaluator) gather(n *graph.Node, in, index tensor) (tensor, error) {
	x, err := e.reader(in)
	if err != nil {
		return tensor{}, err
	}
	at, err := e.reader(index)
	if err != nil {
		return tensor{}, err
	}
	axis := n.Op().Axes(n)[0]
	if n.Op().Fold == graph.NoFold {
		return e.take(n, axis, x, at)
	}
	return e.unite(n, axis, x, at)
}

// take reads x at the index that replaces its axis.
func (e *evaluator) take(n *graph.Node, axis int, x, index reader) (tensor, error) {
	return e.result(n, func(to []int) (cell, error) {
		k := index.at(to[axis : axis+len(index.shape)]).int()
		if k < 0 || k >= int64(x.shape[axis]) {
			return 0, errors.New("index out of range in self")
		}
		from := slices.Replace(slices.Clone(to), axis, axis+len(index.shape), int(k))
		return x.at(from), nil
	})
}

// unite folds each element of x into the place that its index names.
func (e *evaluator) unite(n *graph.Node, axis int, x, index reader) (tensor, error) {
	shape, err := e.ints(n.Shape())
	if err != nil {
		return tensor{}, err
	}
	count := 1
	for _, d := range shape {
		count *= d
	}
	folds := make([]folder, count)
	for i := range folds {
		folds[i] = folder{fold: n.Op().Fold, dtype: n.DType()}
	}
	err = each(x.shape, func(from []int) error {
		k := index.at(from[axis : axis+len(index.shape)]).int()
		if k < 0 || k >= int64(shape[axis]) {
			return errors.New("index out of range in self")
		}
		to := slices.Replace(slices.Clone(from), axis, axis+len(index.shape), int(k))
		folds[place(to, shape)].add(x.at(from))
		return nil
	})
	t := tensor{dtype: n.DType(), layout: graph.RowMajor(n.Shape())}
	for _, f := range folds {
		t.store = append(t.store, f.result())
	}
	return t, err
}
