package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// pooling are pools of one, two and three axes.
var pooling = []entry{
	{"8 32 56 56", "F.max_pool2d(x, 2)", func(x, y, z node) node { return ops.MaxPool2D(x, 2, 2) }},
	{"8 32 57 57", "F.max_pool2d(x, 3, 2, 1)", func(x, y, z node) node {
		return ops.MaxPool2D(x, 3, 3, ops.Stride(2), ops.Padding(1))
	}},
	{"8 32 56 56", "F.max_pool2d(x, 3, 1, 1)", func(x, y, z node) node {
		return ops.MaxPool2D(x, 3, 3, ops.Stride(1), ops.Padding(1))
	}},
	{"8 64 28 28", "F.max_pool2d(x, 5, 3, 2)", func(x, y, z node) node {
		return ops.MaxPool2D(x, 5, 5, ops.Stride(3), ops.Padding(2))
	}},
	{"64 256 7 7", "F.max_pool2d(x, 2)", func(x, y, z node) node { return ops.MaxPool2D(x, 2, 2) }},
	{"8 56 56 32", "F.max_pool2d(x.permute(0, 3, 1, 2), 2)", func(x, y, z node) node {
		return ops.MaxPool2D(ops.Permute(x, 0, 3, 1, 2), 2, 2)
	}},
	{"8 32 56 56", "F.max_pool2d(x, 2, return_indices=True)[1]", func(x, y, z node) node {
		_, i := ops.MaxPoolIndex(x, []int{2, 2})
		return i
	}},
	{"8 32 56 56", "F.max_pool2d(x, 3, 2, 1, return_indices=True)[1]", func(x, y, z node) node {
		_, i := ops.MaxPoolIndex(x, []int{3, 3}, ops.Stride(2), ops.Padding(1))
		return i
	}},
	{"32 64 500", "F.max_pool1d(x, 3, 2, 1)", func(x, y, z node) node {
		return ops.MaxPool1D(x, 3, ops.Stride(2), ops.Padding(1))
	}},
	{"32 64 500", "F.max_pool1d(x, 2)", func(x, y, z node) node { return ops.MaxPool1D(x, 2) }},
	{"4 16 16 28 28", "F.max_pool3d(x, 2)", func(x, y, z node) node { return ops.MaxPool3D(x, 2, 2, 2) }},
	{"4 16 16 28 28", "F.max_pool3d(x, 3, 2, 1)", func(x, y, z node) node {
		return ops.MaxPool3D(x, 3, 3, 3, ops.Stride(2), ops.Padding(1))
	}},
	{"8 32 56 56", "F.avg_pool2d(x, 2)", func(x, y, z node) node { return ops.AvgPool2D(x, 2, 2) }},
	{"8 32 57 57", "F.avg_pool2d(x, 3, 2, 1)", func(x, y, z node) node {
		return ops.AvgPool2D(x, 3, 3, ops.Stride(2), ops.Padding(1))
	}},
	{"8 32 56 56", "F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)", func(x, y, z node) node {
		return ops.AvgPool2D(x, 3, 3, ops.Stride(1), ops.Padding(1), ops.ExcludePadding())
	}},
	{"8 32 56 56", "F.avg_pool2d(x, 7)", func(x, y, z node) node { return ops.AvgPool2D(x, 7, 7) }},
	{"8 32 56 56", "F.avg_pool2d(x, 7, 1, 3)", func(x, y, z node) node {
		return ops.AvgPool2D(x, 7, 7, ops.Stride(1), ops.Padding(3))
	}},
	{"8 32 56 56", "F.max_pool2d(x, 7)", func(x, y, z node) node { return ops.MaxPool2D(x, 7, 7) }},
	{"8 32 56 56", "F.max_pool2d(x, 7, 1, 3)", func(x, y, z node) node {
		return ops.MaxPool2D(x, 7, 7, ops.Stride(1), ops.Padding(3))
	}},
	{"32 64 500", "F.avg_pool1d(x, 3, 2, 1)", func(x, y, z node) node {
		return ops.AvgPool1D(x, 3, ops.Stride(2), ops.Padding(1))
	}},
	{"4 16 16 28 28", "F.avg_pool3d(x, 2)", func(x, y, z node) node { return ops.AvgPool3D(x, 2, 2, 2) }},
	{"64 512 7 7", "F.adaptive_avg_pool2d(x, 1)", func(x, y, z node) node { return ops.AdaptiveAvgPool(x, 1, 1) }},
	{"8 32 56 56", "F.adaptive_avg_pool2d(x, (7, 5))", func(x, y, z node) node { return ops.AdaptiveAvgPool(x, 7, 5) }},
	{"8 32 56 56", "F.adaptive_max_pool2d(x, (7, 5))", func(x, y, z node) node { return ops.AdaptiveMaxPool(x, 7, 5) }},
	{"32 64 500", "F.adaptive_avg_pool1d(x, 33)", func(x, y, z node) node { return ops.AdaptiveAvgPool(x, 33) }},
	{"32 64 500", "F.adaptive_max_pool1d(x, 33)", func(x, y, z node) node { return ops.AdaptiveMaxPool(x, 33) }},
	{"4 16 16 28 28", "F.adaptive_avg_pool3d(x, (5, 7, 9))", func(x, y, z node) node {
		return ops.AdaptiveAvgPool(x, 5, 7, 9)
	}},
	{"8 32 56 56", "F.lp_pool2d(x, 2, 2)", func(x, y, z node) node { return ops.LpPool(x, 2, []int{2, 2}) }},
	{"32 64 500", "F.lp_pool1d(x, 3, 4)", func(x, y, z node) node { return ops.LpPool(x, 3, []int{4}) }},
	{"8 32 56 56; share 8 32 2", "F.fractional_max_pool2d(x, 2, (39, 39), None, False, y.detach())",
		func(x, y, z node) node {
			v, _ := ops.FractionalMaxPool(x, ops.StopGradient(y), []int{2, 2}, []int{39, 39})
			return v
		}},
	{"8 32 56 56", "F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)", func(x, y, z node) node {
		v, i := ops.MaxPoolIndex(x, []int{2, 2})
		return ops.MaxUnpool(v, i, 56, 56)
	}},
}

