package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// dimensional picks the operation for windows over so many axes, or refuses their number.
func dimensional(call refusedCall, axes int, ops ...*graph.Op) (op *graph.Op, bad node) {
	if bad := notTensors(call); bad != nil {
		return nil, bad
	}
	if axes < 1 || axes > len(ops) {
		return nil, refusal(
			call, &graph.Mistake{Code: graph.CodeWindow,
				Summary: fmt.Sprintf("pooling needs a kernel of 1 to 3 sizes, but got %d", axes)})
	}
	return ops[axes-1], nil
}

// poolWords are the arguments of a pooling function as the user wrote them, but for what options have.
func poolWords(kernel []int, more ...any) []any { return append(more, fmt.Sprintf("%#v", kernel)) }

// MaxPoolIndex returns the greatest element of each window and its index, Int64 of the same shape. The kernel has 1
// to 3 sizes, with windows as in [MaxPool1D], [MaxPool2D] or [MaxPool3D]. The index counts in row-major order over
// x's spatial axes, without padding. The first of equal elements counts, or the last NaN. It is PyTorch's max_pool
// with return_indices.
func MaxPoolIndex(x *graph.Node, kernel []int, opts ...PoolOption) (values, indices *graph.Node) {
	words := poolWords(kernel)
	defer building("MaxPoolIndex", append([]any{x}, words...)...)()
	op, bad := dimensional(refused("MaxPoolIndex", x).with(words...), len(kernel), opMaxPool1D, opMaxPool2D,
		opMaxPool3D)
	if bad != nil {
		return bad, bad
	}
	values = pool(op, x, kernel, opts)
	if values.Err() != nil || !values.Judged() {
		return values, values
	}
	lead, lowest := x.Rank()-len(kernel), lowest(x.DType())
	if count := product(kernel); count <= mostCompared {
		windows, _ := poolWindows(values, StopGradient(x), lowest)
		return values, placeOfGreatest(values, x, windows)
	}
	places := slices.Repeat([]graph.Dim{1}, x.Rank())
	copy(places[lead:], x.Shape()[lead:])
	sizes := x.Shape()[lead:]
	place := Reshape(Iota(x.Graph(), 0, sizes.NumElements()), places...)
	windows, _ := poolWindows(values, x, lowest)
	place, _ = poolWindows(values, place, -1)
	return values, indexOfGreatest(windows, place, poolAxes(values, x))
}

// mostCompared bounds the elements of a window that are compared one by one.
const mostCompared = 64

func product(list []int) int {
	all := 1
	for _, v := range list {
		all *= min(v, mostCompared+1)
	}
	return all
}

// placeOfGreatest compares the elements of a window one by one, in their order: one that is greater wins, and each NaN.
func placeOfGreatest(values, x, windows node) node {
	a, g := values.Attrs().(PoolAttrs), x.Graph()
	axes := len(a.Kernel)
	lead := x.Rank() - axes
	steps := rowMajorSteps(x.Shape()[lead:])
	away := distanceOfGreatest(values, x, windows, steps)
	begin, inside := num64(0), num64(0)
	var isOutside node
	for i, p := range a.Padding {
		shape := slices.Repeat([]graph.Dim{1}, axes)
		shape[i] = values.Shape()[lead+i]
		start := Sub(Mul(Iota(g, i, shape...), num64(int64(a.Stride[i]))), num64(int64(p)))
		step, dilation := Size(g, graph.Int64, steps[i]), num64(int64(a.Dilation[i]))
		begin = Add(Mul(start, step), begin).Silence(graph.CodeMutualExpand)
		if p == 0 {
			inside = Add(Mul(start, step), inside).Silence(graph.CodeMutualExpand)
			continue
		}
		first := Add(start, Mul(FloorDiv(Add(Maximum(Neg(start), num64(0)), num64(int64(a.Dilation[i]-1))), dilation),
			dilation))
		inside = Add(Mul(first, step), inside).Silence(graph.CodeMutualExpand)
		if before := Less(start, num64(0)); isOutside == nil {
			isOutside = before
		} else {
			isOutside = Or(isOutside, before).Silence(graph.CodeMutualExpand)
		}
	}
	place := Add(Cast(away, graph.Int64), begin)
	if isOutside == nil {
		return place
	}
	isFirst := And(Equal(away, graph.Num(0)), isOutside) // nothing is above the padding, which is no element
	return Where(isFirst, inside, place)
}

// distanceOfGreatest returns how far the greatest element of each window is from the window's first one in x, given the
// distances between elements along each axis.
func distanceOfGreatest(values, x, windows node, steps []graph.Dim) node {
	a, g := values.Attrs().(PoolAttrs), x.Graph()
	t := graph.Int64
	if count, known := x.Shape()[x.Rank()-len(steps):].NumElements().Int(); known && count < 1<<31 {
		t = graph.Int32
	}
	var best, away node
	for _, at := range indices(a.Kernel) {
		element, distance := windows, graph.Dim(0)
		for i, k := range at {
			element = Select(element, x.Rank()-1, graph.Dim(k))
			distance = distance.Plus(steps[i].Times(graph.Dim(k * a.Dilation[i])))
		}
		if best == nil {
			best, away = element, Full(g, t, 0, values.Shape()...)
			continue
		}
		wins := Greater(element, best)
		if x.DType().IsFloat() {
			wins = Or(wins, NotEqual(element, element))
		}
		best, away = Where(wins, element, best), Where(wins, Size(g, t, distance), away)
	}
	return away
}

