package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// Independent declares that x treats the examples along an axis independently, and returns x: elements at each
// position of the axis depend only on examples fed at the same position. The check of the graph proves it, or names
// the operation that mixes examples. The examples are fed along the given axes of inputs. By default these are all
// axes that have the same size, such as "batch".
func Independent(x *graph.Node, axis int, of ...graph.AxisOf) *graph.Node {
	call := refused("Independent", x).with(axis)
	switch {
	case x == nil || !x.Judged() || x.Graph() == nil:
		return refusal(call, nil) // its own mistake
	case !hasAxis(x, axis):
		return refusal(call, axisMistake(axis, x))
	}
	for i, a := range of {
		switch {
		case a.Node == nil || a.Node.Graph() != x.Graph():
			return refusal(call, &graph.Mistake{
				Code: graph.CodeOperand, Summary: fmt.Sprintf("argument %d is not a value of the graph", i+2)})
		case !a.Node.Judged():
			return x // its own mistake
		case !hasAxis(a.Node, a.Axis):
			return refusal(call, axisMistake(a.Axis, a.Node))
		}
	}
	s := graph.Independence{AxisOf: graph.AxisOf{Node: x, Axis: countedFromZero([]int{axis}, x.Rank())[0]}}
	for _, a := range of {
		s.Of = append(s.Of, graph.AxisOf{Node: a.Node, Axis: countedFromZero([]int{a.Axis}, a.Node.Rank())[0]})
	}
	x.Graph().DeclareIndependent(s)
	return x
}

// axisMistake is the mistake of an axis that a value does not have, in PyTorch's words.
func axisMistake(axis int, x node) *graph.Mistake {
	if x.Rank() == 0 {
		return scalarAxis(axis)
	}
	return &graph.Mistake{Code: graph.CodeAxis, Operands: []graph.OperandNote{{Node: x}},
		Summary: fmt.Sprintf("Dimension out of range (expected to be in range of [%d, %d], but got %d)", -x.Rank(),
			x.Rank()-1, axis)}
}

func init() {
	composed("Independent", "x, of which an axis is declared to be one of examples.",
		shownAs("Independent(x, 0)", named("", "", "", "", "", func(e *graph.Example) node {
			return Independent(e.Of("x", "n", "k"), 0)
		})))
}
