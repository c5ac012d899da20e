package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/scores"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// maxBeside is the most columns next to scores. Each is a separate part, and is computed once a row.
const maxBeside = 8

// SplitScores computes scores and the few other columns next to them, such as the logits of attention sinks,
// separately: f([s, t]) is [f(s), f(t)], and the sum of a row is the sum of both sums. If only parts are read, such as
// the weights without those of sinks, the whole is dropped. So these columns do not prevent computing scores row by
// row.
func SplitScores(u *Program) error {
	if !u.HasScores() {
		return nil
	}
	s := scoreSplitter{split: map[*graph.Node]*splitValue{}, written: analysis.WrittenMemory(u.Graph)}
	if !slices.ContainsFunc(u.Graph.Nodes(), func(n *graph.Node) bool { return s.cutsOf(n) != nil }) {
		return nil
	}
	u.Rewrite(s.replace)
	return nil
}

// scoreSplitter knows the values that consist of scores and other columns.
type scoreSplitter struct {
	split   map[*graph.Node]*splitValue
	written map[*graph.Node]bool
}

// splitValue is a value in parts along an axis.
type splitValue struct {
	axis  int
	cuts  graph.Shape // where parts begin, and where the last one ends
	parts []*graph.Node
}

// splitAxis is an axis, and where it is cut.
type splitAxis struct {
	axis int
	cuts graph.Shape
}

// cutsOf returns where an assembled value has scores next to few other columns; nil if it has not.
func (s *scoreSplitter) cutsOf(n *graph.Node) *splitAxis {
	if !isAssembly(n) || s.written[alias.Storage(n)] || !n.DType().IsFloat() {
		return nil
	}
	for i, x := range n.Operands() {
		if x.Rank() < 2 || !isScores(x) {
			continue
		}
		axis := -1
		for k, d := range x.Shape() {
			if d != n.Shape()[k] {
				if axis >= 0 {
					return nil
				}
				axis = k
			}
		}
		if axis < 0 {
			return nil
		}
		a := n.Op().Assemble(n)
		begin := a.Start[i][axis]
		end := begin.Plus(x.Shape()[axis])
		own := &splitAxis{axis: axis}
		before, knownBefore := begin.Int()
		after, knownAfter := n.Shape()[axis].Minus(end).Int()
		if !knownBefore || !knownAfter || a.Step[i][axis] != 1 || before < 0 || after < 0 || before+after > maxBeside {
			return nil
		}
		for k := range before {
			own.cuts = append(own.cuts, graph.Dim(k))
		}
		for k := range after + 1 {
			own.cuts = append(own.cuts, end.Plus(graph.Dim(k)))
		}
		own.cuts = slices.Insert(own.cuts, int(before), begin)
		return own
	}
	return nil
}

// isScores reports whether a value is computed elementwise from a large product of positions with positions.
func isScores(x *graph.Node) bool {
	list := []*graph.Node{x}
	for i := 0; i < len(list) && i < maxRegion; i++ {
		n := list[i]
		switch {
		case scores.IsProduct(n) && IsLargeMatrix(n):
			return true
		case n.Op().Class == graph.Elementwise || n.Op().Class == graph.Movement && alias.IsView(n):
			for _, y := range n.Operands() {
				if y.Shape().NumElements() == x.Shape().NumElements() && !slices.Contains(list, y) {
					list = append(list, y)
				}
			}
		}
	}
	return false
}

// replace makes a node's replacement. A value in parts is replaced by their concatenation, which is dead unless a user
// needs the whole.
func (s *scoreSplitter) replace(next *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
	if s.written[alias.Storage(n)] {
		return nil
	}
	if own := s.cutsOf(n); own != nil {
		s.split[n] = s.partsOf(n, in, own)
		return nil
	}
	switch {
	case n.Op().Class == graph.Elementwise:
		return s.elements(n, in)
	case len(in) != 1 || s.split[n.In(0)] == nil:
	case n.Op().Class == graph.Reduce:
		return s.reduced(n)
	case n.Op().Class == graph.Movement:
		return s.shown(n)
	}
	return nil
}

// partsOf returns the parts of an assembled value along an axis that is cut; nil if some operand is not one or several
// whole parts. A part without an operand is the background.
func (s *scoreSplitter) partsOf(n *graph.Node, in []*graph.Node, own *splitAxis) *splitValue {
	a := n.Op().Assemble(n)
	v := &splitValue{axis: own.axis, cuts: own.cuts, parts: make([]*graph.Node, len(own.cuts)-1)}
	for k, x := range n.Operands() {
		for axis, d := range x.Shape() {
			if axis != own.axis && (a.Start[k][axis] != 0 || d != n.Shape()[axis]) || d != 1 && a.Step[k][axis] != 1 {
				return nil
			}
		}
		begin := a.Start[k][own.axis]
		first, last := slices.Index(own.cuts, begin), slices.Index(own.cuts, begin.Plus(x.Shape()[own.axis]))
		if first < 0 || last <= first {
			return nil
		}
		for i := first; i < last; i++ {
			if v.parts[i] = in[k]; last > first+1 {
				v.parts[i] = ops.Slice(in[k], own.axis, own.cuts[i].Minus(begin), own.cuts[i+1].Minus(begin), 1)
			}
		}
	}
	for i := range v.parts {
		if v.parts[i] == nil {
			shape := slices.Clone(n.Shape())
			shape[own.axis] = own.cuts[i+1].Minus(own.cuts[i])
			v.parts[i] = ops.Expand(in[0].Graph().Scalar(n.DType(), a.Value), shape...)
		}
	}
	return v
}

