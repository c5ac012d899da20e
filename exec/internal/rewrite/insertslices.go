package rewrite

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// InsertAttrs are the fixed arguments of opInsertSlices. Sum says that operands may overlap. They are then added, and
// Value too.
type InsertAttrs struct {
	graph.Assembly
	Shape graph.Shape
	Sum   bool
}

// opInsertSlices replaces sums of values that are padded with zeros.
var opInsertSlices = &graph.Op{Name: "insert_slices", Func: "InsertSlices", Doc: "slices, each at its own place.",
	Class: graph.Movement, MinIn: 1, MaxIn: -1,
	Infer:    func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Attrs().(InsertAttrs).Shape },
	Assemble: func(n *graph.Node) graph.Assembly { return n.Attrs().(InsertAttrs).Assembly }}

// InsertSlices replaces a sum of disjoint values padded with zeros, such as the gradients of the parts of a value, by
// one assembled value; and paddings of several axes by one. Kernels can then store each slice in place.
func InsertSlices(u *Program) error {
	if !slices.ContainsFunc(u.Graph.Nodes(), analysis.IsPadding) {
		return nil
	}
	j := sliceInserter{sums: map[*graph.Node]bool{}, inner: map[*graph.Node]bool{}}
	j.find(u)
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		switch {
		case j.inner[n]:
			return nil
		case j.sums[n]:
			return j.sum(n, in)
		case analysis.IsPadding(n) && j.inner[n.In(0)]:
			return insertSlices(n, paddedWith(n), false, []slice{sliceOf(n, in[0])})
		}
		return nil
	})
	return nil
}

// sliceInserter marks sums, and the inner sums and paddings that only an outer one uses.
type sliceInserter struct{ sums, inner map[*graph.Node]bool }

// find marks the inner nodes. In a sum, these are sums that are its first operand, since others must be added up
// separately, and paddings with zeros; in a padding, paddings with the same number.
func (j *sliceInserter) find(u *Program) {
	for _, n := range u.Graph.Nodes() {
		if isPlainSum(n) {
			j.sums[n] = true
		}
	}
	uses, written := u.usesOf(), analysis.WrittenMemory(u.Graph)
	for _, n := range u.Graph.Nodes() {
		for i, x := range n.Operands() {
			if uses[x.ID()] != 1 || written[x] || written[n] {
				continue
			}
			switch {
			case j.sums[n]:
				j.inner[x] = i == 0 && j.sums[x] || analysis.IsPadding(x) && math.Float64bits(paddedWith(x)) == 0
			case analysis.IsPadding(n):
				j.inner[x] = samePadding(x, n)
			}
		}
	}
}

// isPlainSum reports whether a node adds two values of its own shape, or a value and 0.
func isPlainSum(n *graph.Node) bool {
	return analysis.AddsOperands(n) && n.In(1).Shape().Equal(n.Shape()) &&
		(n.In(0).Shape().Equal(n.Shape()) || startsAtZero(n))
}

func startsAtZero(n *graph.Node) bool { return isPlusZero(n.In(0)) }

// paddedWith returns the number with which a padding fills.
func paddedWith(n *graph.Node) float64 { return n.Op().Assemble(n).Value }

// samePadding reports whether x is a padding with the same number as padding n.
func samePadding(x, n *graph.Node) bool {
	return analysis.IsPadding(x) && math.Float64bits(paddedWith(x)) == math.Float64bits(paddedWith(n))
}

// slice is a value x and its position in another one, of which it is a term.
type slice struct {
	term, x     *graph.Node
	start, step graph.Shape
}

// sliceAt returns the position of a padding's operand.
func sliceAt(n *graph.Node) slice {
	p := slice{start: make(graph.Shape, n.Rank()), step: make(graph.Shape, n.Rank())}
	for axis := range p.step {
		p.step[axis] = 1
	}
	p.pad(n)
	return p
}

