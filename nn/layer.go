package nn

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Layer is a part of a model. It is made once, with its parameters, and applied any number of
// times: in training and in evaluation, and to several values. A layer of your own is a type with
// this method:
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

// Flatten makes one axis of all axes but the first.
func Flatten() Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.Flatten(x, 1, -1) })
}

// dropout is a layer of [Dropout].
type dropout float64

// Dropout sets elements to 0 with probability p in training and multiplies the others by 1/(1-p),
// as PyTorch's Dropout; in evaluation it returns its input. What it draws is new in each step: see
// [Pass.Seed].
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

// MaxPool1D, and those that follow, are the operations of the same names as layers: see
// [ops.MaxPool1D].
func MaxPool1D(kernel int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.MaxPool1D(x, kernel, opts...) })
}

// MaxPool2D is [ops.MaxPool2D] as a layer, with windows of size × size elements.
func MaxPool2D(size int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.MaxPool2D(x, size, size, opts...) })
}

// AvgPool1D is [ops.AvgPool1D] as a layer.
func AvgPool1D(kernel int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.AvgPool1D(x, kernel, opts...) })
}

// AvgPool2D is [ops.AvgPool2D] as a layer, with windows of size × size elements.
func AvgPool2D(size int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.AvgPool2D(x, size, size, opts...) })
}

// GlobalAvgPool returns the mean of each channel of x, [N, C, …]: the result is [N, C]. It is
// PyTorch's AdaptiveAvgPool to size 1, without the axes of that size.
func GlobalAvgPool() Layer { return overPlaces("GlobalAvgPool", ops.Mean) }

// GlobalMaxPool returns the greatest element of each channel of x, [N, C, …]: the result is [N, C].
func GlobalMaxPool() Layer { return overPlaces("GlobalMaxPool", ops.Max) }

// overPlaces reduces all axes behind the channels.
func overPlaces(fn string, reduce func(*graph.Node, ...ops.Axis) *graph.Node) Layer {
	return Func(func(x *graph.Node) *graph.Node {
		switch {
		case x == nil || !x.Judged():
			return reduce(x) // its own mistake
		case x.Rank() < 3:
			return unbuilt(fn, "it takes [N, C, …] with axes behind the channels, and "+x.Called()+" has shape "+x.Shape().String(), x)
		}
		axes := make([]ops.Axis, 0, x.Rank()-2)
		for i := 2; i < x.Rank(); i++ {
			axes = append(axes, ops.Axis(i))
		}
		return reduce(x, axes...)
	})
}
