package ops_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() { samples = append(samples, layerSamples...) }

// layerSamples are the rows of norms, of activations with fixed arguments, and of
// functions that are made of several operations.
var layerSamples = []sample{
	{name: "hardtanh", arity: 1, call: on(func(x node) node { return ops.HardTanh(x, -1, 2) })},
	{name: "celu", arity: 1, call: on(func(x node) node { return ops.Celu(x, 1.5) })},
	{name: "hardshrink", arity: 1, call: on(func(x node) node { return ops.HardShrink(x, 0.3) })},
	{name: "softshrink", arity: 1, call: on(func(x node) node { return ops.SoftShrink(x, 0.3) })},
	{name: "selu", arity: 1, call: on(ops.Selu)},
	{name: "softsign", arity: 1, call: on(ops.Softsign)},
	{name: "tanhshrink", shapes: [][]int{{2, 67}}, call: on(ops.TanhShrink)},
	{name: "relu6", arity: 1, call: on(ops.Relu6)},
	{name: "isnan", arity: 1, call: on(ops.IsNaN)},
	{name: "isinf", arity: 1, call: on(ops.IsInf)},
	{name: "isfinite", arity: 1, call: on(ops.IsFinite)},
	{name: "addcdiv", arity: 3, call: func(in ...node) node { return ops.AddCDiv(in[0], in[1], in[2]) }},
	{name: "masked_fill", arity: 2, truth: []int{1}, call: func(in ...node) node {
		return ops.MaskedFill(in[0], in[1], graph.Num(-3))
	}},
	{name: "prelu", shapes: [][]int{{2, 3, 4}, {3}}, call: func(in ...node) node { return ops.PRelu(in[0], in[1]) }},
	{name: "glu", shapes: [][]int{{2, 6}}, call: on(func(x node) node { return ops.GLU(x, 1) })},

	{name: "conv_transpose1d", shapes: [][]int{{2, 2, 3}, {2, 3, 3}, {3}}, call: func(in ...node) node {
		return ops.ConvTranspose1D(in[0], in[1], in[2], ops.Stride(2), ops.Padding(1))
	}},
	{name: "conv_transpose3d", shapes: [][]int{{1, 2, 2, 3, 2}, {2, 1, 2, 2, 2}}, call: func(in ...node) node {
		return ops.ConvTranspose3D(in[0], in[1], nil, ops.Stride(1, 2, 1))
	}},
	{name: "conv_transpose2d", shapes: [][]int{{4, 2, 3}, {4, 1, 2, 2}}, call: func(in ...node) node {
		return ops.ConvTranspose2D(in[0], in[1], nil, ops.Groups(2))
	}},
	{name: "einsum", shapes: [][]int{{2, 3, 4}, {4, 3}}, call: func(in ...node) node {
		return ops.Einsum("bij,ji->bi", in...)
	}},
	{name: "dropout", draws: true, shapes: [][]int{{6, 5}}, flat: "its gradient has a test of its own",
		call: on(func(x node) node {
			return ops.Dropout(x, 0.5, ops.Size(x.Graph(), graph.Int64, 3))
		})},

	{name: "standardize", shapes: [][]int{{3, 4, 2}},
		call: on(func(x node) node { return ops.Standardize(x, 1e-2, 0, 2) })},
	{name: "layer_norm", shapes: [][]int{{3, 4}, {4}, {4}}, call: func(in ...node) node {
		return ops.LayerNorm(in[0], in[1], in[2], 1e-2)
	}},
	{name: "rms_norm", shapes: [][]int{{3, 4}, {4}}, call: func(in ...node) node {
		return ops.RMSNorm(in[0], in[1], 1e-2)
	}},
	{name: "batch_norm", shapes: [][]int{{3, 2, 3}, {2}, {2}}, call: func(in ...node) node {
		y, _, _ := ops.BatchNorm(in[0], in[1], in[2], 1e-2)
		return y
	}},
	{name: "group_norm", shapes: [][]int{{2, 4, 3}, {4}}, call: func(in ...node) node {
		return ops.GroupNorm(in[0], 2, in[1], nil, 1e-2)
	}},

	{name: "huber_loss", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.Huber(in[0], in[1], 0.73)
	}},
	{name: "smooth_l1_loss", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.SmoothL1(in[0], in[1], 0.73, ops.SumLoss())
	}},
	{name: "l1_loss", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.L1(in[0], in[1], ops.EachLoss())
	}},
	{name: "bce_with_logits", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.BCEWithLogits(in[0], in[1])
	}},

	{name: "xlogy", arity: 2, points: [2]float64{0.2, 3}, call: func(in ...node) node {
		return ops.XLogY(in[0], in[1])
	}},
	{name: "binary_cross_entropy", arity: 2, points: [2]float64{0.1, 0.9}, call: func(in ...node) node {
		return ops.BCE(in[0], in[1], ops.EachLoss())
	}},
	{name: "bce of a sigmoid", shapes: [][]int{{3, 4}, {3, 4}}, points: [2]float64{0.1, 0.9},
		call: func(in ...node) node {
			return ops.BCE(ops.Sigmoid(in[0]), in[1])
		}},
	{name: "kl_div", shapes: [][]int{{3, 4}, {3, 4}}, points: [2]float64{0.1, 0.9}, call: func(in ...node) node {
		return ops.KLDiv(in[0], in[1], ops.SumLoss())
	}},

	{name: "pad_with mirrored", shapes: [][]int{{2, 5}},
		call: on(func(x node) node { return ops.PadWith(x, -1, 4, 2, ops.PadReflect) })},
	{name: "pad_with repeated", shapes: [][]int{{2, 1, 3}},
		call: on(func(x node) node { return ops.PadWith(x, 1, 0, 3, ops.PadReplicate) })},
	{name: "pad_with of the other end", shapes: [][]int{{3, 4}},
		call: on(func(x node) node { return ops.PadWith(x, 0, 3, 2, ops.PadCircular) })},
	{name: "pad_with zeros", shapes: [][]int{{3, 4}},
		call: on(func(x node) node { return ops.PadWith(x, 0, 3, 2, ops.PadZeros) })},
	{name: "conv2d mirrored", shapes: [][]int{{1, 2, 4, 5}, {3, 2, 3, 3}}, call: func(in ...node) node {
		return ops.Conv2D(in[0], in[1], nil, ops.Padding(1, 2), ops.PadReflect)
	}},
	{name: "resize to the nearest", shapes: [][]int{{1, 2, 3, 4}},
		call: on(func(x node) node { return ops.Resize(x, ops.ResizeNearest, []graph.Dim{5, 8}) })},
	{name: "resize to the exactly nearest", shapes: [][]int{{2, 1, 5}},
		call: on(func(x node) node { return ops.Resize(x, ops.ResizeNearestExact, []graph.Dim{3}) })},
	{name: "resize linearly", shapes: [][]int{{1, 1, 2, 3, 1}},
		call: on(func(x node) node { return ops.Resize(x, ops.ResizeLinear, []graph.Dim{3, 2, 2}) })},
	{name: "resize of aligned corners", shapes: [][]int{{1, 2, 4}},
		call: on(func(x node) node { return ops.Resize(x, ops.ResizeLinear, []graph.Dim{7}, ops.AlignCorners()) })},
	{name: "resize cubically", shapes: [][]int{{1, 1, 3, 4}},
		call: on(func(x node) node { return ops.ResizeBy(x, ops.ResizeCubic, []float64{1.5, 0.5}) })},
	{name: "resize to means", shapes: [][]int{{1, 2, 5}},
		call: on(func(x node) node { return ops.Resize(x, ops.ResizeArea, []graph.Dim{3}) })},
	{name: "resize smoothly", shapes: [][]int{{1, 1, 5, 4}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeCubic, []graph.Dim{2, 3}, ops.Antialias())
	})},
	{name: "resize from the middle", shapes: [][]int{{1, 2, 5}}, call: on(func(x node) node {
		return ops.ResizeBy(x, ops.ResizeLinear, []float64{0.55}, ops.PlacesMiddle)
	})},
	{name: "resize to one", shapes: [][]int{{2, 1, 5}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{1}, ops.PlacesHalfOrOne)
	})},
	{name: "resize rounded up", shapes: [][]int{{1, 2, 5}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeNearest, []graph.Dim{7}, ops.AlignCorners(), ops.RoundUp)
	})},
	{name: "resize rounded to the first", shapes: [][]int{{1, 2, 4}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeNearest, []graph.Dim{8}, ops.PlacesFirst, ops.RoundHalfDown)
	})},
	{name: "resize of elements inside", shapes: [][]int{{1, 1, 3, 4}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeCubic, []graph.Dim{4, 6}, ops.PlacesHalf, ops.CubicCoefficient(-0.5),
			ops.OutsideNothing)
	})},
	{name: "resize of a region", shapes: [][]int{{1, 1, 3, 4}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{4, 1},
			ops.ResizeCrop([]float64{0.6, 0.2}, []float64{1.3, 0.9}, 2))
	})},
	{name: "resize of a region outside", shapes: [][]int{{1, 1, 3, 4}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeCubic, []graph.Dim{3, 4}, ops.ResizeCrop([]float64{-3, 0}, []float64{1, 4}, -1),
			ops.OutsideNothing)
	})},
	{name: "resize smoothly to repeated edges", shapes: [][]int{{1, 1, 5, 4}}, call: on(func(x node) node {
		return ops.Resize(x, ops.ResizeLinear, []graph.Dim{2, 3}, ops.Antialias(), ops.PlacesHalf, ops.OutsideRepeated)
	})},
	{name: "grid_sample linearly", shapes: [][]int{{1, 2, 3, 4}, {1, 2, 3, 2}}, call: func(in ...node) node {
		return ops.GridSample(in[0], in[1], ops.ResizeLinear, ops.PadZeros)
	}},
	{name: "grid_sample of volumes", shapes: [][]int{{1, 1, 2, 3, 3}, {1, 1, 2, 2, 3}}, call: func(in ...node) node {
		return ops.GridSample(in[0], ops.Mul(in[1], graph.Num(1.7)), ops.ResizeLinear, ops.PadReflect,
			ops.AlignCorners())
	}},
	{name: "grid_sample cubically", shapes: [][]int{{1, 1, 3, 4}, {1, 2, 2, 2}}, call: func(in ...node) node {
		return ops.GridSample(in[0], in[1], ops.ResizeCubic, ops.PadReplicate)
	}},
	{name: "grid_sample of the nearest", shapes: [][]int{{2, 1, 3, 4}, {2, 2, 2, 2}}, call: func(in ...node) node {
		return ops.GridSample(in[0], in[1], ops.ResizeNearest, ops.PadReplicate)
	}},
	{name: "affine_grid", shapes: [][]int{{2, 2, 3}},
		call: on(func(x node) node { return ops.AffineGrid(x, []graph.Dim{3, 2}) })},
	{name: "max_pool_index", shapes: [][]int{{1, 3, 4}}, flat: "its result is indices", call: on(func(x node) node {
		_, indices := ops.MaxPoolIndex(x, []int{2, 2}, ops.Stride(1), ops.Padding(1))
		return indices
	})},
	{name: "max_unpool", shapes: [][]int{{2, 2, 5}}, call: on(func(x node) node {
		values, indices := ops.MaxPoolIndex(x, []int{2})
		return ops.MaxUnpool(values, indices, 5)
	})},
	{name: "lp_pool", shapes: [][]int{{1, 3, 4}}, points: [2]float64{0.2, 2},
		call: on(func(x node) node { return ops.LpPool(x, 3, []int{2, 2}, ops.CeilMode()) })},
	{name: "stft", shapes: [][]int{{2, 7}, {3}}, call: func(in ...node) node {
		return ops.STFT(in[0], 4, ops.STFTHop(2), ops.STFTWindow(in[1]))
	}},
	{name: "istft", shapes: [][]int{{3, 4, 2}, {4}}, points: [2]float64{0.5, 2}, call: func(in ...node) node {
		return ops.ISTFT(in[0], 4, ops.STFTWindow(in[1]), ops.STFTNormalized(), ops.STFTLength(6))
	}},
	{name: "deform_conv2d", shapes: [][]int{{1, 2, 3, 3}, {1, 8, 2, 2}, {2, 2, 2, 2}, {2}, {1, 4, 2, 2}},
		call: func(in ...node) node {
			return ops.DeformConv2D(in[0], in[1], in[2], in[3], in[4])
		}},
	{name: "box_giou", shapes: [][]int{{3, 4}, {2, 4}}, call: func(in ...node) node {
		return ops.BoxGIoU(boxesOf(in[0]), boxesOf(in[1]))
	}},
	{name: "box_diou", shapes: [][]int{{3, 4}, {2, 4}}, call: func(in ...node) node {
		return ops.BoxDIoU(boxesOf(in[0]), boxesOf(in[1]))
	}},
	{name: "giou_loss", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.GIoULoss(boxesOf(in[0]), boxesOf(in[1]))
	}},
	{name: "diou_loss", shapes: [][]int{{3, 4}, {3, 4}}, call: func(in ...node) node {
		return ops.DIoULoss(boxesOf(in[0]), boxesOf(in[1]))
	}},
	{name: "nms", shapes: [][]int{{5, 4}, {5}}, flat: "its result is indices", call: func(in ...node) node {
		keep, _ := ops.NMS(boxesOf(in[0]), in[1], 0.2, in[1].Shape()[0], graph.Num(-1))
		return keep
	}},
	{name: "reduce_window of sums", shapes: [][]int{{3, 4}}, call: on(func(x node) node {
		return ops.ReduceWindow(x, ops.ReduceSum,
			ops.Windows{Sizes: []int{2, 1}, Strides: []int{1, 2}, Apart: []int{2, 1},
				Padding: [][2]int{{0, 1}, {1, -1}}})
	})},
	{name: "reduce_window of the least", shapes: [][]int{{3, 4}}, call: on(func(x node) node {
		return ops.ReduceWindow(x, ops.ReduceMin,
			ops.Windows{Sizes: []int{2, 2}, Dilations: []int{1, 2}, Padding: [][2]int{{1, 0}, {0, 1}}})
	})},
	{name: "reduce_window of products", shapes: [][]int{{2, 4}}, call: on(func(x node) node {
		return ops.ReduceWindow(x, ops.ReduceProd, ops.Windows{Sizes: []int{1, 3}, Padding: [][2]int{{0, 0}, {1, 1}}})
	})},
	{name: "fractional_max_pool", shapes: [][]int{{2, 4, 5}, {2, 2}}, flat: "windows jump with samples",
		call: func(in ...node) node {
			y, _ := ops.FractionalMaxPool(in[0], in[1], []int{2, 2}, []int{2, 3})
			return y
		}},
	{name: "adaptive_max_pool and indices", shapes: [][]int{{2, 4, 5}}, call: on(func(x node) node {
		y, _ := ops.AdaptiveMaxPoolIndex(x, 3, 2)
		return y
	})},
	{name: "linear_attention", shapes: [][]int{{2, 2, 3, 2}, {2, 1, 3, 2}, {2, 1, 3, 3}}, call: func(in ...node) node {
		y, _ := ops.LinearAttention(in[0], in[1], in[2])
		return y
	}},
	{name: "linear_attention of the delta rule",
		shapes: [][]int{{1, 2, 3, 2}, {1, 2, 3, 2}, {1, 2, 3, 1}, {1, 2, 2, 1}, {1, 2, 3, 2}, {1, 1, 3, 1}},
		call: func(in ...node) node {
			y, last := ops.LinearAttention(in[0], in[1], in[2], ops.LinearState(in[3]), ops.LinearDecay(in[4]),
				ops.LinearBeta(in[5]), ops.LinearScale(0.4))
			return ops.Concat(0, ops.Flatten(y, 0, -1), ops.Flatten(last, 0, -1))
		}},
	{name: "causal_conv1d", shapes: [][]int{{2, 3, 4}, {3, 1, 3}, {3}, {2, 3, 2}}, call: func(in ...node) node {
		y, next := ops.CausalConv1D(in[0], in[1], in[2], in[3])
		return ops.Concat(2, y, next)
	}},
	{name: "roi_align", shapes: [][]int{{2, 2, 3, 4}}, call: on(func(x node) node {
		return ops.RoiAlign(x, someBoxes(x.Graph()), ops.Iota(x.Graph(), 0, 2), 2, 1)
	})},
	{name: "roi_align of boxes that are computed", shapes: [][]int{{2, 2, 3, 4}, {2, 4}},
		flat: "boxes have no gradient", call: func(in ...node) node {
			return ops.RoiAlign(in[0], boxesOf(in[1]), ops.Iota(in[0].Graph(), 0, 2), 2, 1)
		}},
	{name: "roi_align of the greatest", shapes: [][]int{{2, 1, 3, 4}}, call: on(func(x node) node {
		return ops.RoiAlign(x, someBoxes(x.Graph()), ops.Iota(x.Graph(), 0, 2), 1, 2, ops.RoiSamples(2),
			ops.RoiAligned(), ops.RoiMax())
	})},
	{name: "roi_pool", shapes: [][]int{{2, 2, 3, 4}}, call: on(func(x node) node {
		return ops.RoiPool(x, someBoxes(x.Graph()), ops.Iota(x.Graph(), 0, 2), 2, 2)
	})},
	{name: "pixel_shuffle", shapes: [][]int{{1, 8, 2, 3}},
		call: on(func(x node) node { return ops.PixelShuffle(x, 2) })},
	{name: "pixel_unshuffle", shapes: [][]int{{1, 2, 4, 6}},
		call: on(func(x node) node { return ops.PixelUnshuffle(x, 2) })},
	{name: "channel_shuffle", shapes: [][]int{{2, 6, 3}},
		call: on(func(x node) node { return ops.ChannelShuffle(x, 3) })},
	{name: "im2col", shapes: [][]int{{1, 2, 4, 5}},
		call: on(func(x node) node { return ops.Im2Col(x, 2, 3, ops.Padding(1), ops.Dilation(2, 1)) })},
	{name: "col2im", shapes: [][]int{{1, 8, 6}},
		call: on(func(x node) node { return ops.Col2Im(x, 3, 4, [2]int{2, 2}) })},
	{name: "roll", shapes: [][]int{{2, 5}}, call: on(func(x node) node { return ops.Roll(x, 1, -7) })},
	{name: "tile", shapes: [][]int{{2, 3}}, call: on(func(x node) node { return ops.Tile(x, 2, 1, 3) })},
	{name: "repeat_interleave", shapes: [][]int{{2, 3}},
		call: on(func(x node) node { return ops.RepeatInterleave(x, 0, 3) })},
	{name: "moveaxis", shapes: [][]int{{2, 3, 4}}, call: on(func(x node) node { return ops.MoveAxis(x, -1, 0) })},
	{name: "flatten", shapes: [][]int{{2, 3, 4}}, call: on(func(x node) node { return ops.Flatten(x, 1, -1) })},
	{name: "outer", shapes: [][]int{{3}, {4}}, call: func(in ...node) node { return ops.Outer(in[0], in[1]) }},
	{name: "chunk", shapes: [][]int{{7}}, call: on(func(x node) node {
		return ops.Concat(0, ops.Chunk(x, 0, 3)[1:]...)
	})},
	{name: "narrow", shapes: [][]int{{7}}, call: on(func(x node) node { return ops.Narrow(x, 0, 2, 3) })},
}

// boxesOf makes boxes of any numbers, no two of which have an edge on one line.
func boxesOf(x node) node {
	first, size := ops.Narrow(x, 1, 0, 2), ops.Mul(ops.Abs(ops.Narrow(x, 1, 2, 2)), graph.Num(1.2345))
	return ops.Concat(1, first, ops.Add(first, ops.Add(size, graph.Num(0.5))))
}

// someBoxes are two boxes in images of 3 × 4.
func someBoxes(g *graph.Graph) node {
	return graph.Constant(g, []float64{0.2, 0.3, 2.9, 1.6, 1.1, -0.4, 3.2, 2.6}, 2, 4)
}
