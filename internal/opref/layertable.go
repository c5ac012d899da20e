package opref

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// The short names of types keep the examples, which readers see, in sight.
type (
	node = *graph.Node
	gr   = *graph.Graph
	pass = *nn.Pass
)

var layerTable = []part{
	{"x·weightᵀ + bias.", "torch.nn.Linear, torch.nn.LazyLinear", "", "keras.layers.Dense, keras.layers.EinsumDense",
		"flax.linen.Dense, flax.linen.DenseGeneral", "Gemm", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.NewLinear(g, "fc", 4, 3).Apply(p, x) }},
	{"the sum over i and j of x[i]·weight[o, i, j]·y[j], plus bias[o].", "torch.nn.Bilinear", "", "", "", "",
		"n 4; n 5",
		func(g gr, p pass, x, y, z node) node { return nn.NewBilinear(g, "mix", 4, 5, 3).ApplyTo(p, x, y) }},
	{"convolution of sequences.", "torch.nn.Conv1d, torch.nn.LazyConv1d", "",
		"keras.layers.Conv1D, keras.layers.Convolution1D, keras.layers.SeparableConv1D, keras.layers.SeparableConvolution1D, keras.layers.DepthwiseConv1D",
		"flax.linen.Conv", "Conv", "n 4 t",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewConv1D(g, "conv", 4, 6, 3, nn.SamePadding()).Apply(p, x)
		}},
	{"convolution of pictures; depthwise and grouped ones with nn.Groups.", "torch.nn.Conv2d, torch.nn.LazyConv2d", "",
		"keras.layers.Conv2D, keras.layers.Convolution2D, keras.layers.DepthwiseConv2D, keras.layers.SeparableConv2D, keras.layers.SeparableConvolution2D",
		"flax.linen.Conv, flax.linen.ConvLocal", "Conv", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewConv2D(g, "conv", 3, 6, 3, nn.Stride(2), nn.Padding(1)).Apply(p, x)
		}},
	{"convolution of volumes.", "torch.nn.Conv3d, torch.nn.LazyConv3d", "",
		"keras.layers.Conv3D, keras.layers.Convolution3D", "flax.linen.Conv", "Conv", "n 3 4 4 4",
		func(g gr, p pass, x, y, z node) node { return nn.NewConv3D(g, "conv", 3, 6, 3).Apply(p, x) }},
	{"transposed convolution of sequences.", "torch.nn.ConvTranspose1d, torch.nn.LazyConvTranspose1d", "",
		"keras.layers.Conv1DTranspose, keras.layers.Convolution1DTranspose", "flax.linen.ConvTranspose",
		"ConvTranspose", "n 4 t",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewConvTranspose1D(g, "up", 4, 6, 2, nn.Stride(2)).Apply(p, x)
		}},
	{"transposed convolution of pictures.", "torch.nn.ConvTranspose2d, torch.nn.LazyConvTranspose2d", "",
		"keras.layers.Conv2DTranspose, keras.layers.Convolution2DTranspose", "flax.linen.ConvTranspose",
		"ConvTranspose", "n 4 8 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewConvTranspose2D(g, "up", 4, 6, 2, nn.Stride(2)).Apply(p, x)
		}},
	{"transposed convolution of volumes.", "torch.nn.ConvTranspose3d, torch.nn.LazyConvTranspose3d", "",
		"keras.layers.Conv3DTranspose, keras.layers.Convolution3DTranspose", "flax.linen.ConvTranspose",
		"ConvTranspose", "n 2 4 4 4",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewConvTranspose3D(g, "up", 2, 3, 2, nn.Stride(2)).Apply(p, x)
		}},
	{"the logarithms of the probabilities of many classes, of which rare ones stand in clusters.",
		"torch.nn.AdaptiveLogSoftmaxWithLoss", "", "", "", "", "n 16",
		func(g gr, p pass, x, y, z node) node {
			return nn.NewAdaptiveLogSoftmax(g, "classes", 16, 100, []int{10, 40}).Apply(p, x)
		}},
	{"the rows of a table that indices name.", "torch.nn.Embedding", "",
		"keras.layers.Embedding, keras.layers.ReversibleEmbedding", "flax.linen.Embed", "", "int64 n t",
		func(g gr, p pass, x, y, z node) node { return nn.NewEmbedding(g, "words", 100, 8).Apply(p, x) }},
	{"the mean, sum or maximum of the rows of a table that each bag of indices names.", "torch.nn.EmbeddingBag", "", "",
		"", "", "int64 n 5",
		func(g gr, p pass, x, y, z node) node { return nn.NewEmbeddingBag(g, "words", 100, 8).Apply(p, x) }},
	{"x plus a learned row for each place.", "", "", "keras_hub.layers.PositionEmbedding", "", "", "n t 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewPositions(g, "places", 64, 8).Apply(p, x) }},
	{"x plus sines and cosines of each place.", "", "", "keras_hub.layers.SinePositionEncoding", "", "", "n t 8",
		func(g gr, p pass, x, y, z node) node { return nn.SinusoidalPositions().Apply(p, x) }},
	{"turns pairs of elements by angles that grow with the place.", "", "", "keras_hub.layers.RotaryEmbedding", "",
		"RotaryEmbedding", "n 2 t 8",
		func(g gr, p pass, x, y, z node) node { return nn.Rotary(x, 10_000, graph.Num(0)) }},
	{"normalization of each channel by the batch's statistics, and in evaluation by running ones.",
		"torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d, torch.nn.LazyBatchNorm1d, torch.nn.LazyBatchNorm2d, torch.nn.LazyBatchNorm3d, torch.nn.SyncBatchNorm",
		"", "keras.layers.BatchNormalization", "flax.linen.BatchNorm", "BatchNormalization", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewBatchNorm(g, "norm", 3).Apply(p, x) }},
	{"normalization over the last axis.", "torch.nn.LayerNorm", "", "keras.layers.LayerNormalization",
		"flax.linen.LayerNorm", "LayerNormalization", "n t 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewLayerNorm(g, "norm", 8).Apply(p, x) }},
	{"division by the root mean square of the last axis.", "torch.nn.RMSNorm", "", "keras.layers.RMSNormalization",
		"flax.linen.RMSNorm", "RMSNormalization", "n t 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewRMSNorm(g, "norm", 8).Apply(p, x) }},
	{"normalization over groups of channels.", "torch.nn.GroupNorm", "", "keras.layers.GroupNormalization",
		"flax.linen.GroupNorm", "GroupNormalization", "n 6 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewGroupNorm(g, "norm", 3, 6).Apply(p, x) }},
	{"normalization of each channel of each example.",
		"torch.nn.InstanceNorm1d, torch.nn.InstanceNorm2d, torch.nn.InstanceNorm3d, torch.nn.LazyInstanceNorm1d, torch.nn.LazyInstanceNorm2d, torch.nn.LazyInstanceNorm3d",
		"", "", "flax.linen.InstanceNorm", "InstanceNormalization", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.NewInstanceNorm(g, "norm", 3).Apply(p, x) }},
	{"x divided by powers of sums over neighbouring channels.", "torch.nn.LocalResponseNorm, torch.nn.CrossMapLRN2d",
		"", "", "", "LRN", "n 6 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.LocalResponseNorm(5, 1e-4, 0.75, 1).Apply(p, x) }},
	{"max(0, x) + weight·min(0, x), with learned slopes.", "torch.nn.PReLU", "", "keras.layers.PReLU",
		"flax.linen.PReLU", "PRelu", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.NewPRelu(g, "act", 1).Apply(p, x) }},
	{"a leaky relu with slopes that are drawn in training.", "torch.nn.RReLU", "", "", "", "", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.RRelu(0.125, 0.375).Apply(p, x) }},
	{"zeros in training for a share of the elements, and the others larger.", "torch.nn.Dropout", "",
		"keras.layers.Dropout", "flax.linen.Dropout", "Dropout", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.Dropout(0.5).Apply(p, x) }},
	{"dropout of whole channels.", "torch.nn.Dropout1d, torch.nn.Dropout2d, torch.nn.Dropout3d", "",
		"keras.layers.SpatialDropout1D, keras.layers.SpatialDropout2D, keras.layers.SpatialDropout3D", "", "",
		"n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.FeatureDropout(0.5).Apply(p, x) }},
	{"dropout that keeps mean and variance of what selu gives.", "torch.nn.AlphaDropout", "",
		"keras.layers.AlphaDropout", "", "", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.AlphaDropout(0.5).Apply(p, x) }},
	{"alpha dropout of whole channels.", "torch.nn.FeatureAlphaDropout", "", "", "", "", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.FeatureAlphaDropout(0.5).Apply(p, x) }},
	{"dropout of whole examples, for what a residual is added to.", "torchvision.ops.StochasticDepth", "", "", "", "",
		"n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.StochasticDepth(0.1).Apply(p, x) }},
	{"layers one after the other.", "torch.nn.Sequential, torch.nn.ModuleList", "",
		"keras.Sequential, keras.layers.Pipeline", "flax.linen.Sequential", "", "n 4",
		func(g gr, p pass, x, y, z node) node {
			return nn.Sequential(nn.NewLinear(g, "a", 4, 8), nn.Func(ops.Relu), nn.NewLinear(g, "b", 8, 3)).Apply(p, x)
		}},
	{"a layer that a function of nodes makes, such as an activation; nn.Func(ops.Copy) is the identity.",
		"torch.nn.Identity", "jax.nn.identity", "keras.layers.Lambda, keras.layers.Identity, keras.layers.Activation",
		"flax.linen.activation", "", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.Func(ops.Relu).Apply(p, x) }},
	{"x + layer(x).", "", "", "keras.layers.Add", "", "", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.Residual(nn.NewLinear(g, "fc", 4, 4)).Apply(p, x) }},
	{"a layer whose inside is computed once more for the gradient, in place of being kept in memory.",
		"torch.utils.checkpoint.checkpoint", "", "", "flax.linen.remat, flax.linen.checkpoint", "", "n 4",
		func(g gr, p pass, x, y, z node) node { return nn.Checkpoint(nn.NewLinear(g, "fc", 4, 4)).Apply(p, x) }},
	{"a layer with values in place of its parameters, such as those after a step of gradient descent.",
		"torch.func.functional_call", "", "", "flax.linen.apply", "", "n 4",
		func(g gr, p pass, x, y, z node) node {
			fc := nn.NewLinear(g, "fc", 4, 4)
			return nn.WithParams(fc, []*graph.Node{fc.Weight}, []*graph.Node{ops.Neg(fc.Weight)}).Apply(p, x)
		}},
	{"all axes but the first as one.", "torch.nn.Flatten", "", "keras.layers.Flatten", "", "Flatten", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.Flatten().Apply(p, x) }},
}