// pad composes the position with that of an inner padding n.
func (p *slice) pad(n *graph.Node) {
	a := n.Op().Assemble(n)
	for axis, start := range a.Start[0] {
		p.start[axis] = p.start[axis].Plus(p.step[axis].Times(start))
		p.step[axis] = p.step[axis].Times(a.Step[0][axis])
	}
}

// sliceOf returns the innermost value that n pads, through nested paddings, and its position. in is the operand of n in
// the graph after the pass.
func sliceOf(n, in *graph.Node) slice {
	p := sliceAt(n)
	for samePadding(in, n) {
		p.pad(in)
		in = in.In(0)
	}
	p.x = in
	return p
}

// sum inserts adjacent disjoint terms of a sum into one value. If the sum begins with 0, terms may overlap. It keeps
// the order of terms, on which rounding depends.
func (j *sliceInserter) sum(n *graph.Node, in []*graph.Node) *graph.Node {
	terms, fromZero := j.terms(n, in)
	var total *graph.Node
	inserted := false
	for len(terms) > 0 {
		count := countDisjoint(terms)
		term, group := terms[0].term, terms[:count]
		pads := slices.IndexFunc(terms, func(p slice) bool { return p.x == nil })
		if pads < 0 {
			pads = len(terms)
		}
		switch {
		case fromZero && pads > count:
			group = terms[:pads]
			term, inserted = insertSlices(n, 0, true, group), true
		case fromZero || count > 1:
			term, inserted = insertSlices(n, 0, false, addedToZero(group)), true
		case terms[0].x != nil && terms[0].x != term.In(0): // nested paddings
			term, inserted = insertSlices(n, 0, false, group), true
		}
		if total == nil {
			total = term
		} else {
			total = ops.Add(total, term)
		}
		terms, fromZero = terms[len(group):], false
	}
	if !inserted {
		return nil
	}
	return total
}

// terms lists the terms of a sum in the order of addition, and reports whether it begins with 0, which is left out.
// Terms that are not paddings have no x.
func (j *sliceInserter) terms(n *graph.Node, in []*graph.Node) (list []slice, fromZero bool) {
	add := func(x, made *graph.Node) {
		p := slice{}
		if analysis.IsPadding(x) && j.inner[x] {
			p = sliceOf(x, made.In(0))
		}
		p.term = made
		list = append(list, p)
	}
	for {
		add(n.In(1), in[1])
		if x := n.In(0); j.inner[x] && j.sums[x] {
			n, in = x, in[0].Operands()
			continue
		}
		break
	}
	if fromZero = startsAtZero(n) && list[len(list)-1].x != nil; !fromZero {
		add(n.In(0), in[0])
	}
	slices.Reverse(list)
	return list, fromZero
}

// addedToZero adds 0 to each slice, as the sum does: -0 + 0 is 0.
func addedToZero(group []slice) (list []slice) {
	x := group[0].x
	if !x.DType().IsFloat() {
		return group
	}
	zero := x.Graph().Scalar(x.DType(), 0)
	for _, p := range group {
		p.x = plus(p.x, zero)
		list = append(list, p)
	}
	return list
}

// plus adds a number to a value. If the value is a permuted view, plus adds it below the view, where the same kernel
// may compute it.
func plus(x, number *graph.Node) *graph.Node {
	if alias.IsView(x) {
		if _, ok := analysis.ExchangedAxes(x); ok {
			return graph.Apply(x.Op(), x.Attrs(), plus(x.In(0), number))
		}
	}
	return ops.Add(x, number)
}

// insertSlices makes a value of n's shape from slices and a background; or it adds the slices to that number.
func insertSlices(n *graph.Node, value float64, sum bool, list []slice) *graph.Node {
	a := InsertAttrs{Assembly: graph.Assembly{Value: value}, Shape: n.Shape(), Sum: sum}
	var in []*graph.Node
	for _, p := range list {
		a.Put(p.start, p.step)
		in = append(in, p.x)
	}
	return graph.Apply(opInsertSlices, a, in...)
}
