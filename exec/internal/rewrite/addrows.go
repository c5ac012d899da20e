package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// AddRowsAttrs are the fixed arguments of opAddRows and opPutRows: the axis to which indices refer, and whether slices
// are subtracted or replaced.
type AddRowsAttrs struct {
	Axis              int
	Subtract, Replace bool
}

// opAddRows replaces the write of a sum by index.
var opAddRows = &graph.Op{Name: "add_rows_", Func: "AddRows", Class: graph.Update, Indexed: true, MinIn: 3, MaxIn: -1,
	Doc:   "x ± s·f1·f2…, written into x, where s is what segment_sum makes of operands 2 and 1: only the rows that indices name are visited.",
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
	Axes:  func(n *graph.Node) []int { return []int{n.Attrs().(AddRowsAttrs).Axis} },
}

// opAddedRows replaces the sum of a carried value and a sum by index, if the loop hands it on. Its result is a new
// value, which the loop places in the memory of the carried value.
var opAddedRows = &graph.Op{Name: "added_rows", Func: "AddedRows", Class: graph.Function, Indexed: true, MinIn: 3,
	MaxIn: 3,
	Doc:   "x + s, where s is what segment_sum makes of operands 2 and 1.",
	Infer: opAddRows.Infer,
	Axes:  opAddRows.Axes,
}

// AddRows finds values to which a multiple of a sum by index is added in place, or from which it is subtracted: tables
// that are trained by their rows. Then only the rows at the indices are read and written, and the sum, which has the
// table's size, is never stored. The same holds for values into which slices are put in place, such as the keys and
// values that a decoder keeps, and for carried values of loops.
func AddRows(u *Program) error {
	if !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return isSumByIndex(n) || PutsSlices(n) }) {
		return nil
	}
	uses, now := u.usesOf(), make([]*graph.Node, len(u.Graph.Nodes()))
	handedOn := u.handedOn()
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		for i, x := range n.Operands() {
			now[x.ID()] = in[i]
		}
		if put := putOf(n, uses); put != nil {
			axis, _ := putAxisOf(put)
			return graph.Apply(opPutRows, AddRowsAttrs{Axis: axis, Replace: true}, in[0], now[put.In(1).ID()],
				now[put.In(2).ID()])
		}
		if sum := addedTo(handedOn[n], n, uses); sum != nil {
			return graph.Apply(opAddedRows, AddRowsAttrs{Axis: sum.Op().Axes(sum)[0]}, in[0], now[sum.In(1).ID()],
				now[sum.In(0).ID()])
		}
		s := rowStepOf(n, uses)
		if s == nil {
			return nil
		}
		operands := []*graph.Node{in[0], now[s.sum.In(1).ID()], now[s.sum.In(0).ID()]}
		for _, f := range s.factors {
			operands = append(operands, now[f.ID()])
		}
		return graph.Apply(opAddRows, AddRowsAttrs{Axis: s.sum.Op().Axes(s.sum)[0], Subtract: s.subtract}, operands...)
	})
	return nil
}

// rowStep is a write of x ± sum·f1·f2… into x.
type rowStep struct {
	sum      *graph.Node
	factors  []*graph.Node // scalars, in the order in which they are multiplied
	subtract bool
}

// rowStepOf returns the step that a write does, if nothing else uses a part of it; nil otherwise.
func rowStepOf(n *graph.Node, uses []int) *rowStep {
	if n.Op().Class != graph.Update || n.Op().Indexed || len(n.Operands()) != 2 || !n.DType().IsFloat() ||
		!alias.LayoutOf(n.In(0)).IsDense() {
		return nil
	}
	x, made := n.In(0), n
	if n.Op().Fill {
		if made = n.In(1); uses[made.ID()] != 1 || len(made.Operands()) != 2 || made.In(0) != x {
			return nil
		}
	}
	s := &rowStep{}
	switch analysis.PrimOf(made) {
	case graph.PrimAdd:
	case graph.PrimSub:
		s.subtract = true
	default:
		return nil
	}
	for s.sum = made.In(1); analysis.PrimOf(s.sum) == graph.PrimMul && uses[s.sum.ID()] == 1; {
		f := 1
		if s.sum.In(0).Rank() == 0 {
			f = 0
		}
		if s.sum.In(f).Rank() != 0 || alias.Storage(s.sum.In(f)) == alias.Storage(x) {
			return nil
		}
		s.factors = append(s.factors, s.sum.In(f))
		s.sum = s.sum.In(1 - f)
	}
	slices.Reverse(s.factors)
	if !isSumByIndex(s.sum) || uses[s.sum.ID()] != 1 || s.sum.DType() != n.DType() || !s.sum.Shape().Equal(x.Shape()) ||
		slices.ContainsFunc(s.sum.Operands(), func(of *graph.Node) bool {
			return alias.Storage(of) == alias.Storage(x)
		}) {
		return nil
	}
	return s
}

// handedOn maps each value that becomes a carried value's next one to that carried value.
func (u *Program) handedOn() map[*graph.Node]*graph.Node {
	of := map[*graph.Node]*graph.Node{}
	for _, n := range u.Graph.Nodes() {
		if a, ok := n.Loop(); ok && a.Role == graph.LoopEnd {
			carried, next, _ := loopop.CarriedOf(n)
			for i, x := range next {
				if alias.LayoutOf(x).IsRowMajor() {
					of[alias.Viewed(x)] = carried[i]
				}
			}
		}
	}
	return of
}

// addedTo returns the sum by index that n adds to a carried value, if nothing else uses the sum; nil otherwise.
func addedTo(carried, n *graph.Node, uses []int) *graph.Node {
	if carried == nil || n.Op().Class != graph.Elementwise || analysis.PrimOf(n) != graph.PrimAdd ||
		n.DType() != graph.Float32 && n.DType() != graph.Float64 {
		return nil
	}
	x, sum := n.In(0), n.In(1)
	if alias.Viewed(x) != carried || !alias.LayoutOf(x).IsRowMajor() || !x.Shape().Equal(n.Shape()) {
		return nil
	}
	if !isSumByIndex(sum) || uses[sum.ID()] != 1 || sum.DType() != n.DType() || !sum.Shape().Equal(n.Shape()) {
		return nil
	}
	return sum
}

// isSumByIndex reports whether a node adds elements at positions given by indices.
func isSumByIndex(n *graph.Node) bool {
	return n.Op().Class == graph.Gather && n.Op().Fold == graph.FoldSum
}
