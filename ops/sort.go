package ops

import (
	"cmp"
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opArgSort, opTopK, opOrder *graph.Op

// SortAttrs are the fixed arguments of ArgSort.
type SortAttrs struct {
	Axis       int
	Descending bool
}

// TopKAttrs are the fixed arguments of TopK: the number K of greatest elements along an axis, or of least ones.
type TopKAttrs struct {
	K     graph.Dim
	Axis  int
	Least bool
}

// Args writes the arguments as in a call.
func (a SortAttrs) Args(operands []string) []string { return after(operands, a.Axis, a.Descending) }

// Args writes the arguments as in a call.
func (a TopKAttrs) Args(operands []string) []string { return after(operands, a.K, a.Axis, !a.Least) }

// orderAttrs are the fixed arguments of opOrder: how many places it gives, and whether from the
// greatest element on.
type orderAttrs struct {
	Count      graph.Dim
	Descending bool
}

// IsDescending reports whether the greatest element comes first.
func (a orderAttrs) IsDescending() bool { return a.Descending }

func init() {
	opOrder = define(graph.Op{
		Name: "order", Func: "order",
		Doc:   "the places of the elements of the last axis in their order, the first ones of them.",
		Class: graph.Function, MinIn: 1, MaxIn: 1, Function: order, Grad: noGradient, Together: true,
		Core: func(*graph.Node) ([]int, int) { return []int{1}, 1 },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			s := slices.Clone(c.Shape(0))
			s[len(s)-1] = c.Attrs().(orderAttrs).Count
			return graph.Int64, s
		},
	})
	opArgSort = define(graph.Op{
		Name: "argsort", Func: "ArgSort",
		Doc:   "the places of the elements along an axis in rising or falling order; equal ones stay in order, NaN is the greatest.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1, Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			rules.Axis(c, c.Attrs().(SortAttrs).Axis, len(c.Shape(0)))
			return graph.Int64, c.Shape(0)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := n.Attrs().(SortAttrs)
			return alongLast(in[0], a.Axis, func(x node) node {
				return graph.Apply(opOrder, orderAttrs{lastSize(x), a.Descending}, x)
			})
		},
		Faster: func(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
			a := n.Attrs().(SortAttrs)
			return inShortOrder(in[0], a.Axis, n.Shape(), a.Descending)
		},
	})
	opTopK = define(graph.Op{
		Name: "topk", Func: "TopK",
		Doc:   "the k greatest elements along an axis, or the least, in their order, and their places; the first of equal ones comes first, NaN is the greatest.",
		Class: graph.Composite, MinIn: 1, MaxIn: 1, Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(TopKAttrs)
			return graph.Int64, rules.TopK(c, a.Axis, a.K)
		},
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			a := n.Attrs().(TopKAttrs)
			return alongLast(in[0], a.Axis, func(x node) node {
				return graph.Apply(opOrder, orderAttrs{a.K, !a.Least}, x)
			})
		},
		Faster: func(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
			a := n.Attrs().(TopKAttrs)
			return inShortOrder(in[0], a.Axis, n.Shape(), !a.Least)
		},
	})
	cost := "n·log n comparisons for n elements of the axis"
	opArgSort.Ref = flat(flatBetweenJumps, "numpy.argsort", "torch.argsort",
		"jax.numpy.argsort, jax.numpy.argpartition", "", "",
		func(e *graph.Example) node { return ArgSort(e.Of("x", "n", "k"), 1, false) })
	opTopK.Ref = named("", "torch.topk", "jax.lax.top_k", "TopK", "",
		func(e *graph.Example) node { return e.Several(TopK(e.Of("x", "n", "8"), 3, 1, true)) })
	opArgSort.Ref.Cost, opTopK.Ref.Cost = cost, cost
	composed(
		"Sort",
		"the elements along an axis in rising or falling order, and their places; equal ones stay in order, NaN is the greatest.",
		named("numpy.sort", "torch.sort, torch.msort", "jax.numpy.sort, jax.lax.sort", "", "",
			func(e *graph.Example) node { return e.Several(Sort(e.Of("x", "n", "k"), 1, false)) }))
	composed("KthValue", "the k-th least element along an axis, counted from 1, and its place; NaN is the greatest.",
		named("numpy.partition", "torch.kthvalue", "", "", "", func(e *graph.Example) node {
			return e.Several(KthValue(e.Of("x", "n", "8"), 2, 1))
		}))
}

