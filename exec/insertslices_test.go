package exec_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// sliceCase computes something of an input of shape [batch, 2, 9, 12], whose batch is 3.
// kernels is how many kernels that takes, none of which only moves elements if still is
// set.
type sliceCase struct {
	of      func(x *graph.Node) *graph.Node
	kernels int
	still   bool
}

// gradientOf returns the gradient of the sum of squares.
func gradientOf(x, y *graph.Node) *graph.Node {
	return autodiff.Grad(ops.Sum(ops.Square(y)), []*graph.Node{x})[0]
}

var sliceCases = map[string]sliceCase{
	"windows side by side": {func(x *graph.Node) *graph.Node {
		return gradientOf(x, ops.MaxPool2D(ops.Tanh(x), 3, 2))
	}, 4, true},
	"windows that leave gaps": {func(x *graph.Node) *graph.Node {
		return gradientOf(x, ops.MaxPool2D(x, 2, 2, ops.Stride(3, 5)))
	}, 2, true},
	"windows that overlap": {func(x *graph.Node) *graph.Node {
		return gradientOf(x, ops.MaxPool2D(x, 3, 3, ops.Stride(2), ops.Padding(1)))
	}, 0, false},
	"means that overlap": {func(x *graph.Node) *graph.Node {
		return gradientOf(x, ops.AvgPool2D(ops.Tanh(x), 3, 4, ops.Stride(2, 1), ops.Padding(1)))
	}, 0, false},
	"parts of a value": {func(x *graph.Node) *graph.Node {
		a, b := ops.Slice(x, 3, 0, 5, 1), ops.Slice(x, 3, 5, 12, 1)
		return gradientOf(x, ops.Concat(3, ops.Exp(a), ops.Tanh(b)))
	}, 5, false},
	"every second and the others": {func(x *graph.Node) *graph.Node {
		even, odd := ops.Slice(x, 3, 0, 12, 2), ops.Slice(x, 3, 1, 12, 2)
		return gradientOf(x, ops.Mul(ops.Exp(even), ops.Sin(odd)))
	}, 1, true},
	"parts that meet": {func(x *graph.Node) *graph.Node {
		a, b, c := ops.Slice(x, 2, 0, 5, 1), ops.Slice(x, 2, 4, 9, 1), ops.Slice(x, 2, 2, 7, 1)
		return gradientOf(x, ops.Mul(ops.Mul(ops.Exp(a), ops.Sin(b)), ops.Tanh(c)))
	}, 0, false},
	"computed slices side by side": {func(x *graph.Node) *graph.Node {
		return ops.Concat(1, ops.Exp(x), ops.Tanh(ops.Slice(x, 1, 0, 1, 1)), ops.Sin(x))
	}, 2, true},
	"a slice that is needed too": {func(x *graph.Node) *graph.Node {
		y := ops.Exp(x)
		return ops.Mul(ops.Slice(ops.Concat(2, y, ops.Tanh(y)), 2, 3, 12, 1), y)
	}, 2, true},
	"a slice that is an input": {func(x *graph.Node) *graph.Node { return ops.Concat(0, x, ops.Exp(x), x) }, 2, false},
	"a slice twice": {func(x *graph.Node) *graph.Node { y := ops.Exp(x); return ops.Concat(3, y, y) }, 1,
		true},
	"paddings of two axes": {func(x *graph.Node) *graph.Node {
		return ops.Pad(ops.Pad(ops.Exp(x), 2, 1, 2, 7), 3, 3, 0, 7)
	}, 1, true},
	"paddings of two numbers": {func(x *graph.Node) *graph.Node {
		return ops.Pad(ops.Pad(ops.Exp(x), 2, 1, 2, 7), 3, 3, 0, 8)
	}, 2, false},
	"after sums of rows": {func(x *graph.Node) *graph.Node {
		y := ops.Softmax(x, -1)
		return ops.Concat(3, y, ops.Div(y, graph.Num(2)))
	}, 1, true},
	"into sums of several axes": {func(x *graph.Node) *graph.Node {
		y := ops.Sub(x, ops.Mean(x, 2, 3, ops.KeepDims()))
		return ops.Concat(3, y, ops.Exp(y))
	}, 2, false},
	"windows put back": {func(x *graph.Node) *graph.Node { return ops.Fold(ops.Exp(x), 1, 36, 2, 3) }, 2, false},
}

func TestInsertedSlicesAgreeWithTheReference(t *testing.T) {
	for name, c := range sliceCases {
		t.Run(name, func(t *testing.T) {
			g := graph.New("slices")
			batch := g.Dim("batch", graph.AtLeast(0))
			x := g.Input("x", graph.Float64, batch, 2, 9, 12)
			y := c.of(x)
			p, err := exec.Compile(g, exec.Outputs(y))
			require.NoError(t, err)
			if c.kernels > 0 {
				require.Equal(t, c.kernels, p.Kernels(), "%s", p)
			}
			if c.still {
				require.NotContains(t, p.String(), " movement over ")
			}
			data := make([]float64, 3*2*9*12)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range data {
				data[i] = math.Round(rng.NormFloat64()*8) / 8 // often equal
			}
			want, err := reference.Eval([]*graph.Node{y},
				map[*graph.Node]reference.Value{x: reference.Of(data, 3, 2, 9, 12)})
			require.NoError(t, err)
			for _, threads := range []int{1, 3} {
				s := p.NewSession(exec.Threads(threads))
				_, err := s.Run(context.Background(),
					exec.Feed{x: exec.Array{Shape: []int{0, 2, 9, 12}, Data: []float64{}}})
				require.NoError(t, err, "of nothing")
				for range 2 { // the second run finds memory as the first one has left it
					out, err := s.Run(context.Background(),
						exec.Feed{x: exec.Array{Shape: []int{3, 2, 9, 12}, Data: data}})
					require.NoError(t, err)
					require.NoError(t, s.CheckArguments())
					require.InDeltaSlice(t, want[0].Floats(), arrayOf(t, out, y).Data, 1e-12, "%s", p)
				}
			}
		})
	}
}

