package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// matmul is the matrix product of t: of vectors, matrices, and batches that broadcast, as ONNX has it.
func (e *exporter) matmul(t tensor, x, y *value) *value {
	a, b := e.widened(x), e.widened(y)
	switch { // with a transposed matrix beside a vector ONNX Runtime gives wrong numbers
	case len(a.shape) == 1 && is(b, "Transpose"):
		return e.squeeze(e.matmul(tensor{t.dtype, slices.Insert(slices.Clone(t.shape), len(t.shape)-1, 1)},
			e.unsqueeze(x, []int{0}), y), []int{len(t.shape) - 1})
	case len(b.shape) == 1 && is(a, "Transpose"):
		return e.squeeze(e.matmul(tensor{t.dtype, append(slices.Clone(t.shape), 1)}, x, e.unsqueeze(y, []int{1})),
			[]int{len(t.shape)})
	}
	product := e.carried("MatMul", a.dtype, func(c func(*value) *value) *value {
		return e.apply("MatMul", tensor{heldBy("MatMul", a.dtype), t.shape}, nil, c(a), c(b))
	})
	return e.convert(product, t.dtype)
}

// pick computes a node that picks elements along an axis by index, or unites them by index.
func (e *exporter) pick(n *graph.Node, x, index *value) *value {
	axis, t := n.Op().Axes(n)[0], e.typeOf(n)
	if index.dtype != graph.Int32 && index.dtype != graph.Int64 {
		index = e.cast(index, graph.Int64)
	}
	switch {
	case n.Op().Fold != graph.NoFold:
		return e.unite(n.Op().Fold, t, x, index, axis)
	case t.isEmpty() || x.isEmpty():
		return e.expand(e.number(t.dtype, 0), t.shape)
	}
	return e.gather(x, index, axis)
}

// uniting are ONNX's words for ways to unite elements.
var uniting = map[graph.Fold]string{graph.FoldSum: "add", graph.FoldProd: "mul", graph.FoldMax: "max",
	graph.FoldMin: "min"}

// neutral is what a fold of no elements gives.
func (e *exporter) neutral(f graph.Fold, d graph.DType) *value {
	switch f {
	case graph.FoldProd, graph.FoldAll:
		return e.number(d, 1)
	case graph.FoldMax, graph.FoldMaxNumber:
		return e.least(d)
	case graph.FoldMin:
		return e.greatest(d)
	}
	return e.number(d, 0)
}

// unite folds elements into the places along an axis that their index names.
func (e *exporter) unite(f graph.Fold, t tensor, x, index *value, axis int) *value {
	if x.dtype == graph.Uint64 && (f == graph.FoldMax || f == graph.FoldMin) {
		return e.cast(e.flipped(e.unite(f, t.of(graph.Int64), e.flipped(e.cast(x, graph.Int64)), index, axis)),
			graph.Uint64)
	}
	wide := e.widened(x)
	base := e.expand(e.neutral(f, wide.dtype), t.shape)
	if x.isEmpty() || t.isEmpty() {
		return e.convert(base, t.dtype)
	}
	y := e.scatter(base, index, wide, axis, uniting[f])
	if wide.dtype.IsFloat() && (f == graph.FoldMax || f == graph.FoldMin) { // NaN wins
		none := e.cast(e.isNaN(wide), graph.Float32)
		met := e.scatter(e.expand(e.number(graph.Float32, 0), t.shape), index, none, axis, "max")
		y = e.choose(e.test("Greater", met, e.number(graph.Float32, 0)), e.nan(y.dtype), y)
	}
	return e.convert(y, t.dtype)
}

// scatter combines updates with the elements of a value at indices along an axis; without a reduction they replace
// them. ScatterElements applies updates of one element in their order.
func (e *exporter) scatter(base, index, updates *value, axis int, reduction string) *value {
	count := index.shape.NumElements()
	rows := append(append(append(graph.Shape{}, updates.shape[:axis]...), count),
		updates.shape[axis+len(index.shape):]...)
	flat := make(graph.Shape, len(rows))
	for i := range flat {
		flat[i] = 1
	}
	flat[axis] = count
	places := e.expand(e.reshape(index, flat), rows)
	a := attrs{}
	if axis != 0 {
		a = append(a, attrInt("axis", axis))
	}
	kernel := "none"
	if reduction != "" {
		kernel, a = "Scatter", append(a, attrString("reduction", reduction))
	}
	return e.carried(kernel, base.dtype, func(c func(*value) *value) *value {
		return e.apply("ScatterElements", tensor{heldBy(kernel, base.dtype), base.shape}, a, c(base), places,
			c(e.reshape(updates, rows)))
	})
}
