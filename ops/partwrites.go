package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// The functions here return x with a part of it replaced, and leave x as it is.

// partReplaced is a copy of x of which a view, that view makes, holds src, or a number in all places.
func partReplaced(call refusedCall, word string, x, src node, view func(x node) node) node {
	fill, isNumber := src.Literal()
	if isNumber && x != nil && x.Judged() && x.Graph() != nil {
		call.in = []node{x}
	}
	if bad := notNodes(call); bad != nil {
		return bad
	}
	kept := Copy(x)
	part := view(kept)
	if !part.Judged() || part.Err() != nil {
		return part
	}
	if isNumber {
		return After(kept, CopyInPlace(part, x.Graph().Number(fill, x.DType())))
	}
	if part.Rank() != src.Rank() {
		return refusal(call, &graph.Mistake{Code: graph.CodeRank, Operands: []graph.OperandNote{{Node: src}},
			Summary: fmt.Sprintf("expected src to have a size equal to the %s of self. src size = %s, %s size = %s",
				word, src.Shape(), word, part.Shape())})
	}
	var same []sameSize
	for axis := range part.Shape() {
		same = append(same, sameSize{a: src, i: axis, b: part, j: axis, of: "elements", says: fmt.Sprintf(
			"expected src to have a size equal to the %s of self. src size = %s, %s size = %s", word, src.Shape(), word,
			part.Shape())})
	}
	if bad := call.unequal(graph.CodeSlice, same...); bad != nil {
		return bad
	}
	out := After(kept, CopyInPlace(part, x.Graph().Convert(src, x.DType())))
	requireEqual(out, same...)
	return out
}

// SelectScatter returns x with src written at one index of an axis; a negative index counts from the end. src has x's
// shape without the axis, or is a number. It is PyTorch's select_scatter.
func SelectScatter(x, src *graph.Node, axis int, index graph.Dim) *graph.Node {
	defer building("SelectScatter", x, src, axis, index)()
	return partReplaced(refused("SelectScatter", x, src).with(axis, index), "slice", x, src, func(x node) node {
		return Select(x, axis, index)
	})
}

// SliceScatter returns x with src, or a number, written to a slice of an axis. The slice is that of [Slice]. It is
// PyTorch's slice_scatter.
func SliceScatter(x, src *graph.Node, axis int, start, stop graph.Dim, step int) *graph.Node {
	args := []any{axis, start, stop, step}
	defer building("SliceScatter", append([]any{x, src}, args...)...)()
	return partReplaced(refused("SliceScatter", x, src).with(args...), "slice", x, src, func(x node) node {
		return Slice(x, axis, start, stop, step)
	})
}

// DiagonalScatter returns x with src, or a number, written to a diagonal. The diagonal is that of [Diagonal]. It is
// PyTorch's diagonal_scatter.
func DiagonalScatter(x, src *graph.Node, offset, a, b int) *graph.Node {
	defer building("DiagonalScatter", x, src, offset, a, b)()
	return partReplaced(refused("DiagonalScatter", x, src).with(offset, a, b), "diagonal", x, src, func(x node) node {
		return Diagonal(x, offset, a, b)
	})
}

// FillDiagonal returns the matrix x with a number or a scalar on its diagonal. It is PyTorch's fill_diagonal_ without
// wrap.
func FillDiagonal(x, value *graph.Node) *graph.Node {
	defer building("FillDiagonal", x, value)()
	if x == nil || value == nil || !x.Judged() || !value.Judged() || x.Rank() != 2 {
		if x != nil && x.Judged() && x.Graph() != nil {
			return refusal(refused("FillDiagonal", x),
				&graph.Mistake{Code: graph.CodeRank,
					Summary: "fill_diagonal: a matrix is wanted, and " + x.Called() + " has shape " +
						x.Shape().String()})
		}
		return Diagonal(x, 0, 0, 1) // its own mistake
	}
	kept := Copy(x)
	return After(kept, CopyInPlace(Diagonal(kept, 0, 0, 1), value))
}

