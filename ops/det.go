package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/ops/internal/dense"
)

var opDet, opDetSign, opLogAbsDet, opCofactors *graph.Op

// ofFactors is the entry of a number that is computed from the triangular factors of each matrix: of the diagonal of U,
// [..., n], and of the sign that exchanges of rows make.
func ofFactors(name, fn, doc, word string, compute func(diagonal, sign node) node,
	grad func(n, dy node, i int) node) *graph.Op {
	return define(graph.Op{
		Name: name, Func: fn, Doc: doc, Class: graph.Composite, MinIn: 1, MaxIn: 1, Infer: perMatrix(word), Grad: grad,
		Batch: onLastAxes, Autocast: graph.AutocastWidens,
		Expand: func(n *graph.Node, in []*graph.Node) *graph.Node {
			lu, size := factorized(in[0]), in[0].Shape()[in[0].Rank()-1]
			pivots := Select(lu, -2, size)
			stays := Equal(pivots, Cast(Iota(lu.Graph(), 0, size), graph.Float64))
			sign := Prod(Where(stays, Full(lu.Graph(), graph.Float64, 1), num(-1)), -1)
			return Cast(compute(Diagonal(Slice(lu, -2, 0, size, 1), 0, -2, -1), sign), n.DType())
		},
	})
}

func init() {
	opDet = ofFactors("det", "Det", "the determinant of each square matrix.", "linalg.det",
		func(diagonal, sign node) node { return Mul(sign, Prod(diagonal, -1)) },
		func(n, dy node, _ int) node { return Mul(eachMatrix(dy), Apply(opCofactors, nil, n.In(0))) })
	opDetSign = ofFactors("det_sign", "detSign", "the sign of the determinant.", "linalg.slogdet",
		func(diagonal, sign node) node { return Mul(sign, Prod(Sign(diagonal), -1)) }, noGradient)
	opLogAbsDet = ofFactors("log_abs_det", "logAbsDet", "the logarithm of the magnitude of the determinant.",
		"linalg.slogdet",
		func(diagonal, _ node) node { return Sum(Log(Abs(diagonal)), -1) },
		func(n, dy node, _ int) node { return Mul(eachMatrix(dy), transposed(Inv(n.In(0)))) })
	opCofactors = matrixFunction("cofactors", "cofactors",
		"the cofactors of each square matrix, det(A)·A⁻ᵀ where A is not singular.",
		[]int{2, 2}, squareMatrix("linalg.det"),
		matrixKernel{cofactors[float32], cofactors[float64]},
		cofactorsGrad)
	opDet.Ref = named("numpy.linalg.det", "torch.linalg.det, torch.det", "jax.numpy.linalg.det, jax.scipy.linalg.det",
		"Det", "",
		func(e *graph.Example) node { return Det(e.Of("a", "n", "n")) })
	opDet.Ref.Cost = "2/3·n³ operations for each matrix"
	composed("SlogDet", "the sign of the determinant of each square matrix, and the logarithm of its magnitude.",
		named("numpy.linalg.slogdet", "torch.linalg.slogdet, torch.slogdet", "jax.numpy.linalg.slogdet", "", "",
			func(e *graph.Example) node { sign, y := SlogDet(e.Of("a", "n", "n")); e.Several(sign, y); return y }))
	composed("LogDet", "the logarithm of the determinant of each square matrix; NaN if that is negative.",
		named("", "torch.logdet", "", "", "", func(e *graph.Example) node { return LogDet(e.Of("a", "n", "n")) }))
}

func cofactors[T triangular.Number](a *graph.Arrays, y []T) error {
	return dense.Cofactors(a, y, numbersOf[T](a, 0), a.Out.Shape[0])
}

// cofactorsGrad: with C = det(A)·A⁻ᵀ, d<G, C> = <(<G, C>·C - C·Gᵀ·C)/det(A), dA>.
func cofactorsGrad(c, dy node, _ int) node {
	along := Sum(Mul(dy, c), -2, -1, KeepDims())
	return Div(Sub(Mul(along, c), MatMul(c, MatMul(transposed(dy), c))), eachMatrix(Det(c.In(0))))
}

// Det returns the determinant of each square matrix of a batch: [...] of [..., n, n], Float32 or Float64. Its
// gradient is correct for singular matrices too; the gradient of the gradient is NaN there.
func Det(a *graph.Node) *graph.Node { return Apply(opDet, nil, a) }

// SlogDet returns the sign of the determinant of each square matrix of a batch, -1, 0 or 1, and the logarithm of its
// magnitude, -Inf for singular matrices. It does not overflow. Its gradient stops the run at a singular matrix.
func SlogDet(a *graph.Node) (sign, logAbs *graph.Node) {
	defer building("SlogDet", a)()
	return Apply(opDetSign, nil, a), Apply(opLogAbsDet, nil, a)
}

// LogDet returns the logarithm of the determinant of each square matrix of a batch. It is NaN if the determinant is
// negative, and -Inf if it is 0.
func LogDet(a *graph.Node) *graph.Node {
	defer building("LogDet", a)()
	sign, logAbs := SlogDet(a)
	return Add(logAbs, Log(sign))
}
