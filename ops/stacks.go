package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// The functions here join, split and turn values as NumPy's functions of these names, which PyTorch has too.

// AtLeast1D returns x, with a scalar reshaped to [1].
func AtLeast1D(x *graph.Node) *graph.Node { return atLeastRank("AtLeast1D", x, 1) }

// AtLeast2D returns x, with a scalar reshaped to [1, 1] and a vector [N] to [1, N].
func AtLeast2D(x *graph.Node) *graph.Node { return atLeastRank("AtLeast2D", x, 2) }

// AtLeast3D returns x, with a scalar reshaped to [1, 1, 1], a vector [N] to [1, N, 1] and a matrix [M, N] to [M, N,
// 1].
func AtLeast3D(x *graph.Node) *graph.Node { return atLeastRank("AtLeast3D", x, 3) }

func atLeastRank(fn string, x node, rank int) node {
	defer building(fn, x)()
	if x == nil || !x.Judged() {
		return Unsqueeze(x, 0) // its own mistake
	}
	for x.Judged() && x.Rank() < rank {
		if x.Rank() == 2 {
			x = Unsqueeze(x, 2)
		} else {
			x = Unsqueeze(x, 0)
		}
	}
	return x
}

// joined stacks operands along an axis, after each has at least so many axes.
func joined(fn string, axis, rank int, xs []node, each func(x node) node) node {
	args := make([]any, len(xs))
	parts := make([]node, len(xs))
	for i, x := range xs {
		args[i] = x
	}
	defer building(fn, args...)()
	for i, x := range xs {
		if x == nil || !x.Judged() {
			return Concat(0, xs...) // its own mistake
		}
		if parts[i] = atLeastRank(fn, x, rank); each != nil {
			parts[i] = each(parts[i])
		}
	}
	if axis == 1 && len(xs) > 0 && parts[0].Rank() == 1 {
		axis = 0
	}
	return Concat(axis, parts...)
}

// HStack joins values along axis 1; scalars and vectors along axis 0.
func HStack(xs ...*graph.Node) *graph.Node { return joined("HStack", 1, 1, xs, nil) }

// VStack joins values along axis 0, after [AtLeast2D]: vectors are rows.
func VStack(xs ...*graph.Node) *graph.Node { return joined("VStack", 0, 2, xs, nil) }

// DStack joins values along axis 2, after [AtLeast3D].
func DStack(xs ...*graph.Node) *graph.Node { return joined("DStack", 2, 3, xs, nil) }

// ColumnStack joins values along axis 1. Scalars and vectors are columns.
func ColumnStack(xs ...*graph.Node) *graph.Node {
	return joined("ColumnStack", 1, 1, xs, func(x node) node {
		if x.Rank() == 1 {
			return Unsqueeze(x, 1)
		}
		return x
	})
}

// TensorSplit cuts an axis into n parts whose sizes differ by at most one, the larger ones first. A part of an axis
// of named size may be empty. It is PyTorch's tensor_split and NumPy's array_split.
func TensorSplit(x *graph.Node, axis, n int) []*graph.Node {
	defer building("TensorSplit", x, axis, n)()
	call, problem := refused("TensorSplit", x).with(axis, n), ""
	if n < 1 {
		problem = fmt.Sprintf("number of sections must be larger than 0, got %d", n)
	}
	size, bad := cutAxis(call, x, axis, problem)
	if bad == nil {
		bad = tooMany(call, n)
	}
	if bad != nil {
		return slices.Repeat([]*graph.Node{bad}, min(max(n, 1), maxParts))
	}
	sizes := make([]graph.Dim, n)
	for i := range sizes {
		sizes[i] = size.Plus(graph.Dim(n - 1 - i)).FloorDiv(int64(n))
	}
	return cut(x, axis, sizes)
}

