package ops_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/ops"
)

func float8Bits(t *testing.T, data any) (bits []uint8) {
	switch data := data.(type) {
	case []half.Float8E4M3FN:
		for _, v := range data {
			bits = append(bits, uint8(v))
		}
	case []half.Float8E5M2:
		for _, v := range data {
			bits = append(bits, uint8(v))
		}
	default:
		t.Fatalf("%T", data)
	}
	return bits
}

func everyFloat8(dt graph.DType) any {
	a, b := make([]half.Float8E4M3FN, 256), make([]half.Float8E5M2, 256)
	for i := range 256 {
		a[i], b[i] = half.Float8E4M3FN(i), half.Float8E5M2(i)
	}
	if dt == graph.Float8E4M3FN {
		return a
	}
	return b
}

// TestFloat8IsMoved has the ways by which tables and caches of 8 bits are read and written; what would compute is
// refused, and says what to do.
func TestFloat8IsMoved(t *testing.T) {
	g := graph.New("moved")
	x, i := g.Input("x", graph.Float8E4M3FN, 4, 2), g.Input("i", graph.Int64, 2)
	row, at := ops.Slice(x, 0, 1, 3, 1), g.Input("at", graph.Int64)
	outputs := []*graph.Node{
		ops.Embedding(i, x), ops.Stack(0, row, row), ops.IndexCopy(x, 0, i, row),
		ops.DynamicUpdateSlice(x, row, at, graph.Num(0)),
		ops.DynamicSlice(x, []*graph.Node{at, graph.Num(0)}, 2, 2), ops.SliceScatter(x, row, 0, 0, 2, 1),
		ops.Tril(x, 0),
		ops.IndexPut(x, []*graph.Node{i}, row), ops.Gather(x, 0, ops.Unsqueeze(i, 1)),
		ops.PadWith(x, 0, 1, 1, ops.PadReplicate),
	}
	for _, y := range outputs {
		require.NoError(t, y.Err())
		require.Equal(t, graph.Float8E4M3FN, y.DType())
	}
	p, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	data := everyFloat8(graph.Float8E4M3FN).([]half.Float8E4M3FN)[48:56]
	r, err := p.NewSession().Run(t.Context(),
		exec.Feed{x: exec.Array{Shape: []int{4, 2}, Data: data}, i: []int64{3, 0},
			at: exec.Array{Shape: []int{}, Data: []int64{1}}})
	require.NoError(t, err)
	for k, want := range [][]uint8{
		{54, 55, 48, 49}, {50, 51, 52, 53, 50, 51, 52, 53}, {52, 53, 50, 51, 52, 53, 50, 51},
		{48, 49, 50, 51, 52, 53, 54, 55}, {50, 51, 52, 53}, {50, 51, 52, 53, 52, 53, 54, 55},
		{48, 0, 50, 51, 52, 53, 54, 55}, {52, 53, 50, 51, 52, 53, 50, 51}, {54, 48},
		{48, 49, 48, 49, 50, 51, 52, 53, 54, 55, 54, 55},
	} {
		a, err := r.Array(outputs[k])
		require.NoError(t, err)
		require.Equal(t, want, float8Bits(t, a.Data), "%v", outputs[k])
	}

	g = graph.New("computed")
	x, i = g.Input("x", graph.Float8E4M3FN, 4, 2), g.Input("i", graph.Int64, 2)
	row = ops.Slice(x, 0, 1, 3, 1)
	requireMistake(t, ops.IndexPut(x, []*graph.Node{i}, row, ops.Accumulate()),
		"\"index_put\" not implemented for 'Float8_e4m3fn'")
	requireMistake(t, ops.ScatterAdd(x, 0, ops.Unsqueeze(i, 1), row),
		"\"scatter_add\" not implemented for 'Float8_e4m3fn'")
	requireMistake(t, ops.Kron(x, x), "\"Kron\" not implemented for 'Float8_e4m3fn'")
}

