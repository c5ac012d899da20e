package shapeinfer

import (
	"cmp"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// This file proposes conversions of dtypes.

// convert changes the dtype of operands: of one to another's, the widest first; of two to one that has the numbers of
// both; or of one to a dtype that most operations take. What loses less comes first, and the suggestion says what is
// lost. What is written in place keeps its dtype.
func (t *trier) convert() {
	for _, c := range t.conversions() {
		words := map[*graph.Node]string{}
		for _, x := range c.values {
			words[x] = "Cast(" + x.Called() + ", graph." + c.to.GoName() + ")"
		}
		text := t.n.Calls(words)
		if c.loss != "" {
			text += ", " + c.loss
		}
		if t.try(graph.Fix{Kind: graph.FixConvert, Text: text}, graph.Change{Node: t.n, Operands: t.converted(c)}) {
			return
		}
	}
}

// isMask reports whether operand i is a mask instead of indices. Converted, it would select elements 0 and 1.
func (t *trier) isMask(i int) bool {
	for _, o := range t.m.Operands {
		if o.Node == t.n.In(i) && o.Names {
			return t.n.In(i).DType() == graph.Bool
		}
	}
	return false
}

// conversion is a change of the dtype of values that a call is given.
type conversion struct {
	to     graph.DType
	values []*graph.Node
	loss   string // what it loses, in words
	cost   int    // by which conversions are ordered
}

// The costs of conversions. To round whole numbers, as all floating-point dtypes do with large ones, is what people
// mean who multiply both; the others lose numbers that are not large.
const (
	exactly      = iota
	rounding     // whole numbers to another operand's dtype
	ofBoth       // to the one that has most of the values of two
	usually      // to a dtype that no operand has
	losing       // fractions, or what is beyond the range of the dtype
	losingSigns  // all negative numbers
	losingValues // all but whether a number is 0
)

// conversions lists those that may cure a mistake of dtypes, by what they lose.
func (t *trier) conversions() (list []conversion) {
	var values []*graph.Node // the user's, the later ones first
	var wanted []graph.DType
	for i := len(t.n.Operands()) - 1; i >= 0; i-- {
		if x := t.moved(i); x != nil && !slices.Contains(values, x) && !t.isMask(i) {
			values = append(values, x)
		}
		wanted = append(wanted, t.n.In(i).DType())
	}
	slices.Sort(wanted)
	slices.Reverse(wanted)
	isUpdate := t.n.Op().Class == graph.Update
	if isUpdate {
		wanted = []graph.DType{t.n.In(0).DType()}
		values = slices.DeleteFunc(values, func(x *graph.Node) bool { return x == t.moved(0) })
	}
	single := func(to graph.DType, least int) {
		for _, x := range values {
			if x.DType() != to {
				list = append(list, conversion{to, []*graph.Node{x}, x.DType().Loss(to),
					max(least, cost(x.DType(), to))})
			}
		}
	}
	for _, to := range wanted {
		single(to, exactly)
	}
	if !isUpdate {
		for i, x := range values {
			for _, y := range values[:i] {
				to, loss := graph.Common(x.DType(), y.DType())
				other := slices.DeleteFunc([]*graph.Node{y, x}, func(v *graph.Node) bool { return v.DType() == to })
				if len(other) > 0 {
					list = append(list, conversion{to, other, loss, ofBoth})
				}
			}
		}
		single(graph.Float32, usually)
		single(graph.Int64, usually)
	}
	slices.SortStableFunc(list, func(a, b conversion) int { return cmp.Compare(a.cost, b.cost) })
	return list
}

// cost is what a conversion of one value costs.
func cost(from, to graph.DType) int {
	switch {
	case from.Loss(to) == "":
		return exactly
	case to == graph.Bool:
		return losingValues
	case !from.IsUnsigned() && to.IsUnsigned():
		return losingSigns
	case !from.IsFloat() && to.IsFloat() && from.Within(to):
		return rounding
	}
	return losing
}

// moved is [trier.user], also where the call has moved the value's elements, as a linear layer turns its weight.
func (t *trier) moved(i int) *graph.Node {
	x := t.n.In(i)
	for t.n.Stands(x) == nil && x.Op().Class == graph.Movement && len(x.Operands()) == 1 {
		x = x.In(0)
	}
	return t.n.Stands(x)
}

// converted returns the types of the operands after a conversion.
func (t *trier) converted(c conversion) map[int]graph.Type {
	types := make([]graph.DType, len(t.n.Operands()))
	for k, x := range t.n.Operands() {
		types[k] = x.Written().DType()
		if slices.Contains(c.values, t.moved(k)) {
			types[k] = c.to
		}
	}
	return t.promoted(t.n.Op(), types)
}

// promotedTypes returns the dtypes of n's operands, of the given shapes and dtypes, after the promotion of an
// operation; nil where it refuses them.
func promotedTypes(n *graph.Node, op *graph.Op, shapes []graph.Shape, types []graph.DType) []graph.DType {
	if op.Promote == nil {
		return types
	}
	ranks := make([]graph.OperandRank, len(types))
	for k, x := range n.Operands() {
		switch {
		case len(shapes[k]) > 0:
			ranks[k] = graph.RankMore
		case x.IsConst():
			ranks[k] = graph.PlainNumber
		default:
			ranks[k] = graph.RankZero
		}
	}
	to, m := op.Promoted(types, ranks)
	if m != nil {
		return nil
	}
	return to
}

// promoted returns the types of the operands, of the given dtypes, after the promotion of an
// operation.
func (t *trier) promoted(op *graph.Op, types []graph.DType) map[int]graph.Type {
	shapes := make([]graph.Shape, len(types))
	for k, x := range t.n.Operands() {
		shapes[k] = x.Shape()
	}
	if types = promotedTypes(t.n, op, shapes, types); types == nil {
		return nil
	}
	operands := map[int]graph.Type{}
	for k, x := range t.n.Operands() {
		if types[k] != x.DType() {
			operands[k] = graph.Type{DType: types[k], Shape: x.Shape()}
		}
	}
	return operands
}
