package export

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// twin writes an operation as the one operator of ONNX that computes it, on operands that are Float32; nil where it
// does not fit.
type twin func(e *exporter, n *graph.Node, in []*value) *value

// elementTwins are operations on each element, and compositeTwins those that are written with others.
var elementTwins, compositeTwins map[*graph.Op]twin

// init fills the tables, whose functions refer to them.
func init() {
	elementTwins = map[*graph.Op]twin{
		ops.Lookup("relu"):        plain("Relu"),
		ops.Lookup("gelu"):        plain("Gelu"),
		ops.Lookup("mish"):        plain("Mish"),
		ops.Lookup("hardswish"):   plain("HardSwish"),
		ops.Lookup("softplus"):    plain("Softplus"),
		ops.Lookup("gelu_tanh"):   (*exporter).geluTanh,
		ops.Lookup("hardsigmoid"): (*exporter).hardSigmoid,
		ops.Lookup("elu"):         sloped("Elu"),
		ops.Lookup("celu"):        sloped("Celu"),
		ops.Lookup("leaky_relu"):  sloped("LeakyRelu"),
		ops.Lookup("clamp"):       (*exporter).clip,
	}
	compositeTwins = map[*graph.Op]twin{
		ops.Lookup("softmax"):     softmax("Softmax"),
		ops.Lookup("log_softmax"): softmax("LogSoftmax"),
		ops.Lookup("layer_norm"):  (*exporter).layerNorm,
		ops.Lookup("rms_norm"):    (*exporter).rmsNorm,
		ops.Lookup("mean"):        (*exporter).mean,
	}
	for _, axes := range []string{"1d", "2d", "3d"} {
		compositeTwins[ops.Lookup("conv"+axes)] = (*exporter).conv
		compositeTwins[ops.Lookup("conv_transpose"+axes)] = (*exporter).convTranspose
		compositeTwins[ops.Lookup("max_pool"+axes)] = (*exporter).maxPool
		compositeTwins[ops.Lookup("avg_pool"+axes)] = (*exporter).avgPool
	}
}

// attrsOf returns the fixed arguments of a node, whose operation a table has told.
func attrsOf[T any](n *graph.Node) T { return n.Attrs().(T) }

// elementTwin writes an operation on each element that one operator of ONNX computes; nil for others.
func (e *exporter) elementTwin(n *graph.Node, in []*value) *value {
	return e.twin(elementTwins[n.Op()], n, in)
}

// compositeTwin writes an operation, composed of others, that one operator of ONNX computes; nil for others. What moves
// elements alone has one for each dtype.
func (e *exporter) compositeTwin(n *graph.Node, in []*value) *value {
	switch n.Op() {
	case gatherOp:
		return e.gatherEach(n, in)
	case triuOp, trilOp:
		return e.triangle(n, in[0])
	}
	return e.twin(compositeTwins[n.Op()], n, in)
}

// twin writes an operation of Float32, or of numbers of 16 bits, which are computed in that.
func (e *exporter) twin(write twin, n *graph.Node, in []*value) *value {
	t := e.typeOf(n)
	if write == nil || e.isPlain || heldAs(t.dtype) != graph.Float32 || t.isEmpty() {
		return nil
	}
	wide := make([]*value, len(in))
	for i, x := range in {
		if x.dtype != t.dtype || x.isEmpty() {
			return nil
		}
		wide[i] = e.widened(x)
	}
	y := write(e, n, wide)
	if y == nil {
		return nil
	}
	return e.convert(y, t.dtype)
}

// plain is a twin without attributes.
func plain(op string) twin {
	return func(e *exporter, _ *graph.Node, in []*value) *value { return e.same(op, in...) }
}

// sloped is a twin with a slope.
func sloped(op string) twin {
	return func(e *exporter, n *graph.Node, in []*value) *value {
		slope := attrsOf[ops.SlopeAttrs](n).Slope
		return e.apply(op, in[0].tensor, attrs{attrFloat("alpha", slope)}, in[0])
	}
}

func (e *exporter) geluTanh(_ *graph.Node, in []*value) *value {
	return e.apply("Gelu", in[0].tensor, attrs{attrString("approximate", "tanh")}, in[0])
}

func (e *exporter) hardSigmoid(_ *graph.Node, in []*value) *value {
	return e.apply("HardSigmoid", in[0].tensor, attrs{attrFloat("alpha", 1.0/6), attrFloat("beta", 0.5)}, in[0])
}

// clip brings numbers between two bounds. Bounds that cross are another matter.
func (e *exporter) clip(n *graph.Node, in []*value) *value {
	a := attrsOf[ops.ClampAttrs](n)
	if !(a.Min <= a.Max) {
		return nil
	}
	return e.apply("Clip", in[0].tensor, nil, in[0], e.number(graph.Float32, a.Min), e.number(graph.Float32, a.Max))
}

