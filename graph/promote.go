package graph

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/internal/panicked"
)

// Promoted returns the dtypes to which operands of the given dtypes are converted before a node is built: those of
// Promote, or the dtypes themselves if it is nil. m is a mistake of Promote, or nil.
func (op *Op) Promoted(types []DType, ranks []OperandRank) (to []DType, m *Mistake) {
	if op.Promote == nil {
		return types, nil
	}
	defer func() {
		if p := recover(); p != nil {
			to, m = nil, op.NotWhole("Promote "+panicked.Text(p))
		}
	}()
	to = op.Promote(types, ranks)
	if len(to) != len(types) {
		return nil, op.NotWhole(fmt.Sprintf("Promote returns %d dtypes for %d operands", len(to), len(types)))
	}
	for i, t := range to {
		if !t.Valid() {
			if m := op.undefinedPromotion(types, ranks); m != nil {
				return nil, m
			}
			return nil, op.NotWhole(fmt.Sprintf("Promote returns no dtype for operand %d", i))
		}
	}
	return to, nil
}

// promote returns the operands, of g or of no graph, in the dtypes that the operation asks for. Where one has a
// mistake of its own, nothing is converted.
func (g *Graph) promote(op *Op, operands []*Node) (in []*Node, m *Mistake) {
	operands = g.autocastAll(op.Autocast, operands)
	in = slices.Clone(operands)
	if to, wrong := op.PromotedOf(operands); to != nil {
		for i, t := range to {
			in[i] = g.Convert(operands[i], t)
		}
		return in, nil
	} else if wrong != nil {
		m = wrong
	}
	for i, x := range in {
		if _, isNumber := x.Literal(); isNumber {
			in[i] = g.Convert(x, literalDType(x))
		}
	}
	return in, m
}

// PromotedOf is [Op.Promoted] for operands. It is nil if nothing is converted: if the operation has no Promote, or an
// operand has a mistake.
func (op *Op) PromotedOf(operands []*Node) ([]DType, *Mistake) {
	if op.Promote == nil || len(operands) == 0 {
		return nil, nil
	}
	types, ranks := make([]DType, len(operands)), make([]OperandRank, len(operands))
	for i, x := range operands {
		if x == nil || !x.judged {
			return nil, nil
		}
		types[i], ranks[i] = x.dtype, x.weight()
	}
	return op.Promoted(types, ranks)
}

// weight says how much the node's dtype counts beside those of other operands.
func (n *Node) weight() OperandRank {
	switch {
	case n.op == literalOp:
		return PlainNumber
	case n.Rank() == 0:
		return RankZero
	}
	return RankMore
}

// undefinedPromotion is the mistake of two dtypes that no dtype is promoted from, as PyTorch words it; nil where there
// are no two such.
func (op *Op) undefinedPromotion(types []DType, ranks []OperandRank) *Mistake {
	i, k := op.unpromoted(types, ranks)
	if i < 0 {
		return nil
	}
	t, u := types[i], types[k]
	if t.IsStorage() || u.IsStorage() {
		stored := t
		if u.IsStorage() {
			stored = u
		}
		return &Mistake{Code: CodeDType,
			Summary: fmt.Sprintf("Promotion for Float8 Types is not supported, attempted to promote %s and %s",
				u.TorchName(), t.TorchName()),
			Help: []string{castFirst(stored)}}
	}
	return &Mistake{Code: CodeDType,
		Summary: fmt.Sprintf(
			"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote %s and %s",
			u.TorchName(), t.TorchName()),
		Help: []string{meetIn(u, t)}}
}

// unpromoted returns two operands from whose dtypes none is promoted, k before i, or -1. These are two of which either
// would do in the other's dtype, where there are such: not every operand takes part, as the condition of a selection
// does not.
func (op *Op) unpromoted(types []DType, ranks []OperandRank) (i, k int) {
	does := func(i int, t DType) bool {
		as := slices.Clone(types)
		as[i] = t
		to := op.Promote(as, ranks)
		return len(to) == len(types) && !slices.Contains(to, InvalidDType)
	}
	i, k = -1, -1
	for b, t := range types {
		for a, u := range types[:b] {
			if _, ok := Promote(u, t); ok || ranks[a] != ranks[b] {
				continue
			}
			if does(a, t) && does(b, u) {
				return b, a
			}
			if i < 0 {
				i, k = b, a
			}
		}
	}
	return i, k
}

// meetIn is the advice to bring values of two dtypes to one.
func meetIn(t, u DType) string {
	help := "convert both"
	to, loss := Common(t, u)
	if to == t || to == u {
		help = "convert one of them"
	}
	help += fmt.Sprintf(": ops.Cast(…, graph.%s)", to.GoName())
	if loss != "" {
		help += ", " + loss
	}
	return help
}

// NotWhole returns the mistake of an operation that lacks something, or contradicts itself.
func (op *Op) NotWhole(why string) *Mistake {
	return &Mistake{Code: CodeOperation, Summary: fmt.Sprintf("the operation %q is incomplete: %s", op.Name, why)}
}
