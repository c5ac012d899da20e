package ops

import "github.com/broadloom/broadloom/graph"

// CholeskySolve returns the solution X of A·X = B from the result l of [Cholesky] for A, [..., n, n]. b is [..., n,
// k], and leading axes broadcast. With [UpperTriangle], the only option, l is an upper triangular U with Uᵀ·U = A.
func CholeskySolve(l, b *graph.Node, opts ...TriangularOption) *graph.Node {
	a := triangularOf(opts)
	defer graph.BeginCall("CholeskySolve", a, l, b)()
	defer inFloat32(&l, &b)()
	if a.Transposed || a.Unit {
		return refused("CholeskySolve", l, b).wrong(
			graph.CodeOperand, "the only option of CholeskySolve is UpperTriangle")
	}
	return bothTriangles(l, b, a.Upper)
}

// CholeskyInverse returns the inverse of A from the result l of [Cholesky] for A, [..., n, n]. The option is that of
// [CholeskySolve].
func CholeskyInverse(l *graph.Node, opts ...TriangularOption) *graph.Node {
	a := triangularOf(opts)
	defer graph.BeginCall("CholeskyInverse", a, l)()
	defer inFloat32(&l)()
	call := refused("CholeskyInverse", l)
	if a.Transposed || a.Unit {
		return call.wrong(graph.CodeOperand, "the only option of CholeskyInverse is UpperTriangle")
	}
	if bad := notMatrices(call, "cholesky_inverse"); bad != nil {
		return bad
	}
	return bothTriangles(l, Eye(l.Graph(), l.DType(), lastSize(l), lastSize(l)), a.Upper)
}

// bothTriangles solves the system of the matrix that the triangle and its transpose make.
func bothTriangles(l, b node, upper bool) node {
	first, second := TriangularAttrs{Upper: upper, Transposed: upper}, TriangularAttrs{Upper: upper, Transposed: !upper}
	return Apply(opSolveTriangular, second, l, Apply(opSolveTriangular, first, l, b))
}

// HouseholderProduct returns the first n columns of the product of Householder reflections 1 - t·v·vᵀ. The vectors v
// are the columns of a, [..., m, n] with n at most m; what is above the diagonal is not read, and the diagonal counts
// as 1. The factors t are tau, [..., k] with k at most n. It is torch.linalg.householder_product.
func HouseholderProduct(a, tau *graph.Node) *graph.Node {
	defer building("HouseholderProduct", a, tau)()
	defer inFloat32(&a, &tau)()
	call := refused("HouseholderProduct", a, tau)
	if bad := notReflections(call, "torch.linalg.householder_product"); bad != nil {
		return bad
	}
	rows, columns := a.Shape()[a.Rank()-2], lastSize(a)
	m, isKnown := rows.Int()
	if n, known := columns.Int(); known && isKnown && n > m {
		return call.wrong(graph.CodeRank,
			"torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]")
	}
	return timesReflections(a, tau, Eye(a.Graph(), a.DType(), rows, columns), false)
}

// TensorSolve returns the solution x of the system whose matrix has the axes of b as its rows and the other axes of a
// as its columns. The shape of a is that of b, followed by that of x. It is numpy.linalg.tensorsolve.
func TensorSolve(a, b *graph.Node) *graph.Node {
	defer building("TensorSolve", a, b)()
	defer inFloat32(&a, &b)()
	call := refused("TensorSolve", a, b)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if a.Rank() < b.Rank() {
		return call.wrong(graph.CodeRank, "Expected self.ndim to be greater than or equal to other.ndim")
	}
	columns := a.Shape()[b.Rank():]
	rows := a.Shape()[:b.Rank()]
	if bad := unequalSides(call, rows.NumElements(), columns.NumElements()); bad != nil {
		return bad
	}
	matrix := Reshape(a, rows.NumElements(), columns.NumElements())
	return Reshape(Solve(matrix, Reshape(b, b.Shape().NumElements())), columns...)
}

// TensorInv returns the inverse of a for [Tensordot]: of the matrix whose rows are the given number of first axes of
// a, and whose columns are the others. The result has the other axes first. It is numpy.linalg.tensorinv.
func TensorInv(a *graph.Node, axes int) *graph.Node {
	defer building("TensorInv", a, axes)()
	defer inFloat32(&a)()
	call := refused("TensorInv", a).with(axes)
	if bad := notTensors(call); bad != nil {
		return bad
	}
	if axes < 1 || axes > a.Rank() {
		return call.wrong(graph.CodeAxis,
			"Expected a strictly positive integer for 'ind', up to the rank %d, but it is %d", a.Rank(), axes)
	}
	rows, columns := a.Shape()[:axes], a.Shape()[axes:]
	if bad := unequalSides(call, rows.NumElements(), columns.NumElements()); bad != nil {
		return bad
	}
	inverse := Inv(Reshape(a, rows.NumElements(), columns.NumElements()))
	return Reshape(inverse, append(append(graph.Shape{}, columns...), rows...)...)
}

// unequalSides is the refusal of a matrix that is known not to be square.
func unequalSides(call refusedCall, rows, columns graph.Dim) node {
	n, known := rows.Int()
	if m, too := columns.Int(); known && too && n != m {
		return call.wrong(graph.CodeRank, "the axes of %s form a matrix of %d rows and %d columns, which is not square",
			call.in[0].Called(), n, m)
	}
	return nil
}

func init() {
	composed("CholeskySolve", "the solution of a system whose matrix is factored by Cholesky.",
		named("scipy.linalg.cho_solve", "torch.cholesky_solve", "jax.scipy.linalg.cho_solve", "", "",
			func(e *graph.Example) node { return CholeskySolve(e.Of("l", "n", "n"), e.Of("b", "n", "k")) }))
	composed("CholeskyInverse", "the inverse of a matrix that is factored by Cholesky.",
		named("", "torch.cholesky_inverse", "", "", "", func(e *graph.Example) node {
			return CholeskyInverse(e.Of("l", "n", "n"))
		}))
	composed("HouseholderProduct", "the first columns of a product of reflections.",
		named("", "torch.linalg.householder_product, torch.orgqr", "jax.lax.linalg.householder_product", "", "",
			func(e *graph.Example) node { return HouseholderProduct(e.Of("a", "n", "n"), e.Of("tau", "n")) }))
	composed("TensorSolve", "the solution of a system of which several axes are the rows.",
		named("numpy.linalg.tensorsolve", "torch.linalg.tensorsolve", "jax.numpy.linalg.tensorsolve", "", "",
			func(e *graph.Example) node { return TensorSolve(e.Of("a", "n", "n"), e.Of("b", "n")) }))
	composed("TensorInv", "the inverse of a matrix of which several axes are the rows.",
		named("numpy.linalg.tensorinv", "torch.linalg.tensorinv", "jax.numpy.linalg.tensorinv", "", "",
			func(e *graph.Example) node { return TensorInv(e.Of("a", "n", "n"), 1) }))
}
