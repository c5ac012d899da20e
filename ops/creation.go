package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

var opFull, opIota, opSize *graph.Op

// FullAttrs are the fixed arguments of Full.
type FullAttrs struct {
	Value float64
	To    graph.DType
	Shape graph.Shape
}

// IotaAttrs are the fixed arguments of Iota.
type IotaAttrs struct {
	Axis  int
	Shape graph.Shape
}

// SizeAttrs are the fixed arguments of Size.
type SizeAttrs struct {
	Dim graph.Dim
	To  graph.DType
}

func init() {
	opFull = define(graph.Op{
		Name: "full", Func: "Full", Doc: "one number in every place.", Class: graph.Elementwise, Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(FullAttrs)
			refuseOutside(c, a.To, a.Value)
			return a.To, a.Shape
		},
		Emit: func(e graph.Emitter, n node, _ []graph.Value) graph.Value {
			return e.Const(n.DType(), n.Attrs().(FullAttrs).Value)
		},
	})
	opIota = define(graph.Op{
		Name: "iota", Func: "Iota", Doc: "the position along an axis, from 0, as Int64.", Class: graph.Elementwise,
		Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			a := c.Attrs().(IotaAttrs)
			if a.Axis < 0 || a.Axis >= len(a.Shape) {
				c.Fail(&graph.Mistake{Code: graph.CodeOperand,
					Summary: fmt.Sprintf("there is no axis %d in %s", a.Axis, a.Shape)})
			}
			return graph.Int64, a.Shape
		},
		Emit: func(e graph.Emitter, n node, _ []graph.Value) graph.Value {
			return e.Index(n.Attrs().(IotaAttrs).Axis)
		},
	})
	opSize = define(graph.Op{
		Name: "size", Func: "Size", Doc: "a size of the program as a number.", Class: graph.Elementwise,
		Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			return c.Attrs().(SizeAttrs).To, graph.Shape{}
		},
		Emit: func(e graph.Emitter, n node, _ []graph.Value) graph.Value {
			return e.Convert(e.Size(n.Attrs().(SizeAttrs).Dim), n.DType())
		},
	})
	opFull.Ref = flat(noSlope, "numpy.full", "torch.full", "jax.numpy.full, jax.lax.full", "ConstantOfShape", "",
		func(e *graph.Example) node { return Full(e.Graph, e.DType, 3, e.Shape("n", "k")...) })
	opIota.Ref = named("numpy.arange, numpy.indices", "torch.arange",
		"jax.lax.broadcasted_iota, jax.lax.iota, jax.numpy.indices", "Range", "",
		func(e *graph.Example) node { return Iota(e.Graph, 1, e.Shape("n", "k")...) })
	opSize.Ref = named("numpy.size", "", "jax.numpy.size", "Size", "SizeOf",
		func(e *graph.Example) node { return Size(e.Graph, graph.Int64, e.Shape("n")[0]) })
	composed("FullLike", "one number in every position of x.",
		flat(noSlope, "numpy.full_like", "torch.full_like, torch.fill", "jax.numpy.full_like, jax.lax.full_like",
			"", "",
			func(e *graph.Example) node { return FullLike(e.Of("x", "n"), 3) }))
	composed("Zeros", "0 in every place.",
		flat(noSlope, "numpy.zeros, numpy.empty", "torch.zeros, torch.empty", "jax.numpy.zeros, jax.numpy.empty",
			"ConstantOfShape", "",
			func(e *graph.Example) node { return Zeros(e.Graph, e.DType, e.Shape("n", "k")...) }))
	composed("ZerosLike", "0 in every position of x.",
		flat(noSlope, "numpy.zeros_like, numpy.empty_like", "torch.zeros_like, torch.empty_like",
			"jax.numpy.zeros_like, jax.numpy.empty_like", "", "",
			func(e *graph.Example) node { return ZerosLike(e.Of("x", "n")) }))
}

// Full returns a value of the given shape filled with v.
func Full(g *graph.Graph, t graph.DType, v float64, shape ...graph.Dim) *graph.Node {
	return graph.ApplyIn(g, opFull, FullAttrs{v, t, append(graph.Shape{}, shape...)})
}

// Zeros returns a value of the given shape filled with 0.
func Zeros(g *graph.Graph, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer g.BeginCall("Zeros", append(written{"graph." + t.GoName()}, shapeWords(shape)...))()
	return Full(g, t, 0, shape...)
}

// ZerosLike returns a value of x's shape and dtype filled with 0.
func ZerosLike(x *graph.Node) *graph.Node {
	defer building("ZerosLike", x)()
	if x == nil || !x.Judged() {
		return refusal(refused("ZerosLike", x), nil)
	}
	return FullLike(x, 0)
}

// FullLike returns a value of x's shape and dtype filled with v. x is not computed, but its requirements on sizes
// hold; they do not with [Full] of x's shape.
func FullLike(x *graph.Node, v float64) *graph.Node {
	defer building("FullLike", x, v)()
	if x == nil || !x.Judged() {
		return refusal(refused("FullLike", x).with(v), nil)
	}
	return Full(x.Graph(), x.DType(), v, x.Shape()...).MarkLike(x)
}

// Iota returns a value of the given shape that holds each element's index along an axis, as Int64.
func Iota(g *graph.Graph, axis int, shape ...graph.Dim) *graph.Node {
	if axis < 0 {
		axis += len(shape)
	}
	return graph.ApplyIn(g, opIota, IotaAttrs{axis, append(graph.Shape{}, shape...)})
}

// Size returns a size of the program, as bound in each run, as a scalar of dtype t.
func Size(g *graph.Graph, t graph.DType, d graph.Dim) *graph.Node {
	if n, whole := d.Int(); whole && t.Valid() && !d.IsMisused() {
		return g.Scalar(t, float64(n))
	}
	return graph.ApplyIn(g, opSize, SizeAttrs{d, t})
}
