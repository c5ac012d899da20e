package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// The functions here arrange elements with the operations of shape.go, select.go and
// movement.go.

// Narrow returns length elements of an axis from start on. A negative start counts from the end. Unlike [Slice] it is
// an error if there are fewer, and [End] is neither a valid length nor a valid start.
func Narrow(x *graph.Node, axis int, start, length graph.Dim) *graph.Node {
	defer building("Narrow", x, axis, start, length)()
	if x == nil || !x.Judged() {
		return Slice(x, axis, start, start.Plus(length), 1) // its own mistake
	}
	from, problem := start, ""
	switch {
	case x.Rank() == 0:
		problem = "narrow() cannot be applied to a 0-dim tensor."
	case length.IsConst() && length < 0:
		problem = "narrow(): length must be non-negative."
	case (start == End || length == End) && hasAxis(x, axis):
		return refusal(refused("Narrow", x).with(axis, start, length), &graph.Mistake{Code: graph.CodeSlice,
			Summary: "narrow(): End is neither a start nor a length, but the stop of a slice",
			Help:    restOf(x, axis, start)})
	case hasAxis(x, axis):
		size := x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]]
		if rules.CountsFromEnd(start) {
			from = size.Plus(start)
		}
		if size.IsConst() && from.IsConst() {
			problem = narrowProblem(size, start, from, length)
		}
	}
	if problem != "" {
		return refusal(refused("Narrow", x).with(axis, start, length),
			&graph.Mistake{Code: graph.CodeSlice, Summary: problem})
	}
	return Slice(x, axis, from, from.Plus(length), 1)
}

// restOf says how the rest of an axis is taken, from a start that is a place.
func restOf(x node, axis int, start graph.Dim) []string {
	if start == End {
		return nil
	}
	return []string{fmt.Sprintf("the rest of the axis: ops.Slice(%s, %d, %s, ops.End, 1)", x.Called(), axis, start)}
}

// narrowProblem is PyTorch's message for bounds out of the range of an axis, whose size is a number.
func narrowProblem(size, start, from, length graph.Dim) string {
	switch {
	case from < 0 || from > size:
		return fmt.Sprintf("start out of range (expected to be in range of [%d, %d], but got %d)", -size, size, start)
	case length.IsConst() && from.Plus(length) > size:
		return fmt.Sprintf("start (%d) + length (%d) exceeds dimension size (%d).", from, length, size)
	}
	return ""
}

// Roll shifts the elements of an axis by shift positions. Elements that leave at one end come in at the other. The
// result does not share memory with x.
func Roll(x *graph.Node, axis, shift int) *graph.Node {
	defer building("Roll", x, axis, shift)()
	switch {
	case x != nil && x.Judged() && x.Rank() == 0:
		return refusal(refused("Roll", x).with(axis, shift), scalarAxis(axis))
	case !hasAxis(x, axis):
		return Slice(x, axis, 0, End, 1) // its own mistake
	}
	size := x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]]
	if n, static := size.Int(); static {
		if shift %= max(int(n), 1); shift == 0 {
			return Copy(x)
		}
	}
	cut := rollCut(prove.NewProver(x.Graph().Bounds), size, graph.Dim(shift))
	return Concat(axis, Slice(x, axis, cut, End, 1), Slice(x, axis, 0, cut, 1))
}

// rollCut returns the place of an axis whose element comes first when the axis is rolled: the
// shift back modulo the size, in the plainest form. It is 0 on an axis without elements.
func rollCut(p *prove.Prover, size, shift graph.Dim) graph.Dim {
	back := graph.Dim(0).Minus(shift)
	switch {
	case shift <= 0 && p.AtLeast(size.Minus(back), 0) == prove.Proved:
		return back
	case shift > 0 && p.AtLeast(size.Minus(shift), 0) == prove.Proved:
		return size.Minus(shift)
	case p.AtLeast(size, 1) != prove.Proved:
		size = size.Plus(graph.Dim(1).FloorDivBy(size.Plus(1))) // 1 instead of 0
	}
	return back.Minus(size.Times(back.FloorDivBy(size)))
}

func hasAxis(x node, axis int) bool {
	return x != nil && x.Judged() && axis >= -x.Rank() && axis < x.Rank()
}

