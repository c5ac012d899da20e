package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/gather"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opEmbeddingBag, opBagSums *graph.Op

// EmbeddingBagAttrs are the fixed arguments of EmbeddingBag. They also say which operands follow the table.
type EmbeddingBagAttrs struct {
	By                                 Reduction
	Padding                            []int
	HasOffsets, LastOffset, IsWeighted bool
}

// Args writes the reduction and the options.
func (a EmbeddingBagAttrs) Args(operands []string) []string {
	words := after(operands[:min(2, len(operands)):min(2, len(operands))], a.By)
	more := operands[min(2, len(operands)):]
	for _, o := range []struct {
		given bool
		name  string
	}{{a.HasOffsets, "ops.Offsets"}, {a.IsWeighted, "ops.PerSampleWeights"}} {
		if o.given && len(more) > 0 {
			words, more = append(words, o.name+"("+more[0]+")"), more[1:]
		}
	}
	for _, row := range a.Padding {
		words = append(words, fmt.Sprintf("ops.PaddingIndex(%d)", row))
	}
	if a.LastOffset {
		words = append(words, "ops.IncludeLastOffset()")
	}
	return words
}

// EmbeddingBagOption is an option of [EmbeddingBag].
type EmbeddingBagOption func(*embeddingBag)

// embeddingBag is a call of EmbeddingBag.
type embeddingBag struct {
	EmbeddingBagAttrs
	offsets, weights node
}

// Offsets says where each bag starts in a vector of indices. offsets is a vector, Int32 or Int64, that starts with 0
// and never decreases.
func Offsets(offsets *graph.Node) EmbeddingBagOption {
	return func(b *embeddingBag) { b.offsets, b.HasOffsets = offsets, true }
}

// IncludeLastOffset says that the last of the [Offsets] is the end of the last bag.
func IncludeLastOffset() EmbeddingBagOption { return func(b *embeddingBag) { b.LastOffset = true } }

// PerSampleWeights multiplies each row by a weight before they are summed. w has the table's dtype and the indices'
// shape.
func PerSampleWeights(w *graph.Node) EmbeddingBagOption {
	return func(b *embeddingBag) { b.weights, b.IsWeighted = w, true }
}

// PaddingIndex names a row that bags ignore; a negative one counts from the end.
func PaddingIndex(row int) EmbeddingBagOption {
	return func(b *embeddingBag) { b.Padding = []int{row} }
}

func init() {
	opEmbeddingBag = define(graph.Op{
		Name: "embedding_bag", Func: "EmbeddingBag",
		Doc:   "the sum, the mean or the maximum of the rows of a table that the indices of each bag select; 0 if there are none.",
		Class: graph.Composite, MinIn: 2, MaxIn: 4,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(EmbeddingBagAttrs)
			s := rules.EmbeddingBag(
				c, rules.Bags{Padding: a.Padding, HasOffsets: a.HasOffsets, LastOffset: a.LastOffset,
					IsWeighted: a.IsWeighted})
			return c.DType(1), s
		},
		Expand: expandEmbeddingBag,
		// Rows that a table has in memory are added up where they lie: all that bags name would be many times as large
		// as the result.
		Faster: func(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
			a, t := n.Attrs().(EmbeddingBagAttrs), n.DType()
			if len(a.Padding) > 0 || a.HasOffsets || a.IsWeighted || a.By == ReduceMax ||
				t != graph.Float32 && t != graph.Float64 {
				return nil
			}
			sum := graph.Apply(opBagSums, nil, Cast(in[0], graph.Int64), in[1])
			if a.By == ReduceMean {
				return Div(sum, Cast(Maximum(Size(n.Graph(), graph.Int64, in[0].Shape()[1]), graph.Num(1)), t))
			}
			return sum
		},
	})
	opBagSums = &graph.Op{Name: "bag_sums", Func: "EmbeddingBag",
		Doc: "the sums of the rows of a table that the rows of a matrix of indices name.", Class: graph.Function,
		MinIn: 2, MaxIn: 2, Function: bagSums,
		Core: func(*graph.Node) ([]int, int) { return []int{2, 2}, 2 },
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(1), graph.Shape{c.Shape(0)[0], c.Shape(1)[1]}
		},
	}
	opEmbeddingBag.Ref = named("", "torch.nn.functional.embedding_bag", "", "", "", func(e *graph.Example) node {
		return EmbeddingBag(e.As(graph.Int64, "index", "n", "m"), e.Of("table", "v", "k"), ReduceMean)
	})
}

func expandEmbeddingBag(n *graph.Node, in []*graph.Node) *graph.Node {
	index, table, a := in[0], in[1], n.Attrs().(EmbeddingBagAttrs)
	rows, counts := Take(table, 0, index), onesLike(Unsqueeze(index, -1))
	var isLeftOut node
	if len(a.Padding) > 0 {
		isLeftOut = Unsqueeze(isPadding(index, table, a.Padding[0]), -1)
		rows, counts = Where(isLeftOut, num(0), rows), Where(isLeftOut, graph.Num(0), counts)
	}
	if a.IsWeighted {
		rows = Mul(rows, Unsqueeze(in[len(in)-1], -1))
	}
	total := func(x node) node { return Sum(x, 1) }
	if a.HasOffsets || a.By == ReduceMax {
		bag, bags := bagsOf(index, in[2:], a), n.Shape()[0]
		if a.By == ReduceMax {
			return greatestInBags(flattened(rows), flattened(isLeftOut), bag, bags)
		}
		total = func(x node) node { return Slice(SegmentSum(x, 0, bag, bags.Plus(1)), 0, 0, bags, 1) }
	}
	if a.By == ReduceMean {
		return Div(total(rows), Cast(Maximum(total(counts), graph.Num(1)), table.DType()))
	}
	return total(rows)
}

