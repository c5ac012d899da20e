package export

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// fused returns the operator that computes what the last ones, with result y, compute together; y itself if there is
// none.
func (e *exporter) fused(y *value) *value {
	if e.isPlain || !is(y, "Add") {
		return y
	}
	if z := e.linear(y); z != y {
		return z
	}
	return e.batchNorm(y)
}

// linear is x·Wᵀ + b, of matrices x and W, as a linear layer has it.
func (e *exporter) linear(y *value) *value {
	product, b := y.def.in[0], y.def.in[1]
	if !y.dtype.IsFloat() || !is(product, "MatMul") || !is(product.def.in[1], "Transpose") {
		return y
	}
	x, w := product.def.in[0], product.def.in[1].def.in[0]
	if len(x.shape) != 2 || len(w.shape) != 2 || len(b.shape) != 1 || b.shape[0] != w.shape[0] || x.isEmpty() ||
		w.isEmpty() {
		return y
	}
	return e.apply("Gemm", y.tensor, attrs{attrInt("transB", 1)}, x, w, b)
}

// Batch normalization with given statistics is a chain of operations on elements. As one operator it is read at a
// glance, and becomes a part of the convolution before it in ONNX Runtime.

// batchNorm returns the operator that computes what the chain that ends with y computes, (x - mean)·(1/√(variance +
// eps))·gain + bias; y itself where that is no such chain.
func (e *exporter) batchNorm(y *value) *value {
	if y.dtype != graph.Float32 {
		return y
	}
	scaled, bias := y.def.in[0], y.def.in[1]
	if !is(scaled, "Mul") || !is(scaled.def.in[0], "Mul") {
		return y
	}
	gain := scaled.def.in[1]
	centred, scale := scaled.def.in[0].def.in[0], scaled.def.in[0].def.in[1]
	if !is(centred, "Sub") || !is(scale, "Reciprocal") || !is(scale.def.in[0], "Sqrt") ||
		!is(scale.def.in[0].def.in[0], "Add") {
		return y
	}
	x, mean := centred.def.in[0], centred.def.in[1]
	variance, eps := scale.def.in[0].def.in[0].def.in[0], scale.def.in[0].def.in[0].def.in[1]
	small, _, ok := numberOf(eps)
	operands := []*value{x}
	for _, v := range []*value{gain, bias, mean, variance} {
		operands = append(operands, channelsOf(v, x))
	}
	if !ok || slices.Contains(operands, nil) {
		return y
	}
	return e.apply("BatchNormalization", x.tensor, attrs{attrFloat("epsilon", small)}, operands...)
}

// is reports whether an operator has computed a value.
func is(v *value, op string) bool { return v.def != nil && v.def.op == op }

// channelsOf returns the vector that v lines up with axis 1 of x; nil where it is none.
func channelsOf(v, x *value) *value {
	rank := len(x.shape)
	if rank < 2 {
		return nil
	}
	for axis, d := range v.shape {
		at := rank - len(v.shape) + axis
		if at != 1 && d != 1 || at == 1 && d != x.shape[1] {
			return nil
		}
	}
	for is(v, "Reshape") && len(v.shape) > 1 {
		v = v.def.in[0]
	}
	if len(v.shape) != 1 || v.shape[0] != x.shape[1] {
		return nil
	}
	return v
}
