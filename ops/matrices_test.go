package ops_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// pair takes the parts of complex numbers, which lie along the last axis, apart.
func pair(x node) (re, im node) { return ops.Select(x, -1, 0), ops.Select(x, -1, 1) }

// complexProduct multiplies numbers by their parts.
func complexProduct(a, b, c, d node) (re, im node) {
	return ops.Sub(ops.Mul(a, c), ops.Mul(b, d)), ops.Add(ops.Mul(a, d), ops.Mul(b, c))
}

// powerSums are the sums of the first powers of complex numbers: they do not depend on the order.
func powerSums(values node) node {
	re, im := pair(values)
	var sums []node
	for a, b := re, im; len(sums) < 3; a, b = complexProduct(a, b, re, im) {
		sums = append(sums, ops.Stack(-1, ops.Sum(a, -1), ops.Sum(b, -1)))
	}
	return ops.Stack(-2, sums...)
}

// spectrum is the real part of V·diag(|λ|² + λ)·Vᴴ, which does not depend on the order and the phases of vectors.
func spectrum(values, vectors node) node {
	re, im := pair(values)
	vr, vi := pair(vectors)
	length := ops.Add(ops.Add(ops.Square(re), ops.Square(im)), re)
	a, b := complexProduct(vr, vi, ops.Unsqueeze(length, -2), ops.Unsqueeze(im, -2))
	return ops.Add(ops.MatMul(a, ops.Transpose(vr, -1, -2)), ops.MatMul(b, ops.Transpose(vi, -1, -2)))
}

func three(x, y, z node) []node { return []node{x, y, z} }

// matrixCalls build the functions of the cases in testdata/matrices.json.
var matrixCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"Eigenvalues": ofOne(func(_ *testing.T, _ choiceCase, x node) node { return powerSums(ops.Eigenvalues(x)) }),
	"Eig":         ofOne(func(_ *testing.T, _ choiceCase, x node) node { return spectrum(ops.Eig(x)) }),
	"SqrtM":       ofOne(func(_ *testing.T, _ choiceCase, x node) node { return ops.SqrtM(x) }),
	"LogM":        ofOne(func(_ *testing.T, _ choiceCase, x node) node { return ops.LogM(x) }),
	"SolveSylvester": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.SolveSylvester(in[0], in[1], in[2])}
	},
	"Polar": func(_ *testing.T, c choiceCase, in []node) []node {
		return two(ops.Polar(in[0], c.words()[0] == "True"))
	},
	"PolarFactor": ofOne(func(_ *testing.T, c choiceCase, x node) node {
		_, p := ops.Polar(x, c.words()[0] == "True")
		return p
	}),
	"MatrixExpFrechet": func(_ *testing.T, _ choiceCase, in []node) []node {
		_, along := ops.MatrixExpFrechet(in[0], in[1])
		return []node{along}
	},
	"EighTridiagonal": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{first(ops.EighTridiagonal(in[0], in[1]))}
	},
	"LU":       systemCalls["LU"],
	"LUFactor": systemCalls["LUFactor"],
	"LUUnpack": func(_ *testing.T, _ choiceCase, in []node) []node { return three(ops.LUUnpack(in[0], in[1])) },
	"LUSolveTransposed": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.LUSolve(in[0], in[1], in[2], ops.TransposedSystem())}
	},
	"QRComplete": func(_ *testing.T, _ choiceCase, in []node) []node { return two(ops.QRComplete(in[0])) },
	"GeQRF":      func(_ *testing.T, _ choiceCase, in []node) []node { return two(ops.GeQRF(in[0])) },
	"OrmQR": func(_ *testing.T, c choiceCase, in []node) []node {
		var opts []ops.OrmQROption
		if c.words()[0] == "False" {
			opts = append(opts, ops.FromRight())
		}
		if c.words()[1] == "True" {
			opts = append(opts, ops.TransposedQ())
		}
		return []node{ops.OrmQR(in[0], in[1], in[2], opts...)}
	},
	"LDLFactor": func(_ *testing.T, _ choiceCase, in []node) []node { return two(ops.LDLFactor(in[0])) },
	"LDLSolve": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.LDLSolve(in[0], in[1], in[2])}
	},
	"PInv": ofOne(func(t *testing.T, c choiceCase, x node) node {
		return ops.PInv(x, ops.Tolerance(c.numbers(t)[0], c.numbers(t)[1]))
	}),
	"MatrixRank": ofOne(func(t *testing.T, c choiceCase, x node) node {
		return ops.MatrixRank(x, ops.Tolerance(c.numbers(t)[0], c.numbers(t)[1]))
	}),
}

// TestMatricesAsPyTorch compares factors, spectra and functions of matrices with PyTorch's, values and gradients.
func TestMatricesAsPyTorch(t *testing.T) { runCases(t, "matrices", matrixCalls) }

