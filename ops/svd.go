package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/ops/internal/dense"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opSVD, opSingularValues *graph.Op

func init() {
	opSVD = matrixFunction("svd", "svd", "the singular vectors and values of matrices, packed.", []int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s := c.Shape(0)
			return c.DType(0), packedShape(s[:len(s)-2], svdParts(s)...)
		},
		matrixKernel{singularVectors[float32], singularVectors[float64]}, svdGrad)
	opSingularValues = matrixFunction("svdvals", "SingularValues", "the singular values of matrices, falling.",
		[]int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, ok := rules.MatrixBatch(c, "linalg.svdvals")
			if !ok {
				return c.DType(0), s
			}
			return c.DType(0), packedShape(s[:len(s)-2], svdParts(s)[1])
		},
		matrixKernel{singularValues[float32], singularValues[float64]},
		func(n, dy node, _ int) node { // U·diag(dy)·Vᵀ: Giles, Collected matrix derivative results, 2008
			u, _, vh := SVD(n.In(0))
			return MatMul(Mul(u, Unsqueeze(dy, -2)), vh)
		})
	composed("SVD", "the singular values of each matrix, falling, and its singular vectors: A = U·diag(S)·Vᵀ.",
		named("numpy.linalg.svd", "torch.linalg.svd, torch.svd", "jax.numpy.linalg.svd, jax.scipy.linalg.svd", "", "",
			func(e *graph.Example) node { u, s, v := SVD(e.Of("a", "n", "k")); e.Several(u, s, v); return s }))
	opSingularValues.Ref = named("numpy.linalg.svdvals", "torch.linalg.svdvals", "jax.numpy.linalg.svdvals", "", "",
		func(e *graph.Example) node { return SingularValues(e.Of("a", "n", "k")) })
	opSingularValues.Ref.Cost = "some 4·n·k·min(n, k) operations for each matrix"
}

func singularVectors[T triangular.Number](a *graph.Arrays, y []T) error {
	rows, cols := a.In[0].Shape[0], a.In[0].Shape[1]
	k := min(rows, cols)
	s, vh := rows*k, rows*k+k
	return dense.SVD(a, y[:s], y[s:vh], y[vh:], numbersOf[T](a, 0), rows, cols)
}

func singularValues[T triangular.Number](a *graph.Arrays, y []T) error {
	return dense.SVD(a, nil, y, nil, numbersOf[T](a, 0), a.In[0].Shape[0], a.In[0].Shape[1])
}

// svdParts are the shapes of U, S and Vᵀ of matrices of shape s.
func svdParts(s graph.Shape) []graph.Shape {
	rows, cols := s[len(s)-2], s[len(s)-1]
	k := graph.MinDim(rows, cols)
	return []graph.Shape{{rows, k}, {k}, {k, cols}}
}

// svdGrad is U·((skew(Uᵀ·dU)/E)·S + S·(skew(Vᵀ·dV)/E) + diag(dS))·Vᵀ with E[i,j] = S[j]² - S[i]², and what dU and dV
// have outside of the spaces of U and V, divided by S: Townsend, Differentiating the singular value decomposition,
// 2016. Where singular values are equal, or 0, a quotient counts as 0: what a loss that does not depend on the choice
// of vectors has there is 0/0, whose limit is not known here.
func svdGrad(n, dy node, _ int) node {
	shape := n.In(0).Shape()
	parts := svdParts(shape)
	x, d := unpacked(n, parts...), unpacked(dy, parts...)
	u, s, vh, du, ds, dvh := x[0], x[1], x[2], d[0], d[1], d[2]
	row, column := Unsqueeze(s, -2), Unsqueeze(s, -1)
	squares := Mul(Add(row, column), Sub(row, column)) // more exact than a difference of squares
	skew := func(m node) node { return divided(Sub(m, transposed(m)), squares) }
	uu, vv := MatMul(transposed(u), du), MatMul(vh, transposed(dvh))
	inner := Add(Add(Mul(skew(uu), row), Mul(column, skew(vv))), diagonalOf(ds))
	grad := MatMul(u, MatMul(inner, vh))
	k := parts[1][0]
	if rows := shape[len(shape)-2]; k != rows {
		grad = Add(grad, MatMul(divided(Sub(du, MatMul(u, uu)), row), vh))
	}
	if cols := shape[len(shape)-1]; k != cols {
		grad = Add(grad, MatMul(u, divided(Sub(dvh, MatMul(transposed(vv), vh)), column)))
	}
	return grad
}

// SVD returns the reduced singular value decomposition A = U·diag(S)·Vᵀ of each matrix of a batch, [..., m, n],
// Float32 or Float64. u is [..., m, k], s [..., k] in descending order, and vh [..., k, n], where k is the lesser of
// m and n. A matrix with numbers that are not finite stops the run. It is torch.linalg.svd without full matrices.
//
// The signs of vectors are arbitrary, and so are the vectors of equal singular values: the gradient is correct for
// losses that do not depend on this choice, as in PyTorch.
//
// If singular values are equal, or 0, gradients that flow through their vectors count as 0; PyTorch's are infinite or
// NaN. Gradients of functions of the values alone are exact if none is 0, as in [Eigh]. Those of U·f(S)·Vᵀ lack the
// part between the equal ones; [Polar] has an exact gradient.
func SVD(a *graph.Node) (u, s, vh *graph.Node) {
	defer building("SVD", a)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("SVD", a), "linalg.svd"); bad != nil {
		return bad, bad, bad
	}
	parts := unpacked(Apply(opSVD, nil, a), svdParts(a.Shape())...)
	return parts[0], parts[1], parts[2]
}

// SingularValues returns the singular values of [SVD] at lower cost, in descending order: [..., k] of [..., m, n],
// where k is the lesser of m and n.
func SingularValues(a *graph.Node) *graph.Node { return Apply(opSingularValues, nil, a) }
