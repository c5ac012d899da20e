package stablehlo

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// outside is the message of a run for an index that it refuses.
const outside = "index out of range in self"

// pick computes a node that picks elements along an axis by index, or unites them by index.
func (e *exporter) pick(n *graph.Node, x, index *value) *value {
	axis, t := n.Op().Axes(n)[0], e.typeOf(n)
	limit := t.shape
	if n.Op().Fold == graph.NoFold {
		limit = x.shape
	}
	if index.count() > 0 {
		zero, end := e.splat(index.tensor, 0), e.whole(index.tensor, int64(limit[axis]))
		e.claim(e.same("and", e.compare("GE", index, zero), e.compare("LT", index, end)), outside)
	}
	switch {
	case n.Op().Fold != graph.NoFold:
		return e.unite(n.Op().Fold, t, x, index, axis)
	case t.count() == 0 || x.count() == 0:
		return e.splat(t, 0)
	}
	return e.gather(x, index, axis)
}

// gather picks elements along an axis, which the axes of the index replace.
func (e *exporter) gather(x, index *value, axis int) *value {
	shape, others, sizes := append([]int{}, x.shape[:axis]...), []int{}, append([]int{}, x.shape...)
	shape = append(append(shape, index.shape...), x.shape[axis+1:]...)
	sizes[axis] = 1
	for i := range shape {
		if i < axis || i >= axis+len(index.shape) {
			others = append(others, i)
		}
	}
	numbers := fmt.Sprintf(
		"#stablehlo.gather<offset_dims = %s, collapsed_slice_dims = [%d], start_index_map = [%d], index_vector_dim = %d>",
		axes(others), axis, axis, len(index.shape))
	return e.apply("stablehlo.gather", tensor{x.dtype, shape},
		[]attr{{"dimension_numbers", numbers}, {"slice_sizes", sizes}, {"indices_are_sorted", "false"}}, x, index)
}

// unite folds elements into the places along an axis that their index names.
func (e *exporter) unite(f graph.Fold, t tensor, x, index *value, axis int) *value {
	base := e.broadcast(e.neutral(f, t.dtype), t.shape)
	if x.count() == 0 || t.count() == 0 {
		return base
	}
	if w := e.widened(x); w != x && accumulates(f) {
		return e.convert(e.scatter(e.widened(base), index, w, axis, combining[f]), t.dtype)
	}
	return e.scatter(base, index, x, axis, combining[f])
}

// scatter combines updates with the elements of a value at the places along an axis that an index names; with no
// name of an operation they replace them.
func (e *exporter) scatter(base, index, updates *value, axis int, combine string) *value {
	others := []int{}
	for i := range updates.shape {
		if i < axis || i >= axis+len(index.shape) {
			others = append(others, i)
		}
	}
	body := newBlock("stablehlo.return")
	a, b := body.argument(tensor{dtype: base.dtype}), body.argument(tensor{dtype: base.dtype})
	e.within(body, func() {
		if body.out = []*value{b}; combine != "" {
			body.out[0] = e.same(combine, a, b)
		}
	})
	numbers := fmt.Sprintf(
		"#stablehlo.scatter<update_window_dims = %s, inserted_window_dims = [%d], scatter_dims_to_operand_dims = [%d], index_vector_dim = %d>",
		axes(others), axis, axis, len(index.shape))
	return e.append("stablehlo.scatter", []tensor{base.tensor},
		[]attr{{"scatter_dimension_numbers", numbers}, {"indices_are_sorted", "false"}, {"unique_indices", "false"}},
		[]*block{body}, []*value{base, index, updates}).out[0]
}
