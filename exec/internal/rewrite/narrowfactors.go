package rewrite

import (
	"slices"

	"github.com/broadloom/broadloom/exec/internal/analysis"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// NarrowFactors lets products of int32 read factors with 8 or 16 bits directly, if their elements are known to fit. A
// processor multiplies several of them at a time, and they need no conversion. Bytes minus a zero point need 16 bits,
// or become bytes again: see withoutZeros. Products of float32 read Float16 and BFloat16 factors directly, and convert
// them when they pack them; second factors of integers with scales are blockfactors.go.
func NarrowFactors(u *Program) error {
	reads := func(n *graph.Node) bool {
		_, ofBlocks := blockFactorOf(n)
		return ofBlocks || isIntegerProduct(n) || isHalfProduct(n)
	}
	if !slices.ContainsFunc(u.Graph.Nodes(), reads) {
		return nil
	}
	updated := map[*graph.Node]bool{}
	for _, n := range u.Graph.Nodes() {
		if n.Op().Class == graph.Update {
			updated[alias.Storage(n)] = true
		}
	}
	f := narrower{bounds: analysis.Intervals{}, updated: updated, made: map[narrowKey]*graph.Node{}}
	if slices.ContainsFunc(u.Graph.Nodes(), IsAgain) {
		f.scores = ScoresOf(u)
	}
	u.Rewrite(func(_ *graph.Graph, n *graph.Node, in []*graph.Node) *graph.Node {
		if !reads(n) || updated[alias.Storage(n)] {
			return nil
		}
		if updated[alias.Storage(n.In(0))] || updated[alias.Storage(n.In(1))] {
			return nil
		}
		if y := f.readsBlocks(n, in); y != nil {
			return y
		}
		if n.DType() == graph.Float32 {
			return f.readsHalves(n, in)
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

// isIntegerProduct reports whether a node is a product of two int32 factors.
func isIntegerProduct(n *graph.Node) bool {
	return n.Op().Class == graph.Contract && n.DType() == graph.Int32 && len(n.Operands()) == 2 &&
		n.In(0).DType() == graph.Int32 && n.In(1).DType() == graph.Int32
}

// isHalfProduct reports whether a node is a product of two factors, at least one of which was converted from 16 bits.
func isHalfProduct(n *graph.Node) bool {
	return n.Op().Class == graph.Contract && n.DType() == graph.Float32 && len(n.Operands()) == 2 &&
		(halfOf(n.In(0)) != nil || halfOf(n.In(1)) != nil)
}

// halfOf returns the Float16 or BFloat16 value from which a value was converted, and perhaps moved or padded with
// zeros; nil if there is none.
func halfOf(x *graph.Node) *graph.Node {
	for x.Op().Class == graph.Movement && len(x.Operands()) == 1 {
		if x.Op().Assemble != nil && x.Op().Assemble(x).Value != 0 {
			return nil
		}
		x = x.In(0)
	}
	return analysis.HalfOf(x)
}

// readsHalves returns the product of factors before their conversion; nil if no factor can be read so.
func (f *narrower) readsHalves(n *graph.Node, in []*graph.Node) *graph.Node {
	factors, some := slices.Clone(in), false
	for i, x := range in {
		from := halfOf(x)
		if from != nil && !f.updated[alias.Storage(from)] &&
			(!f.isBesideScores(n) || alias.Storage(from).Op().Class == graph.Source) {
			factors[i], some = f.narrowed(x, from.DType()), true
		}
	}
	if !some {
		return nil
	}
	return graph.Apply(groupedProduct(n), n.Attrs(), factors...)
}

// narrower converts factors to fewer bits.
type narrower struct {
	bounds  analysis.Intervals
	updated map[*graph.Node]bool
	made    map[narrowKey]*graph.Node
	scores  map[*graph.Node]bool // those of a program that recomputes products
}

// isBesideScores reports whether a product is one of scores, or has them as a factor, in a program that recomputes
// some. In the chains of kernels that do so, products read only inputs, parameters and constants unconverted.
func (f *narrower) isBesideScores(n *graph.Node) bool {
	if f.scores[n] {
		return true
	}
	return slices.ContainsFunc(n.Operands(), func(x *graph.Node) bool {
		for x.Op().Class == graph.Movement && len(x.Operands()) == 1 {
			x = x.In(0)
		}
		return f.scores[x]
	})
}

type narrowKey struct {
	of *graph.Node
	t  graph.DType
}

// dtypeOf returns the narrowest dtype that holds all elements of a value. It prefers the dtype from which they were
// converted, then a signed one. It returns Int32 if there is none.
func (f *narrower) dtypeOf(x *graph.Node) graph.DType {
	all := f.bounds.Of(x)
	if from := f.source(x); from != nil && slices.Contains(narrowIntegers, from.DType()) &&
		all.IsWithin(analysis.IntervalOf(from.DType())) {
		return from.DType()
	}
	for _, t := range narrowIntegers {
		if all.IsWithin(analysis.IntervalOf(t)) {
			return t
		}
	}
	return graph.Int32
}

var narrowIntegers = []graph.DType{graph.Int8, graph.Uint8, graph.Int16, graph.Uint16}

// source returns the value from which a value was converted, and perhaps moved; nil if there is none.
func (f *narrower) source(x *graph.Node) *graph.Node {
	for x.Op().Class == graph.Movement && len(x.Operands()) == 1 {
		x = x.In(0)
	}
	if !isConversion(x) {
		return nil
	}
	return x.In(0)
}

// narrowed returns the same elements in a narrower dtype that holds them. Movements then move fewer bits.
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

// isConversion reports whether a node only converts integers to a dtype with all their values, or Float16 or BFloat16
// to Float32.
func isConversion(n *graph.Node) bool {
	if n.Op().Class != graph.Elementwise || len(n.Operands()) != 1 || !n.In(0).Shape().Equal(n.Shape()) {
		return false
	}
	if analysis.HalfOf(n) != nil {
		return true
	}
	p := analysis.Examine(n)
	last, from := p.Steps[p.Result], n.In(0).DType()
	return last.Kind == analysis.ConvertStep && last.Args[0] == 0 && from.IsInt() && n.DType().IsInt() &&
		analysis.IntervalOf(n.In(0).DType()).IsWithin(analysis.IntervalOf(n.DType()))
}