// bagSums is the function of opBagSums.
func bagSums(a *graph.Arrays) error {
	index, bad := graph.Elements[int64](a.In[0]), -1
	if a.Out.DType == graph.Float32 {
		bad = bagSumsIn[float32](a, index)
	} else {
		bad = bagSumsIn[float64](a, index)
	}
	if bad >= 0 {
		return graph.IndexError{Operand: 0, Shape: a.In[0].Shape, At: bad, Value: index[bad], Size: a.In[1].Shape[0]}
	}
	return nil
}

// bagSumsIn sums the rows of some bags at a time. It returns the position of the first index out of range, or -1.
func bagSumsIn[T float32 | float64](a *graph.Arrays, index []int64) (bad int) {
	out, table, bags, inner := graph.Elements[T](a.Out), graph.Elements[T](a.In[1]), a.Out.Shape[0], a.Out.Shape[1]
	count := len(index) / max(bags, 1)
	for bag := 0; bag < bags; {
		end := nextSteps(a, bag, bags, max(count*inner, 1))
		if bad := gather.Bags(out[bag*inner:end*inner], table, index[bag*count:end*count], end-bag, inner); bad >= 0 {
			return bag*count + bad
		}
		bag = end
	}
	return -1
}

// flattened has the axes before the last as one.
func flattened(x node) node {
	if x == nil || x.Rank() == 2 {
		return x
	}
	return Reshape(x, x.Shape()[:x.Rank()-1].NumElements(), x.Shape()[x.Rank()-1])
}

// bagsOf gives each of the indices, as a vector, its bag. Those behind the last have the number of bags.
func bagsOf(index node, offsets []node, a EmbeddingBagAttrs) node {
	g, count := index.Graph(), index.Shape().NumElements()
	if !a.HasOffsets {
		return Reshape(Iota(g, 0, index.Shape()...), count)
	}
	given := offsets[0]
	isFirst := Equal(Iota(g, 0, given.Shape()...), num64(0))
	// Each is asked of what was given, so that a message names that.
	begins := Assert(given, Or(Not(isFirst), Equal(given, graph.Num(0))),
		"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0")
	rises := Assert(given, GreaterEqual(given, previous(given, 0, 0)), "offsets must not decrease")
	ends := Assert(given, LessEqual(given, Size(g, graph.Int64, count)),
		"an offset must not exceed the number of indices")
	start := Maximum(begins, Maximum(rises, ends)) // all are the same
	bag := Sub(CumSum(Narrow(namings(start, count.Plus(1)), 0, 0, count), 0), num64(1))
	if size := start.Shape()[0]; !size.IsConst() || size == 0 { // no bag at all
		bag = Where(Less(bag, num64(0)), Size(g, graph.Int64, size), bag)
	}
	return bag
}

// greatestInBags has the greatest elements of the rows of each bag. Of equal ones the first has the gradient.
func greatestInBags(rows, isLeftOut, bag node, bags graph.Dim) node {
	g, count := rows.Graph(), rows.Shape()[0]
	if isLeftOut != nil {
		bag = Where(Squeeze(isLeftOut, -1), Size(g, graph.Int64, bags), bag)
	}
	all, most := bags.Plus(1), StopGradient(rows)
	isMost := Or(Equal(rows, Take(SegmentMax(most, 0, bag, all), 0, bag)), NotEqual(rows, rows)) // NaN wins
	none := Size(g, graph.Int64, count)
	place := Minimum(SegmentMin(Where(isMost, Iota(g, 0, rows.Shape()...), none), 0, bag, all), none)
	return Gather(Concat(0, rows, Zeros(g, rows.DType(), 1, rows.Shape()[1])), 0, Slice(place, 0, 0, bags, 1))
}

// EmbeddingBag returns, for each bag of indices, the sum, the mean or the greatest elements of the rows of a table
// [v, k]: [bags, k]. by is ReduceSum, ReduceMean or ReduceMax. Indices [bags, n] have a bag in each row; a vector of
// indices needs [Offsets]. An empty bag gives 0. Of equal greatest elements the first gets the gradient. NaN is the
// greatest; in PyTorch this depends on the order. Indices are Int32 or Int64, and one outside the table stops the
// run. The table holds floating-point numbers. [PerSampleWeights] need ReduceSum. It is
// torch.nn.functional.embedding_bag.
func EmbeddingBag(index, table *graph.Node, by Reduction, opts ...EmbeddingBagOption) *graph.Node {
	b := embeddingBag{EmbeddingBagAttrs: EmbeddingBagAttrs{By: by}}
	for _, o := range opts {
		if o != nil {
			o(&b)
		}
	}
	in := []node{index, table}
	if b.HasOffsets {
		in = append(in, b.offsets)
	}
	if b.IsWeighted {
		in = append(in, b.weights)
	}
	var summary string
	switch {
	case by != ReduceSum && by != ReduceMean && by != ReduceMax:
		summary = "mode has to be one of ops.ReduceSum, ReduceMean or ReduceMax"
	case b.IsWeighted && by != ReduceSum:
		summary = fmt.Sprintf("per_sample_weights is only supported for mode='sum', but it is %s", by)
	}
	if summary != "" {
		return refusal(refused("EmbeddingBag", index, table).with(by),
			&graph.Mistake{Code: graph.CodeOperand, Summary: summary})
	}
	return Apply(opEmbeddingBag, b.EmbeddingBagAttrs, in...)
}
