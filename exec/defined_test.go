package exec_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// This file pins what happens at the edges of what operations are defined for: a result as
// PyTorch's, or an error in words, never a crash.

// compute runs one node on plain slices.
func compute(t *testing.T, n *graph.Node, feed exec.Feed) (exec.Array, error) {
	t.Helper()
	prog, err := exec.Compile(n.Graph(), exec.Outputs(n))
	require.NoError(t, err)
	out, err := prog.NewSession().Run(context.Background(), feed)
	if err != nil {
		return exec.Array{}, err
	}
	return out.Array(n)
}

func vec[T any](v ...T) exec.Array { return exec.Array{Shape: []int{len(v)}, Data: v} }

func TestWholeNumbersDividedByZero(t *testing.T) {
	for _, dtype := range []graph.DType{graph.Int32, graph.Int64} {
		for name, op := range map[string]func(x, y *graph.Node) *graph.Node{
			"FloorDiv(a, b)": ops.FloorDiv, "Remainder(a, b)": ops.Remainder} {
			g := graph.New("g")
			a, b := g.Input("a", dtype, 3), g.Input("b", dtype, 3)
			y := op(a, b)
			feed := exec.Feed{a: vec[int64](7, math.MinInt64, 7), b: vec[int64](2, -1, 0)}
			if dtype == graph.Int32 {
				feed = exec.Feed{a: vec[int32](7, math.MinInt32, 7), b: vec[int32](2, -1, 0)}
			}
			_, err := compute(t, y, feed)
			var failed *exec.RunError
			require.ErrorAs(t, err, &failed)
			require.Regexp(t, `^defined_test\.go:\d+(:\d+)?: error: `+regexpQuote(name)+
				`: ZeroDivisionError: b\[2\] is 0$`, err.Error())
			require.Same(t, y, failed.Node)
		}
	}
	g := graph.New("g")
	a, b := g.Input("a", graph.Int64, 2), g.Input("b", graph.Int64, 2)
	got, err := compute(t, ops.Div(a, b), exec.Feed{a: vec[int64](1, 0), b: vec[int64](0, 0)})
	require.NoError(t, err, "the quotient of integers is a float")
	require.Equal(t, float32(math.Inf(1)), got.Data.([]float32)[0])
	require.True(t, math.IsNaN(float64(got.Data.([]float32)[1])))
}

