package ops

import "github.com/broadloom/broadloom/graph"

var opTrunc, opFrac, opFmod *graph.Op

func init() {
	opTrunc = unary("trunc", "Trunc", "the whole part, towards 0.", nil, graph.PrimTrunc, nil)
	opTrunc.Emit = identityFor(graph.PrimTrunc, true)
	opTrunc.Infer = refuseBool(`"trunc_vml_cpu" not implemented for 'Bool'`, sameType)
	opFrac = activation("frac", "Frac", "the fractional part of x, with the sign of x.", "frac_cpu",
		func(m arith, _ node, x graph.Value) graph.Value { return m.sub(x, m.Prim(graph.PrimTrunc, x)) },
		func(_, _, dy node) node { return dy })
	opFmod = define(graph.Op{
		Name: "fmod", Func: "Fmod", Doc: "x - y*trunc(x/y): the sign is x's; an integer divided by 0 stops the run.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: refuseBool(`"fmod_cpu" not implemented for 'Bool'`, sameType), Emit: emitFmod,
		Grad: each(
			func(n, dy node) node { return dy },
			func(n, dy node) node { return Neg(Mul(dy, Trunc(Div(n.In(0), n.In(1))))) }),
	})
	opFmod.Ref = named("numpy.fmod", "torch.fmod", "jax.numpy.fmod, jax.lax.rem", "Mod", "")
	opFrac.Ref = named("", "torch.frac", "", "", "")
	opTrunc.Ref = flat(flatBetweenJumps, "numpy.trunc, numpy.fix, numpy.modf", "torch.trunc, torch.fix",
		"jax.numpy.trunc, jax.numpy.modf", "", "")
}

// emitFmod is the remainder of magnitudes with the sign of x. Of integers, whose least one has no magnitude, it is the
// remainder with the sign of y, moved by y where the signs differ.
func emitFmod(e graph.Emitter, n node, x []graph.Value) graph.Value {
	m := arith{Emitter: e, t: n.DType()}
	if m.t.IsInt() {
		e.Check(e.Prim(graph.PrimNe, x[1], m.num(0)), graph.Claim{Message: "ZeroDivisionError", Operand: 1})
		rest := e.Prim(graph.PrimRem, x[0], x[1])
		differ := e.Prim(graph.PrimNe, m.less(x[0], 0), m.less(x[1], 0))
		moves := e.Prim(graph.PrimAnd, differ, e.Prim(graph.PrimNe, rest, m.num(0)))
		return m.pick(moves, m.sub(rest, x[1]), rest)
	}
	rest := e.Prim(graph.PrimRem, m.abs(x[0]), m.abs(x[1]))
	return m.pick(e.Prim(graph.PrimLt, x[0], m.num(0)), e.Prim(graph.PrimNeg, rest), rest)
}

// Trunc returns the whole part of x, rounded towards 0.
func Trunc(x *graph.Node) *graph.Node { return Apply(opTrunc, nil, x) }

// Frac returns x - Trunc(x).
func Frac(x *graph.Node) *graph.Node { return Apply(opFrac, nil, x) }

// Fmod returns the remainder of x / y with the sign of x, like C's fmod. [Remainder] has the sign of y.
func Fmod(x, y *graph.Node) *graph.Node { return Apply(opFmod, nil, x, y) }
