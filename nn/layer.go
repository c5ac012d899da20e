package nn

import (
	"slices"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Layer is a part of a model. It is made once, with its parameters, and applied any number of times: in training and
// in evaluation, and to several values. Your own layer is a type with this method:
//
//	type Block struct{ norm *nn.LayerNorm; up, down *nn.Linear }
//
//	func (b *Block) Apply(p *nn.Pass, x *graph.Node) *graph.Node {
//		return b.down.Apply(p, ops.Gelu(b.up.Apply(p, b.norm.Apply(p, x))))
//	}
type Layer interface {
	Apply(p *Pass, x *graph.Node) *graph.Node
}

// Func is a function of nodes as a layer: nn.Func(ops.Relu).
type Func func(x *graph.Node) *graph.Node

// Apply implements [Layer].
func (f Func) Apply(_ *Pass, x *graph.Node) *graph.Node {
	if f == nil {
		return unbuilt("Apply", "the function is nil", x)
	}
	return f(x)
}

// sequence is layers one after the other.
type sequence []Layer

// Sequential applies layers one after the other.
func Sequential(layers ...Layer) Layer { return sequence(layers) }

// Apply implements [Layer].
func (s sequence) Apply(p *Pass, x *graph.Node) *graph.Node {
	for _, l := range s {
		if l == nil {
			return unbuilt("Sequential", "a layer is nil", x)
		}
		x = l.Apply(p, x)
	}
	return x
}

// residual is a layer around which its input is led.
type residual struct{ Layer }

// Residual returns x + layer(x), which has x's shape.
func Residual(layer Layer) Layer { return residual{layer} }

// Apply implements [Layer].
func (r residual) Apply(p *Pass, x *graph.Node) *graph.Node {
	if r.Layer == nil {
		return unbuilt("Residual", "the layer is nil", x)
	}
	return ops.Add(x, r.Layer.Apply(p, x))
}

// withParams is a layer that reads values instead of parameters.
type withParams struct {
	layer          Layer
	params, values []*graph.Node
}

// WithParams returns the layer with values, such as those after a step of gradient descent, instead of parameters: it
// reads values[i], of the same shape and dtype, where it would read params[i]. It is torch.func.functional_call, and
// the apply of Flax and Haiku. Gradients of any order flow to the values. Everything else is the layer's: its other
// parameters, its state, such as running statistics, which training passes still write, and the draws of dropout.
//
//	params := optim.Trainable(g, "model")
//	loss := ops.CrossEntropy(model.Apply(pass, x), label)
//	adapted := make([]*graph.Node, len(params))
//	for i, dw := range autodiff.Grad(loss, params) {
//		adapted[i] = ops.Sub(params[i], ops.Mul(graph.Num(0.01), dw))
//	}
//	y := nn.WithParams(model, params, adapted).Apply(pass, query)
//
// A parameter that the layer does not read is a mistake. [graph.Graph.WithParams] does the same for anything else that
// is built with layers or parameters.
func WithParams(layer Layer, params, values []*graph.Node) Layer {
	return withParams{layer, slices.Clone(params), slices.Clone(values)}
}

// Apply implements [Layer].
func (l withParams) Apply(p *Pass, x *graph.Node) (y *graph.Node) {
	switch {
	case l.layer == nil:
		return unbuilt("WithParams", "the layer is nil", x)
	case p == nil || p.g == nil:
		return unbuilt("WithParams", noPass, x)
	}
	p.g.WithParams(l.params, l.values, func() {
		y = l.layer.Apply(p, x)
		y = p.g.ValuesOf([]*graph.Node{y})[0] // also where the result is a parameter
	})
	return y
}

// Flatten merges all axes but the first into one.
func Flatten() Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.Flatten(x, 1, -1) })
}

// dropout is a layer of [Dropout].
type dropout float64

// Dropout sets elements to 0 with probability p in training and multiplies the others by 1/(1-p), like PyTorch's
// Dropout. In evaluation it returns its input. Each step draws new numbers: see [Pass.Seed].
func Dropout(p float64) Layer { return dropout(p) }

// Apply implements [Layer].
func (d dropout) Apply(p *Pass, x *graph.Node) *graph.Node {
	switch {
	case p == nil:
		return unbuilt("Dropout", noPass, x)
	case !drops(p, x, float64(d)):
		return x
	}
	return ops.Dropout(x, float64(d), p.Seed())
}

// drops reports whether a pass drops elements of x, or must be told that it cannot at this rate.
func drops(p *Pass, x *graph.Node, rate float64) bool {
	if x == nil || x.Graph() == nil || p.g == nil || rate == 0 {
		return false
	}
	return p.training || rate < 0 || rate > 1 || rate != rate
}

// checkpoint is a layer that is computed again for its gradient.
type checkpoint struct{ Layer }

// Checkpoint wraps a layer whose inner values are recomputed for the gradient instead of kept in memory: see
// [autodiff.Checkpoint] for the cost. Parameters keep the layer's names.
func Checkpoint(layer Layer) Layer { return checkpoint{layer} }

// Apply implements [Layer].
func (c checkpoint) Apply(p *Pass, x *graph.Node) *graph.Node {
	if c.Layer == nil {
		return graph.Refused("Checkpoint", nil, &graph.Mistake{Code: graph.CodeOperand, Summary: "the layer is nil",
			Help: []string{"pass the layer that should be recomputed for gradients: nn.Checkpoint(layer)"}}, x)
	}
	return autodiff.Checkpoint(x, func(x *graph.Node) *graph.Node { return c.Layer.Apply(p, x) })
}