// elements computes each part separately; nil if no operand is in parts.
func (s *scoreSplitter) elements(n *graph.Node, in []*graph.Node) *graph.Node {
	var own *splitAxis
	for i, x := range n.Operands() {
		if slices.Contains(n.Stretch(i), graph.Undecided) {
			return nil
		}
		if v := s.split[x]; v != nil && x.Rank() == n.Rank() && x.Shape()[v.axis] == n.Shape()[v.axis] && own == nil {
			own = &splitAxis{v.axis, v.cuts}
		}
	}
	if own == nil || analysis.DependsOnPosition(n) {
		return nil
	}
	args := make([][]*graph.Node, len(own.cuts)-1)
	for i, x := range n.Operands() {
		parts := s.operand(n, x, in[i], own)
		if parts == nil {
			return nil
		}
		for k := range args {
			args[k] = append(args[k], parts[k])
		}
	}
	v := &splitValue{axis: own.axis, cuts: own.cuts}
	for k := range args {
		m := graph.Apply(n.Op(), n.Attrs(), args[k]...)
		want := slices.Clone(n.Shape())
		want[own.axis] = own.cuts[k+1].Minus(own.cuts[k])
		if !isPartOf(m, n, want) {
			return nil
		}
		v.parts = append(v.parts, m)
	}
	s.split[n] = v
	return ops.Concat(v.axis, v.parts...)
}

// operand returns the parts of an operand x of n; made is its counterpart in the new graph.
func (s *scoreSplitter) operand(n, x, made *graph.Node, own *splitAxis) []*graph.Node {
	axis := own.axis - (n.Rank() - x.Rank())
	if axis < 0 || x.Shape()[axis] == 1 {
		return slices.Repeat([]*graph.Node{made}, len(own.cuts)-1)
	}
	at := &splitAxis{axis, own.cuts}
	v := s.split[x]
	if v == nil && isAssembly(x) && !s.written[alias.Storage(x)] {
		v = s.partsOf(x, made.Operands(), at)
	}
	if v != nil && v.axis == axis && v.cuts.Equal(own.cuts) {
		return v.parts
	}
	var list []*graph.Node
	for k, from := range own.cuts[:len(own.cuts)-1] {
		list = append(list, ops.Slice(made, axis, from, own.cuts[k+1], 1))
	}
	return list
}

// reduced reduces each part, and combines the results if the axis is folded.
func (s *scoreSplitter) reduced(n *graph.Node) *graph.Node {
	v, combine := s.split[n.In(0)], analysis.Combiner(n.Op().Fold)
	if n.Op().Axes == nil || combine == nil {
		return nil
	}
	axes := n.Op().Axes(n)
	parts := make([]*graph.Node, len(v.parts))
	for i, x := range v.parts {
		if parts[i] = graph.Apply(n.Op(), n.Attrs(), x); x.Shape()[v.axis] == 1 && slices.Equal(axes, []int{v.axis}) {
			parts[i] = analysis.SkipIdentityViews(ops.Reshape(x, n.Shape()...)) // of one element each
		}
	}
	if slices.Contains(axes, v.axis) {
		first := max(slices.IndexFunc(v.parts, func(x *graph.Node) bool { return x.Shape()[v.axis] != 1 }), 0)
		y := parts[first] // of the scores: their kernel then combines the others
		for i, x := range parts {
			if i != first {
				y = combine(y, x)
			}
		}
		return y
	}
	axis := v.axis
	if n.Rank() != n.In(0).Rank() {
		for _, a := range axes {
			if a < v.axis {
				axis--
			}
		}
	}
	s.split[n] = &splitValue{axis: axis, cuts: v.cuts, parts: parts}
	return ops.Concat(axis, parts...)
}

// shown returns the parts that a view shows; nil if it shows something else.
func (s *scoreSplitter) shown(n *graph.Node) *graph.Node {
	v, of := s.split[n.In(0)], n.In(0)
	l, ok := analysis.WholeView(n)
	if !ok || n.Rank() != of.Rank() {
		return nil
	}
	whole := graph.RowMajor(of.Shape())
	isShown := func(first, last int) bool { // whether it shows exactly these parts
		shape := slices.Clone(of.Shape())
		shape[v.axis] = v.cuts[last].Minus(v.cuts[first])
		return analysis.SameLayouts(
			l, graph.Layout{Shape: shape, Strides: whole.Strides, Offset: v.cuts[first].Times(whole.Strides[v.axis])})
	}
	for first := range v.parts {
		for last := first + 1; last <= len(v.parts); last++ {
			switch {
			case !isShown(first, last):
			case last == first+1:
				return v.parts[first]
			default:
				return ops.Concat(v.axis, v.parts[first:last]...)
			}
		}
	}
	return nil
}
