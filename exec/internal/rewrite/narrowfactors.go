package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// NarrowFactors lets products of int32 read factors whose elements are known to have 8 or 16 bits as such: a processor multiplies
// several of them at a time, and they need not be converted before. Bytes less a zero point have 16 bits, or become bytes again:
// see withoutZeros.
func NarrowFactors(u *Program) error {
	reads := func(n *graph.Node) bool { return isIntegerProduct(n) || u.BFloat16 && isBFloat16Product(n) }
	if !slices.ContainsFunc(u.Graph.Nodes(), reads) {
		return nil
	}
	updated := map[*graph.Node]bool{}
	for _, n := range u.Graph.Nodes() {
		if n.Op().Class == graph.Update {
			updated[alias.Storage(n)] = true
		}
	}
	f := narrower{bounds: intervals{}, updated: updated, made: map[narrowKey]*graph.Node{}}
	u.rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if !reads(n) || updated[alias.Storage(n)] {
			return nil
		}
		if updated[alias.Storage(n.In(0))] || updated[alias.Storage(n.In(1))] {
			return nil
		}
		if n.DType() == graph.Float32 {
			return graph.Apply(groupedProduct(n), n.Attrs(), f.narrowed(in[0], graph.BFloat16), f.narrowed(in[1], graph.BFloat16))
		}
		if y := f.withoutZeros(n, in); y != nil {
			return y
		}
		factors := slices.Clone(in)
		for i, x := range in {
			t := f.dtypeOf(x)
			if t == graph.Int32 {
				return nil
			}
			factors[i] = f.narrowed(x, t)
		}
		return graph.Apply(groupedProduct(n), n.Attrs(), factors...)
	})
	return nil
}

// isIntegerProduct reports whether a node is a product of two factors of int32.
func isIntegerProduct(n *graph.Node) bool {
	return n.Op().Class == graph.Contract && n.DType() == graph.Int32 && len(n.Operands()) == 2 &&
		n.In(0).DType() == graph.Int32 && n.In(1).DType() == graph.Int32
}

// isBFloat16Product reports whether a node is a product of two factors whose elements were converted from BFloat16.
func isBFloat16Product(n *graph.Node) bool {
	return n.Op().Class == graph.Contract && n.DType() == graph.Float32 && len(n.Operands()) == 2 && isBFloat16(n.In(0)) && isBFloat16(n.In(1))
}

// isBFloat16 reports whether a value is a conversion from BFloat16, moved, perhaps among zeros.
func isBFloat16(x *graph.Node) bool {
	for x.Op().Class == graph.Movement && len(x.Operands()) == 1 {
		if x.Op().Assemble != nil && x.Op().Assemble(x).Value != 0 {
			return false
		}
		x = x.In(0)
	}
	return isConversion(x) && x.In(0).DType() == graph.BFloat16
}

// narrower makes factors of fewer bits.
type narrower struct {
	bounds  intervals
	updated map[*graph.Node]bool
	made    map[narrowKey]*graph.Node
}

type narrowKey struct {
	of *graph.Node
	t  graph.DType
}

// dtypeOf returns the dtype of the fewest bits that has all elements of a value: that from which they are converted, if it does,
// else one with a sign before one without; and Int32 if none has.
func (f *narrower) dtypeOf(x *graph.Node) graph.DType {
	all := f.bounds.of(x)
	if from := f.source(x); from != nil && slices.Contains(narrowIntegers, from.DType()) && all.isWithin(intervalOfDType(from.DType())) {
		return from.DType()
	}
	for _, t := range narrowIntegers {
		if all.isWithin(intervalOfDType(t)) {
			return t
		}
	}
	return graph.Int32
}

var narrowIntegers = []graph.DType{graph.Int8, graph.Uint8, graph.Int16, graph.Uint16}

// source returns the value of which a value is a conversion, moved; nil if it is none.
func (f *narrower) source(x *graph.Node) *graph.Node {
	for x.Op().Class == graph.Movement && len(x.Operands()) == 1 {
		x = x.In(0)
	}
	if !isConversion(x) {
		return nil
	}
	return x.In(0)
}

// narrowed returns the same elements in a dtype that has them all: what moves them moves fewer bits then.
func (f *narrower) narrowed(x *graph.Node, t graph.DType) *graph.Node {
	key := narrowKey{x, t}
	if y := f.made[key]; y != nil {
		return y
	}
	var y *graph.Node
	switch {
	case x.Op().Class == graph.Movement && len(x.Operands()) == 1:
		y = graph.Apply(x.Op(), x.Attrs(), f.narrowed(x.In(0), t))
	case isConversion(x) && x.In(0).DType() == t && !f.updated[alias.Storage(x.In(0))]:
		y = x.In(0)
	default:
		y = ops.Cast(x, t)
	}
	f.made[key] = y
	return y
}

// isConversion reports whether a node converts the integers of its operand to more bits, or BFloat16 to Float32, and does nothing else.
func isConversion(n *graph.Node) bool {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) != 1 || !n.In(0).Shape().Equal(n.Shape()) {
		return false
	}
	p := examine(n)
	last, from := p.steps[p.result], n.In(0).DType()
	if from == graph.BFloat16 {
		return last.kind == convertStep && last.args[0] == 0 && n.DType() == graph.Float32
	}
	return last.kind == convertStep && last.args[0] == 0 && from.IsInt() && n.DType().IsInt() && intervalOfDType(n.In(0).DType()).isWithin(intervalOfDType(n.DType()))
}
