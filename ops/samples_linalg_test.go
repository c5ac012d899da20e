package ops_test

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// positive makes symmetric positive-definite matrices of any square ones.
func positive(x node) node {
	n := x.Shape()[x.Rank()-1]
	return ops.Add(ops.MatMul(x, ops.Transpose(x, -1, -2)), ops.Eye(x.Graph(), x.DType(), n, n))
}

// regular makes matrices that are far from singular of any square ones.
func regular(x node) node {
	n := x.Shape()[x.Rank()-1]
	return ops.Add(x, ops.Mul(graph.Num(3), ops.Eye(x.Graph(), x.DType(), n, n)))
}

// linalgSamples are the rows of linear algebra.
var linalgSamples = []sample{
	{name: "cholesky", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return ops.Cholesky(positive(x)) })},
	{name: "cholesky of what may not be positive", shapes: [][]int{{2, 2}}, flat: "most matrices are refused",
		call: on(func(x node) node { return ops.Cholesky(x) })},
	{name: "solve_triangular", shapes: [][]int{{2, 3, 3}, {3, 2}}, call: func(in ...node) node {
		return ops.SolveTriangular(regular(in[0]), in[1])
	}},
	{name: "solve_triangular upper", shapes: [][]int{{3, 3}, {2, 3, 1}}, call: func(in ...node) node {
		return ops.SolveTriangular(regular(in[0]), in[1], ops.UpperTriangle(), ops.TransposedSystem())
	}},
	{name: "triangular", shapes: [][]int{{3, 3}, {3, 2}}, call: func(in ...node) node {
		return ops.SolveTriangular(in[0], in[1], ops.UnitDiagonal(), ops.TransposedSystem())
	}},
	{name: "solve", shapes: [][]int{{2, 3, 3}, {3, 2}}, call: func(in ...node) node {
		return ops.Solve(regular(in[0]), in[1])
	}},
	{name: "solve of vectors", shapes: [][]int{{2, 3, 3}, {2, 3}}, call: func(in ...node) node {
		return ops.Solve(regular(in[0]), in[1])
	}},
	{name: "solve of a vector", shapes: [][]int{{2, 1, 3, 3}, {3}}, call: func(in ...node) node {
		return ops.Solve(regular(in[0]), in[1])
	}},
	{name: "lu_factor", shapes: [][]int{{3, 3}, {3}}, call: func(in ...node) node {
		return ops.Solve(regular(in[0]), in[1])
	}},
	{name: "lu_solve", shapes: [][]int{{1, 3, 3}, {4, 3, 2}}, call: func(in ...node) node {
		return ops.Solve(regular(in[0]), in[1])
	}},
	{name: "lu_factors", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return first(ops.LUFactor(regular(x))) })},
	{name: "lu_factors of a wide matrix", shapes: [][]int{{2, 2, 4}}, cancels: true,
		call: on(func(x node) node { return first(ops.LUFactor(x)) })},
	{name: "lu_factors of a tall matrix", shapes: [][]int{{4, 2}}, cancels: true,
		call: on(func(x node) node { return first(ops.LUFactor(squared(x))) })},
	{name: "inv", shapes: [][]int{{2, 3, 3}}, call: on(func(x node) node { return ops.Inv(regular(x)) })},
	{name: "lu_inverse", shapes: [][]int{{1, 1}}, call: on(ops.Inv)},
	{name: "det", shapes: [][]int{{2, 3, 3}}, cancels: true, call: on(ops.Det)},
	{name: "log_abs_det", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { _, y := ops.SlogDet(regular(x)); return y })},
	{name: "det_sign", shapes: [][]int{{2, 3, 3}}, flat: "it is constant between its jumps",
		call: on(func(x node) node { sign, _ := ops.SlogDet(x); return sign })},
	{name: "log_abs_det of a determinant", shapes: [][]int{{3, 3}}, cancels: true,
		call: on(func(x node) node { return ops.LogDet(positive(x)) })},
}

func squared(x node) node { return ops.Mul(x, x) }