// Tile repeats the whole of x along each axis. If there are more counts than axes, x gets new leading axes. The
// result does not share memory with x.
func Tile(x *graph.Node, counts ...graph.Dim) *graph.Node {
	defer building("Tile", append([]any{x}, shapeWords(counts)...)...)()
	if x == nil || !x.Judged() {
		return Expand(x, counts...) // its own mistake
	}
	if len(counts) < x.Rank() {
		return refusal(refused("Tile", x).with(shapeWords(counts)...), &graph.Mistake{Code: graph.CodeExpand,
			Summary: "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"})
	}
	lead := len(counts) - x.Rank()
	apart, repeated, merged := graph.Shape{}, graph.Shape{}, graph.Shape{}
	for i, count := range counts {
		size := graph.Dim(1)
		if i >= lead {
			size = x.Shape()[i-lead]
		}
		apart = append(apart, 1, size)
		repeated = append(repeated, count, size)
		merged = append(merged, count.Times(size))
	}
	for i, count := range counts {
		if count.IsConst() && count < 0 {
			return refusal(refused("Tile", x).with(shapeWords(counts)...), &graph.Mistake{Code: graph.CodeExpand,
				Summary: fmt.Sprintf("Trying to create tensor with negative dimension %s: %s", merged[i], merged)})
		}
	}
	return copied(x, Reshape(Expand(Reshape(x, apart...), repeated...), merged...))
}

// copied gives y, in memory of its own if it is a view of x.
func copied(x, y node) node {
	if y.Judged() && alias.Storage(y) == alias.Storage(x) {
		return Copy(y)
	}
	return y
}

// RepeatInterleave repeats each element of an axis count times in a row. The result does not share memory with x.
func RepeatInterleave(x *graph.Node, axis int, count graph.Dim) *graph.Node {
	defer building("RepeatInterleave", x, axis, count)()
	if !hasAxis(x, axis) {
		return Slice(x, axis, 0, End, 1) // its own mistake
	}
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	repeated := slices.Insert(slices.Clone(x.Shape()), axis+1, count)
	merged := slices.Clone(x.Shape())
	merged[axis] = merged[axis].Times(count)
	return copied(x, Reshape(Expand(Unsqueeze(x, axis+1), repeated...), merged...))
}

// MoveAxis moves one axis to another position and keeps the order of the others.
func MoveAxis(x *graph.Node, from, to int) *graph.Node {
	defer building("MoveAxis", x, from, to)()
	if !hasAxis(x, from) || !hasAxis(x, to) {
		return Transpose(x, from, to) // its own mistake
	}
	at := countedFromZero([]int{from, to}, x.Rank())
	perm := make([]int, 0, x.Rank())
	for axis := range x.Rank() {
		if axis != at[0] {
			perm = append(perm, axis)
		}
	}
	return Permute(x, slices.Insert(perm, at[1], at[0])...)
}

// Flatten merges the axes from first to last, both included, into one. A scalar becomes a vector of one element.
func Flatten(x *graph.Node, first, last int) *graph.Node {
	defer building("Flatten", x, first, last)()
	switch {
	case x == nil || !x.Judged():
		return Reshape(x, -1) // its own mistake
	case x.Rank() == 0 && first >= -1 && first <= 0 && last >= -1 && last <= 0:
		return Reshape(x, 1)
	case !hasAxis(x, first) || !hasAxis(x, last):
		return Transpose(x, first, last) // its own mistake
	}
	at := countedFromZero([]int{first, last}, x.Rank())
	if at[0] > at[1] {
		return refusal(refused("Flatten", x).with(first, last),
			&graph.Mistake{Code: graph.CodeAxis,
				Summary: "flatten() has invalid args: start_dim cannot come after end_dim"})
	}
	merged := x.Shape()[at[0] : at[1]+1].NumElements()
	return Reshape(x, slices.Replace(slices.Clone(x.Shape()), at[0], at[1]+1, merged)...)
}

