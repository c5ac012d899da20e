package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// The gradients of several results flow together before the user's function is asked once for those of the operands.
// What they meet in is a value that is never computed, the carrier: each result of floating-point numbers reads it, and
// gives it its gradient in the part of it that is its own. The gradient of the carrier, taken apart again, is that of
// all results.

// gradient makes the operations of the results, and the carrier of their gradients.
func (p *packedCall) gradient(backward func(y, dy, in []node) []node) {
	dtype, size := graph.Float32, graph.Dim(0)
	from, to := make([]graph.Dim, len(p.results)), make([]graph.Dim, len(p.results))
	for i, r := range p.results {
		if from[i], to[i] = size, size; r.DType.IsFloat() {
			size = size.Plus(r.Shape.NumElements())
			to[i] = size
		}
		if r.DType == graph.Float64 {
			dtype = graph.Float64
		}
	}
	floats := false
	for i, r := range p.results {
		op := &graph.Op{Name: "result", Func: p.name, Doc: "one of several results of a Go function.",
			Class: graph.Composite, Storage: true, Unpacks: true, MinIn: 1, MaxIn: 2,
			Infer: func(*graph.Call) (graph.DType, graph.Shape) { return r.DType, slices.Clone(r.Shape) },
			Expand: func(_ *graph.Node, in []node) node {
				return Apply(fromBytes(r), nil, Slice(in[0], 0, p.from[i], p.to[i], 1))
			},
		}
		if floats = floats || r.DType.IsFloat(); r.DType.IsFloat() {
			op.Grad = func(_, dy node, _ int) node {
				return Pad(Reshape(Cast(dy, dtype), r.Shape.NumElements()), 0, from[i], size.Minus(to[i]), 0)
			}
		}
		p.unpack = append(p.unpack, op)
	}
	if !floats {
		return
	}
	p.carrier = &graph.Op{Name: "carrier", Func: p.name, Doc: "what the gradients of several results meet in.",
		Class: graph.Function, AsStored: true, Unpacks: true,
		MinIn: 2, MaxIn: -1, Core: wholeOperands,
		Infer:    func(*graph.Call) (graph.DType, graph.Shape) { return dtype, graph.Shape{size} },
		Function: func(*graph.Arrays) error { return errors.New("must not be computed") },
	}
	if backward == nil {
		return
	}
	var asked askedOnce
	p.carrier.Grad = func(carrier, dc node, i int) node {
		if i == 0 {
			return nil
		}
		packed, in := carrier.In(0), carrier.Operands()[1:]
		grads := asked.grads(carrier, dc, func() []node {
			y, dy := make([]node, len(p.results)), make([]node, len(p.results))
			for k, r := range p.results {
				if y[k] = p.result(k, packed, carrier); r.DType.IsFloat() {
					dy[k] = Cast(Reshape(Slice(dc, 0, from[k], to[k], 1), r.Shape...), r.DType.Gradient())
				}
			}
			return backward(y, dy, slices.Clone(in))
		})
		return oneOf(p.name, grads, in, i-1)
	}
}

// askedOnce keeps the gradients that a user's function has given last, so that it is asked once for those of all
// operands.
type askedOnce struct {
	y, dy node
	given []node
}

func (a *askedOnce) grads(y, dy node, ask func() []node) []node {
	if a.y != y || a.dy != dy || slices.ContainsFunc(a.given, func(x node) bool { return !stands(x, y.Graph()) }) {
		a.y, a.dy, a.given = y, dy, ask()
	}
	return a.given
}

// stands reports whether a node that was built is still part of the graph.
func stands(x node, g *graph.Graph) bool {
	return x == nil || x.Graph() == nil || x.Graph() == g && x.ID() < len(g.Nodes()) && g.Nodes()[x.ID()] == x
}

// oneOf is the gradient of operand i among those that a user's function gives.
func oneOf(name string, grads, in []node, i int) node {
	if len(grads) != len(in) {
		return refusal(refused(name, in...), &graph.Mistake{Code: graph.CodeGradient,
			Summary: fmt.Sprintf("the backward function of %s returns %d gradients for %d operands", name, len(grads),
				len(in))})
	}
	return grads[i]
}