// TestCastsOfFloat8AsPyTorch compares casts from and to the types of 8 bits with PyTorch: all elements, and the numbers
// around the middle between two.
func TestCastsOfFloat8AsPyTorch(t *testing.T) {
	text, err := os.ReadFile("../half/testdata/float8.json")
	require.NoError(t, err)
	var answers map[string]map[string]any
	require.NoError(t, json.Unmarshal(text, &answers))
	for _, dt := range []graph.DType{graph.Float8E4M3FN, graph.Float8E5M2} {
		answer := answers[dt.String()]
		digits := func(name string, each int) (list []uint64) {
			s := answer[name].(string)
			for i := 0; i < len(s); i += each {
				v, err := strconv.ParseUint(s[i:i+each], 16, 64)
				require.NoError(t, err)
				list = append(list, v)
			}
			return list
		}
		var numbers []float32
		for _, b := range digits("numbers", 8) {
			numbers = append(numbers, math.Float32frombits(uint32(b)))
		}
		wide := make([]float64, len(numbers))
		for i, v := range numbers {
			wide[i] = float64(v) * (1 + 0x1p-40)
		}
		whole := make([]int64, 1200)
		for i := range whole {
			whole[i] = int64(i) - 600
		}
		g := graph.New("float8")
		every, x, n := g.Input("every", dt, 256), g.Input("x", graph.Float32, g.Dim("n")),
			g.Input("whole", graph.Int64, 1200)
		x64 := g.Input("x64", graph.Float64, g.Dim("n"))
		outputs := []node{ops.Cast(every, graph.Float32), ops.Cast(x, dt), ops.Cast(x64, dt),
			ops.Cast(ops.Cast(x, graph.Float16), dt),
			ops.Cast(ops.Cast(x, graph.BFloat16), dt), ops.Cast(n, dt), ops.Flip(every, 0),
			ops.Take(every, 0, ops.Cast(ops.Slice(n, 0, 600, 856, 1), graph.Int64))}
		p, err := exec.Compile(g, exec.Outputs(outputs...))
		require.NoError(t, err)
		r, err := p.NewSession().Run(t.Context(), exec.Feed{every: everyFloat8(dt), x: numbers, x64: wide, n: whole})
		require.NoError(t, err)
		got, err := exec.Values[float32](r, outputs[0])
		require.NoError(t, err)
		for b, want := range digits("every", 8) {
			v := math.Float32frombits(uint32(want))
			require.True(t, v == got[b] || v != v && got[b] != got[b], "%v %#x: %v", dt, b, got[b])
		}
		for i, name := range []string{"elements", "of float64", "of float16", "of bfloat16", "of int64"} {
			a, err := r.Array(outputs[i+1])
			require.NoError(t, err)
			want := digits(name, 2)
			for k, b := range float8Bits(t, a.Data) {
				if want[k]&0x7f == 0x7f && i < 4 && numbers[k] != numbers[k] {
					want[k], b = 0x7f, b&0x7f // NaN of any sign
				}
				require.Equal(t, uint8(want[k]), b, "%v %s, place %d", dt, name, k)
			}
		}
		flipped, err := r.Array(outputs[6])
		require.NoError(t, err)
		taken, err := r.Array(outputs[7])
		require.NoError(t, err)
		for i, b := range float8Bits(t, taken.Data) {
			same := func(b uint8, want int) bool {
				return int(b) == want || b&0x7f == 0x7f && math.IsNaN(float64(got[want]))
			}
			require.True(t, same(b, i), "taken %d: %#x", i, b)
			require.True(t, same(float8Bits(t, flipped.Data)[255-i], i), "flipped %d", i)
		}
	}
}

