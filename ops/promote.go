package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// The functions here are what operations have as their Promote: see graph.Op.

// ToCommonType promotes all operands to their common dtype, by PyTorch's rule.
func ToCommonType(types []graph.DType, ranks []graph.OperandRank) []graph.DType {
	return repeat(graph.PromoteOperands(types, ranks), len(types))
}

// ToCommonFloat is [ToCommonType] for operations on floating-point numbers: integers and booleans become Float32.
func ToCommonFloat(types []graph.DType, ranks []graph.OperandRank) []graph.DType {
	t := graph.PromoteOperands(types, ranks)
	if t.Valid() && !t.IsFloat() {
		t = graph.Float32
	}
	return repeat(t, len(types))
}

// unlessBool converts nothing where an operand is a truth value: the operation's rule refuses it, which a
// conversion would hide.
func unlessBool(promote func([]graph.DType, []graph.OperandRank) []graph.DType) func([]graph.DType,
	[]graph.OperandRank) []graph.DType {
	return func(types []graph.DType, ranks []graph.OperandRank) []graph.DType {
		if slices.Contains(types, graph.Bool) {
			return types
		}
		return promote(types, ranks)
	}
}

// ToBool converts all operands to booleans: numbers other than 0 are true.
func ToBool(types []graph.DType, _ []graph.OperandRank) []graph.DType {
	return repeat(graph.Bool, len(types))
}

// ToCounted is for sums and products of one operand: booleans and integers become Int64.
func ToCounted(types []graph.DType, _ []graph.OperandRank) []graph.DType {
	if !types[0].IsFloat() {
		return []graph.DType{graph.Int64}
	}
	return types
}

// converted are operands in the dtypes to which an operation converts them; as they are where it refuses them.
func converted(op *graph.Op, operands ...node) []node {
	to, _ := op.PromotedOf(operands)
	in := slices.Clone(operands)
	for i, t := range to {
		in[i] = operands[0].Graph().Convert(operands[i], t)
	}
	return in
}

// withScalars replaces numbers of [graph.Num] among operands by scalars of the graph, in the dtype to which the
// operation converts all operands: a function of several nodes may compute with such numbers alone. Without a tensor or
// a graph, the operands are unchanged.
func withScalars(g *graph.Graph, op *graph.Op, operands ...*node) {
	all := make([]node, len(operands))
	for i, x := range operands {
		all[i] = *x
		if g == nil && all[i] != nil {
			g = all[i].Graph()
		}
	}
	to, _ := op.PromotedOf(all)
	for i, t := range to {
		if a, isNumber := all[i].Literal(); isNumber && g != nil && t.Valid() && !t.IsStorage() {
			*operands[i] = g.Number(a, t)
		}
	}
}

func repeat(t graph.DType, n int) []graph.DType {
	list := make([]graph.DType, n)
	for i := range list {
		list[i] = t
	}
	return list
}

// computedWide converts operands of one dtype of 16 bits to the dtype in which they are computed, for a function of
// several nodes that PyTorch computes in one: round converts its results back, so that they are rounded once. Operands
// may be nil; of several dtypes they stay as they are.
func computedWide(operands ...node) (in []node, round func(node) node) {
	t := graph.InvalidDType
	for _, x := range operands {
		if x != nil && (!x.Judged() || !x.DType().IsFloat() || t.Valid() && x.DType() != t) {
			return operands, func(y node) node { return y }
		} else if x != nil {
			t = x.DType()
		}
	}
	if t.Computed() == t || t.IsStorage() {
		return operands, func(y node) node { return y }
	}
	for _, x := range operands {
		if x != nil {
			x = x.Cast(t.Computed()).Implied()
		}
		in = append(in, x)
	}
	return in, func(y node) node { return Cast(y, t) }
}

// normalizedWide is [computedWide] for the value and the parameters of a normalization. Parameters may also be Float32
// with a value of 16 bits, as PyTorch's may on CPUs: the result then has the value's dtype, and statistics are Float32.
func normalizedWide(x node, params ...node) (in []node, round, ofStatistics func(node) node) {
	if !mixesParams(x, params) {
		in, round = computedWide(append([]node{x}, params...)...)
		return in, round, round
	}
	in = append([]node{x.Cast(graph.Float32).Implied()}, params...)
	return in, func(y node) node { return Cast(y, x.DType()) }, func(s node) node { return s }
}

// mixesParams reports whether a value of 16 bits has parameters, and all of them are Float32.
func mixesParams(x node, params []node) bool {
	if x == nil || !x.Judged() || !x.DType().IsHalf() {
		return false
	}
	some := false
	for _, p := range params {
		if p != nil && (!p.Judged() || p.DType() != graph.Float32) {
			return false
		}
		some = some || p != nil
	}
	return some
}