// alongLast computes f, of the last axis, along another one.
func alongLast(x node, axis int, f func(x node) node) node {
	if x.Rank() == 0 {
		return Reshape(f(Reshape(x, 1)))
	}
	axis = countedFromZero([]int{axis}, x.Rank())[0]
	return MoveAxis(f(MoveAxis(x, axis, -1)), -1, axis)
}

// lastSize is the size of the last axis.
func lastSize(x node) graph.Dim { return x.Shape()[x.Rank()-1] }

// ArgSort returns the indices, Int64, that sort x along an axis in ascending or descending order. The sort is stable.
// NaN is greater than any number, as in PyTorch. x has any dtype.
func ArgSort(x *graph.Node, axis int, descending bool) *graph.Node {
	return Apply(opArgSort, SortAttrs{axis, descending}, x)
}

// Sort returns the elements of x sorted along an axis in ascending or descending order, and their indices as in
// [ArgSort]. Gradients flow to the elements' positions in x.
func Sort(x *graph.Node, axis int, descending bool) (values, indices *graph.Node) {
	defer graph.BeginCall("Sort", SortAttrs{axis, descending}, x)()
	indices = ArgSort(x, axis, descending)
	return Gather(x, axis, indices), indices
}

// TopK returns the k greatest elements of x along an axis in descending order, or the k least in ascending order, and
// their indices, Int64. Of equal elements the first comes first. NaN is greater than any number. k is at most the
// size of the axis.
func TopK(x *graph.Node, k graph.Dim, axis int, largest bool) (values, indices *graph.Node) {
	a := TopKAttrs{k, axis, !largest}
	defer graph.BeginCall("TopK", a, x)()
	indices = Apply(opTopK, a, x)
	return Gather(x, axis, indices), indices
}

// KthValue returns the k-th least element of x along an axis, counted from 1, and its index, Int64. The axis is
// removed. NaN is greater than any number.
func KthValue(x *graph.Node, k graph.Dim, axis int) (value, index *graph.Node) {
	defer graph.BeginCall("KthValue", TopKAttrs{k, axis, true}, x)()
	values, indices := TopK(x, k, axis, false)
	if values.Rank() == 0 || !values.Judged() {
		return values, indices
	}
	return Select(values, axis, k.Minus(1)), Select(indices, axis, k.Minus(1))
}

// order is the function of opOrder.
func order(a *graph.Arrays) error {
	descending := a.Attrs.(orderAttrs).Descending
	switch a.In[0].DType {
	case graph.Bool:
		orderEach(a, func(out []int64, x []bool) {
			orderKeys(a, out, x, descending, func(v bool) uint32 {
				if v {
					return 1
				}
				return 0
			})
		})
	case graph.Int32:
		orderEach(a, func(out []int64, x []int32) {
			orderKeys(a, out, x, descending, func(v int32) uint32 { return uint32(v) ^ 1<<31 })
		})
	case graph.Float32:
		orderEach(a, func(out []int64, x []float32) {
			if isFew(len(out), len(x)) {
				firstFloat32s(a, out, x, descending)
			} else {
				orderKeys(a, out, x, descending, rankOfFloat32)
			}
		})
	case graph.Int64:
		orderEach(a, func(out []int64, x []int64) { orderLong(a, out, x, descending, ranksOfInt64) })
	case graph.Uint64:
		orderEach(a, func(out []int64, x []uint64) { orderLong(a, out, x, descending, ranksOfUint64) })
	case graph.Float64:
		orderEach(a, func(out []int64, x []float64) { orderLong(a, out, x, descending, ranksOfFloat64) })
	}
	return nil
}

