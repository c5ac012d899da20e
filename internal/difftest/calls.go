package difftest

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// call is how a step is written with package ops: a function, and the source of each argument. x0 is the first operand
// and x* all remaining ones, i0 the first whole number, s0 the first size, f0 the first number, t the dtype, g the
// graph, text the text; the other words are lists of options.
type call struct {
	fn   any
	args string
}

// calls are the operations by name.
var calls = map[string]call{
	"Add": {ops.Add, "x0 x1"}, "Sub": {ops.Sub, "x0 x1"}, "Mul": {ops.Mul, "x0 x1"}, "Div": {ops.Div, "x0 x1"},
	"Maximum": {ops.Maximum, "x0 x1"}, "Minimum": {ops.Minimum, "x0 x1"}, "AtLeast": {ops.AtLeast, "x0 x1"},
	"AtMost": {ops.AtMost, "x0 x1"},
	"Pow":    {ops.Pow, "x0 x1"}, "FloorDiv": {ops.FloorDiv, "x0 x1"}, "Remainder": {ops.Remainder, "x0 x1"},
	"Fmod":  {ops.Fmod, "x0 x1"},
	"Atan2": {ops.Atan2, "x0 x1"}, "Hypot": {ops.Hypot, "x0 x1"}, "LogAddExp": {ops.LogAddExp, "x0 x1"},
	"XLogY": {ops.XLogY, "x0 x1"},
	"Equal": {ops.Equal, "x0 x1"}, "NotEqual": {ops.NotEqual, "x0 x1"}, "Less": {ops.Less, "x0 x1"},
	"LessEqual": {ops.LessEqual, "x0 x1"},
	"Greater":   {ops.Greater, "x0 x1"}, "GreaterEqual": {ops.GreaterEqual, "x0 x1"}, "And": {ops.And, "x0 x1"},
	"Or":  {ops.Or, "x0 x1"},
	"Xor": {ops.Xor, "x0 x1"}, "BitAnd": {ops.BitAnd, "x0 x1"}, "BitOr": {ops.BitOr, "x0 x1"},
	"BitXor": {ops.BitXor, "x0 x1"},
	"Lerp":   {ops.Lerp, "x0 x1 x2"}, "AddCMul": {ops.AddCMul, "x0 x1 x2"}, "AddCDiv": {ops.AddCDiv, "x0 x1 x2"},
	"Where": {ops.Where, "x0 x1 x2"}, "MaskedFill": {ops.MaskedFill, "x0 x1 x2"},

	"Fmax": {ops.Fmax, "x0 x1"}, "Fmin": {ops.Fmin, "x0 x1"}, "CopySign": {ops.CopySign, "x0 x1"},
	"Heaviside": {ops.Heaviside, "x0 x1"},
	"XLog1PY":   {ops.XLog1PY, "x0 x1"},

	"Exp": {ops.Exp, "x0"}, "Log": {ops.Log, "x0"}, "Sin": {ops.Sin, "x0"}, "Cos": {ops.Cos, "x0"},
	"Tan":  {ops.Tan, "x0"},
	"Tanh": {ops.Tanh, "x0"}, "Sqrt": {ops.Sqrt, "x0"}, "Erf": {ops.Erf, "x0"}, "Sigmoid": {ops.Sigmoid, "x0"},
	"Asin": {ops.Asin, "x0"},
	"Acos": {ops.Acos, "x0"}, "Atan": {ops.Atan, "x0"}, "Asinh": {ops.Asinh, "x0"}, "Acosh": {ops.Acosh, "x0"},
	"Atanh": {ops.Atanh, "x0"},
	"Sinh":  {ops.Sinh, "x0"}, "Cosh": {ops.Cosh, "x0"}, "Log1p": {ops.Log1p, "x0"}, "Expm1": {ops.Expm1, "x0"},
	"Reciprocal": {ops.Reciprocal, "x0"}, "Softplus": {ops.Softplus, "x0"}, "Exp2": {ops.Exp2, "x0"},
	"Log2":  {ops.Log2, "x0"},
	"Log10": {ops.Log10, "x0"}, "Rsqrt": {ops.Rsqrt, "x0"}, "Silu": {ops.Silu, "x0"}, "Mish": {ops.Mish, "x0"},
	"Gelu":     {ops.Gelu, "x0"},
	"GeluTanh": {ops.GeluTanh, "x0"}, "LogSigmoid": {ops.LogSigmoid, "x0"}, "Softsign": {ops.Softsign, "x0"},
	"TanhShrink": {ops.TanhShrink, "x0"}, "HardSigmoid": {ops.HardSigmoid, "x0"}, "HardSwish": {ops.HardSwish, "x0"},
	"Relu6": {ops.Relu6, "x0"}, "Selu": {ops.Selu, "x0"}, "Frac": {ops.Frac, "x0"}, "Neg": {ops.Neg, "x0"},
	"Abs":    {ops.Abs, "x0"},
	"Square": {ops.Square, "x0"}, "Relu": {ops.Relu, "x0"}, "Sign": {ops.Sign, "x0"}, "Floor": {ops.Floor, "x0"},
	"Ceil":  {ops.Ceil, "x0"},
	"Round": {ops.Round, "x0"}, "Trunc": {ops.Trunc, "x0"}, "Not": {ops.Not, "x0"}, "BitNot": {ops.BitNot, "x0"},
	"IsNaN": {ops.IsNaN, "x0"}, "IsInf": {ops.IsInf, "x0"}, "IsFinite": {ops.IsFinite, "x0"},
	"Clamp": {ops.Clamp, "x0 f0 f1"}, "ClampMin": {ops.ClampMin, "x0 f0"}, "ClampMax": {ops.ClampMax, "x0 f0"},
	"HardTanh": {ops.HardTanh, "x0 f0 f1"}, "LeakyRelu": {ops.LeakyRelu, "x0 f0"}, "Elu": {ops.Elu, "x0 f0"},
	"Celu":       {ops.Celu, "x0 f0"},
	"HardShrink": {ops.HardShrink, "x0 f0"}, "SoftShrink": {ops.SoftShrink, "x0 f0"}, "Cast": {ops.Cast, "x0 t"},
	"StopGradient": {ops.StopGradient, "x0"}, "Copy": {ops.Copy, "x0"},

	"LGamma": {ops.LGamma, "x0"}, "Digamma": {ops.Digamma, "x0"}, "Gamma": {ops.Gamma, "x0"}, "Cbrt": {ops.Cbrt, "x0"},
	"Erfc":   {ops.Erfc, "x0"},
	"Erfinv": {ops.Erfinv, "x0"}, "Ndtr": {ops.Ndtr, "x0"}, "LogNdtr": {ops.LogNdtr, "x0"}, "Sinc": {ops.Sinc, "x0"},
	"J0": {ops.J0, "x0"}, "J1": {ops.J1, "x0"},
	"Entr": {ops.Entr, "x0"}, "Deg2Rad": {ops.Deg2Rad, "x0"}, "Rad2Deg": {ops.Rad2Deg, "x0"},
	"Logit":     {ops.Logit, "x0"},
	"Threshold": {ops.Threshold, "x0 f0 f1"}, "Softcap": {ops.Softcap, "x0 f0"},
	"Squareplus": {ops.Squareplus, "x0 f0"},

	"Sum": {ops.Sum, "x0 axes"}, "Prod": {ops.Prod, "x0 axes"}, "Mean": {ops.Mean, "x0 axes"},
	"Max": {ops.Max, "x0 axes"},
	"Min": {ops.Min, "x0 axes"}, "ArgMax": {ops.ArgMax, "x0 axes"}, "ArgMin": {ops.ArgMin, "x0 axes"},
	"Any": {ops.Any, "x0 axes"},
	"All": {ops.All, "x0 axes"}, "LogSumExp": {ops.LogSumExp, "x0 axes"}, "Var": {ops.Var, "x0 f0 axes"},
	"Std":  {ops.Std, "x0 f0 axes"},
	"Norm": {ops.Norm, "x0 f0 axes"}, "Standardize": {ops.Standardize, "x0 f0 axes"},
	"MaxIndex": {ops.MaxIndex, "x0 i0 keep"}, "MinIndex": {ops.MinIndex, "x0 i0 keep"},
	"Softmax": {ops.Softmax, "x0 i0"}, "LogSoftmax": {ops.LogSoftmax, "x0 i0"}, "CumSum": {ops.CumSum, "x0 i0"},
	"CumProd": {ops.CumProd, "x0 i0"},

	"Reshape": {ops.Reshape, "x0 s*"}, "Flatten": {ops.Flatten, "x0 i0 i1"}, "Transpose": {ops.Transpose, "x0 i0 i1"},
	"Permute": {ops.Permute, "x0 i*"}, "Diagonal": {ops.Diagonal, "x0 i0 i1 i2"}, "Expand": {ops.Expand, "x0 s*"},
	"Tile": {ops.Tile, "x0 s*"},
	"Flip": {ops.Flip, "x0 i*"}, "Squeeze": {ops.Squeeze, "x0 i*"}, "Triu": {ops.Triu, "x0 i0"},
	"Tril":      {ops.Tril, "x0 i0"},
	"AsStrided": {ops.AsStrided, "x0 strided"}, "ZerosLike": {ops.ZerosLike, "x0"}, "FullLike": {ops.FullLike, "x0 f0"},
	"Slice": {ops.Slice, "x0 i0 s0 s1 i1"}, "Narrow": {ops.Narrow, "x0 i0 s0 s1"}, "Select": {ops.Select, "x0 i0 s0"},
	"Pad": {ops.Pad, "x0 i0 s0 s1 f0"}, "Roll": {ops.Roll, "x0 i0 i1"},
	"RepeatInterleave": {ops.RepeatInterleave, "x0 i0 s0"},
	"Window":           {ops.Window, "x0 i0 i1 i2 i3"}, "MoveAxis": {ops.MoveAxis, "x0 i0 i1"},
	"Unsqueeze": {ops.Unsqueeze, "x0 i0"},
	"Concat":    {ops.Concat, "i0 x*"}, "Stack": {ops.Stack, "i0 x*"}, "Split": {ops.Split, "x0 i0 i1"},
	"Chunk":  {ops.Chunk, "x0 i0 i1"},
	"Unbind": {ops.Unbind, "x0 i0"}, "Iota": {ops.Iota, "g i0 s*"}, "Full": {ops.Full, "g t f0 s*"},
	"Size": {ops.Size, "g t s0"},
	"Fold": {ops.Fold, "x0 i0 s0 i1 i2"},

	"MatMul": {ops.MatMul, "x0 x1"}, "Outer": {ops.Outer, "x0 x1"}, "Linear": {ops.Linear, "x0 x1 x2"},
	"Einsum": {ops.Einsum, "text x*"},
	"Conv3D": {ops.Conv3D, "x0 x1 x2 conv"}, "MaxPool3D": {ops.MaxPool3D, "x0 i9 i10 i11 pool3"},
	"AvgPool3D":    {ops.AvgPool3D, "x0 i9 i10 i11 pool3"},
	"MaxPoolIndex": {ops.MaxPoolIndex, "x0 kernel pool"}, "MaxUnpool": {ops.MaxUnpool, "x0 x1 s*"},
	"Solve": {ops.Solve, "x0 x1"}, "SolveTriangular": {ops.SolveTriangular, "x0 x1 upper"}, "Inv": {ops.Inv, "x0"},
	"Cholesky": {ops.Cholesky, "x0"},
	"Det":      {ops.Det, "x0"}, "SlogDet": {ops.SlogDet, "x0"}, "Trace": {ops.Trace, "x0"},
	"QR": {signedQR, "x0"}, "SVD": {signedSVD, "x0"}, "Eigh": {signedEigh, "x0"}, "LU": {ops.LU, "x0"},
	"FFT": {ops.FFT, "x0 fft"}, "IFFT": {ops.IFFT, "x0 fft"}, "RFFT": {ops.RFFT, "x0 fft"},
	"IRFFT": {ops.IRFFT, "x0 fft"}, "HFFT": {ops.HFFT, "x0 fft"},
	"IHFFT": {ops.IHFFT, "x0 fft"}, "STFT": {ops.STFT, "x0 i0 stft"}, "Resize": {ops.Resize, "x0 resize"},
	"ResizeBy": {ops.ResizeBy, "x0 resize"},
	"Quantize": {ops.Quantize, "x0 x1 x2"}, "Dequantize": {ops.Dequantize, "x0 x1 x2"},
	"QuantizeFloat8": {throughFloat8, "x0 x1 eight"},
	"Conv1D":         {ops.Conv1D, "x0 x1 x2 conv"}, "Conv2D": {ops.Conv2D, "x0 x1 x2 conv"},
	"ConvTranspose1D": {ops.ConvTranspose1D, "x0 x1 x2 conv"},
	"ConvTranspose2D": {ops.ConvTranspose2D, "x0 x1 x2 conv"},
	"ConvTranspose3D": {ops.ConvTranspose3D, "x0 x1 x2 conv"},
	"MaxPool1D":       {ops.MaxPool1D, "x0 i3 pool1"}, "MaxPool2D": {ops.MaxPool2D, "x0 i6 i7 pool2"},
	"LpPool":    {ops.LpPool, "x0 f0 kernel pool"},
	"AvgPool1D": {ops.AvgPool1D, "x0 i3 pool1"}, "AvgPool2D": {ops.AvgPool2D, "x0 i6 i7 pool2"},

	"LayerNorm": {ops.LayerNorm, "x0 x1 x2 f0"}, "LayerNormOver": {ops.LayerNormOver, "x0 shape x1 x2 f0"},
	"RMSNorm": {ops.RMSNorm, "x0 x1 f0"}, "BatchNorm": {ops.BatchNorm, "x0 x1 x2 f0"},
	"BatchNormInference": {ops.BatchNormInference, "x0 x1 x2 x3 x4 f0"}, "GroupNorm": {ops.GroupNorm, "x0 i0 x1 x2 f0"},
	"GLU": {ops.GLU, "x0 i0"}, "PRelu": {ops.PRelu, "x0 x1"}, "MSE": {ops.MSE, "x0 x1 loss"},
	"L1":    {ops.L1, "x0 x1 loss"},
	"Huber": {ops.Huber, "x0 x1 f0 loss"}, "SmoothL1": {ops.SmoothL1, "x0 x1 f0 loss"}, "BCE": {ops.BCE, "x0 x1 loss"},
	"BCEWithLogits": {ops.BCEWithLogits, "x0 x1 loss"}, "KLDiv": {ops.KLDiv, "x0 x1 loss"},
	"CrossEntropy": {ops.CrossEntropy, "x0 x1 class loss"}, "NLL": {ops.NLL, "x0 x1 class loss"},

	"Scan": {ops.Scan, "loop"}, "Fori": {ops.Fori, "s0 fori"}, "While": {ops.While, "s0 while"},
	"Cond": {ops.Cond, "x0 branch"},

	"Take": {ops.Take, "x0 i0 x1 out"}, "IndexSelect": {ops.IndexSelect, "x0 i0 x1 out"},
	"Embedding": {ops.Embedding, "x0 x1 i*"},
	"Gather":    {ops.Gather, "x0 i0 x1 out"}, "SegmentSum": {ops.SegmentSum, "x0 i0 x1 s0 out"},
	"OneHot":  {ops.OneHot, "x0 s0 t"},
	"Scatter": {ops.Scatter, "x0 i0 x1 x2 out"}, "ScatterAdd": {ops.ScatterAdd, "x0 i0 x1 x2 out"},
	"IndexCopy": {ops.IndexCopy, "x0 i0 x1 x2 out"},
	"IndexAdd":  {ops.IndexAdd, "x0 i0 x1 x2 out"}, "Sort": {ops.Sort, "x0 i0 b1"}, "TopK": {ops.TopK, "x0 i0 i1 b2"},
	"SegmentProd": {ops.SegmentProd, "x0 i0 x1 s0 out"}, "SegmentMax": {ops.SegmentMax, "x0 i0 x1 s0 out"},
	"SegmentMin":  {ops.SegmentMin, "x0 i0 x1 s0 out"},
	"SegmentMean": {ops.SegmentMean, "x0 i0 x1 s0 out"}, "Index": {ops.Index, "x0 index"},
	"IndexPut": {ops.IndexPut, "x0 put out"},
	"GatherND": {ops.GatherND, "x0 x1 i0 out"}, "ScatterND": {ops.ScatterND, "x0 x1 x2 out"},
	"ScatterNDReduce": {ops.ScatterNDReduce, "x0 x1 x2 by out"},
	"ScatterReduce":   {ops.ScatterReduce, "x0 i0 x1 x2 by out"},
	"IndexReduce":     {ops.IndexReduce, "x0 i0 x1 x2 by out"}, "EmbeddingBag": {ops.EmbeddingBag, "x0 x1 fold bag"},
	"MaskedScatter": {ops.MaskedScatter, "x0 x1 x2"}, "MaskedSelect": {ops.MaskedSelect, "x0 x1 s0 x2"},
	"Nonzero": {ops.Nonzero, "x0 s0 x1"},
	"CumMax":  {ops.CumMax, "x0 i0"}, "CumMin": {ops.CumMin, "x0 i0"}, "KthValue": {ops.KthValue, "x0 i0 i1"},

	"IndexGet": {ops.IndexGet, "x0 get out"}, "TakeFlat": {ops.TakeFlat, "x0 x1 out"},
	"PutFlat":       {ops.PutFlat, "x0 x1 x2 add out"},
	"TakeAlongAxis": {ops.TakeAlongAxis, "x0 i0 x1 out"}, "IndexFill": {ops.IndexFill, "x0 i0 x1 x2 out"},
	"Compress":     {ops.Compress, "x0 i0 x1 s0 x2"},
	"SliceScatter": {ops.SliceScatter, "x0 x1 i0 s0 s1 i1"}, "SelectScatter": {ops.SelectScatter, "x0 x1 i0 s0"},
	"DiagonalScatter":    {ops.DiagonalScatter, "x0 x1 i0 i1 i2"},
	"DynamicSlice":       {ops.DynamicSlice, "x0 starts s*"},
	"DynamicUpdateSlice": {ops.DynamicUpdateSlice, "x0 x1 x*"},
	"IndexPutInPlace":    {ops.IndexPutInPlace, "x0 put out"},

	"AddInPlace": {ops.AddInPlace, "x0 x1"}, "SubInPlace": {ops.SubInPlace, "x0 x1"},
	"MulInPlace": {ops.MulInPlace, "x0 x1"},
	"DivInPlace": {ops.DivInPlace, "x0 x1"}, "PowInPlace": {ops.PowInPlace, "x0 x1"},
	"CopyInPlace": {ops.CopyInPlace, "x0 x1"}, "InPlace": {ops.InPlace, "op nil x*"},
	"After": {ops.After, "x0 x1"}, "Num": {literal, "f0 t"},
}

// literal is graph.Num of a whole number, with a dtype.
func literal(v float64, t graph.DType) *graph.Node {
	if t == graph.InvalidDType {
		return graph.Num(v)
	}
	return graph.Num(int64(v))
}