// TestFloat8IsForStorage refuses to compute with elements of 8 bits, and says what to do.
func TestFloat8IsForStorage(t *testing.T) {
	for name, f := range map[string]func(x, y node) node{
		"add":    func(x, _ node) node { return ops.Add(x, x) },
		"exp":    func(x, _ node) node { return ops.Exp(x) },
		"sum":    func(x, _ node) node { return ops.Sum(x) },
		"matmul": func(x, _ node) node { return ops.MatMul(x, x) },
		"number": func(x, _ node) node { return ops.Mul(x, graph.Num(2)) },
		"mixed":  ops.Add,
		"other":  func(x, _ node) node { return ops.Add(x, ops.Cast(x, graph.Float8E5M2)) },
		"norm":   func(x, _ node) node { return ops.LayerNorm(x, nil, nil, 1e-5) },
		"write":  func(x, y node) node { return ops.AddInPlace(ops.Copy(y), x) },
	} {
		g := graph.New("storage")
		x, y := g.Input("x", graph.Float8E4M3FN, 3), g.Input("y", graph.Float32, 3)
		f(x, y)
		require.Len(t, g.Mistakes(), 1, name)
		m := g.Mistakes()[0]
		assert.Equal(t, graph.CodeDType, m.Code, name)
		assert.Contains(t, m.Summary+m.Help[0], "loat8", name)
		assert.Contains(t, m.Help[0], "ops.Cast", name)
	}
	g := graph.New("storage")
	x := g.Input("x", graph.Float8E4M3FN, 4, 2)
	for name, y := range map[string]node{
		"reshape": ops.Reshape(x, 8), "transpose": ops.Transpose(x, 0, 1), "slice": ops.Slice(x, 0, 1, 3, 1),
		"concat": ops.Concat(0, x, x), "expand": ops.Expand(x, 3, 4, 2),
		"pad": ops.Pad(x, 0, 1, 1, 0), "take": ops.Take(x, 0, graph.Constant(g, []int64{0, 2}, 2)), "copy": ops.Copy(x),
		"stop":  ops.StopGradient(x),
		"where": ops.Where(ops.Greater(ops.Cast(x, graph.Float32), graph.Num(0)), x, x),
	} {
		require.NoError(t, y.Err(), name)
		require.Equal(t, graph.Float8E4M3FN, y.DType(), name)
	}
	_, err := exec.Compile(g, exec.Outputs(g.Nodes()[len(g.Nodes())-1]))
	require.NoError(t, err)
}

// TestGradientsThroughFloat8: gradients of values that are stored in 8 bits are Float32, and ignore the rounding.
func TestGradientsThroughFloat8(t *testing.T) {
	g := graph.New("gradient")
	x, w := g.Input("x", graph.Float32, 3), g.Input("w", graph.Float8E5M2, 3)
	stored := ops.Cast(x, graph.Float8E4M3FN)
	picked := ops.Concat(0, stored, ops.Take(stored, 0, graph.Constant(g, []int64{2, 2}, 2)))
	y := ops.Sum(ops.Square(ops.Mul(ops.Cast(picked, graph.Float32), graph.Num(1))))
	y = ops.Add(y, ops.Sum(ops.Mul(ops.Cast(w, graph.Float32), graph.Num(0.3))))
	grads := autodiff.Grad(y, []node{x, w, stored})
	require.NoError(t, g.Err())
	p, err := exec.Compile(g, exec.Outputs(grads...))
	require.NoError(t, err)
	r, err := p.NewSession().Run(t.Context(),
		exec.Feed{x: []float32{1, 2.1, -3}, w: half.ToFloat8E5M2([]float32{1, 2, 3})})
	require.NoError(t, err)
	for i, want := range [][]float32{{2, 4, -18}, {0.3, 0.3, 0.3}, {2, 4, -18}} {
		got, err := exec.Values[float32](r, grads[i])
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestCastSaturated(t *testing.T) {
	g := graph.New("saturated")
	x, h := g.Input("x", graph.Float32, 6), g.Input("h", graph.Float8E5M2, 3)
	outputs := []node{ops.CastSaturated(x, graph.Float8E4M3FN), ops.CastSaturated(x, graph.Float8E5M2),
		ops.CastSaturated(h, graph.Float8E4M3FN)}
	p, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	inf := float32(math.Inf(1))
	r, err := p.NewSession().Run(t.Context(),
		exec.Feed{x: []float32{1e9, -inf, 460, -0.1, 59000, float32(math.NaN())},
			h: half.ToFloat8E5M2([]float32{inf, -3, 1e4})})
	require.NoError(t, err)
	for i, want := range [][]float32{{448, -448, 448, -0.1015625, 448}, {57344, -57344, 448, -0.09375, 57344},
		{448, -3, 448}} {
		a, err := r.Array(outputs[i])
		require.NoError(t, err)
		got := a.Widened().Data.([]float32)
		assert.Equal(t, want, got[:len(want)])
		if i < 2 {
			assert.True(t, got[5] != got[5])
		}
	}
	ops.CastSaturated(x, graph.Int8)
	require.ErrorContains(t, g.Err(), "use ops.Cast")
	_, err = r.Dense(outputs[0])
	require.ErrorContains(t, err, "Results.Array")
}
