package ops_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// linalgCalls are the functions whose answers by PyTorch are in testdata/linalg.json, which testdata/linalg.py wrote.
var linalgCalls = map[string]func(in ...node) node{
	"cholesky":         on(func(x node) node { return ops.Cholesky(positive(x)) }),
	"solve_triangular": func(in ...node) node { return ops.SolveTriangular(in[0], in[1]) },
	"solve_triangular upper": func(in ...node) node {
		return ops.SolveTriangular(in[0], in[1], ops.UpperTriangle())
	},
	"solve_triangular unit": func(in ...node) node { return ops.SolveTriangular(in[0], in[1], ops.UnitDiagonal()) },
	"solve":                 solve, "solve broadcast": solve, "solve vector": solve, "solve vectors": solve,
	"solve empty": solve,
	"inv":         on(ops.Inv), "inv empty": on(ops.Inv), "det": on(ops.Det), "det empty": on(ops.Det),
	"slogdet":           on(func(x node) node { _, y := ops.SlogDet(x); return y }),
	"sign":              on(func(x node) node { sign, _ := ops.SlogDet(x); return sign }),
	"logdet":            on(func(x node) node { return ops.LogDet(positive(x)) }),
	"cholesky no batch": on(func(x node) node { return ops.Cholesky(x) }),
	"cholesky upper":    on(func(x node) node { return ops.Cholesky(triu(positive(x)), ops.UpperTriangle()) }),
	"eigh upper":        on(func(x node) node { return first(ops.Eigh(triu(twice(x)), ops.UpperTriangle())) }),
	"eigvalsh upper":    on(func(x node) node { return ops.EigenvaluesH(triu(twice(x)), ops.UpperTriangle()) }),
	"eigh vectors upper": on(func(x node) node {
		_, v := ops.Eigh(triu(twice(x)), ops.UpperTriangle())
		return squared(v)
	}),
	"eigh":         on(func(x node) node { return first(ops.Eigh(twice(x))) }),
	"eigh vectors": on(func(x node) node { _, v := ops.Eigh(twice(x)); return squared(v) }),
	"eigvalsh":     on(func(x node) node { return ops.EigenvaluesH(twice(x)) }),
	"qr":           on(func(x node) node { return first(ops.QR(x)) }),
	"qr wide":      on(func(x node) node { _, r := ops.QR(x); return r }),
	"svd":          on(func(x node) node { u, _, _ := ops.SVD(x); return squared(u) }),
	"svd wide":     on(func(x node) node { _, _, vh := ops.SVD(x); return squared(vh) }),
	"svdvals":      on(ops.SingularValues), "svdvals empty": on(ops.SingularValues),
	"pinv": on(inverse), "pinv wide": on(inverse), "pinv empty": on(inverse), "lstsq": leastSquares,
	"lstsq short": leastSquares,
	"matrix_exp":  on(ops.MatrixExp), "matrix_exp large": on(ops.MatrixExp), "matrix_exp empty": on(ops.MatrixExp),
	"matrix_power": powerOf(5), "matrix_power negative": powerOf(-3), "matrix_power 0": powerOf(0),
	"norm fro": normOf(ops.FrobeniusNorm), "norm nuc": normOf(ops.NuclearNorm), "norm 2": normOf(ops.SpectralNorm),
	"norm 1": normOf(ops.ColumnSumNorm), "norm inf": normOf(ops.RowSumNorm), "norm -2": normOf(ops.LeastSingularValue),
	"norm -1": normOf(ops.LeastColumnSum), "norm -inf": normOf(ops.LeastRowSum),
	"cond": condOf(), "cond -2": condOf(ops.LeastSingularValue), "cond fro": condOf(ops.FrobeniusNorm),
	"cond nuc": condOf(ops.NuclearNorm),
	"cond 1":   condOf(ops.ColumnSumNorm), "cond -1": condOf(ops.LeastColumnSum), "cond inf": condOf(ops.RowSumNorm),
	"cond -inf": condOf(ops.LeastRowSum),
	"residuals": residuals, "residuals of a vector": residuals,
	"rank": on(func(x node) node {
		low := ops.MatMul(ops.Slice(x, 1, 0, 2, 1), ops.Slice(x, 0, 0, 2, 1))
		return ops.Add(ops.Cast(ops.MatrixRank(low), graph.Float64), ops.Mul(graph.Num(0), ops.Sum(x)))
	}),
	"trace": on(ops.Trace), "kron": func(in ...node) node { return ops.Kron(in[0], in[1]) },
	"tensordot": func(in ...node) node { return ops.Tensordot(in[0], in[1], []int{2, 0}, []int{1, -1}) },
	"cross":     func(in ...node) node { return ops.Cross(in[0], in[1], 1) },
}

