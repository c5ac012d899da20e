package conformance

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// table tells how each operation of the files is called here, by PyTorch's word.
var table = map[string]builder{
	"add":          binary(ops.Add),
	"sub":          binary(ops.Sub),
	"mul":          binary(ops.Mul),
	"div":          binary(ops.Div),
	"pow":          binary(ops.Pow),
	"maximum":      binary(ops.Maximum),
	"minimum":      binary(ops.Minimum),
	"atan2":        binary(ops.Atan2),
	"fmod":         binary(ops.Fmod),
	"hypot":        binary(ops.Hypot),
	"xlogy":        binary(ops.XLogY),
	"logaddexp":    binary(ops.LogAddExp),
	"floor_divide": binary(ops.FloorDiv),
	"remainder":    binary(ops.Remainder),
	"add_scalar":   withNumber(ops.Add, "value"),
	"sub_scalar":   withNumber(ops.Sub, "value"),
	"mul_scalar":   withNumber(ops.Mul, "value"),
	"div_scalar":   withNumber(ops.Div, "value"),
	"pow_scalar":   withNumber(ops.Pow, "exponent", "value"),
	"rsub_scalar":  withNumber(reversed(ops.Sub), "value"),
	"rdiv_scalar":  withNumber(reversed(ops.Div), "value"),
	"rpow_scalar":  withNumber(reversed(ops.Pow), "value", "base"),
	"addcmul":      ternary(ops.AddCMul),
	"addcdiv":      ternary(ops.AddCDiv),
	"lerp":         lerp,
	"where":        ternary(ops.Where),
	"masked_fill":  maskedFill,

	"eq": binary(ops.Equal),
	"ne": binary(ops.NotEqual),
	"lt": binary(ops.Less),
	"le": binary(ops.LessEqual),
	"gt": binary(ops.Greater),
	"ge": binary(ops.GreaterEqual),

	"logical_and": binary(ops.And),
	"logical_or":  binary(ops.Or),
	"logical_xor": binary(ops.Xor),
	"logical_not": unary(ops.Not),
	"bitwise_and": binary(ops.BitAnd),
	"bitwise_or":  binary(ops.BitOr),
	"bitwise_xor": binary(ops.BitXor),
	"bitwise_not": unary(ops.BitNot),

	"neg":         unary(ops.Neg),
	"abs":         unary(ops.Abs),
	"sign":        unary(ops.Sign),
	"square":      unary(ops.Square),
	"sqrt":        unary(ops.Sqrt),
	"rsqrt":       unary(ops.Rsqrt),
	"reciprocal":  unary(ops.Reciprocal),
	"exp":         unary(ops.Exp),
	"expm1":       unary(ops.Expm1),
	"log":         unary(ops.Log),
	"log1p":       unary(ops.Log1p),
	"tanh":        unary(ops.Tanh),
	"sigmoid":     unary(ops.Sigmoid),
	"erf":         unary(ops.Erf),
	"sin":         unary(ops.Sin),
	"cos":         unary(ops.Cos),
	"tan":         unary(ops.Tan),
	"asin":        unary(ops.Asin),
	"acos":        unary(ops.Acos),
	"atan":        unary(ops.Atan),
	"sinh":        unary(ops.Sinh),
	"cosh":        unary(ops.Cosh),
	"asinh":       unary(ops.Asinh),
	"acosh":       unary(ops.Acosh),
	"atanh":       unary(ops.Atanh),
	"log2":        unary(ops.Log2),
	"log10":       unary(ops.Log10),
	"exp2":        unary(ops.Exp2),
	"trunc":       unary(ops.Trunc),
	"frac":        unary(ops.Frac),
	"isnan":       unary(ops.IsNaN),
	"isinf":       unary(ops.IsInf),
	"isfinite":    unary(ops.IsFinite),
	"floor":       unary(ops.Floor),
	"ceil":        unary(ops.Ceil),
	"round":       unary(ops.Round),
	"relu":        unary(ops.Relu),
	"gelu_tanh":   unary(ops.GeluTanh),
	"silu":        unary(ops.Silu),
	"softplus":    unary(ops.Softplus),
	"logsigmoid":  unary(ops.LogSigmoid),
	"relu6":       unary(ops.Relu6),
	"mish":        unary(ops.Mish),
	"selu":        unary(ops.Selu),
	"softsign":    unary(ops.Softsign),
	"tanhshrink":  unary(ops.TanhShrink),
	"hardsigmoid": unary(ops.HardSigmoid),
	"hardswish":   unary(ops.HardSwish),
	"hardshrink":  sloped(ops.HardShrink, 0.5, "lambd", "lambda"),
	"softshrink":  sloped(ops.SoftShrink, 0.5, "lambd", "lambda"),
	"celu":        sloped(ops.Celu, 1, "alpha"),
	"glu":         alongAxis(ops.GLU, -1),
	"gelu":        gelu,
	"elu":         sloped(ops.Elu, 1, "alpha"),
	"leaky_relu":  sloped(ops.LeakyRelu, 0.01, "negative_slope", "slope"),
	"hardtanh":    hardTanh,
	"prelu":       binary(ops.PRelu),
	"clamp":       clamp,
	"clamp_min":   clampAt(ops.AtLeast, "min"),
	"clamp_max":   clampAt(ops.AtMost, "max"),
	"detach":      unary(ops.StopGradient),
	"clone":       unary(ops.Copy),
	"contiguous":  unary(ops.Copy),

	"sum":         reduction(ops.Sum),
	"mean":        reduction(ops.Mean),
	"prod":        reduction(ops.Prod),
	"amax":        reduction(ops.Max),
	"amin":        reduction(ops.Min),
	"any":         truths(ops.Any),
	"all":         truths(ops.All),
	"argmax":      reduction(ops.ArgMax),
	"argmin":      reduction(ops.ArgMin),
	"logsumexp":   reduction(ops.LogSumExp),
	"max":         winner(ops.Max, ops.MaxIndex),
	"min":         winner(ops.Min, ops.MinIndex),
	"max_dim":     winner(ops.Max, ops.MaxIndex),
	"min_dim":     winner(ops.Min, ops.MinIndex),
	"var":         spread(ops.Var),
	"std":         spread(ops.Std),
	"norm":        norm,
	"sum_all":     reduction(ops.Sum),
	"mean_all":    reduction(ops.Mean),
	"prod_all":    reduction(ops.Prod),
	"max_all":     reduction(ops.Max),
	"min_all":     reduction(ops.Min),
	"any_all":     reduction(ops.Any),
	"all_all":     reduction(ops.All),
	"var_all":     spread(ops.Var),
	"std_all":     spread(ops.Std),
	"norm_all":    norm,
	"softmax":     alongAxis(ops.Softmax, -1),
	"log_softmax": alongAxis(ops.LogSoftmax, -1),

	"reshape":    shaped(ops.Reshape),
	"view":       shaped(ops.Reshape),
	"expand":     shaped(ops.Expand),
	"squeeze":    squeeze,
	"unsqueeze":  alongAxis(ops.Unsqueeze, 0),
	"transpose":  transpose,
	"permute":    permute,
	"movedim":    moveDim,
	"flip":       flip,
	"slice":      slice,
	"select":     pick,
	"unbind":     unbind,
	"split":      split,
	"chunk":      chunk,
	"diagonal":   diagonal,
	"as_strided": asStrided,
	"pad":        pad,
	"triu":       triangle(ops.Triu),
	"tril":       triangle(ops.Tril),
	"concat":     joined(ops.Concat),
	"cat":        joined(ops.Concat),
	"stack":      joined(ops.Stack),
	"flatten":    flatten,
	"narrow":     narrow,
	"roll":       roll,
	"tile":       repeatedBy(ops.Tile),
	"repeat":     repeatedBy(ops.Tile),

	"conv1d":           conv(ops.Conv1D),
	"conv2d":           conv(ops.Conv2D),
	"conv_transpose1d": convTranspose(ops.ConvTranspose1D),
	"conv_transpose2d": convTranspose(ops.ConvTranspose2D),
	"max_pool1d":       pool1D(ops.MaxPool1D),
	"max_pool2d":       pool2D(ops.MaxPool2D),
	"avg_pool1d":       pool1D(ops.AvgPool1D),
	"avg_pool2d":       pool2D(ops.AvgPool2D),
	"cumsum":           alongAxis(ops.CumSum, 0),
	"cumprod":          alongAxis(ops.CumProd, 0),

	"index_select":                     indexed(ops.IndexSelect),
	"gather":                           indexed(ops.Gather),
	"embedding":                        embedding,
	"matmul":                           binary(ops.MatMul),
	"mm":                               binary(ops.MatMul),
	"mv":                               binary(ops.MatMul),
	"bmm":                              binary(ops.MatMul),
	"dot":                              binary(ops.MatMul),
	"outer":                            binary(ops.Outer),
	"einsum":                           einsum,
	"linear":                           linear,
	"cross_entropy":                    classLoss(ops.CrossEntropy),
	"nll_loss":                         classLoss(ops.NLL),
	"mse_loss":                         distance(ops.MSE),
	"l1_loss":                          distance(ops.L1),
	"kl_div":                           distance(ops.KLDiv),
	"binary_cross_entropy":             distance(ops.BCE),
	"huber_loss":                       scaledDistance(ops.Huber, "delta"),
	"smooth_l1_loss":                   scaledDistance(ops.SmoothL1, "beta"),
	"binary_cross_entropy_with_logits": distance(ops.BCEWithLogits),
	"rms_norm":                         rmsNorm,
	"layer_norm":                       layerNorm,
	"batch_norm":                       batchNorm,
	"group_norm":                       groupNorm,
}

