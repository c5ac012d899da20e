package reference

import (
	"github.com/broadloom/broadloom/graph"
)

// matmul is the matrix product: of vectors, matrices, and batches that broadcast.
func (e *evaluator) matmul(n *graph.Node, x, y tensor) (tensor, error) {
	a, err := e.reader(x)
	if err != nil {
		return tensor{}, err
	}
	b, err := e.reader(y)
	if err != nil {
		return tensor{}, err
	}
	rows, cols := len(a.shape) > 1, len(b.shape) > 1
	inner := a.shape[len(a.shape)-1]
	return e.result(n, func(index []int) (cell, error) {
		batch := index
		var row, col int
		if cols {
			col, batch = batch[len(batch)-1], batch[:len(batch)-1]
		}
		if rows {
			row, batch = batch[len(batch)-1], batch[:len(batch)-1]
		}
		f := folder{fold: graph.FoldSum, dtype: n.DType()}
		for k := range inner {
			p := productOf(n.DType(), a.matrixAt(batch, rows, row, k), b.matrixAt(batch, cols, k, col))
			f.add(p)
		}
		return f.result(), nil
	})
}

// matrixAt returns element (row, col) of the matrix at a place of the batch. For a vector, it is the element of its
// only axis, whose index is in the fitting argument.
func (r reader) matrixAt(batch []int, isMatrix bool, row, col int) cell {
	if !isMatrix {
		return r.store[r.offset+max(row, col)*r.strides[0]]
	}
	at, own := r.offset, len(r.shape)-2
	for i := range own {
		if r.shape[i] != 1 {
			at += batch[len(batch)-own+i] * r.strides[i]
		}
	}
	return r.store[at+row*r.strides[own]+col*r.strides[own+1]]
}

// productOf multiplies without rounding: sums of float32 products are rounded once.
func productOf(t graph.DType, x, y cell) cell {
	if t.IsFloat() {
		return floatCell(x.float() * y.float())
	}
	return intCell(x.int() * y.int())
}
