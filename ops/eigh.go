package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/triangular"
	"github.com/broadloom/broadloom/ops/internal/dense"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opEigh, opEigenvalues *graph.Op

func init() {
	opEigh = matrixFunction("eigh", "eigh", "the eigenvalues and eigenvectors of symmetric matrices, packed.",
		[]int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.SquareMatrices(c, "linalg.eigh")
			return c.DType(0), packedShape(s[:len(s)-2], eighParts(s)...)
		},
		matrixKernel{symmetricVectors[float32], symmetricVectors[float64]}, eighGrad)
	opEigenvalues = matrixFunction("eigvalsh", "EigenvaluesH", "the eigenvalues of symmetric matrices, rising.",
		[]int{2, 1},
		func(c *graph.Call) (graph.DType, graph.Shape) {
			s, _ := rules.SquareMatrices(c, "linalg.eigvalsh")
			return c.DType(0), s[:max(len(s)-1, 0)]
		},
		matrixKernel{symmetricValues[float32], symmetricValues[float64]},
		func(n, dy node, _ int) node { // V·diag(dy)·Vᵀ: Giles, Collected matrix derivative results, 2008
			_, v := Eigh(n.In(0))
			return MatMul(Mul(v, Unsqueeze(dy, -2)), transposed(v))
		})
	cost := "some 10·n³ operations for each matrix"
	composed("Eigh", "the eigenvalues of each symmetric matrix, rising, and its eigenvectors, as columns.",
		named("numpy.linalg.eigh", "torch.linalg.eigh", "jax.numpy.linalg.eigh, jax.scipy.linalg.eigh", "", "",
			func(e *graph.Example) node { return e.Several(Eigh(e.Of("a", "n", "n"))) }))
	opEigenvalues.Ref = named("numpy.linalg.eigvalsh", "torch.linalg.eigvalsh", "jax.numpy.linalg.eigvalsh", "", "",
		func(e *graph.Example) node { return EigenvaluesH(e.Of("a", "n", "n")) })
	opEigenvalues.Ref.Cost = cost
}

func symmetricVectors[T triangular.Number](a *graph.Arrays, y []T) error {
	n := a.In[0].Shape[0]
	copyNumbers(y[n:], a, 0)
	return dense.Eigh(a, y[:n], y[n:], n, true)
}

func symmetricValues[T triangular.Number](a *graph.Arrays, y []T) error {
	x := triangular.Room[T](a, a.In[0].NumElements())
	copyNumbers(x, a, 0)
	return dense.Eigh(a, y, x, len(y), false)
}

// eighParts are the shapes of the eigenvalues and the eigenvectors of matrices of shape s.
func eighParts(s graph.Shape) []graph.Shape { return []graph.Shape{s[len(s)-1:], s[len(s)-2:]} }

// eighGrad is V·(diag(dλ) + (Vᵀ·dV)∘F)·Vᵀ with F[i,j] = 1/(λ[j] - λ[i]): Giles, Collected matrix derivative results,
// 2008. It is made symmetric, as the matrix is. Where eigenvalues are equal, F counts as 0: what a loss that does not
// depend on the choice of vectors has there is 0/0, whose limit is not known here.
func eighGrad(n, dy node, _ int) node {
	parts := eighParts(n.In(0).Shape())
	x, d := unpacked(n, parts...), unpacked(dy, parts...)
	values, v, dValues, dv := x[0], x[1], d[0], d[1]
	apart := Sub(Unsqueeze(values, -2), Unsqueeze(values, -1))
	inner := Add(divided(MatMul(transposed(v), dv), apart), diagonalOf(dValues))
	return symmetric(MatMul(v, MatMul(inner, transposed(v))))
}

// divided is x/by, and 0 where by is 0.
func divided(x, by node) node {
	isZero := Equal(by, num(0))
	return Where(isZero, num(0), Div(x, Where(isZero, num(1), by)))
}

// diagonalOf makes diagonal matrices of vectors.
func diagonalOf(x node) node {
	n := x.Shape()[x.Rank()-1]
	return Mul(Unsqueeze(x, -1), Eye(x.Graph(), x.DType(), n, n))
}

// Eigh returns the eigenvalues, in ascending order, [..., n], and the eigenvectors, the columns of [..., n, n], of
// each symmetric matrix of a batch. Only the lower triangle is read, or with [UpperTriangle], the only option, only
// the upper one. A matrix with numbers that are not finite stops the run. It is torch.linalg.eigh.
//
// The gradient is symmetric. The signs of eigenvectors are arbitrary, and so are the eigenvectors of equal
// eigenvalues: the gradient is correct for losses that do not depend on this choice, as in PyTorch.
//
// If eigenvalues are equal, gradients that flow through their vectors count as 0 between them; PyTorch's are infinite
// or NaN. Gradients of functions of the eigenvalues alone, such as their sum or the sum of their logarithms, are
// exact even then. Those of a matrix function V·f(Λ)·Vᵀ are not: they lack the part between the equal ones, f'(λ)
// times the change of the matrix. [MatrixExp], [Cholesky], [Solve] and products have exact gradients for all
// matrices.
func Eigh(a *graph.Node, opts ...TriangularOption) (values, vectors *graph.Node) {
	attrs := triangularOf(opts)
	defer graph.BeginCall("Eigh", attrs, a)()
	defer inFloat32(&a)()
	read, bad := oneTriangle(refused("Eigh", a), "linalg.eigh", attrs)
	if bad != nil {
		return bad, bad
	}
	parts := unpacked(Apply(opEigh, nil, read), eighParts(a.Shape())...)
	return parts[0], parts[1]
}

// EigenvaluesH returns the eigenvalues of [Eigh] at lower cost: [..., n] of [..., n, n], in ascending order. The
// option is that of Eigh.
func EigenvaluesH(a *graph.Node, opts ...TriangularOption) *graph.Node {
	if len(opts) == 0 {
		return Apply(opEigenvalues, nil, a)
	}
	attrs := triangularOf(opts)
	defer graph.BeginCall("EigenvaluesH", attrs, a)()
	defer inFloat32(&a)()
	read, bad := oneTriangle(refused("EigenvaluesH", a), "linalg.eigvalsh", attrs)
	if bad != nil {
		return bad
	}
	return Apply(opEigenvalues, nil, read)
}
