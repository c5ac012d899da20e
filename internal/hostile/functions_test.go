package hostile

import (
	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/reach"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/alias"
	"github.com/broadloom/broadloom/shapeinfer/rules"
	"github.com/broadloom/broadloom/viz"
)

// functions lists the exported functions by package. TestFunctionsAreAll sees to it that
// none is missing. Methods are found by reflection.
var functions = map[string][]any{
	"graph": {
		graph.Explanations,
		graph.Apply, graph.ApplyIn, graph.AtLeast, graph.AtMost, graph.BeginCall, graph.BroadcastDim, graph.CallOf, graph.CallText, graph.Calling,
		graph.Caller, graph.Constant[float32], graph.ConstantOf, graph.DTypeOf[float32], graph.DTypeOfGo, graph.DTypeOfSlice, graph.NumberAt, graph.SetNumberAt, graph.DTypes, graph.DefaultBounds, graph.Elements[float32], graph.Exactly,
		graph.Describe, graph.FormatAttrs, graph.MakeShape, graph.MayBeOne, graph.MultipleOf, graph.New,
		graph.Num[float64], graph.MinDim, graph.ParseDType, graph.ParseDim, graph.Prims, graph.Promote, graph.PromoteOperands,
		graph.RowMajor, graph.SameAttrs, graph.SortMistakes, graph.SourceOps, graph.SymbolicDim, graph.WithPolicy,
	},
	"ops": {
		ops.Abs, ops.Acos, ops.Acosh, ops.Add, ops.AddCDiv, ops.AddCMul, ops.AddInPlace, ops.After, ops.All,
		ops.AllAxes, ops.And, ops.Any, ops.Apply, ops.ArgMax, ops.ArgMin, ops.AsStrided, ops.Asin, ops.Asinh,
		ops.AtLeast, ops.AtMost, ops.Atan, ops.Atan2, ops.Atanh, ops.AttentionDropout, ops.AttentionMask, ops.AttentionScale, ops.AvgPool1D, ops.AvgPool2D, ops.AvgPool3D, ops.AdaptiveAvgPool, ops.AdaptiveMaxPool, ops.Axes, ops.BCE,
		ops.BCEWithLogits, ops.BatchNorm, ops.BatchNormInference, ops.BitAnd, ops.BitNot, ops.BitOr, ops.BitXor,
		ops.Cast, ops.Causal, ops.CausalFrom, ops.Ceil, ops.CeilMode, ops.Celu, ops.Chunk, ops.Clamp, ops.ClampMax, ops.ClampMin,
		ops.ClassWeights, ops.Concat, ops.Cond, ops.Conv1D, ops.Conv2D, ops.Conv3D, ops.ConvTranspose1D, ops.ConvTranspose2D, ops.ConvTranspose3D, ops.Copy,
		ops.CopyInPlace, ops.Cos, ops.Cosh, ops.CrossEntropy, ops.ArgSort, ops.Bincount, ops.Histogram, ops.Median, ops.Mode, ops.NanQuantile, ops.Quantile, ops.Unique, ops.Bucketize, ops.CumMax, ops.CumMin, ops.LinearRecurrence, ops.LogCumSumExp, ops.SearchSorted, ops.KthValue, ops.Sort, ops.TopK, ops.CumProd, ops.CumSum, ops.Diagonal, ops.Dilation,
		ops.Div, ops.DivInPlace, ops.Dropout, ops.EachLoss, ops.Einsum, ops.Elu, ops.Embedding, ops.Entries,
		ops.Equal, ops.Erf, ops.ExcludePadding, ops.Exp, ops.Exp2, ops.Expand, ops.Expect, ops.Expm1, ops.Flatten, ops.Flip,
		ops.Floor, ops.FloorDiv, ops.Fmod, ops.Fold, ops.Fori, ops.Frac, ops.Full, ops.Functions, ops.FullLike, ops.GLU, ops.Gather,
		ops.Gelu, ops.GeluTanh, ops.Greater, ops.GreaterEqual, ops.GroupNorm, ops.GroupedQuery, ops.Groups, ops.HardShrink,
		ops.HardSigmoid, ops.HardSwish, ops.HardTanh, ops.Huber, ops.Hypot, ops.IgnoreIndex, ops.InPlace,
		ops.IndexSelect, ops.Independent, ops.Iota, ops.IsFinite, ops.IsInf, ops.IsNaN, ops.KLDiv, ops.KeepDims, ops.L1,
		ops.LayerNorm, ops.LayerNormOver, ops.LeakyRelu, ops.Lerp, ops.Less, ops.LessEqual, ops.Linear, ops.Log,
		ops.Log10, ops.Log1p, ops.Log2, ops.LogAddExp, ops.LogSigmoid, ops.LogSoftmax, ops.LogSumExp, ops.Lookup,
		ops.MSE, ops.MaskedFill, ops.MatMul, ops.Max, ops.MaxIndex, ops.MaxPool1D, ops.MaxPool2D, ops.MaxPool3D, ops.Maximum,
		ops.Mean, ops.Min, ops.MinIndex, ops.Minimum, ops.Mish, ops.MoveAxis, ops.Mul, ops.MulInPlace, ops.NLL,
		ops.Narrow, ops.Neg, ops.NoAxes, ops.Norm, ops.Normal, ops.Not, ops.NotEqual, ops.OneHot, ops.Or, ops.Outer,
		ops.OutputPadding, ops.PRelu, ops.Pad, ops.PadWith, ops.Padding, ops.Permute, ops.Pow, ops.PowInPlace, ops.Prod,
		ops.RMSNorm, ops.Reciprocal, ops.Relu, ops.Relu6, ops.Remainder, ops.RepeatInterleave, ops.Reshape,
		ops.Roll, ops.Round, ops.Rsqrt, ops.ScaledDotProductAttention, ops.Scan, ops.ExcludeSelf, ops.IndexAdd, ops.IndexCopy, ops.IndexFill, ops.IndexReduce, ops.Scatter, ops.ScatterAdd, ops.ScatterReduce, ops.SegmentMax, ops.SegmentMean, ops.SegmentMin, ops.SegmentProd, ops.SegmentSoftmax, ops.SegmentSum, ops.Select, ops.Selu, ops.Sigmoid, ops.Sign, ops.Silu,
		ops.Sin, ops.Sinh, ops.Size, ops.Slice, ops.SlidingWindow, ops.SmoothL1, ops.SoftShrink, ops.Softmax, ops.Softplus,
		ops.Softsign, ops.Split, ops.SplitSizes, ops.Sqrt, ops.Square, ops.Squeeze, ops.Stack, ops.Standardize, ops.Std,
		ops.StopGradient, ops.StopsGradient, ops.Stride, ops.Sub, ops.SubInPlace, ops.Sum, ops.SumLoss, ops.SumTo,
		ops.Take, ops.TakeAlongAxis, ops.Tan, ops.Tanh, ops.TanhShrink, ops.Tile, ops.ToBool, ops.ToCommonFloat, ops.ToCommonType, ops.ToCounted, ops.Transpose, ops.Tril, ops.Triu, ops.Trunc,
		ops.Unbind, ops.Unflatten, ops.Uniform, ops.Unsqueeze, ops.Var, ops.Where, ops.While, ops.Window, ops.XLogY, ops.Xor, ops.Zeros,
		ops.ZerosLike,
		// losses
		ops.BlankClass, ops.CTC, ops.ConstantTerms, ops.CosineEmbedding, ops.CosineSimilarity, ops.ElementWeights, ops.GaussianNLL, ops.HingeEmbedding, ops.LabelSmoothing, ops.MarginRanking, ops.MultiLabelSoftMargin, ops.MultiMargin,
		ops.Normalize, ops.PairwiseDistance, ops.PoissonNLL, ops.PositiveWeights, ops.Rates, ops.SigmoidFocal, ops.SoftMargin, ops.SwapDistance, ops.TripletMargin, ops.WithGradient, ops.ZeroInfinity,
		// quantised integers
		ops.Dequantize, ops.DynamicQuantize, ops.MatMulInteger, ops.QLinearMatMul, ops.Quantize,
		// random numbers and new values
		ops.Arange, ops.Assert, ops.Bernoulli, ops.Categorical, ops.Cauchy, ops.DiagEmbed, ops.Dirichlet, ops.Exponential, ops.Eye, ops.FoldIn, ops.Gumbel, ops.Laplace, ops.Linspace, ops.LogNormal, ops.Logspace, ops.Meshgrid, ops.Multinomial,
		ops.NormalLike, ops.Ones, ops.OnesLike, ops.Permutation, ops.Poisson, ops.RandInt, ops.RandomBeta, ops.RandomGamma, ops.SplitKey, ops.Tri, ops.TrilIndices, ops.TriuIndices, ops.TruncatedNormal, ops.UniformLike, ops.Vander,
		// of elements
		ops.CopySign, ops.Deg2Rad, ops.Digamma, ops.Entr, ops.Erfc, ops.Erfcx, ops.Erfinv, ops.Fmax, ops.Fmin, ops.Frexp, ops.GEGLU, ops.Gcd, ops.Heaviside, ops.I0, ops.I0e, ops.I1, ops.I1e, ops.IsClose, ops.IsNegInf, ops.IsPosInf, ops.LGamma, ops.Lcm,
		ops.Ldexp, ops.LogNdtr, ops.Logit, ops.MvLGamma, ops.NanToNum, ops.Ndtr, ops.Ndtri, ops.NextAfter, ops.Polygamma, ops.RRelu, ops.Rad2Deg, ops.ReGLU, ops.ShiftLeft, ops.ShiftRight, ops.SignBit, ops.Sinc, ops.Softcap, ops.Softmin, ops.SwiGLU, ops.Threshold, ops.XLog1PY,
		// linear algebra and transforms
		ops.Cholesky, ops.ConditionNumber, ops.Cross, ops.Det, ops.EigenvaluesH, ops.Eigh, ops.FFT, ops.FFT2, ops.FFTAxis, ops.FFTNorm, ops.FFTSize, ops.IFFT, ops.IFFT2, ops.IRFFT, ops.Inv, ops.Kron, ops.LogDet, ops.Lstsq,
		ops.MatrixExp, ops.MatrixNorm, ops.MatrixPower, ops.MatrixRank, ops.PInv, ops.QR, ops.RFFT, ops.SVD, ops.SingularValues, ops.SlogDet, ops.Solve, ops.SolveTriangular, ops.Tensordot, ops.Trace, ops.TransposedSystem,
		ops.UnitDiagonal, ops.UpperTriangle,
	},
	"nn": {
		nn.Activation, nn.AdaptiveAvgPool, nn.AdaptiveMaxPool, nn.AvgPool1D, nn.AvgPool2D, nn.AvgPool3D, nn.BiasInit, nn.Bidirectional, nn.Cached, nn.Causal, nn.Constant, nn.DType, nn.Dilation, nn.Dirac,
		nn.Dropout, nn.DropoutRate, nn.Epsilon, nn.Evaluation, nn.Eye, nn.FanOut, nn.FeedForward, nn.Flatten, nn.Gain, nn.GainLeakyRelu,
		nn.GlobalAvgPool, nn.GlobalMaxPool, nn.Groups, nn.KVHeads, nn.KaimingNormal, nn.KaimingUniform, nn.Layers, nn.Mask, nn.MaxPool1D, nn.MaxPool2D, nn.MaxPool3D,
		nn.Momentum, nn.NewBatchNorm[int], nn.NewBilinear[int, int, int], nn.NewConv1D[int, int], nn.NewConv2D[int, int], nn.NewConv3D[int, int],
		nn.NewConvTranspose1D[int, int], nn.NewConvTranspose2D[int, int], nn.NewConvTranspose3D[int, int], nn.NewEmbedding[int, int], nn.NewGRU[int, int], nn.NewGroupNorm[int],
		nn.NewInstanceNorm[int], nn.NewLSTM[int, int], nn.NewLayerNorm[int], nn.NewLinear[graph.Dim, int], nn.NewMultiHeadAttention, nn.NewPositions[int, int],
		nn.NewRMSNorm[int], nn.NewRNN[int, int], nn.NewTransformerDecoder, nn.NewTransformerDecoderLayer, nn.NewTransformerEncoder,
		nn.NewTransformerEncoderLayer, nn.NoAffine, nn.NoBias, nn.Normal, nn.NormFirst, nn.Ones, nn.Orthogonal, nn.OutputPadding,
		nn.Padding, nn.PaddingIndex, nn.PaddingMode, nn.Residual, nn.Rotary, nn.RotaryBase, nn.Sequential, nn.SinusoidalPositions, nn.Sparse, nn.Stride,
		nn.Training, nn.TruncNormal, nn.Uniform, nn.WeightInit, nn.XavierNormal, nn.XavierUniform, nn.Zeros,
	},
	"contract": {contract.Expect, contract.ExpectShape, contract.New},
	"optim": {
		optim.AMSGrad, optim.Accumulate, optim.Adadelta[float64], optim.Adafactor[float64], optim.Adagrad[float64],
		optim.Adam[float64], optim.AdamW[*graph.Node], optim.Adamax[float64], optim.Beta2Decay, optim.Betas, optim.Centered,
		optim.ClipNorm, optim.ClipValue, optim.Cosine, optim.CosineRestarts, optim.Dampening, optim.Decoupled, optim.EMA, optim.SWA,
		optim.Epsilon, optim.Exponential, optim.For, optim.Frozen, optim.InitialAccumulator, optim.LearningRate[*graph.Node],
		optim.LeastScale, optim.Linear, optim.Lion[optim.Schedule], optim.Momentum, optim.MomentumDecay, optim.MultiStep,
		optim.NAdam[float64], optim.Name, optim.Nesterov, optim.NewPlateau, optim.OneCycle, optim.Polynomial, optim.RAdam[float64],
		optim.RMSProp[float64], optim.RateDecay, optim.SGD[*graph.Node], optim.Smoothing, optim.Step, optim.Threshold,
		optim.Trainable, optim.UsedRows, optim.WarmUp[float64], optim.WeightDecay, optim.When,
	},
	"reach": {
		reach.At, reach.Axis, reach.Dim, reach.Inputs, reach.NewMesh, reach.Outputs, reach.Params, reach.Shard, reach.Sizes, reach.States, reach.Updates, reach.ZeRO,
	},
	"autodiff": {
		autodiff.Grad, autodiff.Upstream, autodiff.ZeroForUnused,
	},
	"shapeinfer/rules": {
		rules.AdaptivePool, rules.AsStrided, rules.Axes, rules.Axis, rules.BroadcastOperands, rules.CallRules, rules.Channels, rules.ClassWeights, rules.Concat, rules.Conv, rules.ConvTranspose, rules.CountsFromEnd, rules.CopyNote, rules.Diagonal, rules.Embedding, rules.Expand, rules.ExpandSentence, rules.Fold, rules.Freedom, rules.FullPrecision, rules.Gather, rules.InPlace, rules.IndexSelect, rules.LinearSystem, rules.MatMul, rules.Matrices, rules.MatrixBatch, rules.MustBeSize, rules.MustHaveShape, rules.NeedsCopy, rules.NonEmpty, rules.Normalized, rules.Pad, rules.PerChannel, rules.Pool, rules.PoolSize, rules.Probabilities, rules.QuoteName, rules.Reduced, rules.RefuseDType, rules.RefuseTarget, rules.Reshape, rules.IndexWrite, rules.Scatter, rules.Segments, rules.Select, rules.SelectStart, rules.Slice, rules.SliceBounds, rules.SquareMatrices, rules.Stack, rules.TargetDiffers, rules.TargetRepeats, rules.Take, rules.TopK, rules.Targets, rules.TransposedSize, rules.WarnTarget, rules.Window, rules.WindowCount, rules.WindowExtent,
		rules.AlongTogether, rules.Quantile, rules.SearchSorted,
		rules.PadFrom,
	},
	"shapeinfer/alias": {
		alias.BroadcastView, alias.Closure, alias.Conflict, alias.Disjoint, alias.Disorders, alias.ExpandView, alias.FindWrites, alias.IsView, alias.LateReads, alias.LayoutOf, alias.Meet, alias.Overlaps, alias.Repeats, alias.ReshapeView, alias.State, alias.Storage, alias.Viewed, alias.ViewsOf,
	},
	"shapeinfer": {
		shapeinfer.Axes, shapeinfer.Bind, shapeinfer.BindProgram, shapeinfer.Check, shapeinfer.CheckOperations, shapeinfer.CheckProgram, shapeinfer.DerivedFrom, shapeinfer.Independent, shapeinfer.IsMistake, shapeinfer.RequirementText,
	},
	"exec": {
		exec.Compile, exec.FlushDenormals, exec.MeasureMachine, exec.OnWarning, exec.Outputs, exec.Seed, exec.ShareParams, exec.RunSize, exec.Size, exec.Threads, exec.Updates, exec.Values[float32], exec.WarningsAreErrors,
	},
	"viz": {
		viz.Around, viz.Between, viz.DOT, viz.Details, viz.Divided[[][]string], viz.Fold, viz.Gradient,
		viz.Graph, viz.HTML, viz.Kernels, viz.LeftToRight, viz.Legend, viz.NewSketch, viz.Patience, viz.Report, viz.Limit, viz.LongEdges, viz.ModelExplorer,
		viz.PNG, viz.ParseText, viz.Profile, viz.Program, viz.RenderWith, viz.SVG, viz.Sizes, viz.Stack, viz.Text,
		viz.Title, viz.WithTheme,
	},
}

