package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

var opThreshold, opSoftcap *graph.Op

// ThresholdAttrs are the fixed arguments of Threshold.
type ThresholdAttrs struct{ Threshold, Value float64 }

// Args writes the threshold and the value.
func (a ThresholdAttrs) Args(operands []string) []string {
	return after(operands, a.Threshold, a.Value)
}

// CapAttrs are the fixed arguments of Softcap.
type CapAttrs struct{ Cap float64 }

// Args writes the cap.
func (a CapAttrs) Args(operands []string) []string { return after(operands, a.Cap) }

func init() {
	opThreshold = activation("threshold", "Threshold", "x above a bound, and a number elsewhere.", "threshold_cpu",
		func(m arith, n node, x graph.Value) graph.Value {
			a := n.Attrs().(ThresholdAttrs)
			return m.pick(m.Prim(graph.PrimLe, x, m.num(a.Threshold)), m.num(a.Value), x)
		},
		func(y, x, dy node) node {
			return Where(LessEqual(x, num(y.Attrs().(ThresholdAttrs).Threshold)), num(0), dy)
		})
	opThreshold.Infer = refuseBool(`"threshold_cpu" not implemented for 'Bool'`,
		func(c *graph.Call) (graph.DType, graph.Shape) {
			refuseOutside(c, c.DType(0), c.Attrs().(ThresholdAttrs).Value)
			return sameType(c)
		})
	opSoftcap = activation("softcap", "Softcap", "limit * tanh(x / limit).", "softcap",
		func(m arith, n node, x graph.Value) graph.Value {
			limit := m.num(n.Attrs().(CapAttrs).Cap)
			return m.mul(limit, m.Prim(graph.PrimTanh, m.div(x, limit)))
		},
		func(y, x, dy node) node {
			return Mul(dy, Sub(num(1), Square(Tanh(Div(x, num(y.Attrs().(CapAttrs).Cap))))))
		})
	opThreshold.Ref = named("", "torch.nn.functional.threshold", "", "ThresholdedRelu", "",
		func(e *graph.Example) node { return Threshold(e.Of("x", "n"), 0.1, 20) })
	opSoftcap.Ref = named("", "", "", "", "",
		func(e *graph.Example) node { return Softcap(e.Of("x", "n"), 30) })
	composed("Softmin", "softmax(-x).", named("", "torch.nn.functional.softmin", "", "", "",
		func(e *graph.Example) node { return Softmin(e.Of("x", "n", "k"), 1) }))
	composed("RRelu", "x above 0, a random slope times x below.", named("", "torch.nn.functional.rrelu", "", "", "",
		func(e *graph.Example) node { return RRelu(e.Of("x", "n"), 0.125, 0.25, e.As(graph.Int64, "seed")) }))
	for name, f := range map[string]struct {
		doc  string
		call func(x *graph.Node, axis int) *graph.Node
	}{
		"SwiGLU": {"silu of the first half of an axis times the second.", SwiGLU},
		"GEGLU":  {"gelu of the first half of an axis times the second.", GEGLU},
		"ReGLU":  {"relu of the first half of an axis times the second.", ReGLU},
	} {
		composed(name, f.doc, named("", "", "", "", "", func(e *graph.Example) node {
			return f.call(e.Of("x", "n", "2*k"), 1)
		}))
	}
}

// Threshold returns x where it is above the threshold, and value elsewhere.
func Threshold(x *graph.Node, threshold, value float64) *graph.Node {
	return Apply(opThreshold, ThresholdAttrs{threshold, value}, x)
}

// Softcap returns limit * tanh(x / limit), which is between -limit and limit.
func Softcap(x *graph.Node, limit float64) *graph.Node { return Apply(opSoftcap, CapAttrs{limit}, x) }

// Softmin returns Softmax(-x) along an axis.
func Softmin(x *graph.Node, axis int) *graph.Node {
	defer building("Softmin", x, axis)()
	return Softmax(Neg(x), axis)
}

// RRelu returns x above 0, and slope*x below, where each element's slope is drawn between low and high. The seed is
// that of [Uniform]. In evaluation use [LeakyRelu] with the slope (low + high)/2. Source: Xu et al., Empirical
// Evaluation of Rectified Activations, 2015.
func RRelu(x *graph.Node, low, high float64, seed *graph.Node) *graph.Node {
	defer building("RRelu", x, low, high, seed)()
	switch {
	case x == nil || !x.Judged():
		return Neg(x) // its own mistake
	case !x.DType().IsFloat():
		return refusal(refused("RRelu", x).with(low, high), &graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x),
			Summary: fmt.Sprintf("rrelu needs floating-point numbers, but %s has dtype %s", x.Called(), x.DType())})
	case seed == nil:
		return refusal(refused("RRelu", x).with(low, high, "nil"), noSeed("the seed is nil"))
	}
	slopes := inComputed(x.DType(), func(t graph.DType) node {
		return Add(Mul(Uniform(seed, t, x.Shape()...), num(high-low)), num(low))
	})
	return Where(Greater(x, num(0)), x, Mul(slopes, x))
}

// SwiGLU returns Silu of the first half of an axis times the second half. The axis must have an even size. Source:
// Shazeer, GLU Variants Improve Transformer, 2020.
func SwiGLU(x *graph.Node, axis int) *graph.Node {
	defer building("SwiGLU", x, axis)()
	return gated("SwiGLU", x, axis, func(a, b node) node { return Mul(Silu(a), b) })
}

// GEGLU returns Gelu of the first half of an axis times the second half. The axis must have an even size.
func GEGLU(x *graph.Node, axis int) *graph.Node {
	defer building("GEGLU", x, axis)()
	return gated("GEGLU", x, axis, func(a, b node) node { return Mul(Gelu(a), b) })
}

// ReGLU returns Relu of the first half of an axis times the second half. The axis must have an even size.
func ReGLU(x *graph.Node, axis int) *graph.Node {
	defer building("ReGLU", x, axis)()
	return gated("ReGLU", x, axis, func(a, b node) node { return Mul(Relu(a), b) })
}