// orderEach has f find the first places in the order of each row.
func orderEach[T graph.Element](a *graph.Arrays, f func(out []int64, x []T)) {
	x, out := graph.Elements[T](a.In[0]), graph.Elements[int64](a.Out)
	n, k := a.In[0].Shape[len(a.In[0].Shape)-1], a.Out.Shape[len(a.Out.Shape)-1]
	for k > 0 && len(out) > 0 {
		a.Begin()
		a.Poll(n)
		f(out[:k], x[:n])
		x, out = x[n:], out[k:]
	}
}

// rankOfFloat32 returns a number that is in the order of v: zeros are equal, and NaN is the greatest.
func rankOfFloat32(v float32) uint32 {
	if v != v {
		return math.MaxUint32
	}
	bits := math.Float32bits(v + 0) // -0 + 0 is 0
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// orderKeys finds the first places in the order of elements of up to 32 bits: a rank and a place are one word.
func orderKeys[T any](a *graph.Arrays, out []int64, x []T, descending bool, rank func(T) uint32) {
	flip := uint32(0)
	if descending {
		flip = math.MaxUint32
	}
	key := func(i int, v T) uint64 { return uint64(rank(v)^flip)<<placeBits | uint64(uint32(i)) }
	if k := len(out); k <= mostInserted {
		least, i := make([]uint64, 0, mostInserted), 0
		for rest := x; len(rest) > 0; {
			for _, v := range nextPart(a, &rest) {
				least = inserted(least, key(i, v), k)
				i++
			}
		}
		placesOf(least, out)
		return
	}
	room := a.Words(2 * len(x))
	keys, spare := room[:len(x)], room[len(x):]
	for rest, i := x, 0; len(rest) > 0; {
		for _, v := range nextPart(a, &rest) {
			keys[i] = key(i, v)
			i++
		}
	}
	switch k := len(out); {
	case isFew(k, len(keys)):
		least := heapOf(keys[:k])
		for rest := keys[k:]; k > 0 && len(rest) > 0; {
			for _, key := range nextPart(a, &rest) {
				if key < least[0] {
					least.replaceTop(key)
				}
			}
		}
		placesOf(sortedWhole(a, least, spare), out)
		return
	case k < len(keys) && len(keys) >= leastSelected:
		keys, spare = leastKeys(a, keys, spare, k)
	}
	placesOf(sorted(a, keys, spare), out)
}

// isFew reports whether k of n elements are so few that a heap finds them sooner than a sort of all.
func isFew(k, n int) bool { return k < n/8 }

// placesOf gives the places in keys.
func placesOf(keys []uint64, out []int64) {
	for i := range out {
		out[i] = int64(uint32(keys[i]))
	}
}

// firstFloat32s finds few places in the order of numbers, as [orderKeys] does. Most numbers come behind the last one
// found so far, which a comparison tells; with NaN all comparisons are false.
func firstFloat32s(a *graph.Arrays, out []int64, x []float32, descending bool) {
	if len(out) == 0 {
		return
	}
	room := a.Words(2 * len(out))
	keys, spare := room[:len(out)], room[len(out):]
	flip := uint32(0)
	if descending {
		flip = math.MaxUint32
	}
	key := func(i int) uint64 { return uint64(rankOfFloat32(x[i])^flip)<<32 | uint64(uint32(i)) }
	for i := range keys {
		keys[i] = key(i)
	}
	least := heapOf(keys)
	last := x[uint32(least[0])]
	for begin := len(keys); begin < len(x); {
		end := nextSteps(a, begin, len(x), 1)
		for i, v := range x[begin:end] {
			if descending && v <= last || !descending && v >= last {
				continue
			}
			if k := key(begin + i); k < least[0] {
				least.replaceTop(k)
				last = x[uint32(least[0])]
			}
		}
		begin = end
	}
	placesOf(sortedWhole(a, least, spare), out)
}

// compareNaNLast compares numbers, of which NaN is the greatest.
func compareNaNLast[T int64 | uint64 | float32 | float64](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return -cmp.Compare(x, y) // which counts NaN as the least
}
