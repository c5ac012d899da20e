package graph

import (
	"fmt"
	"slices"
)

// unstorable refuses an operation that computes with an operand whose dtype is for storage alone.
func (n *Node) unstorable() *Mistake {
	i := slices.IndexFunc(n.in, func(x *Node) bool { return x != nil && x.judged && x.dtype.IsStorage() })
	if i < 0 || n.movesElements() {
		return nil
	}
	return n.in[i].StorageMistake(n.op.Name)
}

// StorageMistake returns the mistake of an operation that would compute with n, whose dtype is for storage only.
func (n *Node) StorageMistake(op string) *Mistake {
	return &Mistake{Code: CodeDType, Summary: fmt.Sprintf("%q not implemented for '%s'", op, n.dtype.TorchName()),
		Operands: []OperandNote{{Node: n}}, Help: []string{castFirst(n.dtype)}}
}

func castFirst(t DType) string {
	return fmt.Sprintf(
		"%s is for storage only: convert it first, such as with ops.Cast(x, graph.%s), and convert the result back", t,
		t.Computed().GoName())
}

// movesElements reports whether an operation stores, moves, picks or converts elements, and does nothing else with
// them.
func (n *Node) movesElements() bool {
	op := n.op
	if op.Storage {
		return true
	}
	switch op.Class {
	case Movement, Version, Loop:
		return true
	case Gather:
		return op.Fold == NoFold
	case Update:
		return op.Fill
	case Elementwise:
		var e typing
		e.of(n)
		return !e.computes
	case Function:
		return op.Ordered || op.AsStored // which is given elements as they are
	}
	return false
}
