package graph

import (
	"fmt"

	"github.com/broadloom/broadloom/internal/panicked"
)

// Promoted returns the dtypes to which operands of the given dtypes are converted before a node
// is built: what Promote says, or the dtypes themselves where it is nil. The mistake is one of
// Promote, and nil where there is none.
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
		return nil, op.NotWhole(fmt.Sprintf("Promote gives %d dtypes of %d operands", len(to), len(types)))
	}
	for i, t := range to {
		if !t.Valid() {
			return nil, op.NotWhole(fmt.Sprintf("Promote gives no dtype for operand %d", i))
		}
	}
	return to, nil
}

// NotWhole is the mistake of an operation that lacks something, or contradicts itself.
func (op *Op) NotWhole(why string) *Mistake {
	return &Mistake{Code: CodeOperation, Summary: fmt.Sprintf("the operation %q is not whole: %s", op.Name, why)}
}
