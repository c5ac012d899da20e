package stablehlo_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/internal/testkit/xla"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/stablehlo"
)

// What is computed by functions of Go has a form of XLA's own, or is refused at the user's line.
func TestFunctions(t *testing.T) {
	g := graph.New("functions")
	x, b := g.Input("x", graph.Float64, 2, 3, 3), g.Input("b", graph.Float64, 3, 2)
	a := ops.Add(ops.MatMul(x, ops.Transpose(x, 1, 2)), ops.Eye(g, graph.Float64, 3, 3))
	l := ops.Cholesky(a)
	roots := []*graph.Node{l, ops.SolveTriangular(l, b),
		ops.SolveTriangular(a, b, ops.UpperTriangle(), ops.TransposedSystem()),
		ops.SolveTriangular(a, b, ops.UnitDiagonal()), ops.ArgSort(x, 1, true)}
	fed := map[*graph.Node]reference.Value{x: waves(graph.Float64, 2, 3, 3), b: waves(graph.Float64, 3, 2)}
	want, err := reference.Eval(roots, fed)
	require.NoError(t, err)
	m, err := stablehlo.Export(g, stablehlo.Outputs(roots...))
	require.NoError(t, err)
	o := xla.Do(
		t, []xla.Program{{Name: "functions", Text: m.String(), Runs: []xla.Run{{{Value: fed[x]}, {Value: fed[b]}}}}})[0]
	require.Empty(t, o.Error)
	for i, v := range want {
		assert.InDeltaSlice(t, v.Floats(), o.Results[0][i].Floats(), 1e-10)
	}
	own := &graph.Op{Name: "own", Func: "own", Class: graph.Function, MinIn: 1, MaxIn: 1,
		Core:     func(*graph.Node) ([]int, int) { return []int{1}, 1 },
		Infer:    func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
		Function: func(*graph.Arrays) error { return nil }}
	_, err = stablehlo.Export(g, stablehlo.Outputs(graph.Apply(own, nil, x)))
	assert.ErrorContains(t, err, "own(x) cannot be written in StableHLO")
	assert.ErrorContains(t, err, "function_test.go:")
}

// matrixRows are calls whose values do not depend on what decompositions leave open.
var matrixRows = []struct {
	name  string
	shape []int
	build func(x *graph.Node) []*graph.Node
}{
	{"one element", []int{1, 1}, eigen}, {"odd", []int{2, 5, 5}, eigen}, {"even", []int{6, 6}, eigen},
	{"square", []int{2, 4, 4}, systems},
	{"tall", []int{2, 7, 4}, singular}, {"wide", []int{3, 5}, singular},
	{"of less rank", []int{5, 5}, func(x *graph.Node) []*graph.Node {
		x = ops.Concat(-1, ops.Slice(x, -1, 0, 3, 1), ops.Slice(x, -1, 1, 3, 1))
		u, s, vh := ops.SVD(x)
		return []*graph.Node{ops.MatMul(ops.Mul(u, ops.Unsqueeze(s, -2)), vh), s,
			ops.MatMul(ops.Transpose(u, -1, -2), u)}
	}},
	{"cofactors of less rank", []int{3, 3}, func(x *graph.Node) []*graph.Node {
		x = ops.Concat(-1, ops.Slice(x, -1, 0, 2, 1), ops.Slice(x, -1, 0, 1, 1))
		return autodiff.Grad(ops.Det(x), []*graph.Node{x})
	}},
	{"zeros", []int{3, 3}, func(x *graph.Node) []*graph.Node {
		x = ops.ZerosLike(x)
		u, s, _ := ops.SVD(x)
		q, _ := ops.QR(x)
		return []*graph.Node{ops.MatMul(ops.Transpose(u, -1, -2), u), s, ops.EigenvaluesH(x),
			ops.MatMul(ops.Transpose(q, -1, -2), q)}
	}},
	{"a large exponent", []int{2, 4, 4}, func(x *graph.Node) []*graph.Node {
		return []*graph.Node{ops.MatrixExp(ops.Mul(x, graph.Num(20)))}
	}},
	{"sequences", []int{2, 9}, func(x *graph.Node) []*graph.Node {
		sorted, _ := ops.Sort(x, -1, false)
		empty := ops.Slice(sorted, -1, 0, 0, 1)
		most, at := ops.CumMax(ops.Where(ops.Greater(x, graph.Num(0.8)), graph.Num(math.NaN()), x), -1)
		return []*graph.Node{ops.SearchSorted(sorted, x, true), ops.SearchSorted(sorted, sorted, false),
			ops.SearchSorted(empty, x, true), most, at,
			ops.LinearRecurrence(ops.Div(x, ops.Iota(x.Graph(), 0, 9)), x, 1)} // whose first factor is infinite
	}},
}

