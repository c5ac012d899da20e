package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// The functions here take an axis apart, into parts or single elements.

// Unbind returns the slices of x at each index of an axis, without that axis. Their number must follow from the
// declarations: the size must be a number, or [graph.Exactly] one.
func Unbind(x *graph.Node, axis int) []*graph.Node {
	defer building("Unbind", x, axis)()
	call := refused("Unbind", x).with(axis)
	size, bad := axisSize(call, x, axis, "")
	if bad != nil {
		return []*graph.Node{bad}
	}
	_, n, bad := counted(call, x, axis, size, 1, func() string {
		return "use Select for one element or Slice for several; all operations also take the whole value"
	})
	if bad == nil {
		bad = tooMany(call, n)
	}
	if bad != nil {
		return []*graph.Node{bad}
	}
	parts := make([]*graph.Node, n)
	for i := range parts {
		parts[i] = Select(x, axis, graph.Dim(i))
	}
	return parts
}

// Split cuts an axis into parts of the given size; the last one may be smaller. The number of parts must be known
// when the graph is built: the size of the axis must be a number, [graph.Exactly] one, or within bounds that all give
// the same number of parts, such as 7 to 9 for parts of 3. For an axis of any size, [Chunk] cuts it into a given
// number of parts, [SplitSizes] into parts of any sizes, and [Unflatten] with -1 makes an axis of the parts.
func Split(x *graph.Node, axis, size int) []*graph.Node {
	defer building("Split", x, axis, size)()
	call, problem := refused("Split", x).with(axis, size), ""
	if size < 0 {
		problem = fmt.Sprintf("split expects split_size be non-negative, but got split_size=%d", size)
	}
	whole, bad := cutAxis(call, x, axis, problem)
	if bad != nil {
		return []*graph.Node{bad}
	}
	whole, count, bad := counted(call, x, axis, whole, max(size, 1), func() string { return splitHelp(x, axis, size) })
	switch {
	case bad != nil:
		return []*graph.Node{bad}
	case size == 0 && whole != 0:
		return []*graph.Node{refusal(call, &graph.Mistake{Code: graph.CodeSlice,
			Summary: fmt.Sprintf("split_size can only be 0 if dimension size is 0, but got dimension size of %s",
				whole)})}
	}
	if bad = tooMany(call, count); bad != nil {
		return []*graph.Node{bad}
	}
	sizes := slices.Repeat([]graph.Dim{graph.Dim(size)}, max(count, 1))
	last := len(sizes) - 1
	sizes[last] = whole.Minus(graph.Dim(size).Times(graph.Dim(last)))
	return cut(x, axis, sizes)
}

// splitHelp says how an axis is cut whose number of parts is not known.
func splitHelp(x node, axis, size int) string {
	help := "Chunk cuts an axis of any size into a number of parts, and SplitSizes into parts of given sizes"
	need := graph.Requirement{Kind: graph.MustBeMultipleOf, A: x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]],
		B: graph.Dim(size)}
	if size < 1 || prove.NewProver(x.Graph().Bounds).Judge(need) == prove.Refused {
		return help
	}
	return fmt.Sprintf("Unflatten(%s, %d, -1, %d) makes an axis of the parts, for all of them at once; ", x.Called(),
		axis, size) + help
}

// Chunk cuts an axis into at most n parts of one size, rounded up; the last one may be smaller. An axis of named size
// is cut into exactly n parts, none of which may be empty unless the axis is. After a mistake it returns n invalid
// nodes.
func Chunk(x *graph.Node, axis, n int) []*graph.Node {
	defer building("Chunk", x, axis, n)()
	call := refused("Chunk", x).with(axis, n)
	size, bad := cutAxis(call, x, axis, chunkProblem(n))
	if bad == nil {
		bad = tooMany(call, n)
	}
	if count, whole := size.Int(); bad == nil && whole && count > 0 {
		return Split(x, axis, int((count-1)/int64(n)+1)) // rounded up without overflow
	}
	if bad != nil {
		return slices.Repeat([]*graph.Node{bad}, min(max(n, 1), maxParts))
	}
	part := x.Graph().Settled(size.CeilDiv(int64(n)))
	sizes := slices.Repeat([]graph.Dim{part}, n)
	sizes[n-1] = size.Minus(part.Times(graph.Dim(n - 1)))
	parts := cut(x, axis, sizes)
	if sizes[n-1] != part {
		requireSizes(parts[n-1], graph.Requirement{
			Kind: graph.MustBeAtLeast, A: sizes[n-1], B: graph.MinDim(size, 1), Why: "no part of a chunk is empty"},
			fmt.Sprintf("chunk: an axis of %s elements gives fewer than %d parts", size, n))
	}
	return parts
}

