package nn

import (
	"fmt"
	"strconv"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Option changes a layer.
type Option func(*settings)

type settings struct {
	weight, bias graph.Initializer
	noBias       bool
}

// WeightInit sets the first values of a layer's weights.
func WeightInit(init graph.Initializer) Option { return func(s *settings) { s.weight = init } }

// BiasInit sets the first values of a layer's bias.
func BiasInit(init graph.Initializer) Option { return func(s *settings) { s.bias = init } }

// NoBias leaves the bias out.
func NoBias() Option { return func(s *settings) { s.noBias = true } }

// Linear returns x·weightᵀ + bias for x of shape [..., in], where weight is [out, in] and bias
// [out], as in PyTorch's layer and [ops.Linear]. The parameters are named name/weight and
// name/bias and have x's dtype; they start from [GlorotUniform] and [Zeros] unless options
// say otherwise. Both widths are numbers or names of such: see [graph.Exactly].
func Linear[Width int | graph.Dim](g *graph.Graph, name string, x *graph.Node, out Width, opts ...Option) *graph.Node {
	defer g.BeginCall("Linear", call{name, fmt.Sprint(out)}, x)()
	s := settings{weight: GlorotUniform(), bias: Zeros()}
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	if x == nil || !x.Judged() {
		return unbuilt("", x) // the mistake is x's own
	}
	if trouble := linearTrouble(g, x); trouble != "" {
		return unbuilt(trouble, x)
	}
	in, outDim := x.Shape()[x.Rank()-1], graph.Dim(out)
	if in.IsUnknown() {
		return unbuilt("", x)
	}
	y := x
	g.Scope(name, func() {
		weight := g.ParamInit("weight", x.DType(), s.weight, outDim, in)
		var bias *graph.Node
		if !s.noBias {
			bias = g.ParamInit("bias", x.DType(), s.bias, outDim)
		}
		y = ops.Linear(x, weight, bias)
	})
	return y
}

// call is a layer's call as the user wrote it, but for options.
type call struct {
	name string
	out  string
}

// Args writes the arguments.
func (c call) Args(operands []string) []string {
	return append([]string{"g", strconv.Quote(c.name)}, append(operands, c.out)...)
}

// linearTrouble says why x cannot go into a linear layer of g, or "".
func linearTrouble(g *graph.Graph, x *graph.Node) string {
	switch {
	case g == nil:
		return "the graph is nil"
	case x.Graph() != g:
		return fmt.Sprintf("%s does not belong to graph %q, in which the layer is built", x.Called(), g.Name())
	case !x.DType().IsFloat():
		return fmt.Sprintf("a linear layer works on floating-point numbers, and %s has dtype %s", x.Called(), x.DType())
	case x.Rank() == 0:
		return fmt.Sprintf("a linear layer works along the last axis, and %s is a scalar", x.Called())
	}
	last := x.Shape()[x.Rank()-1]
	if _, known := g.Known(last); !known && !last.IsUnknown() {
		return fmt.Sprintf("the size of the weights must be known when the program is built, and the last axis of %s is %q", x.Called(), last)
	}
	return ""
}

// unbuilt stands for a layer that could not be built. Without a trouble of its own it is
// silent.
func unbuilt(trouble string, x *graph.Node) *graph.Node {
	op := &graph.Op{Name: "linear", Func: "Linear", Doc: "a linear layer that could not be built", MinIn: 1, MaxIn: 1}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		if trouble != "" {
			c.Fail(&graph.Mistake{Code: graph.CodeOperand, Summary: trouble})
		}
		return graph.InvalidDType, nil
	}
	return graph.Apply(op, nil, x)
}