var poolTable = []part{
	{"zeros around the last axes.", "torch.nn.ZeroPad1d, torch.nn.ZeroPad2d, torch.nn.ZeroPad3d", "",
		"keras.layers.ZeroPadding1D, keras.layers.ZeroPadding2D, keras.layers.ZeroPadding3D", "", "Pad", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.ZeroPad(1, 1, 2, 2).Apply(p, x) }},
	{"a number around the last axes.", "torch.nn.ConstantPad1d, torch.nn.ConstantPad2d, torch.nn.ConstantPad3d", "", "",
		"", "Pad", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.ConstantPad(0.5, 1, 1, 2, 2).Apply(p, x) }},
	{"mirrored elements around the last axes.",
		"torch.nn.ReflectionPad1d, torch.nn.ReflectionPad2d, torch.nn.ReflectionPad3d", "", "", "", "Pad", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.ReflectionPad(1, 1, 2, 2).Apply(p, x) }},
	{"the first and the last elements around the last axes.",
		"torch.nn.ReplicationPad1d, torch.nn.ReplicationPad2d, torch.nn.ReplicationPad3d", "", "", "", "Pad", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.ReplicationPad(1, 1, 2, 2).Apply(p, x) }},
	{"the elements of the other ends around the last axes.",
		"torch.nn.CircularPad1d, torch.nn.CircularPad2d, torch.nn.CircularPad3d", "", "", "", "Pad", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.CircularPad(1, 1, 2, 2).Apply(p, x) }},
	{"the largest element of each window of sequences.", "torch.nn.MaxPool1d", "",
		"keras.layers.MaxPooling1D, keras.layers.MaxPool1D", "flax.linen.max_pool", "MaxPool", "n 4 t",
		func(g gr, p pass, x, y, z node) node { return nn.MaxPool1D(2).Apply(p, x) }},
	{"the largest element of each window of pictures.", "torch.nn.MaxPool2d", "",
		"keras.layers.MaxPooling2D, keras.layers.MaxPool2D", "flax.linen.max_pool", "MaxPool", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.MaxPool2D(2).Apply(p, x) }},
	{"the largest element of each window of volumes.", "torch.nn.MaxPool3d", "",
		"keras.layers.MaxPooling3D, keras.layers.MaxPool3D", "flax.linen.max_pool", "MaxPool", "n 3 4 4 4",
		func(g gr, p pass, x, y, z node) node { return nn.MaxPool3D(2).Apply(p, x) }},
	{"the mean of each window of sequences.", "torch.nn.AvgPool1d", "",
		"keras.layers.AveragePooling1D, keras.layers.AvgPool1D", "flax.linen.avg_pool", "AveragePool", "n 4 t",
		func(g gr, p pass, x, y, z node) node { return nn.AvgPool1D(2).Apply(p, x) }},
	{"the mean of each window of pictures.", "torch.nn.AvgPool2d", "",
		"keras.layers.AveragePooling2D, keras.layers.AvgPool2D", "flax.linen.avg_pool", "AveragePool", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.AvgPool2D(2).Apply(p, x) }},
	{"the mean of each window of volumes.", "torch.nn.AvgPool3d", "",
		"keras.layers.AveragePooling3D, keras.layers.AvgPool3D", "flax.linen.avg_pool", "AveragePool", "n 3 4 4 4",
		func(g gr, p pass, x, y, z node) node { return nn.AvgPool3D(2).Apply(p, x) }},
	{"the root of the sum of powers of each window.", "torch.nn.LPPool1d, torch.nn.LPPool2d, torch.nn.LPPool3d", "", "",
		"", "LpPool", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.LpPool(2, []int{2, 2}).Apply(p, x) }},
	{"the largest element of each of a given number of windows.",
		"torch.nn.AdaptiveMaxPool1d, torch.nn.AdaptiveMaxPool2d, torch.nn.AdaptiveMaxPool3d", "",
		"keras.layers.AdaptiveMaxPooling1D, keras.layers.AdaptiveMaxPooling2D, keras.layers.AdaptiveMaxPooling3D", "",
		"", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.AdaptiveMaxPool(2, 2).Apply(p, x) }},
	{"the mean of each of a given number of windows.",
		"torch.nn.AdaptiveAvgPool1d, torch.nn.AdaptiveAvgPool2d, torch.nn.AdaptiveAvgPool3d", "",
		"keras.layers.AdaptiveAveragePooling1D, keras.layers.AdaptiveAveragePooling2D, keras.layers.AdaptiveAveragePooling3D",
		"", "", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.AdaptiveAvgPool(2, 2).Apply(p, x) }},
	{"the mean of each channel.", "", "",
		"keras.layers.GlobalAveragePooling1D, keras.layers.GlobalAveragePooling2D, keras.layers.GlobalAveragePooling3D, keras.layers.GlobalAvgPool1D, keras.layers.GlobalAvgPool2D, keras.layers.GlobalAvgPool3D",
		"", "GlobalAveragePool", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.GlobalAvgPool().Apply(p, x) }},
	{"the largest element of each channel.", "", "",
		"keras.layers.GlobalMaxPooling1D, keras.layers.GlobalMaxPooling2D, keras.layers.GlobalMaxPooling3D, keras.layers.GlobalMaxPool1D, keras.layers.GlobalMaxPool2D, keras.layers.GlobalMaxPool3D",
		"", "GlobalMaxPool", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.GlobalMaxPool().Apply(p, x) }},
	{"pictures of sizes that grow by factors.",
		"torch.nn.Upsample, torch.nn.UpsamplingNearest2d, torch.nn.UpsamplingBilinear2d", "",
		"keras.layers.UpSampling1D, keras.layers.UpSampling2D, keras.layers.UpSampling3D", "", "Resize", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.Upsample(ops.ResizeLinear, []float64{2, 2}).Apply(p, x)
		}},
	{"pictures of given sizes.", "torch.nn.Upsample", "", "keras.layers.Resizing", "", "Resize", "n 3 8 8",
		func(g gr, p pass, x, y, z node) node {
			return nn.UpsampleTo(ops.ResizeNearest, []graph.Dim{12, 12}).Apply(p, x)
		}},
	{"places of channels.", "torch.nn.PixelShuffle", "", "", "", "DepthToSpace", "n 8 4 4",
		func(g gr, p pass, x, y, z node) node { return nn.PixelShuffle(2).Apply(p, x) }},
	{"channels of places.", "torch.nn.PixelUnshuffle", "", "", "", "SpaceToDepth", "n 2 8 8",
		func(g gr, p pass, x, y, z node) node { return nn.PixelUnshuffle(2).Apply(p, x) }},
	{"channels of all groups by turns.", "torch.nn.ChannelShuffle", "", "", "", "", "n 6 4 4",
		func(g gr, p pass, x, y, z node) node { return nn.ChannelShuffle(3).Apply(p, x) }},
}