// A sum with zeros makes 0 of -0, and so does what takes its place.
func TestSumsOfInsertedSlicesHaveNoNegativeZeros(t *testing.T) {
	g := graph.New("zeros")
	x := g.Input("x", graph.Float32, 2)
	y := ops.Add(ops.Pad(x, 0, 0, 2, 0), ops.Pad(x, 0, 2, 0, 0))
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.Equal(t, 1, p.Kernels())
	out, err := p.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{2}, Data: []float32{float32(math.Copysign(0, -1)), 1}}})
	require.NoError(t, err)
	for i, v := range arrayOf(t, out, y).Data.([]float32) {
		require.False(t, math.Signbit(float64(v)), i)
		require.Equal(t, float32(i%2), v)
	}
}

// The order of sums stays: in another one, 1 would be lost.
func TestSlicesThatOverlapAreAddedInOrder(t *testing.T) {
	g := graph.New("overlap")
	x := g.Input("x", graph.Float32, 3, 4)
	y := ops.Fold(ops.Transpose(x, 0, 1), 0, 6, 1, 1)
	p, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(p.String(), "insert_slices"), "%s", p)
	out, err := p.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{3, 4}, Data: []float32{1, 2, 1e9, 3, 4, -1e9, 5, 6, 1, 7, 8, 9}}})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 6, 1, 3 + 5 + 7, 6 + 8, 9}, arrayOf(t, out, y).Data) // 1e9 - 1e9 + 1
}

// A slice is read before the write that destroys it, though another one is computed from
// what was written.
func TestSlicesOfBeforeAndAfterAWrite(t *testing.T) {
	for name, dtype := range map[string]graph.DType{"added up": graph.Float32, "side by side": graph.Int32} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("write")
			x := g.Input("x", dtype, 2)
			y := ops.Neg(x)
			write := ops.MulInPlace(y, graph.Num(10))
			after := ops.After(y, write)
			first := ops.Pad(y, 0, 0, 2, 0)
			second := ops.Pad(after, 0, 2, 0, 0)
			if dtype.IsFloat() {
				first, second = ops.Add(graph.Num(0), first), ops.Pad(after, 0, 1, 1, 0)
			}
			sum := ops.Add(first, second)
			p, err := exec.Compile(g, exec.Outputs(sum))
			require.NoError(t, err)
			var fed any = []float32{1, 2}
			var want any = []float32{-1, -12, -20, 0}
			if !dtype.IsFloat() {
				fed, want = []int32{1, 2}, []int32{-1, -2, -10, -20}
			}
			out, err := p.NewSession().Run(context.Background(), exec.Feed{x: exec.Array{Shape: []int{2}, Data: fed}})
			require.NoError(t, err)
			require.Equal(t, want, arrayOf(t, out, sum).Data)
		})
	}
}

// Nested assemblies are one assembly: a kernel stores each element directly where it is needed.
func TestAssembliesOfAssemblies(t *testing.T) {
	g := graph.New("assembled")
	x := g.Input("x", graph.Float32, g.Dim("n", graph.AtLeast(0)), 3)
	part := func(by float64) *graph.Node { return ops.Mul(ops.Unsqueeze(x, 2), graph.Num(by)) }
	pairs := ops.Concat(2, ops.Concat(2, part(2), part(3)), ops.Concat(2, part(4), part(5)))
	padded := ops.Concat(0, ops.Pad(ops.Pad(ops.Exp(x), 0, 1, 0, 0), 1, 0, 1, 0), ops.Pad(ops.Mul(x, x), 1, 1, 0, 0))
	other := ops.Concat(0, ops.Pad(ops.Neg(x), 1, 1, 0, 7), ops.Pad(ops.Abs(x), 1, 0, 1, 8)) // beside different numbers
	p, err := exec.Compile(g, exec.Outputs(pairs, padded, other))
	require.NoError(t, err)
	for _, n := range []int{0, 1, 2} {
		data := make([]float32, 3*n)
		for i := range data {
			data[i] = float32(i) - 1
		}
		r, err := p.NewSession().Run(t.Context(), exec.Feed{x: exec.Array{Shape: []int{n, 3}, Data: data}})
		require.NoError(t, err)
		var wantPairs, front, back, seven, eight []float32
		front = append(front, 0, 0, 0, 0)
		for i, v := range data {
			wantPairs = append(wantPairs, 2*v, 3*v, 4*v, 5*v)
			if i%3 == 0 {
				back, seven = append(back, 0), append(seven, 7)
			}
			front, back = append(front, float32(math.Exp(float64(v)))), append(back, v*v)
			seven, eight = append(seven, -v), append(eight, max(v, -v))
			if i%3 == 2 {
				front, eight = append(front, 0), append(eight, 8)
			}
		}
		for node, want := range map[*graph.Node][]float32{
			pairs: wantPairs, padded: append(front, back...), other: append(seven, eight...)} {
			got, err := r.Array(node)
			require.NoError(t, err)
			require.Len(t, got.Data, len(want))
			require.InDeltaSlice(t, append([]float32{0}, want...), append([]float32{0}, got.Data.([]float32)...), 1e-6)
		}
	}
	alone, err := exec.Compile(g, exec.Outputs(pairs))
	require.NoError(t, err)
	require.Equal(t, 1, alone.Kernels())
}