// DynamicSlice returns the part of x of the given sizes that starts at indices known only at run time: one integer
// scalar for each axis, or [graph.Num]. Negative indices count from the end. As in JAX, the start of a part that
// would reach past the end is moved back.
func DynamicSlice(x *graph.Node, starts []*graph.Node, sizes ...graph.Dim) *graph.Node {
	defer building("DynamicSlice", append([]any{x, listOf(starts)}, shapeWords(sizes)...)...)()
	starts = startsIn(x, starts)
	call := refused("DynamicSlice", given(x, starts...)...).with(shapeWords(sizes)...)
	if bad := badStarts(call, "dynamic_slice", x, starts, sizes); bad != nil {
		return bad
	}
	part := x
	for axis, size := range sizes {
		if at := beginning(x, axis, starts[axis], size); at != nil {
			part = Take(part, axis, at)
			requireRoom(part, x, axis, size)
		}
	}
	return part
}

// DynamicUpdateSlice returns x with update, which has x's rank, written at indices known only at run time: one
// integer scalar for each axis, as in [DynamicSlice].
func DynamicUpdateSlice(x, update *graph.Node, starts ...*graph.Node) *graph.Node {
	args := []any{x, update}
	for _, s := range starts {
		args = append(args, s)
	}
	defer building("DynamicUpdateSlice", args...)()
	starts = startsIn(x, starts)
	call := refused("DynamicUpdateSlice", given(x, append([]node{update}, starts...)...)...)
	if bad := notNodes(call); bad != nil {
		return bad
	}
	switch {
	case update == nil:
		return call.wrong(graph.CodeOperand, "dynamic_update_slice: the update is nil")
	case update.DType() != x.DType():
		return call.wrongDType(cast(update, x.DType()),
			"dynamic_update_slice: the update must have the dtype of the operand, %s, but %s has %s", x.DType(),
			update.Called(), update.DType())
	case update.Rank() != x.Rank():
		return call.wrong(graph.CodeRank,
			"dynamic_update_slice: the update must have the rank of the operand, %d, but %s has the shape %s", x.Rank(),
			update.Called(), update.Shape())
	}
	if bad := badStarts(call, "dynamic_update_slice", x, starts, update.Shape()); bad != nil {
		return bad
	}
	return updated(x, update, starts, 0)
}

// startsIn gives whole numbers among the starts as values of the graph of x.
func startsIn(x node, starts []node) []node {
	if x == nil || x.Graph() == nil {
		return starts
	}
	starts = slices.Clone(starts)
	for i, s := range starts {
		if a, isNumber := s.Literal(); isNumber && s.DType().IsInt() {
			starts[i] = x.Graph().Number(a, graph.Int64)
		}
	}
	return starts
}

// updated writes an update from an axis on: along that axis whole slices are written, of which the later axes were
// updated before.
func updated(x, update node, starts []node, axis int) node {
	if axis == x.Rank() {
		return lined(update, x.Shape())
	}
	at := beginning(x, axis, starts[axis], update.Shape()[axis])
	if at == nil {
		return updated(x, update, starts, axis+1)
	}
	out := IndexCopy(x, axis, at, updated(Take(x, axis, at), update, starts, axis+1))
	requireRoom(out, x, axis, update.Shape()[axis])
	return out
}

// beginning lists the places of an axis from a start on; nil where they are all of the axis.
func beginning(x node, axis int, start node, size graph.Dim) node {
	whole := x.Shape()[axis]
	if size == whole {
		return nil
	}
	g, at := x.Graph(), Cast(start, graph.Int64)
	at = Where(Less(at, num64(0)), Add(at, Size(g, graph.Int64, whole)), at)
	return Add(Maximum(Minimum(at, Size(g, graph.Int64, whole.Minus(size))), num64(0)), Iota(g, 0, size))
}