func regexpQuote(s string) string {
	quoted := ""
	for _, r := range s {
		if r == '(' || r == ')' {
			quoted += `\`
		}
		quoted += string(r)
	}
	return quoted
}

// The least integer divided by -1 does not fit; it must not stop the program.
func TestLeastIntegerDividedByMinusOne(t *testing.T) {
	g := graph.New("g")
	a, b := g.Input("a", graph.Int64, 1), g.Input("b", graph.Int64, 1)
	for _, y := range []*graph.Node{ops.FloorDiv(a, b), ops.Remainder(a, b)} {
		_, err := compute(t, y, exec.Feed{a: vec[int64](math.MinInt64), b: vec[int64](-1)})
		require.NoError(t, err)
	}
}

func TestReductionsOfNothing(t *testing.T) {
	for name, c := range map[string]struct {
		op   func(*graph.Node, ...ops.Axis) *graph.Node
		want any
	}{
		"sum": {ops.Sum, []float32{0, 0}}, "prod": {ops.Prod, []float32{1, 1}},
		"any": {ops.Any, []bool{false, false}}, "all": {ops.All, []bool{true, true}},
		"logsumexp": {ops.LogSumExp, []float32{float32(math.Inf(-1)), float32(math.Inf(-1))}},
	} {
		g := graph.New(name)
		x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)), 2)
		got, err := compute(t, c.op(x, 0), exec.Feed{x: exec.Array{Shape: []int{0, 2}, Data: []float32{}}})
		require.NoError(t, err)
		require.Equal(t, c.want, got.Data, name)
	}
	g := graph.New("mean")
	x := g.Input("x", graph.Float32, 0)
	got, err := compute(t, ops.Mean(x), exec.Feed{x: vec[float32]()})
	require.NoError(t, err)
	require.True(t, math.IsNaN(float64(got.Data.([]float32)[0])), "as PyTorch: 0/0")
}

// A maximum of nothing has no value: refused where that is known, and where it is not,
// refused once sizes are bound.
func TestMaximumOfNothing(t *testing.T) {
	for _, op := range []func(*graph.Node, ...ops.Axis) *graph.Node{ops.Max, ops.Min, ops.ArgMax, ops.ArgMin} {
		g := graph.New("known")
		op(g.Input("x", graph.Float32, 0, 3), 0)
		require.ErrorContains(t, shapeinfer.Check(g).Err(), "Expected reduction dim 0 to have non-zero size")

		g = graph.New("bound")
		x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)), 3)
		_, err := compute(t, op(x, 0), exec.Feed{x: exec.Array{Shape: []int{0, 3}, Data: []float32{}}})
		require.ErrorContains(t, err, "n = 0   from input x, axis 0")

		g = graph.New("other axis")
		x = g.Input("x", graph.Float32, 0, 3)
		got, err := compute(t, op(x, 1), exec.Feed{x: exec.Array{Shape: []int{0, 3}, Data: []float32{}}})
		require.NoError(t, err)
		require.Equal(t, []int{0}, got.Shape)
	}
}

func TestAxesOfReductions(t *testing.T) {
	for _, c := range []struct {
		axes []ops.Axis
		says string
	}{
		{[]ops.Axis{2}, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
		{[]ops.Axis{-3}, "but got -3"},
		{[]ops.Axis{0, -2}, "dim 0 appears multiple times in the list of dims"},
		{[]ops.Axis{}, "the list of axes is empty"},
	} {
		g := graph.New("g")
		ops.Sum(g.Input("x", graph.Float32, 2, 3), c.axes...)
		err := shapeinfer.Check(g).Err()
		require.ErrorContains(t, err, c.says)
		require.True(t, shapeinfer.IsMistake(err, graph.CodeAxis))
	}
	g := graph.New("scalar")
	x := g.Input("x", graph.Float32)
	for _, axis := range []ops.Axis{0, -1} {
		got, err := compute(t, ops.Sum(x, axis), exec.Feed{x: float32(3)})
		require.NoError(t, err, "a scalar takes the axes 0 and -1")
		require.Equal(t, []float32{3}, got.Data)
	}
	all := g.Input("m", graph.Float32, 2, 2)
	m := exec.Feed{x: float32(0), all: exec.Array{Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}}
	got, err := compute(t, ops.Sum(all, ops.AllAxes()), m)
	require.NoError(t, err)
	require.Equal(t, []float32{10}, got.Data)
	got, err = compute(t, ops.Sum(all, ops.NoAxes()), m)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2, 3, 4}, got.Data)
}

// Types follow PyTorch's promotion, in which a scalar or a number counts only when its
// category is higher.
func TestPromotion(t *testing.T) {
	g := graph.New("g")
	i64, i32, f32 := g.Input("i", graph.Int64, 2), g.Input("j", graph.Int32, 2), g.Input("f", graph.Float32, 2)
	truth, scalar := g.Input("b", graph.Bool, 2), g.Input("s", graph.Float64)
	for _, c := range []struct {
		n    *graph.Node
		want graph.DType
	}{
		{ops.Add(i64, f32), graph.Float32}, {ops.Add(i64, scalar), graph.Float64},
		{ops.Add(f32, scalar), graph.Float32},
		{ops.Add(i64, graph.Num(2.5)), graph.Float32}, {ops.Add(i32, graph.Num(2)), graph.Int32},
		{ops.Add(truth, graph.Num(2)), graph.Int64},
		{ops.Add(truth, truth), graph.Bool}, {ops.Add(truth, i32), graph.Int32}, {ops.Div(i64, i64), graph.Float32},
		{ops.Sum(truth), graph.Int64}, {ops.Sum(i32), graph.Int64}, {ops.Less(i32, f32), graph.Bool},
		{ops.Exp(i64), graph.Float32},
	} {
		require.Equal(t, c.want, c.n.DType(), graph.Describe(c.n))
	}
	require.NoError(t, shapeinfer.Check(g).Err())
}

// What has no meaning for a dtype is refused in PyTorch's words.
func TestDTypesThatAreRefused(t *testing.T) {
	for says, build := range map[string]func(g *graph.Graph){
		"mean(): could not infer output dtype": func(g *graph.Graph) {
			ops.Mean(g.Input("i", graph.Int64, 2))
		},
		"expected m1 and m2 to have the same dtype": func(g *graph.Graph) {
			ops.MatMul(g.Input("x", graph.Float32, 2, 2), g.Input("y", graph.Float64, 2, 2))
		},
		"Integers to negative integer powers are not allowed.": func(g *graph.Graph) {
			ops.Pow(g.Input("i", graph.Int64, 2), graph.Num(-1))
		},
		"Pow(u, -3): Integers to negative integer powers are not allowed.": func(g *graph.Graph) {
			ops.Pow(g.Input("u", graph.Uint8, 2), graph.Num(-3))
		},
		"PowInPlace(w, -3): Integers to negative integer powers are not": func(g *graph.Graph) {
			ops.PowInPlace(g.Param("w", graph.Uint8, 2), graph.Num(-3))
		},
		"Subtraction, the `-` operator, with two bool tensors is not supported": func(g *graph.Graph) {
			b := g.Input("b", graph.Bool, 2)
			ops.Sub(b, b)
		},
	} {
		g := graph.New("g")
		build(g)
		err := shapeinfer.Check(g).Err()
		require.ErrorContains(t, err, says)
		require.True(t, shapeinfer.IsMistake(err, graph.CodeDType))
	}
}

// More elements than an int64 counts are refused before anything is computed, whenever
// sizes become known.
func TestTooManyElements(t *testing.T) {
	g := graph.New("known")
	ops.Add(g.Input("x", graph.Float32, 1<<32, 1),
		g.Input("y", graph.Float32, 1, 1<<32)).Silence(graph.CodeMutualExpand)
	err := shapeinfer.Check(g).Err()
	require.ErrorContains(t, err, "numel: integer multiplication overflow")
	require.True(t, shapeinfer.IsMistake(err, graph.CodeOverflow))

	g = graph.New("bound")
	x := g.Input("x", graph.Float32, g.Dim("n"))
	ops.Expand(ops.Unsqueeze(ops.Unsqueeze(x, 1), 2), g.Dim("n"), g.Dim("n"), g.Dim("n"))
	r := shapeinfer.Check(g)
	require.NoError(t, r.Err())
	_, err = shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{1 << 30}}}, r.Requirements)
	require.ErrorContains(t, err, "integer multiplication overflow")
}

// A check that fails inside an expanded operation is reported as the user's operation.
func TestRunErrorsNameTheUsersOperation(t *testing.T) {
	g := graph.New("g")
	scores, target := g.Input("scores", graph.Float32, 2, 3), g.Input("target", graph.Int64, 2)
	loss := ops.CrossEntropy(scores, target)
	feed := exec.Feed{scores: exec.Array{Shape: []int{2, 3}, Data: make([]float32, 6)}, target: vec[int64](0, 3)}
	_, err := compute(t, loss, feed)
	require.Regexp(t, `^defined_test\.go:\d+:\d+: error: CrossEntropy\(scores, target\): .*out of bounds`, err.Error())

	dx := autodiff.Grad(loss, []*graph.Node{scores})[0]
	_, err = compute(t, dx, feed)
	require.Regexp(t, `^defined_test\.go:\d+:\d+: error: the gradient of CrossEntropy\(scores, target\): `, err.Error())

	table, index := g.Input("table", graph.Float32, 4, 2), g.Input("index", graph.Int64, 1)
	feed[table], feed[index] = exec.Array{Shape: []int{4, 2}, Data: make([]float32, 8)}, vec[int64](4)
	feed[target] = vec[int64](0, 0)
	_, err = compute(t, ops.Embedding(index, table), feed)
	require.ErrorContains(t, err, "Embedding")
}