// Unflatten splits one axis into several of the given sizes, whose product is the axis's size. One size may be -1; it
// is inferred from the others.
func Unflatten(x *graph.Node, axis int, sizes ...graph.Dim) *graph.Node {
	defer building("Unflatten", append([]any{x, axis}, shapeWords(sizes)...)...)()
	if !hasAxis(x, axis) {
		return Transpose(x, axis, axis) // its own mistake
	}
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	size, known, hole := x.Shape()[axis], graph.Dim(1), -1
	into := slices.Clone(sizes)
	for i, d := range sizes {
		if d == -1 && hole < 0 {
			hole = i
		} else {
			known = known.Times(d)
		}
	}
	need := graph.Requirement{Kind: graph.MustEqual, A: size, B: known, Why: "the sizes of an unflattened axis"}
	if hole >= 0 {
		need.Kind = graph.MustBeMultipleOf
		need.A, need.B = size.Divisibility(known)
		into[hole] = size.DividedBy(known)
	}
	p := prove.NewProver(x.Graph().Bounds)
	text := fmt.Sprintf("unflatten: Provided sizes %s don't multiply up to the size of dim %d (%s) in the input tensor",
		graph.Shape(sizes), axis, size)
	if len(sizes) == 0 || known == 0 && hole >= 0 || p.Judge(need) == prove.Refused {
		return refusal(refused("Unflatten", x).with(append([]any{axis}, shapeWords(sizes)...)...),
			&graph.Mistake{Code: graph.CodeReshape, Summary: text,
				Operands: []graph.OperandNote{{Node: x, Bad: []int{axis}}}})
	}
	out := Reshape(x, slices.Replace(slices.Clone(x.Shape()), axis, axis+1, into...)...)
	if out.Judged() { // also where another axis has no elements, and a reshape asks for nothing
		requireSizes(out, need, text)
	}
	if hole >= 0 && out.Judged() {
		requireSizes(out, graph.Requirement{Kind: graph.MustBeAtLeast, A: known, B: 1,
			Why: "the size -1 of an unflattened axis is found by division"}, text)
	}
	return out
}

// MaskedFill returns value where the mask is true, and x elsewhere, in x's dtype. x and the mask broadcast.
func MaskedFill(x, mask, value *graph.Node) *graph.Node {
	defer building("MaskedFill", x, mask, value)()
	if mask != nil && mask.Judged() && mask.DType() != graph.Bool {
		return refusal(refused("MaskedFill", x, mask, value), &graph.Mistake{
			Code: graph.CodeDType, Casts: cast(mask, graph.Bool),
			Summary: "masked_fill_ only supports boolean masks, but got mask with dtype " + mask.DType().CppName()})
	}
	if x != nil && value != nil && x.Judged() && value.Judged() && x.Graph() != nil {
		value = x.Graph().Convert(value, x.DType())
	}
	return Where(mask, value, x)
}

// OneHot returns, for integers [...], vectors [..., classes] of dtype t that are 1 at the integer's index and 0
// elsewhere. Integers that are not from 0 to classes - 1 give zeros.
func OneHot(index *graph.Node, classes graph.Dim, t graph.DType) *graph.Node {
	defer building("OneHot", index, classes, "graph."+t.GoName())()
	if index == nil || !index.Judged() {
		return Unsqueeze(index, -1) // its own mistake
	}
	if !index.DType().IsInt() {
		return refusal(refused("OneHot", index), &graph.Mistake{Code: graph.CodeDType, Casts: cast(index, graph.Int64),
			Summary: "one_hot is only applicable to index tensor, and " + index.Called() + " has dtype " +
				index.DType().String()})
	}
	index = Cast(index, graph.Int64)
	shape := append(slices.Repeat([]graph.Dim{1}, index.Rank()), classes)
	hit := Equal(Unsqueeze(index, -1), Iota(index.Graph(), -1, shape...))
	return Cast(hit.Silence(graph.CodeMutualExpand), t)
}

// MultiHot returns, for integers [..., k], vectors [..., classes] of dtype t that are 1 at each of the k indices and
// 0 elsewhere. Repeated indices count once. Integers that are not from 0 to classes - 1 are ignored; use them as
// padding. It is keras.ops.multi_hot.
func MultiHot(index *graph.Node, classes graph.Dim, t graph.DType) *graph.Node {
	defer building("MultiHot", index, classes, "graph."+t.GoName())()
	if index != nil && index.Judged() && index.Rank() == 0 {
		return refused("MultiHot", index).wrong(
			graph.CodeRank, "the integers must be along the last axis, but %s is a scalar", index.Called())
	}
	hot := OneHot(index, classes, graph.Bool)
	if hot.Err() != nil || !hot.Judged() {
		return hot
	}
	return Cast(Any(hot, -2), t)
}

// Outer returns the outer product of two vectors, [n, m] for [n] and [m].
func Outer(x, y *graph.Node) *graph.Node {
	defer building("Outer", x, y)()
	return Mul(Unsqueeze(x, 1), Unsqueeze(y, 0)).Silence(graph.CodeMutualExpand)
}

// IsNaN reports where x is NaN.
func IsNaN(x *graph.Node) *graph.Node {
	defer building("IsNaN", x)()
	return NotEqual(x, x)
}

