package difftest

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// signedQR is a QR factorisation whose R has a positive diagonal: that is unique.
func signedQR(a *graph.Node) (q, r *graph.Node) {
	q, r = ops.QR(a)
	sign := ops.Sign(ops.Diagonal(r, 0, -2, -1))
	return ops.Mul(q, ops.Unsqueeze(sign, -2)), ops.Mul(r, ops.Unsqueeze(sign, -1))
}

// signedSVD is a singular value decomposition whose left vectors have a positive sum.
func signedSVD(a *graph.Node) (u, s, vh *graph.Node) {
	u, s, vh = ops.SVD(a)
	sign := ops.Sign(ops.Sum(u, -2))
	return ops.Mul(u, ops.Unsqueeze(sign, -2)), s, ops.Mul(vh, ops.Unsqueeze(sign, -1))
}

// signedEigh is an eigendecomposition whose vectors have a positive sum.
func signedEigh(a *graph.Node) (values, vectors *graph.Node) {
	values, vectors = ops.Eigh(a)
	return values, ops.Mul(vectors, ops.Unsqueeze(ops.Sign(ops.Sum(vectors, -2)), -2))
}

// throughFloat8 quantises numbers to a dtype of 8 bits, and back.
func throughFloat8(x, scale *graph.Node, t graph.DType) *graph.Node {
	return ops.Dequantize(ops.Quantize(x, scale, nil, ops.QuantizedDType(t)), scale, nil)
}
