package autodiff

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

// Upstream sets the gradient of y, with y's shape and dtype, so that y need not be a scalar: the result is the
// vector-Jacobian product. Sizes of dy that are not known to equal those of y are checked when they are bound.
func Upstream(dy *graph.Node) Option { return func(s *settings) { s.upstream = dy } }

// upstreamAttrs are the fixed arguments of upstreamOp: the shape and the name of the value at
// which the gradient arrives.
type upstreamAttrs struct {
	Shape graph.Shape
	Value string
}

// Args keeps the value out of the call's text.
func (upstreamAttrs) Args(operands []string) []string { return operands }

// upstreamOp is a gradient that the user gives, in the shape of its value.
var upstreamOp = &graph.Op{Name: "upstream", Func: "Upstream",
	Doc:   "x as the gradient of a value, of whose shape it must be",
	Class: graph.Movement, MinIn: 1, MaxIn: 1, View: alias.ReshapeView, Once: true,
	Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
		a := c.Attrs().(upstreamAttrs)
		rules.MustHaveShape(c, a.Shape, "the upstream gradient must have the shape of the value",
			func() *graph.Mistake {
				return a.wrongShape(c.Shape(0)).mistake()
			})
		return c.DType(0), a.Shape
	},
	Grad: func(n, dy *graph.Node, _ int) *graph.Node { return ops.Reshape(dy, n.In(0).Shape()...) },
	Batch: func(n *graph.Node, in []*graph.Node, _ []bool) *graph.Node {
		return ops.Reshape(in[0], slices.Concat(in[0].Shape()[:1], n.Shape())...)
	},
}

// arriving returns the upstream gradient in y's shape.
func (s settings) arriving(y *graph.Node) *graph.Node {
	if !s.upstream.Judged() || s.upstream.Shape().Equal(y.Shape()) {
		return s.upstream
	}
	return graph.Apply(upstreamOp, upstreamAttrs{y.Shape(), y.Called()}, s.upstream)
}

// checkUpstream says why dy cannot be a gradient of y, if it cannot.
func checkUpstream(dy, y *graph.Node) (p problem) {
	switch {
	case !dy.Judged():
	case dy.Graph() != nil && dy.Graph() != y.Graph():
		p.Summary = fmt.Sprintf("the upstream gradient, %s, belongs to another graph", dy.Called())
	case dy.Graph() != nil && dy.DType() != y.DType().Gradient():
		p = problem{Summary: fmt.Sprintf("the upstream gradient has dtype %s, but %s has dtype %s", dy.DType(),
			y.Called(), y.DType()), Help: "convert it with ops.Cast"}
	case dy.Rank() != y.Rank():
		p = upstreamAttrs{y.Shape(), y.Called()}.wrongShape(dy.Shape())
	}
	return p
}

func (a upstreamAttrs) wrongShape(have graph.Shape) problem {
	return problem{Summary: fmt.Sprintf("the upstream gradient has shape %s, but %s has shape %s", have, a.Value,
		a.Shape)}
}