// resizing are resizings, samples at places of a grid, and windows laid out.
var resizing = []entry{
	{"8 32 28 28", "F.interpolate(x, (56, 56))", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeNearest, []graph.Dim{56, 56})
	}},
	{"8 32 28 28", "F.interpolate(x, (56, 56), mode='bilinear')", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{56, 56})
	}},
	{"8 32 28 28", "F.interpolate(x, (56, 56), mode='bilinear', align_corners=True)", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{56, 56}, ops.AlignCorners())
	}},
	{"8 32 28 28", "F.interpolate(x, (41, 37), mode='bilinear')", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{41, 37})
	}},
	{"8 32 28 28", "F.interpolate(x, (56, 56), mode='bicubic')", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeCubic, []graph.Dim{56, 56})
	}},
	{"8 3 224 224", "F.interpolate(x, (112, 112), mode='bilinear')", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{112, 112})
	}},
	{"8 3 224 224", "F.interpolate(x, (100, 100), mode='bilinear', antialias=True)", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{100, 100}, ops.Antialias())
	}},
	{"8 3 224 224", "F.interpolate(x, (100, 100), mode='bicubic', antialias=True)", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeCubic, []graph.Dim{100, 100}, ops.Antialias())
	}},
	{"8 3 224 224", "F.interpolate(x, (112, 112), mode='area')", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeArea, []graph.Dim{112, 112})
	}},
	{"32 64 200", "F.interpolate(x, 500, mode='linear')", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{500})
	}},
	{"4 16 8 14 14", "F.interpolate(x, (16, 28, 28), mode='trilinear')", func(x, y, z node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{16, 28, 28})
	}},
	{"8 32 64 64; 8 64 64 2", "F.grid_sample(x, y, align_corners=False)", func(x, y, z node) node {
		return ops.GridSample(x, y, ops.ResizeLinear, ops.PadZeros)
	}},
	{"8 32 64 64; 8 64 64 2", "F.grid_sample(x, y, mode='nearest', padding_mode='border', align_corners=False)",
		func(x, y, z node) node {
			return ops.GridSample(x, y, ops.ResizeNearest, ops.PadReplicate)
		}},
	{"8 3 128 128; 8 128 128 2", "F.grid_sample(x, y, align_corners=False)", func(x, y, z node) node {
		return ops.GridSample(x, y, ops.ResizeLinear, ops.PadZeros)
	}},
	{"8 3 128 128; 8 128 128 2", "F.grid_sample(x, y, mode='bicubic', align_corners=False)", func(x, y, z node) node {
		return ops.GridSample(x, y, ops.ResizeCubic, ops.PadZeros)
	}},
	{"2 4 32 32 32; 2 32 32 32 3", "F.grid_sample(x, y, align_corners=False)", func(x, y, z node) node {
		return ops.GridSample(x, y, ops.ResizeLinear, ops.PadZeros)
	}},
	{"8 16 56 56", "F.unfold(x, 3, padding=1)", func(x, y, z node) node { return ops.Im2Col(x, 3, 3, ops.Padding(1)) }},
	{"8 144 3136", "F.fold(x, (56, 56), 3, padding=1)", func(x, y, z node) node {
		return ops.Col2Im(x, 56, 56, [2]int{3, 3}, ops.Padding(1))
	}},
	{"8 64 28 28", "F.pixel_shuffle(x, 2)", func(x, y, z node) node { return ops.PixelShuffle(x, 2) }},
	{"8 16 56 56", "F.pixel_unshuffle(x, 2)", func(x, y, z node) node { return ops.PixelUnshuffle(x, 2) }},
	{"8 64 28 28", "F.channel_shuffle(x, 4)", func(x, y, z node) node { return ops.ChannelShuffle(x, 4) }},
}