func eigen(x *graph.Node) []*graph.Node {
	values, v := ops.Eigh(x)
	return []*graph.Node{values, ops.MatMul(ops.Mul(v, ops.Unsqueeze(values, -2)), ops.Transpose(v, -1, -2))}
}

func systems(x *graph.Node) []*graph.Node {
	y := ops.Solve(x, ops.Slice(x, -1, 0, 1, 1))
	return []*graph.Node{y, ops.Det(x), ops.Inv(x), ops.MatrixExp(x), autodiff.Grad(ops.Sum(y), []*graph.Node{x})[0]}
}

func singular(x *graph.Node) []*graph.Node {
	q, r := ops.QR(x)
	u, s, vh := ops.SVD(x)
	return []*graph.Node{q, r, s, ops.MatMul(ops.Mul(u, ops.Unsqueeze(s, -2)), vh)}
}

// Decompositions that are written with other operations have the values of the reference, also of matrices of less
// rank.
func TestFormsOfMatrices(t *testing.T) {
	g, rng := graph.New("matrices"), rand.New(rand.NewPCG(1, 2))
	fed, from := map[*graph.Node]reference.Value{}, []int{}
	var roots []*graph.Node
	for i, c := range matrixRows {
		x := g.Input(fmt.Sprintf("x%d", i), graph.Float64, graph.MakeShape(c.shape...)...)
		numbers := make([]float64, x.Shape().NumElements())
		for k := range numbers {
			numbers[k] = rng.NormFloat64()
		}
		fed[x] = reference.FromFloats(graph.Float64, numbers, c.shape...)
		for _, y := range c.build(x) {
			roots, from = append(roots, y), append(from, i)
		}
	}
	want, err := reference.Eval(roots, fed)
	require.NoError(t, err)
	m, err := stablehlo.Export(g, stablehlo.Outputs(roots...))
	require.NoError(t, err)
	var run xla.Run
	for _, a := range m.Signature().Arguments {
		run = append(run, xla.Arg{Value: fed[g.ByName(a.Name)]})
	}
	o := xla.Do(t, []xla.Program{{Name: "matrices", Text: m.String(), Runs: []xla.Run{run}}})[0]
	require.Empty(t, o.Error)
	for i, v := range want {
		got := o.Results[0][i].Floats()
		for k, w := range v.Floats() {
			same := math.IsNaN(w) && math.IsNaN(got[k]) || math.Abs(w-got[k]) <= 1e-11*max(1, math.Abs(w))
			require.True(t, same, "%s: result %d, %s: element %d is %v, want %v", matrixRows[from[i]].name, i,
				graph.Describe(roots[i]), k, got[k], w)
		}
	}
	for _, passes := range o.Results[0][len(want):] {
		require.Equal(t, []float64{1}, passes.Floats())
	}
}

// A matrix that is singular, or not finite, is reported.
func TestFormsRefuseMatrices(t *testing.T) {
	g := graph.New("refusals")
	x := g.Input("x", graph.Float64, 2, 2)
	m, err := stablehlo.Export(g, stablehlo.Outputs(ops.Inv(x), ops.SingularValues(x)))
	require.NoError(t, err)
	var runs []xla.Run
	for _, data := range [][]float64{{1, 2, 3, 4}, {1, 2, 2, 4}, {1, math.NaN(), 0, 1}} {
		runs = append(runs, xla.Run{{Value: reference.FromFloats(graph.Float64, data, 2, 2)}})
	}
	o := xla.Do(t, []xla.Program{{Name: "refusals", Text: m.String(), Runs: runs}})[0]
	require.Empty(t, o.Error)
	var failed [][]string
	for _, results := range o.Results {
		var messages []string
		for i, r := range m.Signature().Results {
			if r.Role == stablehlo.RoleCheck && results[i].Floats()[0] == 0 {
				messages = append(messages, r.Message)
			}
		}
		failed = append(failed, messages)
	}
	require.Empty(t, failed[0])
	require.Len(t, failed[1], 1)
	require.Contains(t, failed[1][0], "the input matrix is singular")
	require.Contains(t, strings.Join(failed[2], "\n"), "non-finite values")
}
