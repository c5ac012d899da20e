package ops

import "github.com/broadloom/broadloom/graph"

var opSumTo *graph.Op

// SumToAttrs are the fixed arguments of SumTo over undecided axes: the shape of the result. At run time, axes whose
// size is 1 in this shape, but not in the operand, are summed.
type SumToAttrs struct{ Shape graph.Shape }

func init() {
	opSumTo = define(graph.Op{
		Name: "sum_to", Func: "SumTo", Doc: "the sum over the axes whose size turns out to be 1 in the given shape.",
		Class: graph.Reduce, Fold: graph.FoldSum, MinIn: 1, MaxIn: 1,
		Promote: ToCounted,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.DType(0), c.Attrs().(SumToAttrs).Shape
		},
		Grad: func(n, dy node, _ int) node { return Expand(dy, n.In(0).Shape()...) },
	})
	opSumTo.Ref = named("", "torch.Tensor.sum_to_size", "", "", "",
		func(e *graph.Example) node {
			return SumTo(e.Of("x", "n", "k"), e.Shape("1", "k"), []graph.AxisKind{graph.Undecided, graph.Same})
		})
}

// SumTo undoes broadcasting: it sums x over the axes along which a value of the given shape was repeated, and returns
// that shape. kinds says for each axis how it was broadcast.
func SumTo(x *graph.Node, shape graph.Shape, kinds []graph.AxisKind) *graph.Node {
	defer building("SumTo", x, shape, kinds)()
	if x == nil || !x.Judged() {
		return refusal(refused("SumTo", x).with(shape), nil)
	}
	var axes []Axis
	undecided := false
	for i, k := range kinds {
		switch k {
		case graph.Missing, graph.Stretched:
			if i >= x.Rank() || x.Shape()[i] != 1 { // the sum refuses an axis that there is not
				axes = append(axes, Axis(i))
			}
		case graph.Undecided:
			undecided = true
		}
	}
	if len(axes) > 0 {
		x = Sum(x, append(axes, KeepDims())...)
	}
	if lead := x.Rank() - len(shape); lead > 0 {
		x = Reshape(x, x.Shape()[lead:]...)
	}
	if undecided {
		return Apply(opSumTo, SumToAttrs{append(graph.Shape{}, shape...)}, x)
	}
	if !x.Shape().Equal(shape) {
		x = Reshape(x, shape...) // sizes that are required to be equal under two names
	}
	return x
}