// TestMatricesOfNamedSizes wants the same of sizes that runs decide, and the gradients of gradients of central
// differences.
func TestMatricesOfNamedSizes(t *testing.T) {
	runNamed(t, "matrices", matrixCalls, "EighTridiagonal", "QRComplete", "GeQRF", "LDLFactor", "MatrixRank",
		"PInv 0.0 0.5", "PInv 2.0 0.1")
}

// TestFormsMakeTheMatrix multiplies what Schur and Hessenberg give, and wants zeros where they belong.
func TestFormsMakeTheMatrix(t *testing.T) {
	for name, f := range map[string]func(x node) (node, node){"Schur": ops.Schur, "Hessenberg": ops.Hessenberg} {
		for _, n := range []int{0, 1, 2, 7, 40} {
			g := graph.New(name)
			a := g.Input("a", graph.Float64, 2, g.Dim("n", graph.AtLeast(0)), g.Dim("n"))
			in := feeds{a: random(rand.New(rand.NewPCG(3, uint64(n))), 2, n, n)}
			form, v := f(a)
			vt := ops.Transpose(v, -1, -2)
			requireClose(t, in[a].Floats(), value(t, in, ops.MatMul(v, ops.MatMul(form, vt))).Floats(), 1e-12, name)
			eye := ops.Expand(ops.Eye(g, graph.Float64, a.Shape()[1], a.Shape()[1]), a.Shape()...)
			requireClose(t, value(t, in, eye).Floats(), value(t, in, ops.MatMul(vt, v)).Floats(), 1e-13, name)
			below := value(t, in, ops.Tril(form, -2)).Floats()
			requireClose(t, make([]float64, len(below)), below, 0, name+" below")
		}
	}
}

// TestRootsOfMatrices wants that functions undo each other, also of matrices without independent eigenvectors.
func TestRootsOfMatrices(t *testing.T) {
	g := graph.New("roots")
	x := g.Input("x", graph.Float64, 3, 3)
	in := feeds{}
	for name, of := range map[string][]float64{
		"a chain":   {4, 1, 0, 0, 4, 1, 0, 0, 4},
		"rotations": {0, -1, 0, 1, 0, 0, 0, 0, 2},
		"large":     {1e6, 3e5, 2, -1e5, 4e6, 7, 5, 6, 1e-3},
	} {
		in[x] = reference.Of(of, 3, 3)
		root := ops.SqrtM(x)
		requireClose(t, of, value(t, in, ops.MatMul(root, root)).Floats(), 1e-9, name)
		requireClose(t, of, value(t, in, ops.MatrixExp(ops.LogM(x))).Floats(), 1e-8, name)
	}
	in[x] = reference.Of([]float64{1, 0, 0, 0, 0, 0, 0, 0, 4}, 3, 3)
	requireClose(t, []float64{1, 0, 0, 0, 0, 0, 0, 0, 2}, value(t, in, ops.SqrtM(x)).Floats(), 1e-15,
		"a root of less rank")
}

// TestMatricesWithoutResult wants the refusals of runs.
func TestMatricesWithoutResult(t *testing.T) {
	turned := []float32{1, 0, 0, 1, -1, 0, 0, 2}
	for name, c := range map[string]struct {
		f    func(x node) node
		want string
	}{
		"SqrtM": {ops.SqrtM, "batch element [1]: the input matrix has the negative eigenvalue -1"},
		"LogM":  {ops.LogM, "batch element [1]: the input matrix has the negative eigenvalue -1"},
		"singular": {func(x node) node { return ops.LogM(ops.Mul(x, graph.Num(0))) },
			"batch element [0]: the input matrix is singular"},
		"sylvester": {func(x node) node { return ops.SolveSylvester(x, ops.Neg(x), x) },
			"batch element [0]: the first matrix and the negative of the second one have an eigenvalue in common"},
		"eig": {func(x node) node { return ops.Eigenvalues(ops.Div(x, graph.Num(0))) },
			"the input tensor contains infs or NaNs"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, runFailing(t, c.f, turned, 2, 2), c.want) })
	}
	g := graph.New("pivots")
	ld, pivots, wide := g.Input("ld", graph.Float64, 2, 2), g.Input("pivots", graph.Int32, 2),
		g.Input("wide", graph.Float64, 2, 3)
	prog, err := exec.Compile(g, exec.Outputs(ops.LDLSolve(ld, pivots, ld)))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(t.Context(), exec.Feed{ld: []float64{1, 0, 0, 1}, pivots: []int32{1, 7}})
	require.ErrorContains(t, err, "the pivots are not those of LDLFactor")
	requireMistake(t, ops.Eigenvalues(wide),
		"linalg.eigvals: A must be batches of square matrices, but they are 2 by 3 matrices")
	require.ErrorContains(t, ops.SolveSylvester(wide, ld, wide).Err(), "must be batches of square matrices")
}