// indices lists the indices of an array of some sizes, in row-major order.
func indices(sizes []int) (list [][]int) {
	list = [][]int{nil}
	for _, n := range sizes {
		var longer [][]int
		for _, at := range list {
			for i := range n {
				longer = append(longer, append(slices.Clone(at), i))
			}
		}
		list = longer
	}
	return list
}

// indexOfGreatest returns the position of the greatest element of each window, whose elements are along axes: place has
// that of each element, or -1 for padding. The first of equal elements counts, or the last NaN.
func indexOfGreatest(windows, place node, axes []int) node {
	most := Apply(opMaxFirst, ReduceAttrs{Axes: axes, KeepDims: true}, windows)
	rank := firstOrLastNaN(windows, And(Equal(windows, most), GreaterEqual(place, num64(0))), place,
		graph.Num(int64(math.MaxInt64)))
	rank = Apply(opMin, ReduceAttrs{Axes: axes}, rank)
	return Where(Less(rank, num64(0)), Sub(num64(-1), rank), rank)
}

// MaxUnpool writes the elements of x, [N, C, …] or [C, …], to the indices that [MaxPoolIndex] returns, and 0 elsewhere.
// The 1 to 3 spatial axes of the result have the given sizes. If an index is repeated, the last element is kept, and it
// alone gets the gradient. An index out of range stops the run. It is PyTorch's max_unpool1d, 2d and 3d.
func MaxUnpool(x, indices *graph.Node, sizes ...graph.Dim) *graph.Node {
	defer building("MaxUnpool", append([]any{x, indices}, shapeWords(sizes)...)...)()
	defer inFloat32(&x)()
	call := refused("MaxUnpool", x, indices).with(shapeWords(sizes)...)
	if _, bad := dimensional(call, len(sizes), nil, nil, nil); bad != nil {
		return bad
	}
	lead := x.Rank() - len(sizes)
	switch {
	case lead != 1 && lead != 2:
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("max_unpool: Expected %dD or %dD tensor, but %s has shape %s", len(sizes)+1,
				len(sizes)+2, x.Called(), x.Shape())})
	case indices.DType() != graph.Int64:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeDType, Casts: cast(indices, graph.Int64),
				Summary: "elements in indices should be type int64, and " + indices.Called() + " has dtype " +
					indices.DType().String()})
	case indices.Rank() != x.Rank():
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf(
				"Expected shape of indices to be same as that of the input tensor (%s) but got indices tensor with shape: %s",
				x.Shape(), indices.Shape())})
	}
	shape := append(slices.Clone(x.Shape()[:lead]), sizes...)
	flat := append(slices.Clone(x.Shape()[:lead]), graph.Shape(sizes).NumElements())
	zeros := Zeros(x.Graph(), x.DType(), flat...)
	return Reshape(Scatter(zeros, -1, Flatten(Expand(indices, x.Shape()...), lead, -1), Flatten(x, lead, -1)), shape...)
}

// LpPool returns (sum of x^p)^(1/p) over each window, for x [N, C, …] or [C, …] of floating-point numbers. The kernel
// has 1 to 3 sizes, with windows as in [MaxPool1D]. As in PyTorch's lp_pool1d, 2d and 3d, x^p is the power of x, not
// of |x|, a window that reaches past the end with [CeilMode] counts like a whole one, and the gradient of a sum of 0
// is 0.
func LpPool(x *graph.Node, p float64, kernel []int, opts ...PoolOption) *graph.Node {
	words := poolWords(kernel, p)
	defer building("LpPool", append([]any{x}, words...)...)()
	call := refused("LpPool", x).with(words...)
	op, bad := dimensional(call, len(kernel), opAvgPool1D, opAvgPool2D, opAvgPool3D)
	switch {
	case bad != nil:
		return bad
	case p == 0 || math.IsInf(p, 0) || math.IsNaN(p):
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf(
					"the power must be finite and not 0, but it is %v; MaxPool2D is the pooling of an infinite power",
					p)})
	}
	mean, count := pool(op, Pow(x, num(p)), kernel, opts), 1.0
	for _, k := range kernel {
		count *= float64(k)
	}
	sum := Mul(mean, num(count))
	none := Equal(sum, num(0))
	return Where(none, num(0), Pow(Where(none, num(1), sum), num(1/p)))
}

func init() {
	composed("MaxPoolIndex", "the greatest element of each window, and its index.",
		named(
			"",
			"torch.nn.functional.max_pool1d_with_indices, torch.nn.functional.max_pool2d_with_indices, torch.nn.functional.max_pool3d_with_indices",
			"", "MaxPool", "",
			func(e *graph.Example) node {
				return e.Several(MaxPoolIndex(e.Of("x", "n", "c", "8", "8"), []int{2, 2}))
			}))
	composed("MaxUnpool", "elements at their indices among zeros.",
		named(
			"", "torch.nn.functional.max_unpool1d, torch.nn.functional.max_unpool2d, torch.nn.functional.max_unpool3d",
			"", "MaxUnpool", "",
			func(e *graph.Example) node {
				return MaxUnpool(e.Of("x", "n", "c", "4", "4"), e.As(graph.Int64, "indices", "n", "c", "4", "4"), 8, 8)
			}))
	composed("LpPool", "(sum of x^p)^(1/p) of each window.",
		named("", "torch.nn.functional.lp_pool1d, torch.nn.functional.lp_pool2d, torch.nn.functional.lp_pool3d", "",
			"LpPool", "",
			func(e *graph.Example) node { return LpPool(e.Of("x", "n", "c", "8", "8"), 2, []int{2, 2}) }))
}