func chunkProblem(n int) string {
	if n < 1 {
		return fmt.Sprintf("chunk expects `chunks` to be greater than 0, got: %d", n)
	}
	return ""
}

// SplitSizes cuts an axis into parts of the given sizes, whose sum must be the axis's size. After a mistake it
// returns as many invalid nodes.
func SplitSizes(x *graph.Node, axis int, sizes ...graph.Dim) []*graph.Node {
	defer building("SplitSizes", append([]any{x, axis}, shapeWords(sizes)...)...)()
	call, problem, sum := refused("SplitSizes", x).with(append([]any{axis}, shapeWords(sizes)...)...), "", graph.Dim(0)
	for _, d := range sizes {
		if sum = sum.Plus(d); d.IsConst() && d < 0 {
			problem = fmt.Sprintf(
				"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%s",
				graph.Shape(sizes))
		}
	}
	size, bad := cutAxis(call, x, axis, problem)
	need := graph.Requirement{Kind: graph.MustEqual, A: sum, B: size, Why: "the parts of a split make up the axis"}
	text := fmt.Sprintf(
		"split_with_sizes expects split_sizes to sum exactly to %s (input tensor's size at dimension %d), but got split_sizes=%s",
		size, axis, graph.Shape(sizes))
	if bad == nil && (len(sizes) == 0 || prove.NewProver(x.Graph().Bounds).Judge(need) == prove.Refused) {
		bad = refusal(call, &graph.Mistake{Code: graph.CodeSlice, Summary: text,
			Operands: []graph.OperandNote{{Node: x}}})
	}
	if bad != nil {
		return slices.Repeat([]*graph.Node{bad}, max(len(sizes), 1))
	}
	parts := cut(x, axis, sizes)
	for _, part := range parts { // a program may have some of them alone
		requireSizes(part, need, text)
	}
	return parts
}

// cut takes parts of an axis, one behind the other.
func cut(x node, axis int, sizes []graph.Dim) (parts []*graph.Node) {
	at := graph.Dim(0)
	for _, d := range sizes {
		end := x.Graph().Settled(at.Plus(d))
		parts = append(parts, Slice(x, axis, at, end, 1))
		at = end
	}
	return parts
}

// requireSizes judges what sizes must be for a node to be right.
func requireSizes(n node, need graph.Requirement, text string) {
	if need.Kind == graph.MustBeMultipleOf && n.Graph().IsMultiple(need.A, need.B) {
		return
	}
	switch prove.NewProver(n.Graph().Bounds).Judge(need) {
	case prove.Refused:
		n.Refuse(&graph.Mistake{Code: graph.CodeSlice, Summary: text})
	case prove.Deferred:
		n.Require(need)
	}
}

// lesserSize is the lesser of two sizes: one of them where the declarations tell which.
func lesserSize(g *graph.Graph, a, b graph.Dim) graph.Dim {
	p := prove.NewProver(g.Bounds)
	switch {
	case p.Judge(graph.Requirement{Kind: graph.MustBeAtLeast, A: b, B: a}) == prove.Proved:
		return a
	case p.Judge(graph.Requirement{Kind: graph.MustBeAtLeast, A: a, B: b}) == prove.Proved:
		return b
	}
	return graph.MinDim(a, b)
}

// requireMultiple requires that a size is a multiple of another one.
func requireMultiple(n node, size, of graph.Dim, why, text string) {
	need := graph.Requirement{Kind: graph.MustBeMultipleOf, Why: why}
	need.A, need.B = size.Divisibility(of)
	requireSizes(n, need, text)
}

// scalarAxis is the mistake of an axis of a scalar where there must be one.
func scalarAxis(axis int) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeAxis,
		Summary: fmt.Sprintf("Dimension specified as %d but tensor has no dimensions", axis)}
}

// maxParts bounds the nodes that one call makes of an axis.
const maxParts = 1 << 20