func badStarts(call refusedCall, word string, x node, starts []node, sizes graph.Shape) node {
	if bad := notNodes(call); bad != nil {
		return bad
	}
	if len(starts) != x.Rank() || len(sizes) != x.Rank() {
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf(
				"%s needs a start and a size for each axis, but there are %d starts and %d sizes for %d axes", word,
				len(starts), len(sizes), x.Rank())})
	}
	for axis, s := range starts {
		switch {
		case s == nil:
			return call.wrong(graph.CodeOperand, "%s: start %d is nil", word, axis)
		case s.Rank() != 0:
			return call.wrong(graph.CodeRank, "%s: start %d must be a scalar, but %s has the shape %s", word, axis,
				s.Called(), s.Shape())
		case !s.DType().IsInt():
			return call.wrongDType(cast(s, graph.Int64), "%s: start %d must be an integer, but %s is %s", word, axis,
				s.Called(), s.DType())
		}
		if !sizes[axis].Valid() || sizes[axis].IsConst() && sizes[axis] < 0 {
			return refusal(call, &graph.Mistake{
				Code: graph.CodeSlice, Summary: fmt.Sprintf("%s: size %d of axis %d is none", word, sizes[axis], axis)})
		}
		if prove.NewProver(x.Graph().Bounds).Judge(room(x, axis, sizes[axis])) == prove.Refused {
			return refusal(call, &graph.Mistake{
				Code: graph.CodeSlice, Summary: fmt.Sprintf("%s: %s", word, tooLarge(x, axis, sizes[axis]))})
		}
	}
	return nil
}

func room(x node, axis int, size graph.Dim) graph.Requirement {
	return graph.Requirement{Kind: graph.MustBeAtLeast, A: x.Shape()[axis], B: size,
		Why: "a part is no larger than the whole"}
}

func tooLarge(x node, axis int, size graph.Dim) string {
	return fmt.Sprintf("the part has %s elements along axis %d, but the operand only %s", size, axis, x.Shape()[axis])
}

func requireRoom(out, x node, axis int, size graph.Dim) {
	if out.Judged() {
		requireSizes(out, room(x, axis, size), tooLarge(x, axis, size))
	}
}

// listOf writes operands as a list.
func listOf(xs []node) string {
	words := make([]string, len(xs))
	for i, x := range xs {
		if words[i] = "nil"; x != nil {
			words[i] = x.Called()
		}
	}
	return indexList(words)
}

// TakeFlat returns the elements of x at indices into its row-major order; negative ones count from the end. The result
// has the shape of the indices. An index out of range stops the run, unless an option says otherwise. It is PyTorch's
// take.
func TakeFlat(x, index *graph.Node, opts ...GatherOption) *graph.Node {
	r := gatheringOf(opts)
	defer building("TakeFlat", r.behind(x, index)...)()
	if x == nil || !x.Judged() {
		return Index(x, index) // its own mistake
	}
	return IndexGet(Reshape(x, x.Shape().NumElements()), []node{r.notBelow(x, index)}, opts...)
}

// PutFlat returns x with the elements of src written at indices into its row-major order; negative ones count from
// the end. src has the shape of the indices. If an index is repeated, the last element is kept, or with [Accumulate]
// all are added. It is PyTorch's put.
func PutFlat(x, index, src *graph.Node, opts ...IndexPutOption) *graph.Node {
	defer building("PutFlat", x, index, src)()
	if x == nil || index == nil || src == nil || !x.Judged() || !index.Judged() || !src.Judged() {
		return IndexPut(x, []node{index}, src, opts...) // its own mistake
	}
	shape := x.Shape()
	return Reshape(IndexPut(Reshape(x, shape.NumElements()), []node{Flatten(index, 0, -1)}, Flatten(src, 0, -1),
		opts...), shape...)
}