// spectrumSamples are the rows of eigenvalues, singular values and orthonormal factors.
var spectrumSamples = []sample{
	{name: "eigh", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return first(ops.Eigh(apart(x))) })},
	{name: "eigh of vectors", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { _, v := ops.Eigh(apart(x)); return squared(v) })},
	{name: "eigvalsh", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return ops.EigenvaluesH(apart(x)) })},
	{name: "qr", shapes: [][]int{{2, 4, 3}}, cancels: true,
		call: on(func(x node) node { q, _ := ops.QR(squared(x)); return q })},
	{name: "qr of a wide matrix", shapes: [][]int{{3, 5}}, cancels: true,
		call: on(func(x node) node { _, r := ops.QR(squared(x)); return r })},
	{name: "svd", shapes: [][]int{{2, 4, 3}}, cancels: true,
		call: on(func(x node) node { u, _, _ := ops.SVD(squared(x)); return squared(u) })},
	{name: "svd of a wide matrix", shapes: [][]int{{2, 4}}, cancels: true, call: on(func(x node) node {
		u, s, vh := ops.SVD(x)
		return ops.Concat(-1, s, ops.Flatten(ops.Einsum("ij,jk->ik", squared(u), squared(vh)), 0, 1))
	})},
	{name: "eig", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return spectrum(ops.Eig(x)) })},
	{name: "eigvals", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return powerSums(ops.Eigenvalues(x)) })},
	{name: "schur", shapes: [][]int{{2, 3, 3}}, cancels: true, flat: "its factors are not unique",
		call: on(func(x node) node { return first(ops.Schur(x)) })},
	{name: "hessenberg", shapes: [][]int{{2, 3, 3}}, cancels: true, flat: "its factors are not unique",
		call: on(func(x node) node { return first(ops.Hessenberg(x)) })},
	{name: "reflected", shapes: [][]int{{2, 4, 3}, {2, 3}, {2, 4, 2}}, call: func(in ...node) node {
		return ops.OrmQR(in[0], in[1], in[2], ops.TransposedQ())
	}},
	{name: "reflect", shapes: [][]int{{2, 4, 3}, {2, 2}, {2, 4, 1}},
		flat: "that of the entry which becomes this one has the gradient", call: func(in ...node) node {
			return ops.Apply(ops.Lookup("reflect"), ops.SolveAttrs{}, in...)
		}},
	{name: "geqrf", shapes: [][]int{{2, 4, 3}}, cancels: true, flat: "PyTorch has no gradient either",
		call: on(func(x node) node { return first(ops.GeQRF(x)) })},
	{name: "svdvals", shapes: [][]int{{2, 3, 2}}, cancels: true,
		call: on(func(x node) node { return ops.SingularValues(x) })},
}

// functionSamples are the rows of functions of matrices.
var functionSamples = []sample{
	{name: "pinv", shapes: [][]int{{2, 4, 3}}, cancels: true,
		call: on(func(x node) node { return ops.PInv(squared(x)) })},
	{name: "pinv of a system", shapes: [][]int{{3, 2}, {3}}, cancels: true, call: func(in ...node) node {
		return ops.Lstsq(in[0], in[1])
	}},
	{name: "sqrtm", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return ops.SqrtM(positive(x)) })},
	{name: "logm", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return ops.LogM(positive(x)) })},
	{name: "sylvester", shapes: [][]int{{2, 2, 2}, {3, 3}, {2, 3}}, cancels: true, call: func(in ...node) node {
		return ops.SolveSylvester(positive(in[0]), positive(in[1]), in[2])
	}},
	{name: "polar", shapes: [][]int{{2, 3, 3}}, cancels: true,
		call: on(func(x node) node { return first(ops.Polar(regular(x), false)) })},
	{name: "ldl_factor", shapes: [][]int{{2, 3, 3}}, cancels: true, flat: "PyTorch has no gradient either",
		call: on(func(x node) node { return first(ops.LDLFactor(apart(x))) })},
	{name: "ldl_solve", shapes: [][]int{{2, 3, 3}, {3, 2}}, cancels: true, call: func(in ...node) node {
		ld, pivots := ops.LDLFactor(ops.Sub(regular(in[0]), in[0]))
		return ops.LDLSolve(ld, pivots, in[1])
	}},
	{name: "matrix_exp", shapes: [][]int{{2, 3, 3}}, points: [2]float64{0.05, 0.3},
		call: on(func(x node) node { return ops.MatrixExp(ops.Tanh(x)) })},
}

// fourierSamples are the rows of Fourier transforms.
var fourierSamples = []sample{
	{name: "dft", shapes: [][]int{{3, 5, 2}}, cancels: true, call: on(func(x node) node { return ops.FFT(x) })},
	{name: "dft inverse", shapes: [][]int{{4, 3, 2}}, cancels: true,
		call: on(func(x node) node { return ops.IFFT(x, ops.FFTAxis(0), ops.FFTSize(6)) })},
	{name: "real_dft", shapes: [][]int{{2, 6}}, cancels: true, call: on(func(x node) node { return ops.RFFT(x) })},
	{name: "real_from_dft", shapes: [][]int{{2, 4, 2}}, cancels: true,
		call: on(func(x node) node { return ops.IRFFT(x, ops.FFTSize(7)) })},
	{name: "dft along an axis", shapes: [][]int{{2, 5, 3, 2}}, cancels: true,
		call: on(func(x node) node { return ops.FFT(x, ops.FFTAxis(1)) })},
	{name: "real_dft along an axis", shapes: [][]int{{2, 5, 3}}, cancels: true,
		call: on(func(x node) node { return ops.RFFT(x, ops.FFTAxis(1)) })},
	{name: "real_from_dft along an axis", shapes: [][]int{{3, 2, 3, 2}}, cancels: true,
		call: on(func(x node) node { return ops.IRFFT(x, ops.FFTAxis(0)) })},
}

func first(x, _ node) node { return x }

// apart makes symmetric matrices whose eigenvalues are apart of any square ones.
func apart(x node) node {
	n := x.Shape()[x.Rank()-1]
	steps := ops.Cast(ops.Iota(x.Graph(), 0, n), x.DType())
	return ops.Add(ops.Add(x, ops.Transpose(x, -1, -2)),
		ops.Mul(ops.Eye(x.Graph(), x.DType(), n, n), ops.Mul(steps, graph.Num(3))))
}