// spared are functions that say something of values that were already judged: passes and
// operations' own rules call them, and hand them no others.
var spared = map[string]bool{
	"graph.CallOf": true, "graph.Elements": true, "graph.CallText": true, "graph.PromoteOperands": true, "graph.SameAttrs": true, "graph.SortMistakes": true,
	"ops.ToBool": true, "ops.ToCommonFloat": true, "ops.ToCommonType": true, "ops.ToCounted": true,
	"shapeinfer.CheckOperations": true, "shapeinfer.DerivedFrom": true,
	"shapeinfer.Bind": true, "shapeinfer.BindProgram": true, "alias.BroadcastView": true, "rules.CopyNote": true,
	"alias.Closure": true, "alias.Conflict": true, "alias.Disjoint": true, "alias.Disorders": true, "alias.Meet": true,
	"alias.Overlaps": true, "alias.Repeats": true, "rules.QuoteName": true,
	"alias.ExpandView": true, "alias.FindWrites": true, "alias.IsView": true, "alias.LateReads": true,
	"alias.LayoutOf": true, "rules.NeedsCopy": true, "rules.PoolSize": true,
	"alias.ReshapeView": true, "alias.State": true, "alias.Storage": true, "rules.TransposedSize": true,
	"alias.Viewed": true, "alias.ViewsOf": true, "rules.WindowCount": true, "rules.WindowExtent": true,
	// So do these methods, which passes and rules call.
	"*graph.Graph.At": true, "*graph.Graph.Copy": true, "*graph.Graph.CopyWith": true, "*graph.Graph.InputFor": true, "*graph.Graph.Note": true, "*graph.Node.ConstData": true,
	"*graph.Graph.Again": true, "*graph.Graph.Around": true, "*graph.Graph.OpenCopy": true, "*graph.Node.InferAgain": true, "*graph.Node.Refuse": true,
	// These index, or call what they are given, as the language does.
	"*graph.Node.In": true, "graph.NumberAt": true, "graph.SetNumberAt": true, "graph.DType.MakeSlice": true, "*graph.Node.Stretch": true, "graph.Dim.Eval": true, "graph.Dim.Terms": true,
	// It runs as often as it is told, and the other for tenths of a second.
	"*exec.Session.Profile": true, "exec.MeasureMachine": true,
	// These run Graphviz.
	"viz.SVG": true, "viz.PNG": true,
}