// UnravelIndex converts indices into the row-major order of a shape to indices along each axis: Int64, of the
// indices' shape.
func UnravelIndex(index *graph.Node, shape ...graph.Dim) []*graph.Node {
	defer building("UnravelIndex", append([]any{index}, shapeWords(shape)...)...)()
	if bad := notTensors(refused("UnravelIndex", index).with(shapeWords(shape)...)); bad != nil {
		return []node{bad}
	}
	if !index.DType().IsInt() {
		return []node{refusal(refused("UnravelIndex", index).with(shapeWords(shape)...),
			&graph.Mistake{Code: graph.CodeDType, Casts: cast(index, graph.Int64),
				Summary: "unravel_index(): expected 'indices' to be integer dtype, but got " + index.DType().String()})}
	}
	at, out := Cast(index, graph.Int64), make([]node, len(shape))
	for axis, d := range slices.Backward(shape) {
		size := atLeastOne(index.Graph(), d)
		out[axis], at = Remainder(at, size), FloorDiv(at, size)
	}
	return out
}

func init() {
	composed("SelectScatter", "x with src at an index of an axis.",
		named("", "torch.select_scatter", "jax.numpy.ndarray.at, jax.lax.dynamic_update_index_in_dim", "", "",
			func(e *graph.Example) node { return SelectScatter(e.Of("x", "8", "k"), e.Of("src", "k"), 0, 2) }))
	composed("SliceScatter", "x with src in a slice of an axis.",
		named("", "torch.slice_scatter", "jax.numpy.ndarray.at", "", "",
			func(e *graph.Example) node {
				return SliceScatter(e.Of("x", "8", "k"), e.Of("src", "3", "k"), 0, 1, 7, 2)
			}))
	composed("DiagonalScatter", "x with src on a diagonal.",
		named("", "torch.diagonal_scatter", "", "", "", func(e *graph.Example) node {
			return DiagonalScatter(e.Of("x", "n", "n"), e.Of("src", "n"), 0, 0, 1)
		}))
	composed("FillDiagonal", "a matrix with a number on its diagonal.",
		named("numpy.fill_diagonal", "torch.Tensor.fill_diagonal_", "jax.numpy.fill_diagonal", "", "",
			func(e *graph.Example) node { return FillDiagonal(e.Of("x", "n", "n"), num(1)) }))
	composed("DynamicSlice", "a part that begins at places which are known when it runs.",
		named("", "", "jax.lax.dynamic_slice, jax.lax.dynamic_slice_in_dim, jax.lax.dynamic_index_in_dim", "Slice", "",
			func(e *graph.Example) node {
				return DynamicSlice(e.Of("x", "8", "8"), []node{e.As(graph.Int64, "i"), e.As(graph.Int64, "j")}, 3, 2)
			}))
	composed("DynamicUpdateSlice", "x with a part replaced at places which are known when it runs.",
		named(
			"", "",
			"jax.lax.dynamic_update_slice, jax.lax.dynamic_update_slice_in_dim, jax.lax.dynamic_update_index_in_dim",
			"TensorScatter", "",
			func(e *graph.Example) node {
				return DynamicUpdateSlice(e.Of("x", "8", "8"), e.Of("update", "3", "2"), e.As(graph.Int64, "i"),
					e.As(graph.Int64, "j"))
			}))
	composed("TakeFlat", "elements at indices into all of x.",
		named("numpy.take", "torch.take", "jax.numpy.take", "", "", func(e *graph.Example) node {
			return TakeFlat(e.Of("x", "n", "k"), e.As(graph.Int64, "index", "m"))
		}))
	composed("PutFlat", "x with elements of src at indices into all of it.",
		named("numpy.put", "torch.Tensor.put", "jax.numpy.put", "", "",
			func(e *graph.Example) node {
				return PutFlat(e.Of("x", "n", "k"), e.As(graph.Int64, "index", "m"), e.Of("src", "m"))
			}))
	composed("UnravelIndex", "the places along each axis of indices into all elements.",
		flat(flatBetweenJumps, "numpy.unravel_index", "torch.unravel_index", "jax.numpy.unravel_index", "", "",
			func(e *graph.Example) node {
				return UnravelIndex(e.As(graph.Int64, "index", "m"), e.Shape("n", "k")...)[0]
			}))
}