func lerp(c *call) []*graph.Node {
	x, end := c.next(), c.next()
	if w := c.attrs.number("weight"); w != nil {
		return one(ops.Lerp(x, end, w))
	}
	return one(ops.Lerp(x, end, c.next()))
}

func maskedFill(c *call) []*graph.Node {
	x, mask := c.next(), c.next()
	return one(ops.MaskedFill(x, mask, c.attrs.number("value")))
}

func gelu(c *call) []*graph.Node {
	if c.attrs.text("approximate", "none") == "tanh" {
		return one(ops.GeluTanh(c.next()))
	}
	return one(ops.Gelu(c.next()))
}

func clamp(c *call) []*graph.Node {
	low := c.attrs.float(math.Inf(-1), "min")
	return one(ops.Clamp(c.next(), low, c.attrs.float(math.Inf(1), "max")))
}

// clampAt bounds by a number, or by a tensor.
func clampAt(f func(x, y *graph.Node) *graph.Node, name string) builder {
	return func(c *call) []*graph.Node {
		x := c.next()
		if v := c.attrs.number(name, "value"); v != nil {
			return one(f(x, v))
		}
		return one(f(x, c.next()))
	}
}

func norm(c *call) []*graph.Node {
	p := c.attrs.float(2, "p", "ord")
	return one(ops.Norm(c.next(), p, c.attrs.reduced()...))
}

