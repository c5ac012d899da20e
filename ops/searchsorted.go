package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSearchSorted *graph.Op

// SearchAttrs are the fixed arguments of SearchSorted and Bucketize. Right inserts a value after equal ones.
type SearchAttrs struct{ Right bool }

// IsRight reports whether a value is inserted after equal ones.
func (a SearchAttrs) IsRight() bool { return a.Right }

// Args writes the arguments as in a call.
func (a SearchAttrs) Args(operands []string) []string { return after(operands, a.Right) }

func init() {
	opSearchSorted = define(graph.Op{
		Name: "searchsorted", Func: "SearchSorted",
		Doc:   "the place in a sorted sequence, of the last axis, before which a value keeps the order.",
		Class: graph.Function, MinIn: 2, MaxIn: 2, Promote: toOrdered, Function: searchSorted, Grad: noGradient,
		Batch: batchSearch,
		Core: func(n *graph.Node) ([]int, int) {
			if n.In(0).Rank() == 1 { // one sequence for all values
				return []int{1, n.Rank()}, n.Rank()
			}
			return []int{1, 1}, 1
		},
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return graph.Int64, rules.SearchSorted(c) },
	})
	opSearchSorted.Ref = flat(flatBetweenJumps, "numpy.searchsorted", "torch.searchsorted", "jax.numpy.searchsorted",
		"", "",
		func(e *graph.Example) node { return SearchSorted(e.Of("sorted", "n"), e.Of("values", "k", "m"), false) })
	opSearchSorted.Ref.Cost = "log n comparisons for each value, in a sequence of n"
	composed("Bucketize", "the number of sorted boundaries below each element.",
		flat(flatBetweenJumps, "numpy.digitize", "torch.bucketize", "jax.numpy.digitize", "", "",
			func(e *graph.Example) node { return Bucketize(e.Of("x", "k", "m"), e.Of("boundaries", "n"), false) }))
}

// batchSearch is the rule of SearchSorted for all examples: a sequence of each of them is one for each row of its
// values.
func batchSearch(n node, in []node, mapped []bool) node {
	if n.In(0).Rank() == 1 && mapped[0] {
		values := inAll(in, mapped)[1]
		rows := values.Shape()[:max(values.Rank()-1, 1)]
		if n.In(1).Rank() == 0 {
			in[1] = Unsqueeze(values, 1)
		}
		in[0] = Expand(afterBatch(in[0], len(rows)), slices.Concat(rows, n.In(0).Shape())...)
		return Reshape(graph.Apply(n.Op(), n.Attrs(), in...), values.Shape()...)
	}
	if n.In(0).Rank() == 1 {
		return graph.Apply(n.Op(), n.Attrs(), in...)
	}
	return onLastAxes(n, in, mapped)
}

// toOrdered converts operands to a dtype that holds them all, and has an order.
func toOrdered(types []graph.DType, ranks []graph.OperandRank) []graph.DType {
	to := ToCommonType(types, ranks)
	if to[0] == graph.Bool {
		return repeat(graph.Int32, len(types))
	}
	return to
}

// SearchSorted returns, for each of the values, the index, Int64, at which it would be inserted into a sorted
// sequence: before equal elements, or with right after them. sorted is a vector, or has the values' shape except for
// its last axis, along which it is sorted. It is not checked to be sorted. NaN is greater than any number.
func SearchSorted(sorted, values *graph.Node, right bool) *graph.Node {
	return Apply(opSearchSorted, SearchAttrs{right}, sorted, values)
}

// Bucketize returns, for each element of x, the number, Int64, of boundaries that are less than it, or with right
// that are not greater. boundaries is a vector in ascending order; this is not checked.
func Bucketize(x, boundaries *graph.Node, right bool) *graph.Node {
	defer graph.BeginCall("Bucketize", SearchAttrs{right}, x, boundaries)()
	if boundaries != nil && boundaries.Judged() && boundaries.Rank() != 1 {
		return refusal(refused("Bucketize", x, boundaries).with(right), &graph.Mistake{Code: graph.CodeRank,
			Summary: "boundaries tensor must be 1 dimension, and " + boundaries.Called() + " has shape " +
				boundaries.Shape().String()})
	}
	return SearchSorted(boundaries, x, right)
}

// searchSorted is the function of opSearchSorted.
func searchSorted(a *graph.Arrays) error {
	right, out := a.Attrs.(SearchAttrs).Right, graph.Elements[int64](a.Out)
	switch sorted, values := a.In[0], a.In[1]; sorted.DType {
	case graph.Int32:
		searchEach(a, out, graph.Elements[int32](sorted), graph.Elements[int32](values), right)
	case graph.Int64:
		searchEach(a, out, graph.Elements[int64](sorted), graph.Elements[int64](values), right)
	case graph.Uint64:
		searchEach(a, out, graph.Elements[uint64](sorted), graph.Elements[uint64](values), right)
	case graph.Float32:
		searchEach(a, out, graph.Elements[float32](sorted), graph.Elements[float32](values), right)
	case graph.Float64:
		searchEach(a, out, graph.Elements[float64](sorted), graph.Elements[float64](values), right)
	}
	return nil
}

// searchedTogether is how many values are looked for at a time: none waits for what another one is compared with.
const searchedTogether = 8

// searchable are the types of elements that are looked for.
type searchable interface {
	int32 | int64 | uint64 | float32 | float64
}

// searchEach halves as PyTorch does: what cannot be compared with NaN lies before it.
func searchEach[T searchable](a *graph.Arrays, out []int64, sorted, values []T, right bool) {
	// After a step at least one less than half of the places are left: so many steps all searches make.
	steps := 0
	for left := len(sorted); left > 0; left = (left - 1) / 2 {
		steps++
	}
	for ; len(values) >= searchedTogether; out, values = out[searchedTogether:], values[searchedTogether:] {
		a.Poll(searchedTogether * steps)
		searchTogether((*[searchedTogether]int64)(out), sorted, (*[searchedTogether]T)(values), steps, right)
	}
	for i, v := range values {
		out[i] = int64(searchBetween(sorted, v, 0, len(sorted), right))
	}
}

// searchTogether looks for some values. The steps that all make have no branch that depends on elements, which would be
// foreseen half of the time.
func searchTogether[T searchable](out *[searchedTogether]int64, sorted []T, values *[searchedTogether]T, steps int,
	right bool) {
	var low, high [searchedTogether]int
	for i := range high {
		high[i] = len(sorted)
	}
	for range steps {
		if right {
			for i := range low {
				mid := int(uint(low[i]+high[i]) / 2)
				low[i], high[i] = halved(low[i], high[i], mid, whether(!(sorted[mid] > values[i])))
			}
			continue
		}
		for i := range low {
			mid := int(uint(low[i]+high[i]) / 2)
			low[i], high[i] = halved(low[i], high[i], mid, whether(!(sorted[mid] >= values[i])))
		}
	}
	for i, v := range values {
		out[i] = int64(searchBetween(sorted, v, low[i], high[i], right))
	}
}

// whether is 1 for true, without a branch.
func whether(b bool) int {
	var one int
	if b {
		one = 1
	}
	return one
}

// halved is the half of an interval behind its middle if behind is 1, and that before the middle if it is 0.
func halved(low, high, middle, behind int) (newLow, newHigh int) {
	return low + (middle+1-low)&-behind, high + (middle-high)&(behind-1)
}

func searchBetween[T searchable](sorted []T, v T, low, high int, right bool) int {
	for low < high {
		mid := low + (high-low)/2
		if right && !(sorted[mid] > v) || !right && !(sorted[mid] >= v) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