func twice(x node) node { return ops.Add(x, ops.Transpose(x, -1, -2)) }

func inverse(x node) node { return ops.PInv(x) }

func leastSquares(in ...node) node { return ops.Lstsq(in[0], in[1]) }

func powerOf(exponent int) func(in ...node) node {
	return on(func(x node) node { return ops.MatrixPower(x, exponent) })
}

func normOf(order ops.MatrixNormOrder) func(in ...node) node {
	return on(func(x node) node { return ops.MatrixNorm(x, order) })
}

func condOf(order ...ops.MatrixNormOrder) func(in ...node) node {
	return on(func(x node) node { return ops.ConditionNumber(x, order...) })
}

// triu keeps the upper triangle, and puts numbers below it that are not to be read.
func triu(x node) node {
	return ops.Add(ops.Triu(x, 0), ops.Tril(ops.Full(x.Graph(), graph.Float64, 7, x.Shape()...), -1))
}

func residuals(in ...node) node {
	_, left, _, _ := ops.LstsqReport(in[0], in[1])
	return left
}

func solve(in ...node) node { return ops.Solve(in[0], in[1]) }

type linalgCase struct {
	Name     string
	Shape    []int
	Value    numbers
	Weights  numbers
	Operands []struct {
		Shape []int
		Data  numbers
	}
	Grads []numbers
}

// TestLinearAlgebraAsPyTorch compares values and gradients with PyTorch's, with numbers and with names for sizes.
func TestLinearAlgebraAsPyTorch(t *testing.T) {
	compareFile(t, "testdata/linalg.json", linalgCalls)
}

func compareFile(t *testing.T, file string, calls map[string]func(in ...node) node) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var cases []linalgCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.Len(t, cases, len(calls))
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			require.Contains(t, calls, c.Name)
			g := graph.New("linalg")
			in := feeds{}
			var wrt []node
			for i, o := range c.Operands {
				shape := graph.MakeShape(o.Shape...)
				x := g.Input(string(rune('a'+i)), graph.Float64, shape...)
				in[x] = reference.Of(o.Data, o.Shape...)
				wrt = append(wrt, x)
			}
			y := calls[c.Name](wrt...)
			w := g.Input("weights", graph.Float64, graph.MakeShape(c.Shape...)...)
			in[w] = reference.Of(c.Weights, c.Shape...)
			got := value(t, in, y)
			require.Equal(t, len(c.Shape), len(got.Shape))
			requireClose(t, c.Value, got.Floats(), 1e-10, "value")
			for i, dx := range autodiff.Grad(ops.Sum(ops.Mul(y, w)), wrt, autodiff.ZeroForUnused()) {
				if len(c.Grads[i]) > 0 {
					requireClose(t, c.Grads[i], value(t, in, dx).Floats(), 1e-9, "gradient of "+wrt[i].Label())
				}
			}
		})
	}
}

// TestGradientOfASingularDeterminant requires the cofactors, by hand: PyTorch's answer for these is 0.
func TestGradientOfASingularDeterminant(t *testing.T) {
	g := graph.New("singular")
	x := g.Input("x", graph.Float64, 3, 3)
	in := feeds{x: reference.Of([]float64{1, 2, 3, 2, 4, 6, 1, 0, 1}, 3, 3)}
	dx := value(t, in, autodiff.Grad(ops.Det(x), []node{x})[0])
	requireClose(t, []float64{4, 4, -4, -2, -2, 2, 0, 0, 0}, dx.Floats(), 1e-13, "cofactors")
	in[x] = reference.Of(make([]float64, 9), 3, 3)
	requireClose(t, make([]float64, 9), value(t, in, autodiff.Grad(ops.Det(x), []node{x})[0]).Floats(), 0,
		"cofactors of zeros")
}