func softmax(op string) twin {
	return func(e *exporter, n *graph.Node, in []*value) *value {
		if len(in[0].shape) == 0 {
			return nil
		}
		axis := attrsOf[ops.SoftmaxAttrs](n).Axis
		return e.apply(op, in[0].tensor, attrs{attrInt("axis", axis)}, in[0])
	}
}

// layerNorm wants a gain.
func (e *exporter) layerNorm(n *graph.Node, in []*value) *value {
	a := attrsOf[ops.LayerNormAttrs](n)
	axis, ok := normalised(a, in)
	if !ok || !e.hasElements(in[0].shape[axis:].NumElements()) {
		return nil
	}
	over := in[0].shape[axis:]
	operands := []*value{in[0], nil}
	switch {
	case len(in) > 1 && !a.BiasOnly:
		operands[1] = in[1]
	default:
		if _, static := over.NumElements().Int(); !static {
			return nil
		}
		operands[1] = e.expand(e.number(graph.Float32, 1), over)
	}
	if len(in) > 2 || len(in) > 1 && a.BiasOnly {
		operands = append(operands, in[len(in)-1])
	}
	return e.apply("LayerNormalization", in[0].tensor,
		attrs{attrInt("axis", axis-len(in[0].shape)), attrFloat("epsilon", a.Eps)}, operands...)
}

// rmsNorm is an operator from opset 23 on.
func (e *exporter) rmsNorm(n *graph.Node, in []*value) *value {
	a := attrsOf[ops.LayerNormAttrs](n)
	axis, ok := normalised(a, in)
	if !ok || e.opset < 23 || !e.hasElements(in[0].shape[axis:].NumElements()) || len(in) != 2 || a.BiasOnly {
		return nil
	}
	return e.apply("RMSNormalization", in[0].tensor,
		attrs{attrInt("axis", axis-len(in[0].shape)), attrFloat("epsilon", a.Eps)}, in...)
}

// normalised returns the first of the last axes that are normalised over, where gain and bias have their sizes.
func normalised(a ops.LayerNormAttrs, in []*value) (axis int, ok bool) {
	count := 1
	switch {
	case a.Shape != nil:
		count = len(a.Shape)
	case len(in) > 1:
		count = len(in[1].shape)
	}
	axis = len(in[0].shape) - count
	if axis < 0 || count == 0 || a.Eps < 0 {
		return 0, false
	}
	for _, x := range in[1:] {
		if !slices.Equal(x.shape, in[0].shape[axis:]) {
			return 0, false
		}
	}
	return axis, true
}

// mean is one of axes that are known to have elements: of none, ONNX Runtime gives 0.
func (e *exporter) mean(n *graph.Node, in []*value) *value {
	list := ops.Axes(n)
	for _, axis := range list {
		if !e.hasElements(in[0].shape[axis]) {
			return nil
		}
	}
	keep := len(n.Shape()) == len(in[0].shape)
	if len(list) == 0 {
		return nil
	}
	t := tensor{graph.Float32, folded(in[0].shape, list, keep)}
	return e.apply("ReduceMean", t, attrs{attrFlag("keepdims", keep)}, in[0], e.intsOf(list))
}

var gatherOp, triuOp, trilOp = ops.Lookup("gather"), ops.Lookup("triu"), ops.Lookup("tril")

// gatherEach picks elements along an axis, at each position of the others by an index of its own.
func (e *exporter) gatherEach(n *graph.Node, in []*value) *value {
	x, index := in[0], in[1]
	axis := attrsOf[ops.GatherAttrs](n).Axis
	if axis < 0 {
		axis += len(x.shape)
	}
	if len(x.shape) == 0 || len(index.shape) != len(x.shape) || index.isEmpty() || x.isEmpty() {
		return nil
	}
	if index.dtype != graph.Int32 && index.dtype != graph.Int64 {
		index = e.cast(index, graph.Int64)
	}
	return e.pickEach(x, index, axis)
}

// triangle is a matrix with zeros on one side of a diagonal.
func (e *exporter) triangle(n *graph.Node, x *value) *value {
	if !slices.Contains([]graph.DType{graph.Float32, graph.Float64, graph.Int32, graph.Int64, graph.Bool}, x.dtype) ||
		e.typeOf(n).isEmpty() {
		return nil
	}
	k := attrsOf[ops.TriangleAttrs](n).Diagonal
	if k < math.MinInt32 || k > math.MaxInt32 {
		return nil
	}
	return e.apply("Trilu", x.tensor, attrs{attrFlag("upper", n.Op() == triuOp)}, x, e.whole(graph.Int64, int64(k)))
}