func squeeze(c *call) []*graph.Node {
	axes, _ := c.attrs.axes("dim")
	return one(ops.Squeeze(c.next(), axes...))
}

func transpose(c *call) []*graph.Node {
	return one(ops.Transpose(c.next(), c.attrs.integer(0, "dim0"), c.attrs.integer(1, "dim1")))
}

func permute(c *call) []*graph.Node {
	axes, _ := c.attrs.axes("dims")
	return one(ops.Permute(c.next(), axes...))
}

func flip(c *call) []*graph.Node {
	axes, _ := c.attrs.axes("dims")
	return one(ops.Flip(c.next(), axes...))
}

// size reads a size that is not the size of an axis: a bound or a distance.
func size(c *call, other graph.Dim, name string) graph.Dim {
	var list sizes
	if c.attrs.get(&list, name) && len(list) == 1 {
		return list[0]
	}
	return other
}

func slice(c *call) []*graph.Node {
	x, axis, step := c.next(), c.attrs.integer(0, "dim"), c.attrs.integer(1, "step")
	return one(ops.Slice(x, axis, size(c, 0, "start"), size(c, ops.End, "stop"), step))
}

func pick(c *call) []*graph.Node {
	return one(ops.Select(c.next(), c.attrs.integer(0, "dim"), size(c, 0, "index")))
}

func unbind(c *call) []*graph.Node { return ops.Unbind(c.next(), c.attrs.integer(0, "dim")) }

func split(c *call) []*graph.Node {
	return ops.Split(c.next(), c.attrs.integer(0, "dim"), c.attrs.integer(1, "split_size", "size"))
}