// IsInf reports where x is infinite.
func IsInf(x *graph.Node) *graph.Node {
	defer building("IsInf", x)()
	return Equal(magnitude(x), num(inf))
}

// IsFinite reports where x is neither infinite nor NaN.
func IsFinite(x *graph.Node) *graph.Node {
	defer building("IsFinite", x)()
	return Less(magnitude(x), num(inf))
}

// magnitude is Abs, and of truth values, which Abs refuses, x.
func magnitude(x node) node {
	if x != nil && x.Judged() && x.DType() == graph.Bool {
		return x
	}
	return Abs(x)
}

func init() {
	composed("Flatten", "axes made one.",
		named("numpy.reshape, numpy.ravel", "torch.flatten, torch.ravel",
			"jax.numpy.reshape, jax.numpy.ravel, jax.lax.collapse", "Flatten", "",
			func(e *graph.Example) node { return Flatten(e.Of("x", "n", "k", "m"), 1, -1) }))
	composed("IsFinite", "whether x is neither infinite nor NaN.",
		named("numpy.isfinite", "torch.isfinite", "jax.numpy.isfinite, jax.lax.is_finite", "", "",
			func(e *graph.Example) node { return IsFinite(e.Of("x", "n")) }))
	composed("IsInf", "whether x is infinite.",
		named("numpy.isinf", "torch.isinf", "jax.numpy.isinf", "IsInf", "",
			func(e *graph.Example) node { return IsInf(e.Of("x", "n")) }))
	composed("IsNaN", "whether x is NaN.",
		named("numpy.isnan", "torch.isnan", "jax.numpy.isnan", "IsNaN", "",
			func(e *graph.Example) node { return IsNaN(e.Of("x", "n")) }))
	composed("MaskedFill", "value where the mask holds, else x.",
		named("", "torch.masked_fill", "", "", "",
			func(e *graph.Example) node { return MaskedFill(e.Of("x", "n"), e.As(graph.Bool, "mask", "n"), num(0)) }))
	composed("MoveAxis", "an axis moved to another place.",
		named("numpy.moveaxis, numpy.rollaxis", "torch.movedim", "jax.numpy.moveaxis, jax.numpy.rollaxis", "", "",
			func(e *graph.Example) node { return MoveAxis(e.Of("x", "n", "k", "m"), 0, -1) }))
	composed("Narrow", "a part of an axis.",
		named("", "torch.narrow", "jax.lax.dynamic_slice_in_dim", "Slice", "",
			func(e *graph.Example) node { return Narrow(e.Of("x", "8", "k"), 0, 2, 3) }))
	composed("MultiHot", "1 at all of several indices and 0 elsewhere.",
		flat("its operand is of integers", "", "", "", "", "",
			func(e *graph.Example) node {
				return MultiHot(e.As(graph.Int64, "index", "n", "4"), e.Shape("k")[0], graph.Float32)
			}))
	composed("OneHot", "1 at the index and 0 elsewhere.",
		named("", "torch.nn.functional.one_hot", "jax.nn.one_hot", "OneHot", "",
			func(e *graph.Example) node { return OneHot(e.Of("index", "n"), e.Shape("k")[0], graph.Float32) }))
	composed("Outer", "products of every element of x with every one of y.",
		named("numpy.outer", "torch.outer, torch.ger", "jax.numpy.outer, jax.numpy.linalg.outer", "", "OuterProd",
			func(e *graph.Example) node { return Outer(e.Of("x", "n"), e.Of("y", "m")) }))
	composed("RepeatInterleave", "each element several times.",
		named("numpy.repeat", "torch.repeat_interleave", "jax.numpy.repeat", "", "",
			func(e *graph.Example) node { return RepeatInterleave(e.Of("x", "n", "k"), 1, 3) }))
	composed("Roll", "an axis turned in a circle.",
		named("numpy.roll", "torch.roll", "jax.numpy.roll", "", "",
			func(e *graph.Example) node { return Roll(e.Of("x", "8", "k"), 0, 2) }))
	composed("Tile", "the whole repeated along each axis.",
		named("numpy.tile", "torch.tile", "jax.numpy.tile", "Tile", "",
			func(e *graph.Example) node { return Tile(e.Of("x", "n", "k"), 2, 3) }))
	composed("Unflatten", "one axis made several.",
		named("", "torch.unflatten", "", "", "",
			func(e *graph.Example) node { return Unflatten(e.Of("x", "n", "6"), 1, 2, 3) }))
}