// SplitAt cuts an axis before the given indices; negative ones count from the end. The indices should be in ascending
// order: a part between two that are not, or past the end, is empty. It is NumPy's split and PyTorch's tensor_split
// with indices.
func SplitAt(x *graph.Node, axis int, places ...graph.Dim) []*graph.Node {
	defer building("SplitAt", append([]any{x, axis}, shapeWords(places)...)...)()
	if _, bad := cutAxis(refused("SplitAt", x).with(append([]any{axis}, shapeWords(places)...)...), x, axis, ""); bad !=
		nil {
		return slices.Repeat([]*graph.Node{bad}, len(places)+1)
	}
	parts, from := []*graph.Node{}, graph.Dim(0)
	for _, at := range append(slices.Clone(places), End) {
		parts, from = append(parts, Slice(x, axis, from, at, 1)), at
	}
	return parts
}

// Rot90 rotates the plane of axes a and b by k times 90 degrees, from a towards b.
func Rot90(x *graph.Node, k, a, b int) *graph.Node {
	defer building("Rot90", x, k, a, b)()
	switch {
	case !hasAxis(x, a) || !hasAxis(x, b):
		return Transpose(x, a, b) // its own mistake
	case x.Rank() < 2 || (a-b)%x.Rank() == 0:
		return refusal(refused("Rot90", x).with(k, a, b), &graph.Mistake{Code: graph.CodeAxis,
			Summary: fmt.Sprintf("expected rotation dims to be different, but got dim0 = %d and dim1 = %d", a, b)})
	}
	switch k & 3 {
	case 1:
		return Flip(Transpose(x, a, b), a)
	case 2:
		return Flip(x, a, b)
	case 3:
		return Flip(Transpose(x, a, b), b)
	}
	return Copy(x)
}

// BlockDiag returns the block-diagonal matrix of the given matrices, with zeros elsewhere. Vectors count as rows, and
// scalars as [1, 1]. The result has the common dtype.
func BlockDiag(xs ...*graph.Node) *graph.Node {
	args := make([]any, len(xs))
	for i, x := range xs {
		args[i] = x
	}
	defer building("BlockDiag", args...)()
	width, column := graph.Dim(0), graph.Dim(0)
	for i, x := range xs {
		if x == nil || !x.Judged() || x.Graph() == nil || x.Rank() > 2 {
			if x != nil && x.Judged() && x.Graph() != nil {
				return refusal(refused("BlockDiag", xs...),
					&graph.Mistake{Code: graph.CodeRank, Operands: []graph.OperandNote{{Node: x}},
						Summary: fmt.Sprintf(
							"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %d has %d dimensions",
							i, x.Rank())})
			}
			return Concat(0, xs...) // its own mistake
		}
		width = width.Plus(atLeastRank("BlockDiag", x, 2).Shape()[1])
	}
	rows := make([]node, len(xs))
	for i, x := range xs {
		x = atLeastRank("BlockDiag", x, 2)
		size := x.Shape()[1]
		rows[i] = Pad(x, 1, column, width.Minus(column).Minus(size), 0)
		column = column.Plus(size)
	}
	return Concat(0, rows...)
}

// CartesianProd returns all combinations of one element of each vector, as rows: [product of the sizes, number of
// vectors]. The last vector changes fastest. For one vector it is that vector.
func CartesianProd(xs ...*graph.Node) *graph.Node {
	args := make([]any, len(xs))
	for i, x := range xs {
		args[i] = x
	}
	defer building("CartesianProd", args...)()
	grids := Meshgrid(xs...)
	if len(grids) == 1 && len(xs) == 1 {
		return grids[0]
	}
	columns := make([]node, len(grids))
	for i, x := range grids {
		if x == nil || !x.Judged() {
			return x
		}
		columns[i] = Flatten(x, 0, -1)
	}
	return Stack(1, columns...)
}

