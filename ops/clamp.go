package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opClamp, opAtLeast, opAtMost *graph.Op

// ClampAttrs are the fixed arguments of Clamp. An infinite bound means no bound.
type ClampAttrs struct{ Min, Max float64 }

func init() {
	opClamp = define(graph.Op{
		Name: "clamp", Func: "Clamp", Doc: "x brought between two bounds; NaN stays; the gradient on a bound is 1.",
		Class: graph.Elementwise, MinIn: 1, MaxIn: 1,
		Promote: boolToInt64,
		Infer:   inferClamp,
		Emit: func(e graph.Emitter, n node, x []graph.Value) graph.Value {
			a, y, t := n.Attrs().(ClampAttrs), x[0], n.DType()
			if a.Min != math.Inf(-1) {
				y = e.Prim(graph.PrimMax, y, e.Const(t, a.Min))
			}
			if a.Max != math.Inf(1) {
				y = e.Prim(graph.PrimMin, y, e.Const(t, a.Max))
			}
			return y
		},
		Grad: func(n, dy node, _ int) node {
			a, x := n.Attrs().(ClampAttrs), n.In(0)
			return Where(And(GreaterEqual(x, num(a.Min)), LessEqual(x, num(a.Max))), dy, num(0))
		},
	})
	opAtLeast = bound("clamp_min", "AtLeast",
		"the greater of x and a bound; NaN wins; on the bound the gradient is x's.", graph.PrimMax, graph.PrimOr,
		GreaterEqual, Less)
	opAtMost = bound("clamp_max", "AtMost", "the smaller of x and a bound; NaN wins; on the bound the gradient is x's.",
		graph.PrimMin, graph.PrimAnd, LessEqual, Greater)
	opClamp.Ref = named("numpy.clip", "torch.clamp, torch.clip", "jax.numpy.clip, jax.lax.clamp", "Clip", "",
		func(e *graph.Example) node { return Clamp(e.Of("x", "n"), -1, 1) })
	opAtMost.Ref = named("numpy.minimum", "torch.clamp_max", "", "", "",
		func(e *graph.Example) node { return AtMost(e.Of("x", "n"), e.Of("high", "n")) })
	opAtLeast.Ref = named("numpy.maximum", "torch.clamp_min", "", "", "",
		func(e *graph.Example) node { return AtLeast(e.Of("x", "n"), e.Of("low", "n")) })
	composed("ClampMax", "min(x, high).",
		named("numpy.minimum", "torch.clamp_max", "", "Clip", "",
			func(e *graph.Example) node { return ClampMax(e.Of("x", "n"), 1) }))
	composed("ClampMin", "max(x, low).",
		named("numpy.maximum", "torch.clamp_min", "", "Clip", "",
			func(e *graph.Example) node { return ClampMin(e.Of("x", "n"), 0) }))
}

// bound is the entry of a bound that is a value; inside and outside tell where x lies. NaN is
// neither, and has no gradient.
func bound(name, fn, doc string, p, ofBools graph.Prim, inside, outside func(x, y *graph.Node) *graph.Node) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Promote: ToCommonType, Infer: inRange(sameType), Emit: logical(p, ofBools),
		Grad: each(
			func(n, dy node) node { return Where(inside(n.In(0), n.In(1)), dy, num(0)) },
			func(n, dy node) node { return Where(outside(n.In(0), n.In(1)), dy, num(0)) }),
	})
}

func inferClamp(c *graph.Call) (graph.DType, graph.Shape) {
	a := c.Attrs().(ClampAttrs)
	if math.IsInf(a.Min, -1) && math.IsInf(a.Max, 1) {
		c.Fail(&graph.Mistake{Code: graph.CodeOperand,
			Summary: "torch.clamp: At least one of 'min' or 'max' must not be None"})
	}
	if t := c.DType(0); t.IsInt() && (!isWhole(a.Min) || !isWhole(a.Max)) {
		rules.RefuseDType(c, "clamp: the bounds of integers must be whole numbers")
	}
	for _, bound := range []float64{a.Min, a.Max} {
		if !math.IsInf(bound, 0) {
			refuseOutside(c, c.DType(0), bound)
		}
	}
	return sameType(c)
}

func isWhole(v float64) bool { return v == math.Trunc(v) }

// Clamp returns x limited to the range from low to high. An infinite bound has no effect. If low is greater than
// high, the result is high.
func Clamp(x *graph.Node, low, high float64) *graph.Node {
	if x != nil && x.Judged() && !x.DType().IsFloat() && (!isWhole(low) || !isWhole(high)) {
		defer building("Clamp", x, low, high)()
		x = Cast(x, graph.Float32)
	}
	return Apply(opClamp, ClampAttrs{low, high}, x)
}

// ClampMin returns the greater of x and low.
func ClampMin(x *graph.Node, low float64) *graph.Node {
	defer building("ClampMin", x, low)()
	return Clamp(x, low, math.Inf(1))
}

// ClampMax returns the smaller of x and high.
func ClampMax(x *graph.Node, high float64) *graph.Node {
	defer building("ClampMax", x, high)()
	return Clamp(x, math.Inf(-1), high)
}

// AtLeast returns the greater of x and low. Unlike in [Maximum], x gets the whole gradient where both are equal.
func AtLeast(x, low *graph.Node) *graph.Node { return Apply(opAtLeast, nil, x, low) }

// AtMost returns the smaller of x and high. Unlike in [Minimum], x gets the whole gradient where both are equal.
func AtMost(x, high *graph.Node) *graph.Node { return Apply(opAtMost, nil, x, high) }
