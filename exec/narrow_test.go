package exec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// narrowDTypes are computed in other dtypes.
func narrowDTypes() (list []graph.DType) {
	for _, t := range graph.DTypes() {
		if t.Computed() != t && !t.IsStorage() {
			list = append(list, t)
		}
	}
	return list
}

// extremes are elements of a dtype: the least, the greatest, and some between.
func extremes(t graph.DType, n int, random *rand.Rand) any {
	data := t.MakeSlice(n)
	for i := range n {
		value, whole := random.NormFloat64()*10, random.Int64()>>random.IntN(64)
		if t.IsFloat() && i < 8 {
			value = []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 65504, 1e-7, -3e38, 1}[i]
		} else if i < 4 {
			whole = []int64{0, 1, -1, math.MinInt64 >> (64 - t.Bits())}[i]
		}
		graph.SetNumberAt(data, i, value, whole)
	}
	return data
}

// Each operation on elements of narrow dtypes gives what the evaluator gives that knows no other dtype to compute in.
func TestNarrowDTypesOfElements(t *testing.T) {
	const n = 67
	for _, dt := range narrowDTypes() {
		random := rand.New(rand.NewPCG(1, uint64(dt)))
		g := graph.New("narrow")
		size := g.Dim("n")
		x, y := g.Input("x", dt, size), g.Input("y", dt, size)
		divisor := ops.Where(ops.Equal(y, graph.Num(0)), ops.Cast(g.Scalar(graph.Int32, 3), dt), y)
		nodes := map[string]*graph.Node{
			"add": ops.Add(x, y), "sub": ops.Sub(x, y), "mul": ops.Mul(x, y), "div": ops.Div(x, y),
			"floordiv": ops.FloorDiv(x, divisor), "rem": ops.Remainder(x, divisor),
			"max": ops.Maximum(x, y), "min": ops.Minimum(x, y), "abs": ops.Abs(x), "sign": ops.Sign(x),
			"neg": ops.Neg(x), "less": ops.Less(x, y), "ge": ops.GreaterEqual(x, y), "eq": ops.Equal(x, y),
			"where":  ops.Where(ops.Less(x, y), x, y),
			"number": ops.Add(ops.Mul(x, graph.Num(3)), graph.Num(1)), "square": ops.Square(x), "relu": ops.Relu(x),
			"chain": ops.Mul(ops.Add(x, y), ops.Sub(x, y)), "sqrt": ops.Sqrt(ops.Abs(x)),
			"slice": ops.Slice(x, 0, 1, 50, 2), "reverse": ops.Flip(x, 0),
		}
		if dt.IsInt() {
			nodes["and"], nodes["xor"], nodes["not"] = ops.BitAnd(x, y), ops.BitXor(x, y), ops.BitNot(x)
			nodes["pow"] = ops.Pow(x, ops.BitAnd(y, graph.Num(7)))
		}
		for _, to := range graph.DTypes() {
			nodes["to "+to.String()] = ops.Cast(x, to)
			nodes["from "+to.String()] = ops.Cast(ops.Cast(x, to), dt)
		}
		agree(t, g, dt, nodes, map[*graph.Node]reference.Value{
			x: {DType: dt, Shape: []int{n}, Data: extremes(dt, n, random)},
			y: {DType: dt, Shape: []int{n}, Data: extremes(dt, n, random)}})
	}
}

// agree compares a run with the evaluator, bit for bit but for NaN.
func agree(t *testing.T, g *graph.Graph, dt graph.DType, nodes map[string]*graph.Node,
	feed map[*graph.Node]reference.Value) {
	t.Helper()
	var outputs []*graph.Node
	var names []string
	for name, n := range nodes {
		require.NoError(t, n.Err(), name)
		outputs, names = append(outputs, n), append(names, name)
	}
	want, err := reference.Eval(outputs, feed)
	require.NoError(t, err)
	p, err := Compile(g, Outputs(outputs...))
	require.NoError(t, err)
	in := Feed{}
	for x, v := range feed {
		in[x] = Array{Shape: v.Shape, Data: v.Data}
	}
	r, err := p.NewSession().Run(t.Context(), in)
	require.NoError(t, err)
	for i, n := range outputs {
		got, err := r.Array(n)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(want[i].Data), fmt.Sprint(got.Data), "%s of %s", names[i], dt)
	}
}

// Sums, products, movements and what goes by index too, of which those of 16 bits are computed in Float32 and rounded
// once.
func TestNarrowDTypesOfWholeArrays(t *testing.T) {
	for _, dt := range narrowDTypes() {
		random := rand.New(rand.NewPCG(2, uint64(dt)))
		g := graph.New("narrow")
		rows := g.Dim("rows")
		x, y, index := g.Input("x", dt, rows, 6), g.Input("y", dt, 6, 5), g.Input("index", graph.Int64, 4)
		nodes := map[string]*graph.Node{
			"sum": ops.Sum(x), "sum rows": ops.Sum(x, 0), "max": ops.Max(x, 1), "min": ops.Min(x, 0),
			"argmax": ops.ArgMax(x, 1), "argmin": ops.ArgMin(x, 0),
			"prod": ops.Prod(ops.Slice(x, 0, 0, 2, 1), 0), "any": ops.Any(x, 1), "matmul": ops.MatMul(x, y),
			"take":   ops.Take(x, 0, index),
			"concat": ops.Concat(0, x, ops.Transpose(y, 0, 1)), "pad": ops.Pad(x, 1, 1, 2, 3),
			"cumsum":    ops.CumSum(x, 1),
			"broadcast": ops.Add(ops.Slice(x, 0, 0, 1, 1), ops.Slice(y, 1, 0, 1, 1)), "sort": ops.ArgSort(x, 1, false),
			"scatter":     ops.IndexAdd(x, 0, index, ops.Slice(x, 0, 0, 4, 1)),
			"segment max": ops.SegmentMax(ops.Slice(x, 0, 0, 4, 1), 0, index, 7),
		}
		if dt.IsFloat() {
			for name, n := range map[string]*graph.Node{
				"mean": ops.Mean(x, 1), "softmax": ops.Softmax(x, 1),
				"norm": ops.LayerNormOver(x, graph.Shape{6}, nil, nil, 1e-5), "std": ops.Std(x, 1, 1)} {
				nodes[name] = n
			}
		}
		whole := func(n int) any {
			data := dt.MakeSlice(n)
			for i := range n {
				v := float64(random.IntN(41) - 20)
				graph.SetNumberAt(data, i, v/4, int64(v))
			}
			return data
		}
		agree(t, g, dt, nodes, map[*graph.Node]reference.Value{
			x: {DType: dt, Shape: []int{9, 6}, Data: whole(54)}, y: {DType: dt, Shape: []int{6, 5}, Data: whole(30)},
			index: reference.Of([]int64{3, 0, 0, 6}, 4)})
	}
}