// BroadcastTensors expands values to their common broadcast shape, as views. Dtypes do not change.
func BroadcastTensors(xs ...*graph.Node) []*graph.Node {
	args := make([]any, len(xs))
	for i, x := range xs {
		args[i] = x
	}
	defer building("BroadcastTensors", args...)()
	if len(xs) == 0 {
		return nil
	}
	all := Cast(xs[0], graph.Bool) // of the shape
	for _, x := range xs[1:] {
		all = Or(all, Cast(x, graph.Bool))
	}
	out := make([]*graph.Node, len(xs))
	for i, x := range xs {
		if out[i] = all; all.Judged() && all.Err() == nil && x.Graph() != nil {
			out[i] = Expand(x, all.Shape()...)
		}
	}
	return out
}

func init() {
	list := func(name, doc, numpy, pytorch string, call func(xs ...*graph.Node) *graph.Node) {
		jax := "jax." + numpy
		composed(name, doc, named(numpy, pytorch, jax, "", "", func(e *graph.Example) node {
			return call(e.Of("x", "n", "k"), e.Of("y", "n", "k"))
		}))
	}
	list("HStack", "values joined along axis 1, vectors along their only one.", "numpy.hstack", "torch.hstack", HStack)
	list("VStack", "values joined along axis 0, vectors as rows.", "numpy.vstack", "torch.vstack, torch.row_stack",
		VStack)
	list("DStack", "values joined along axis 2, which they get.", "numpy.dstack", "torch.dstack", DStack)
	list("ColumnStack", "values joined along axis 1, vectors as columns.", "numpy.column_stack", "torch.column_stack",
		ColumnStack)
	one := func(name, doc, word string, call func(x *graph.Node) *graph.Node) {
		composed(name, doc, named("numpy."+word, "torch."+word, "jax.numpy."+word, "", "", func(e *graph.Example) node {
			return call(e.Of("x"))
		}))
	}
	one("AtLeast1D", "x with one axis at least.", "atleast_1d", AtLeast1D)
	one("AtLeast2D", "x with two axes at least, new ones in front.", "atleast_2d", AtLeast2D)
	one("AtLeast3D", "x with at least three axes; a matrix gets a third one at the end.", "atleast_3d", AtLeast3D)
	composed("TensorSplit", "an axis cut into parts of sizes as equal as can be.",
		named("numpy.array_split, numpy.hsplit, numpy.vsplit, numpy.dsplit",
			"torch.tensor_split, torch.hsplit, torch.vsplit, torch.dsplit",
			"jax.numpy.array_split, jax.numpy.hsplit, jax.numpy.vsplit, jax.numpy.dsplit", "Split", "",
			func(e *graph.Example) node { return e.Several(TensorSplit(e.Of("x", "n", "k"), 0, 3)...) }))
	composed("SplitAt", "an axis cut before the given places.",
		named("numpy.split", "torch.tensor_split", "jax.numpy.split", "SplitToSequence", "",
			func(e *graph.Example) node { return e.Several(SplitAt(e.Of("x", "8", "k"), 0, 3, 5)...) }))
	composed("Rot90", "a plane of two axes turned by 90 degrees some times.",
		named("numpy.rot90", "torch.rot90", "jax.numpy.rot90", "", "", func(e *graph.Example) node {
			return Rot90(e.Of("x", "n", "k"), 1, 0, 1)
		}))
	composed("BlockDiag", "matrices along the diagonal of one, zeros elsewhere.",
		named("scipy.linalg.block_diag", "torch.block_diag", "jax.scipy.linalg.block_diag", "", "",
			func(e *graph.Example) node { return BlockDiag(e.Of("x", "n", "k"), e.Of("y", "m", "k")) }))
	composed("CartesianProd", "all combinations of elements of vectors, as rows.",
		named("itertools.product", "torch.cartesian_prod", "", "", "", func(e *graph.Example) node {
			return CartesianProd(e.Of("x", "n"), e.Of("y", "m"))
		}))
	composed("BroadcastTensors", "values expanded to their common shape.",
		named("numpy.broadcast_arrays", "torch.broadcast_tensors", "jax.numpy.broadcast_arrays", "", "",
			func(e *graph.Example) node {
				return e.Several(BroadcastTensors(e.Of("x", "n", "k"), e.Of("y", "k"))...)
			}))
}
