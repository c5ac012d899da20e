package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var (
	opLess, opLessEqual, opGreater, opGreaterEqual, opEqual, opNotEqual *graph.Op
	opAnd, opOr, opXor, opNot, opWhere                                  *graph.Op
)

func comparison(name, fn, doc string, p graph.Prim) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: boolType, Emit: prim(p), Grad: noGradient})
}

func logic(name, fn, doc string, p graph.Prim, arity int) *graph.Op {
	return define(graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: arity, MaxIn: arity,
		Promote: ToBool, Infer: boolType, Emit: prim(p), Grad: noGradient})
}

func init() {
	opLess = comparison("lt", "Less", "x < y.", graph.PrimLt)
	opLessEqual = comparison("le", "LessEqual", "x <= y.", graph.PrimLe)
	opGreater = comparison("gt", "Greater", "x > y.", graph.PrimGt)
	opGreaterEqual = comparison("ge", "GreaterEqual", "x >= y.", graph.PrimGe)
	opEqual = comparison("eq", "Equal", "x == y; NaN equals nothing.", graph.PrimEq)
	opNotEqual = comparison("ne", "NotEqual", "x != y; NaN differs from everything.", graph.PrimNe)
	opAnd = logic("logical_and", "And", "both are true; numbers other than 0 are true.", graph.PrimAnd, 2)
	opOr = logic("logical_or", "Or", "one of both is true; numbers other than 0 are true.", graph.PrimOr, 2)
	opXor = logic("logical_xor", "Xor", "exactly one is true; numbers other than 0 are true.", graph.PrimXor, 2)
	opNot = logic("logical_not", "Not", "x is false or 0.", graph.PrimNot, 1)
	opAnd.Identity, opOr.Identity, opXor.Identity = one, zero, zero
	opNot.Involution = true
	opWhere = define(graph.Op{
		Name: "where", Func: "Where", Doc: "x where the condition holds, else y.", Class: graph.Elementwise,
		MinIn: 3, MaxIn: 3,
		Promote: func(types []graph.DType, ranks []graph.OperandRank) []graph.DType {
			t := graph.PromoteOperands(types[1:], ranks[1:])
			return []graph.DType{types[0], t, t}
		},
		Infer: inRange(func(c *graph.Call) (graph.DType, graph.Shape) {
			if c.DType(0) != graph.Bool {
				rules.RefuseDType(c, "where expected condition to be a boolean tensor, but got a tensor with dtype "+
					c.DType(0).TorchName())
			}
			return c.DType(1), rules.BroadcastOperands(c)
		}),
		Emit: prim(graph.PrimSelect),
		Grad: each(
			func(n, dy node) node { return nil },
			func(n, dy node) node { return Where(n.In(0), dy, num(0)) },
			func(n, dy node) node { return Where(n.In(0), num(0), dy) }),
	})
	opEqual.Ref = named("numpy.equal", "torch.eq", "jax.numpy.equal, jax.lax.eq", "Equal", "Eq")
	opGreaterEqual.Ref = named("numpy.greater_equal", "torch.ge, torch.greater_equal",
		"jax.numpy.greater_equal, jax.lax.ge", "GreaterOrEqual", "Gte")
	opGreater.Ref = named("numpy.greater", "torch.gt, torch.greater", "jax.numpy.greater, jax.lax.gt", "Greater", "Gt")
	opLessEqual.Ref = named("numpy.less_equal", "torch.le, torch.less_equal", "jax.numpy.less_equal, jax.lax.le",
		"LessOrEqual", "Lte")
	opAnd.Ref = named("numpy.logical_and", "torch.logical_and", "jax.numpy.logical_and", "And", "")
	opNot.Ref = named("numpy.logical_not", "torch.logical_not", "jax.numpy.logical_not", "Not", "")
	opOr.Ref = named("numpy.logical_or", "torch.logical_or", "jax.numpy.logical_or", "Or", "")
	opXor.Ref = named("numpy.logical_xor", "torch.logical_xor", "jax.numpy.logical_xor", "Xor", "")
	opLess.Ref = named("numpy.less", "torch.lt, torch.less", "jax.numpy.less, jax.lax.lt", "Less", "Lt")
	opNotEqual.Ref = named("numpy.not_equal", "torch.ne, torch.not_equal", "jax.numpy.not_equal, jax.lax.ne", "", "Ne")
	opWhere.Ref = named("numpy.where", "torch.where", "jax.numpy.where, jax.lax.select, jax.lax.select_n", "Where", "",
		func(e *graph.Example) node {
			return Where(e.As(graph.Bool, "condition", "n"), e.Of("x", "n"), e.Of("y", "n"))
		})
}

// Less returns x < y.
func Less(x, y *graph.Node) *graph.Node { return Apply(opLess, nil, x, y) }

// LessEqual returns x <= y.
func LessEqual(x, y *graph.Node) *graph.Node { return Apply(opLessEqual, nil, x, y) }

// Greater returns x > y.
func Greater(x, y *graph.Node) *graph.Node { return Apply(opGreater, nil, x, y) }

// GreaterEqual returns x >= y.
func GreaterEqual(x, y *graph.Node) *graph.Node { return Apply(opGreaterEqual, nil, x, y) }

// Equal returns x == y.
func Equal(x, y *graph.Node) *graph.Node { return Apply(opEqual, nil, x, y) }

// NotEqual returns x != y.
func NotEqual(x, y *graph.Node) *graph.Node { return Apply(opNotEqual, nil, x, y) }

// And returns true where both are true.
func And(x, y *graph.Node) *graph.Node { return Apply(opAnd, nil, x, y) }

// Or returns true where at least one is true.
func Or(x, y *graph.Node) *graph.Node { return Apply(opOr, nil, x, y) }

// Xor returns true where exactly one is true.
func Xor(x, y *graph.Node) *graph.Node { return Apply(opXor, nil, x, y) }

// Not returns true where x is false or 0.
func Not(x *graph.Node) *graph.Node { return Apply(opNot, nil, x) }

// Where returns x where the condition is true, and y elsewhere. All three broadcast.
func Where(condition, x, y *graph.Node) *graph.Node {
	return Apply(opWhere, nil, condition, x, y)
}
