package nn

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Upsample is [ops.ResizeBy] as a layer: it resizes images [N, C, …] to x's sizes times the factors, one for each
// spatial axis or one for all. It is PyTorch's Upsample with a scale_factor.
func Upsample(mode ops.ResizeMode, factors []float64, opts ...ops.ResizeOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.ResizeBy(x, mode, factors, opts...) })
}

// UpsampleTo is [ops.Resize] as a layer: PyTorch's Upsample with a size.
func UpsampleTo(mode ops.ResizeMode, sizes []graph.Dim, opts ...ops.ResizeOption) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.Resize(x, mode, sizes, opts...) })
}

// PixelShuffle is [ops.PixelShuffle] as a layer.
func PixelShuffle(factor int) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.PixelShuffle(x, factor) })
}

// PixelUnshuffle is [ops.PixelUnshuffle] as a layer.
func PixelUnshuffle(factor int) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.PixelUnshuffle(x, factor) })
}

// ChannelShuffle is [ops.ChannelShuffle] as a layer.
func ChannelShuffle(groups int) Layer {
	return Func(func(x *graph.Node) *graph.Node { return ops.ChannelShuffle(x, groups) })
}