func chunk(c *call) []*graph.Node {
	return ops.Chunk(c.next(), c.attrs.integer(0, "dim"), c.attrs.integer(1, "chunks"))
}

func moveDim(c *call) []*graph.Node {
	return one(ops.MoveAxis(c.next(), c.attrs.integer(0, "source"), c.attrs.integer(0, "destination")))
}

func einsum(c *call) []*graph.Node {
	return one(ops.Einsum(c.attrs.text("equation", ""), c.operands()...))
}

func diagonal(c *call) []*graph.Node {
	a := c.attrs
	return one(ops.Diagonal(c.next(), a.integer(0, "offset"), a.integer(0, "dim1"), a.integer(1, "dim2")))
}

func asStrided(c *call) []*graph.Node {
	a := c.attrs
	return one(ops.AsStrided(c.next(), a.shape("size"), a.shape("stride"), size(c, 0, "storage_offset")))
}

// pad is PyTorch's list of pairs, the last axis first.
func pad(c *call) []*graph.Node {
	x := c.next()
	pairs, value := c.attrs.shape("pad"), c.attrs.float(0, "value")
	if c.attrs.text("mode", "constant") != "constant" {
		c.attrs.err = unsupported{"padding that is not by a number"}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		x = ops.Pad(x, -1-i/2, pairs[i], pairs[i+1], value)
	}
	return one(x)
}

func flatten(c *call) []*graph.Node {
	return one(ops.Flatten(c.next(), c.attrs.integer(0, "start_dim"), c.attrs.integer(-1, "end_dim")))
}

func narrow(c *call) []*graph.Node {
	return one(ops.Narrow(c.next(), c.attrs.integer(0, "dim"), size(c, 0, "start"), size(c, 0, "length")))
}

// roll turns axes one by one.
func roll(c *call) []*graph.Node {
	x, shifts, axes := c.next(), c.attrs.integers("shifts"), c.attrs.integers("dims", "dim")
	if len(shifts) != len(axes) {
		c.attrs.err = unsupported{"a roll of all elements"}
	}
	for i, axis := range axes {
		x = ops.Roll(x, axis, shifts[min(i, len(shifts)-1)])
	}
	return one(x)
}

func repeatedBy(f func(x *graph.Node, counts ...graph.Dim) *graph.Node) builder {
	return func(c *call) []*graph.Node { return one(f(c.next(), c.attrs.shape("repeats", "dims")...)) }
}

func hardTanh(c *call) []*graph.Node {
	return one(ops.HardTanh(c.next(), c.attrs.float(-1, "min_val"), c.attrs.float(1, "max_val")))
}

func triangle(f func(x *graph.Node, diagonal int) *graph.Node) builder {
	return func(c *call) []*graph.Node { return one(f(c.next(), c.attrs.integer(0, "diagonal"))) }
}

// emptyListCalls are the reductions called with a list of axes that is given and empty.
var emptyListCalls = map[string]func(x *graph.Node) *graph.Node{
	"sum":       func(x *graph.Node) *graph.Node { return ops.Sum(x, []ops.Axis{}...) },
	"mean":      func(x *graph.Node) *graph.Node { return ops.Mean(x, []ops.Axis{}...) },
	"prod":      func(x *graph.Node) *graph.Node { return ops.Prod(x, []ops.Axis{}...) },
	"amax":      func(x *graph.Node) *graph.Node { return ops.Max(x, []ops.Axis{}...) },
	"amin":      func(x *graph.Node) *graph.Node { return ops.Min(x, []ops.Axis{}...) },
	"any":       func(x *graph.Node) *graph.Node { return ops.Any(x, []ops.Axis{}...) },
	"all":       func(x *graph.Node) *graph.Node { return ops.All(x, []ops.Axis{}...) },
	"logsumexp": func(x *graph.Node) *graph.Node { return ops.LogSumExp(x, []ops.Axis{}...) },
	"var":       func(x *graph.Node) *graph.Node { return ops.Var(x, 1, []ops.Axis{}...) },
	"std":       func(x *graph.Node) *graph.Node { return ops.Std(x, 1, []ops.Axis{}...) },
	"norm":      func(x *graph.Node) *graph.Node { return ops.Norm(x, 2, []ops.Axis{}...) },
}
