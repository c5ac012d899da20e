package nn

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// MaxPool1D is [ops.MaxPool1D] as a layer.
func MaxPool1D(kernel int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.MaxPool1D(x, kernel, opts...) })
}

// MaxPool2D is [ops.MaxPool2D] as a layer, with windows of size × size elements.
func MaxPool2D(size int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.MaxPool2D(x, size, size, opts...) })
}

// MaxPool3D is [ops.MaxPool3D] as a layer, with windows of size × size × size elements.
func MaxPool3D(size int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.MaxPool3D(x, size, size, size, opts...) })
}

// AvgPool1D is [ops.AvgPool1D] as a layer.
func AvgPool1D(kernel int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.AvgPool1D(x, kernel, opts...) })
}

// AvgPool2D is [ops.AvgPool2D] as a layer, with windows of size × size elements.
func AvgPool2D(size int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.AvgPool2D(x, size, size, opts...) })
}

// AvgPool3D is [ops.AvgPool3D] as a layer, with windows of size × size × size elements.
func AvgPool3D(size int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.AvgPool3D(x, size, size, size, opts...) })
}

// LpPool is [ops.LpPool] as a layer.
func LpPool(p float64, kernel []int, opts ...ops.PoolOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.LpPool(x, p, kernel, opts...) })
}

// AdaptiveMaxPool is [ops.AdaptiveMaxPool] as a layer: the result is [N, C, sizes…].
func AdaptiveMaxPool(sizes ...int) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.AdaptiveMaxPool(x, sizes...) })
}

// AdaptiveAvgPool is [ops.AdaptiveAvgPool] as a layer.
func AdaptiveAvgPool(sizes ...int) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.AdaptiveAvgPool(x, sizes...) })
}

// GlobalAvgPool returns the mean of each channel of x, [N, C, …]: the result is [N, C]. It is
// PyTorch's AdaptiveAvgPool to size 1, without the axes of that size.
func GlobalAvgPool() Layer { return overPlaces("GlobalAvgPool", ops.Mean) }

// GlobalMaxPool returns the maximum of each channel of x, [N, C, …]: the result is [N, C].
func GlobalMaxPool() Layer { return overPlaces("GlobalMaxPool", ops.Max) }

// overPlaces reduces all axes behind the channels.
func overPlaces(fn string, reduce func(*graph.Node, ...ops.Axis) *graph.Node) Layer {
	return Func(func(x *graph.Node) *graph.Node {
		switch {
		case x == nil || !x.Judged():
			return reduce(x) // its own mistake
		case x.Rank() < 3:
			return unbuilt(fn, "it needs [N, C, …] with axes after the channels, but "+x.Called()+" has shape "+
				x.Shape().String(), x)
		}
		axes := make([]ops.Axis, 0, x.Rank()-2)
		for i := 2; i < x.Rank(); i++ {
			axes = append(axes, ops.Axis(i))
		}
		return reduce(x, axes...)
	})
}