// runFailing runs one output on one input [batch, n, n] and returns the error.
func runFailing(t *testing.T, f func(x node) node, data []float32, batch, n int) error {
	g := graph.New("failing")
	x := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(0)), g.Dim("n", graph.AtLeast(0)), g.Dim("n"))
	prog, err := exec.Compile(g, exec.Outputs(f(x)))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{batch, n, n}, Data: data}})
	return err
}

func TestMatricesThatHaveNoResultStopTheRun(t *testing.T) {
	singular := []float32{1, 0, 0, 1, 1, 2, 2, 4}
	for name, c := range map[string]struct {
		f    func(x node) node
		want string
	}{
		"cholesky": {func(x node) node { return ops.Cholesky(x) }, "Cholesky(x): batch element [1]"},
		"cholesky minor": {func(x node) node { return ops.Cholesky(ops.Sub(x, ops.OnesLike(x))) },
			"batch element [0]: the factorization could not be completed because the input is not positive-definite (the leading minor of order 1"},
		"inv": {
			ops.Inv, "batch element [1]: the inversion could not be completed because the input matrix is singular"},
		"solve": {func(x node) node { return ops.Solve(x, ops.Sum(x, 2)) },
			"batch element [1]: the solver failed because the input matrix is singular"},
	} {
		t.Run(name, func(t *testing.T) {
			err := runFailing(t, c.f, singular, 2, 2)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "linalg_test.go")
			require.NoError(t, runFailing(t, c.f, nil, 0, 2))
			require.NoError(t, runFailing(t, c.f, nil, 3, 0))
		})
	}
}

// TestLinearAlgebraHasTheSameBits requires that threads change nothing, also where the library has goroutines of its
// own.
func TestLinearAlgebraHasTheSameBits(t *testing.T) {
	g := graph.New("threads")
	x := g.Input("x", graph.Float32, 3, 150, 150)
	y := ops.Inv(positive(x))
	prog, err := exec.Compile(g, exec.Outputs(y, ops.Cholesky(positive(x))))
	require.NoError(t, err)
	data := make([]float32, 3*150*150)
	for i := range data {
		data[i] = float32((i*7919)%1013)/1013 - 0.5
	}
	var first any
	for _, threads := range []int{1, 2, 5} {
		out, err := prog.NewSession(exec.Threads(threads)).Run(
			context.Background(), exec.Feed{x: exec.Array{Shape: []int{3, 150, 150}, Data: data}})
		require.NoError(t, err)
		a, err := out.Array(y)
		require.NoError(t, err)
		if first == nil {
			first = a.Data
		}
		require.Equal(t, first, a.Data)
	}
}

func TestLinearAlgebraRefusesShapesAsPyTorch(t *testing.T) {
	g := graph.New("shapes")
	in := func(dt graph.DType, sizes ...graph.Dim) node { return g.Input("x", dt, sizes...) }
	f := graph.Float64
	requireMistake(t, ops.Cholesky(in(f, 2, 3)),
		"linalg.cholesky: A must be batches of square matrices, but they are 2 by 3 matrices")
	requireMistake(t, ops.Inv(in(f, 3)), "linalg.inv: The input tensor A must have at least 2 dimensions.")
	requireMistake(t, ops.Det(in(graph.Int64, 3, 3)),
		"linalg.det: Expected a floating point or complex tensor as input. Got Long")
	requireMistake(t, ops.Solve(in(f, 3, 3), in(f, 4, 2)),
		"linalg.solve: Incompatible shapes of A and B for the equation AX = B ([3, 3] and [4, 2])")
	requireMistake(t, ops.Solve(in(f, 3, 3), in(graph.Float32, 3, 2)),
		"linalg.solve: Expected A and B to have the same dtype, but found A of type Double and B of type Float instead")
	requireMistake(t, ops.Solve(in(f, 2, 3, 3), in(f, 4, 3, 2)),
		"The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension 0")
	requireMistake(t, ops.SolveTriangular(in(f, 3, 3), in(f, 3)),
		"linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
}