// tooMany refuses to take an axis apart into more nodes than any program has; nil where
// there are fewer.
func tooMany(call refusedCall, parts int) node {
	if parts <= maxParts {
		return nil
	}
	return refusal(call,
		&graph.Mistake{Code: graph.CodeSlice,
			Summary: fmt.Sprintf("%d parts would each be a node of the graph: at most %d are made", parts, maxParts),
			Help:    []string{"work on the whole value, or use Slice and Select"}})
}

// counted returns how many parts of a size an axis of some size has, and that size as a number if it is one, or the
// refusal: help is the advice for a number of parts that is not the same for all sizes.
func counted(call refusedCall, x node, axis int, size graph.Dim, part int, help func() string) (whole graph.Dim,
	parts int, bad node) {
	bounds := x.Graph().Bounds
	if n, err := size.Eval(func(name string) (int64, bool) {
		b := bounds(name)
		return b.Min, b.Max > 0 && b.Min == b.Max
	}); err == nil {
		size = graph.Dim(n)
	}
	count := size.CeilDiv(int64(part))
	n, err := count.Eval(func(name string) (int64, bool) { return bounds(name).Least(), true })
	if err == nil && prove.NewProver(bounds).Equal(count, graph.Dim(n)) == prove.Proved {
		return size, int(n), nil
	}
	m := &graph.Mistake{Code: graph.CodeSlice,
		Operands: []graph.OperandNote{{Node: x, Bad: countedFromZero([]int{axis}, x.Rank())}}, Help: []string{help()},
		Summary: fmt.Sprintf("the number of results of %s must be known when the graph is built, but axis %d gives %s",
			call.fn, axis, count)}
	if names := size.Symbols(); len(names) == 1 {
		m.Help = append(m.Help,
			fmt.Sprintf("if %s is always the same number, declare it: g.Dim(%q, graph.Exactly(…))", names[0], names[0]))
	}
	return 0, 0, refusal(call, m)
}

// cutAxis is [axisSize] for functions that refuse a scalar before all else.
func cutAxis(call refusedCall, x node, axis int, problem string) (size graph.Dim, bad node) {
	if x != nil && x.Judged() && x.Rank() == 0 {
		return 0,
			refusal(call, &graph.Mistake{Code: graph.CodeRank,
				Summary: strings.ToLower(call.fn) + " expects at least a 1-dimensional tensor"})
	}
	return axisSize(call, x, axis, problem)
}

// axisSize returns the size of an axis that a function splits, or the refusal. A problem with the function's other
// arguments comes before one with the axis.
func axisSize(call refusedCall, x node, axis int, problem string) (size graph.Dim, bad node) {
	if x == nil || !x.Judged() {
		return 0, Slice(x, axis, 0, End, 1) // its own mistake
	}
	switch {
	case problem != "":
		return 0, refusal(call, &graph.Mistake{Code: graph.CodeSlice, Summary: problem})
	case x.Rank() == 0 && (axis == 0 || axis == -1):
		return 0, refusal(call, scalarAxis(axis))
	case !hasAxis(x, axis):
		return 0, Squeeze(x, axis) // its own mistake
	}
	if size = x.Shape()[countedFromZero([]int{axis}, x.Rank())[0]]; size.IsUnknown() {
		return 0, refusal(call, nil) // x's own mistake has been reported
	}
	return size, nil
}

func init() {
	composed("Chunk", "the axis split into the given number of pieces.",
		named("", "torch.chunk", "", "Split", "",
			func(e *graph.Example) node { return e.Several(Chunk(e.Of("x", "8", "k"), 0, 2)...) }))
	composed("Split", "the axis cut into pieces of one size.",
		named("numpy.split", "torch.split, torch.split_with_sizes", "jax.numpy.split", "Split", "",
			func(e *graph.Example) node { return e.Several(Split(e.Of("x", "8", "k"), 0, 3)...) }))
	composed("SplitSizes", "the axis cut into pieces of given sizes.",
		named("numpy.split", "torch.split, torch.split_with_sizes", "jax.numpy.split", "Split", "",
			func(e *graph.Example) node { return e.Several(SplitSizes(e.Of("x", "8", "k"), 0, 3, 5)...) }))
	composed("Unbind", "the parts at each position of an axis.",
		named("", "torch.unbind", "jax.numpy.unstack", "", "",
			func(e *graph.Example) node { return e.Several(Unbind(e.Of("x", "3", "k"), 0)...) }))
}
