package ops_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// ofOne is a call of a function of one operand, and ofAll of any number.
func ofOne(f func(t *testing.T, c choiceCase, x node) node) func(*testing.T, choiceCase, []node) []node {
	return func(t *testing.T, c choiceCase, in []node) []node { return []node{f(t, c, in[0])} }
}

func ofAll(f func(xs ...*graph.Node) *graph.Node) func(*testing.T, choiceCase, []node) []node {
	return func(_ *testing.T, _ choiceCase, in []node) []node { return []node{f(in...)} }
}

// triangle is the option of a case, and the triangle of its operand.
func (c choiceCase) triangle(x node) (node, []ops.TriangularOption) {
	if c.words()[0] == "upper" {
		return ops.Triu(x, 0), []ops.TriangularOption{ops.UpperTriangle()}
	}
	return ops.Tril(x, 0), nil
}

func cdist(t *testing.T, c choiceCase, in []node) []node {
	return []node{ops.CDist(in[0], in[1], c.numbers(t)[0])}
}

// systemCalls build the functions of the cases in testdata/systems.json.
var systemCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"LU": ofOne(func(_ *testing.T, c choiceCase, x node) node {
		p, l, u := ops.LU(x)
		return map[string]node{"p": p, "l": l, "u": u}[c.words()[0]]
	}),
	"LUFactor": func(_ *testing.T, _ choiceCase, in []node) []node { return two(ops.LUFactor(in[0])) },
	"LUSolve": func(_ *testing.T, _ choiceCase, in []node) []node {
		return []node{ops.LUSolve(in[0], in[1], in[2])}
	},
	"CholeskySolve": func(_ *testing.T, c choiceCase, in []node) []node {
		l, opts := c.triangle(in[0])
		return []node{ops.CholeskySolve(l, in[1], opts...)}
	},
	"CholeskyInverse": ofOne(func(_ *testing.T, c choiceCase, x node) node {
		l, opts := c.triangle(x)
		return ops.CholeskyInverse(l, opts...)
	}),
	"HouseholderProduct": ofBoth(ops.HouseholderProduct), "TensorSolve": ofBoth(ops.TensorSolve),
	"Inner":     ofBoth(ops.Inner),
	"TensorInv": ofOne(func(t *testing.T, c choiceCase, x node) node { return ops.TensorInv(x, c.axis(t)) }),
	"VecDot": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.VecDot(in[0], in[1], c.axis(t))}
	},
	"AddMatMul": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.AddMatMul(in[0], in[1], in[2], c.numbers(t)[0], c.numbers(t)[1])}
	},
	"MultiDot": ofAll(ops.MultiDot), "BlockDiag": ofAll(ops.BlockDiag), "CartesianProd": ofAll(ops.CartesianProd),
	"CDist": cdist, "CDistAtZero": cdist,
	"PDist": ofOne(func(t *testing.T, c choiceCase, x node) node { return ops.PDist(x, c.numbers(t)[0]) }),
	"Dist": func(t *testing.T, c choiceCase, in []node) []node {
		return []node{ops.Dist(in[0], in[1], c.numbers(t)[0])}
	},
	"Renorm": ofOne(func(t *testing.T, c choiceCase, x node) node {
		v := c.numbers(t)
		return ops.Renorm(x, v[0], int(v[1]), v[2])
	}),
	"DiagFlat": ofOne(func(t *testing.T, c choiceCase, x node) node { return ops.DiagFlat(x, c.axis(t)) }),
	"Rot90": ofOne(func(t *testing.T, c choiceCase, x node) node {
		v := c.numbers(t)
		return ops.Rot90(x, int(v[0]), int(v[1]), int(v[2]))
	}),
	"Combinations": ofOne(func(t *testing.T, c choiceCase, x node) node {
		return ops.Combinations(x, c.axis(t), strings.HasSuffix(c.Name, "True"))
	}),
}

// TestSystemsAsPyTorch compares factored systems, products, distances and arrangements with PyTorch's, values and
// gradients.
func TestSystemsAsPyTorch(t *testing.T) { runCases(t, "systems", systemCalls) }

// TestSystemsOfNamedSizes wants the same of sizes that runs decide, and the gradients of gradients of central
// differences.
func TestSystemsOfNamedSizes(t *testing.T) {
	runNamed(t, "systems", systemCalls, "PDist", "Combinations", "TensorInv", "TensorSolve", "CDist 0", "CDist 1.5",
		"CDistAtZero")
}

// TestFactorsMakeTheMatrix multiplies what LU gives, and solves with it.
func TestFactorsMakeTheMatrix(t *testing.T) {
	g := graph.New("factors")
	n := g.Dim("n")
	a, b := g.Input("a", graph.Float64, 2, n, n), g.Input("b", graph.Float64, n, 3)
	rng := rand.New(rand.NewPCG(5, 6))
	in := feeds{a: random(rng, 2, 5, 5), b: random(rng, 5, 3)}
	p, l, u := ops.LU(a)
	requireClose(t, in[a].Floats(), value(t, in, ops.MatMul(p, ops.MatMul(l, u))).Floats(), 1e-14, "P·L·U")
	lu, pivots := ops.LUFactor(a)
	x := ops.LUSolve(lu, pivots, b)
	requireClose(t, value(t, in, ops.Solve(a, b)).Floats(), value(t, in, x).Floats(), 1e-11, "the solution")
	requireGradients(t, in, ops.Tanh(ops.LUSolve(lu, pivots, b)), b)
}

// TestGrids compares with what SciPy and NumPy give.
func TestGrids(t *testing.T) {
	g := graph.New("grids")
	x, y := g.Input("x", graph.Float64, 3), g.Input("y", graph.Float64, 2)
	in := feeds{x: reference.Of([]float64{1, 2, 3}, 3), y: reference.Of([]float64{7, 9}, 2)}
	requireClose(t, []float64{1, 9, 2, 1, 3, 2}, value(t, in, ops.Toeplitz(x, y)).Floats(), 0, "toeplitz")
	requireGradients(t, in, ops.Toeplitz(x, y), x, y)
	requireClose(t, []float64{1, 10, 100, 1000}, value(t, in, ops.GeomSpace(g, graph.Float64, 1, 1000, 4)).Floats(),
		1e-14, "geomspace")
	requireClose(t, []float64{-8, -4, -2}, value(t, in, ops.GeomSpace(g, graph.Float64, -8, -2, 3)).Floats(), 1e-14,
		"geomspace down")
}

// TestSystemsRefuse wants PyTorch's sentences.
func TestSystemsRefuse(t *testing.T) {
	g := graph.New("refused")
	in := func(dt graph.DType, sizes ...graph.Dim) node { return g.Input("x", dt, sizes...) }
	f := graph.Float32
	requireMistake(t, first(ops.LUFactor(in(f, 3))),
		"linalg.lu_factor: The input tensor A must have at least 2 dimensions.")
	requireMistake(t, ops.MultiDot(in(f, 2, 3)), "multi_dot(): expected at least 2 tensors but got 1")
	requireMistake(t, ops.Renorm(in(f, 2), 2, 0, 1), "renorm: input needs at least 2 dimensions, got 1 dimensions")
	require.ErrorContains(t, ops.CholeskySolve(in(f, 2, 2), in(f, 3, 1)).Err(), "CholeskySolve(x, x)")
}
