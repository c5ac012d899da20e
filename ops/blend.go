package ops

import "github.com/broadloom/broadloom/graph"

var opAddCMul, opAddCDiv, opLerp *graph.Op

func init() {
	opAddCMul = define(graph.Op{
		Name: "addcmul", Func: "AddCMul", Doc: "x + a*b; all three broadcast together.", Class: graph.Elementwise,
		MinIn: 3, MaxIn: 3,
		Promote: ToCommonType, Infer: refuseBool(`"addcmul_cpu_out" not implemented for 'Bool'`, sameType),
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			m := arith{Emitter: e, t: n.DType()}
			return m.add(x[0], m.mul(x[1], x[2]))
		},
		Grad: each(
			func(n, dy node) node { return dy },
			func(n, dy node) node { return Mul(dy, n.In(2)) },
			func(n, dy node) node { return Mul(dy, n.In(1)) }),
	})
	opAddCDiv = define(graph.Op{
		Name: "addcdiv", Func: "AddCDiv", Doc: "x + a/b; all three broadcast together.", Class: graph.Elementwise,
		MinIn: 3, MaxIn: 3,
		Promote: ToCommonFloat, Infer: sameType,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			m := arith{Emitter: e, t: n.DType()}
			return m.add(x[0], m.div(x[1], x[2]))
		},
		Grad: each(
			func(n, dy node) node { return dy },
			func(n, dy node) node { return Div(dy, n.In(2)) },
			func(n, dy node) node { return Neg(Mul(dy, Div(Div(n.In(1), n.In(2)), n.In(2)))) }),
	})
	opLerp = define(graph.Op{
		Name: "lerp", Func: "Lerp", Doc: "x + w*(end-x), exact at both ends; all three broadcast together.",
		Class: graph.Elementwise, MinIn: 3, MaxIn: 3,
		Promote: ToCommonFloat, Infer: sameType,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			m := arith{Emitter: e, t: n.DType()}
			start, end, weight := x[0], x[1], x[2]
			way := m.sub(end, start)
			fromStart := m.add(start, m.mul(weight, way))
			fromEnd := m.sub(end, m.mul(way, m.sub(m.num(1), weight)))
			isNearStart := m.Prim(graph.PrimLt, m.Prim(graph.PrimAbs, weight), m.num(0.5))
			return m.Prim(graph.PrimSelect, isNearStart, fromStart, fromEnd)
		},
		Grad: each(
			func(n, dy node) node { return Mul(dy, Sub(num(1), n.In(2))) },
			func(n, dy node) node { return Mul(dy, n.In(2)) },
			func(n, dy node) node { return Mul(dy, Sub(n.In(1), n.In(0))) }),
	})
	opAddCDiv.Ref = named("", "torch.addcdiv", "", "", "",
		func(e *graph.Example) node { return AddCDiv(e.Of("x", "n"), e.Of("a", "n"), e.Of("b", "n")) })
	opAddCMul.Ref = named("", "torch.addcmul", "", "", "",
		func(e *graph.Example) node { return AddCMul(e.Of("x", "n"), e.Of("a", "n"), e.Of("b", "n")) })
	opLerp.Ref = named("", "torch.lerp", "", "", "",
		func(e *graph.Example) node { return Lerp(e.Of("x", "n"), e.Of("end", "n"), e.Of("weight", "n")) })
}

// AddCMul returns x + a*b.
func AddCMul(x, a, b *graph.Node) *graph.Node { return Apply(opAddCMul, nil, x, a, b) }

// AddCDiv returns x + a/b in the common floating-point dtype of all three.
func AddCDiv(x, a, b *graph.Node) *graph.Node { return Apply(opAddCDiv, nil, x, a, b) }

// Lerp returns x + weight*(end-x), the linear interpolation from x to end.
func Lerp(x, end, weight *graph.Node) *graph.Node { return Apply(opLerp, nil, x, end, weight) }
