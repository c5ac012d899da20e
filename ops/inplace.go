package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

var opAddInPlace, opSubInPlace, opMulInPlace, opDivInPlace, opCopyInPlace *graph.Op

// inPlace is the entry of an operation that writes its result into its first operand.
// of is the operation that computes the result; nil is a copy of the second operand.
func inPlace(name, fn, doc string, of *graph.Op) *graph.Op {
	op := graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Update, MinIn: 2, MaxIn: 2}
	op.Emit = func(_ graph.Emitter, _ node, x []graph.Value) graph.Value { return x[1] }
	op.Grad = func(n, dy node, i int) node {
		if i == 0 {
			return nil
		}
		return dy
	}
	if of != nil {
		op.Emit, op.Grad = of.Emit, of.Grad
	}
	op.Infer = shapeinfer.InPlace
	return define(op)
}

func init() {
	opAddInPlace = inPlace("add_", "AddInPlace", "x + y written into x.", opAdd)
	opSubInPlace = inPlace("sub_", "SubInPlace", "x - y written into x.", opSub)
	opMulInPlace = inPlace("mul_", "MulInPlace", "x * y written into x.", opMul)
	opDivInPlace = inPlace("div_", "DivInPlace", "x / y written into x.", opDiv)
	opCopyInPlace = inPlace("copy_", "CopyInPlace", "y written into x.", nil)
}

// writeInPlace brings the operand to the destination's dtype where the rules let it be
// stored there; where they do not, the node's own rule refuses it.
func writeInPlace(op *graph.Op, x, y *graph.Node) *graph.Node {
	if x != nil && y != nil && x.Judged() && y.Judged() && x.Graph() != nil {
		if result := graph.PromoteOperands([]graph.DType{x.DType(), y.DType()}, []graph.OperandRank{weight(x), weight(y)}); op == opCopyInPlace || result.Category() <= x.DType().Category() {
			y = convert(x.Graph(), y, x.DType())
		}
	}
	return graph.Apply(op, nil, x, y)
}

// AddInPlace writes x + y into x's storage and gives the new value. The result has x's
// shape and dtype: broadcasting may repeat y, never x.
func AddInPlace(x, y *graph.Node) *graph.Node { return writeInPlace(opAddInPlace, x, y) }

// SubInPlace writes x - y into x's storage and gives the new value.
func SubInPlace(x, y *graph.Node) *graph.Node { return writeInPlace(opSubInPlace, x, y) }

// MulInPlace writes x * y into x's storage and gives the new value.
func MulInPlace(x, y *graph.Node) *graph.Node { return writeInPlace(opMulInPlace, x, y) }

// DivInPlace writes x / y into x's storage and gives the new value.
func DivInPlace(x, y *graph.Node) *graph.Node { return writeInPlace(opDivInPlace, x, y) }

// CopyInPlace writes y into x's storage, converted to x's dtype, and gives the new value.
func CopyInPlace(x, y *graph.Node) *graph.Node { return writeInPlace(opCopyInPlace, x, y) }
