package ops

import "github.com/broadloom/broadloom/graph"

func init() {
	composed(
		"Polar",
		"the factors of each matrix: U with orthonormal columns or rows, and a symmetric P without negative eigenvalues.",
		named("scipy.linalg.polar", "", "jax.scipy.linalg.polar", "", "", func(e *graph.Example) node {
			return e.Several(Polar(e.Of("a", "n", "n"), false))
		}))
	composed("EighTridiagonal",
		"the eigenvalues and eigenvectors of symmetric matrices, given the diagonal and the one next to it.",
		named("scipy.linalg.eigh_tridiagonal", "", "jax.scipy.linalg.eigh_tridiagonal", "", "",
			func(e *graph.Example) node { return e.Several(EighTridiagonal(e.Of("d", "n + 1"), e.Of("e", "n"))) }))
}

// Polar returns the polar factors A = U·P, or with left A = P·U, of each matrix A of a batch, [..., m, n], Float32 or
// Float64. u, [..., m, n], has orthonormal columns, or orthonormal rows if n is greater than m. p is symmetric, with
// n rows, or with left m rows. The gradient needs a matrix of full rank, and otherwise stops the run. It is
// scipy.linalg.polar.
func Polar(a *graph.Node, left bool) (u, p *graph.Node) {
	defer building("Polar", a, left)()
	defer inFloat32(&a)()
	if bad := notMatrices(refused("Polar", a).with(left), "linalg.polar"); bad != nil {
		return bad, bad
	}
	rows, cols := a.Shape()[a.Rank()-2], lastSize(a)
	switch least := graph.MinDim(rows, cols); least {
	case cols:
		u = orthonormal(a)
	case rows:
		u = transposed(orthonormal(transposed(a)))
	default:
		u = nearest(a)
	}
	if left {
		return u, symmetric(MatMul(a, transposed(u)))
	}
	return u, symmetric(MatMul(transposed(u), a))
}

// nearest is the matrix with orthonormal columns or rows that is nearest to a: W·Vᵀ of its singular vectors.
func nearest(a node) node {
	w, _, vh := SVD(a)
	return MatMul(w, vh)
}

// orthonormal is [nearest] of matrices that have no more columns than rows, with a gradient that needs no singular
// values that are apart. Of A = U·P follows dU = U·X + (1 - U·Uᵀ)·dA·P⁻¹ with P·X + X·P = Uᵀ·dA - dAᵀ·U: as Giles,
// Collected matrix derivative results, 2008, this is turned around.
func orthonormal(a node) node {
	return WithGradient("polar", []node{a}, func(in []node) node { return nearest(in[0]) },
		func(u, dy node, in []node) []node {
			p := symmetric(MatMul(transposed(u), in[0]))
			along := MatMul(transposed(u), dy)
			inner := Apply(opSylvester, nil, p, p, Sub(along, transposed(along)))
			beside := Sub(dy, MatMul(u, along))
			return []node{Add(MatMul(u, inner), transposed(Solve(p, transposed(beside))))}
		})
}

// EighTridiagonal returns the eigenvalues, in ascending order, [..., n], and the eigenvectors, the columns of [...,
// n, n], of symmetric tridiagonal matrices. d, [..., n], are their diagonals, and e, [..., n - 1], those next to it.
// For gradients of the vectors, see [Eigh]. It is scipy.linalg.eigh_tridiagonal.
func EighTridiagonal(d, e *graph.Node) (values, vectors *graph.Node) {
	defer building("EighTridiagonal", d, e)()
	call := refused("EighTridiagonal", d, e)
	if bad := notTensors(call); bad != nil {
		return bad, bad
	}
	if d.Rank() < 1 || e.Rank() < 1 || d.DType() != e.DType() {
		bad := call.wrong(graph.CodeRank, "the diagonals must be vectors of the same dtype, but they are %s%s and %s%s",
			d.DType(), d.Shape(), e.DType(), e.Shape())
		return bad, bad
	}
	beside := Pad(Pad(diagonalOf(e), -2, 1, 0, 0), -1, 0, 1, 0)
	return Eigh(Add(diagonalOf(d), Add(beside, transposed(beside))))
}
