package ops_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// alongAxis makes a call of slices along an axis, with room for as many as there are.
func alongAxis(f func(x node, axis int, size graph.Dim, fill node) (values, inverse, counts node)) func(t *testing.T,
	c choiceCase, in []node) []node {
	return func(t *testing.T, c choiceCase, in []node) []node {
		values, inverse, counts := f(in[0], c.axis(t), graph.Dim(c.Out[2].Shape[0]), graph.Num(0))
		return []node{values, inverse, counts}
	}
}

var uniqueCalls = map[string]func(t *testing.T, c choiceCase, in []node) []node{
	"UniqueAlong": alongAxis(ops.UniqueAlong), "UniqueConsecutiveAlong": alongAxis(ops.UniqueConsecutiveAlong),
}

// TestUniqueSlicesAsPyTorch compares slices, places and counts, with numbers and with names for sizes.
func TestUniqueSlicesAsPyTorch(t *testing.T) {
	runCases(t, "uniques", uniqueCalls)
	runNamed(t, "uniques", uniqueCalls)
}

// What there is no slice for is filled, and has no count; a mask counts as numbers do; and too many slices stop the
// run.
func TestRoomForUniqueSlices(t *testing.T) {
	g := graph.New("room")
	x := g.Input("x", graph.Bool, g.Dim("n"), 2)
	values, inverse, counts := ops.UniqueAlong(x, 0, 4, graph.Num(1))
	few, _, _ := ops.UniqueAlong(x, 0, 2, graph.Num(0))
	feed := exec.Feed{x: exec.Array{Shape: []int{5, 2},
		Data: []bool{true, false, false, false, true, false, false, true, true, false}}}
	prog, err := exec.Compile(g, exec.Outputs(values, inverse, counts))
	require.NoError(t, err)
	r, err := prog.NewSession().Run(t.Context(), feed)
	require.NoError(t, err)
	for n, want := range map[node]any{values: []bool{false, false, false, true, true, false, true, true},
		inverse: []int64{2, 0, 2, 1, 2}, counts: []int64{1, 1, 3, 0}} {
		got, err := r.Array(n)
		require.NoError(t, err)
		require.Equal(t, want, got.Data)
	}
	prog, err = exec.Compile(g, exec.Outputs(few))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(t.Context(), feed)
	require.ErrorContains(
		t, err, "UniqueAlong(x, 0, 2, 0): there are more distinct values than the given size, 2: found 3")
	require.ErrorContains(t, err, "unique_test.go")
	bad, _, _ := ops.UniqueAlong(x, 2, 4, graph.Num(1))
	require.ErrorContains(t, bad.Err(), "Dimension out of range")
}

// TestBitsOfElements wants the bytes that package math and package binary give, of sizes that are known and of others.
func TestBitsOfElements(t *testing.T) {
	floats := []float32{1, float32(math.Copysign(0, -1)), float32(math.Inf(-1)), 1e-40, 3.5e38 / 2, -7}
	var bits []int32
	var bytes []uint8
	for _, v := range floats {
		bits = append(bits, int32(math.Float32bits(v)))
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
	}
	var doubles []float64
	for i := 0; i < len(bytes); i += 8 {
		doubles = append(doubles, math.Float64frombits(binary.LittleEndian.Uint64(bytes[i:])))
	}
	for name, c := range map[string]struct {
		in    any
		shape []int
		to    graph.DType
		want  any
		gives []int
	}{
		"the same size": {floats, []int{3, 2}, graph.Int32, bits, []int{3, 2}},
		"to bytes":      {floats, []int{3, 2}, graph.Uint8, bytes, []int{3, 8}},
		"from bytes":    {bytes, []int{3, 8}, graph.Float64, doubles, []int{3, 1}},
		"of numbers":    {int64(-2), []int{}, graph.Uint64, []uint64{math.MaxUint64 - 1}, []int{}},
		"of bools": {[]bool{true, false, false, false, false, true, false, false}, []int{8}, graph.Int32,
			[]int32{1, 256}, []int{2}},
		"of float16":     {[]float32{1, -2}, []int{2}, graph.Int16, []int16{0x3c00, -0x4000}, []int{2}},
		"to a stored":    {[]uint8{0x38, 0xb8}, []int{1, 2}, graph.Float8E4M3FN, []float32{1, -1}, []int{1, 2}},
		"of no elements": {[]float32{}, []int{0, 2}, graph.Uint8, []uint8{}, []int{0, 8}},
	} {
		for _, isNamed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				g := graph.New("bits")
				shape := graph.MakeShape(c.shape...)
				for i := range shape {
					if isNamed {
						shape[i] = g.Dim("n"+string(rune('a'+i)), graph.AtLeast(0))
					}
				}
				dt, _ := graph.DTypeOfSlice(c.in)
				if !dt.Valid() {
					dt = graph.Int64
				}
				x := g.Input("x", dt, shape...)
				y := x
				if name == "of float16" {
					y = ops.Cast(y, graph.Float16)
				}
				y = ops.BitCast(y, c.to)
				if c.to == graph.Float8E4M3FN {
					y = ops.Cast(y, graph.Float32)
				}
				prog, err := exec.Compile(g, exec.Outputs(y))
				require.NoError(t, err)
				feed := exec.Feed{x: c.in}
				if len(c.shape) > 0 {
					feed[x] = exec.Array{Shape: c.shape, Data: c.in}
				}
				r, err := prog.NewSession().Run(t.Context(), feed)
				require.NoError(t, err)
				got, err := r.Array(y)
				require.NoError(t, err)
				require.Equal(t, c.gives, append([]int{}, got.Shape...))
				require.Equal(t, c.want, got.Data)
			})
		}
	}
}

func TestBitsThatAreNone(t *testing.T) {
	g := graph.New("refused")
	bytes := g.Input("bytes", graph.Uint8, g.Dim("n"), 6)
	for want, y := range map[string]node{
		"self.size(-1) must be divisible by 4 to view Byte as Float (different element sizes), but got 6": ops.BitCast(
			bytes, graph.Float32),
		"self.dim() cannot be 0 to view Float as Double (different element sizes)": ops.BitCast(
			g.Input("one", graph.Float32), graph.Float64),
		"not all bits of uint8 are valid for Bool": ops.BitCast(bytes, graph.Bool),
		"there is no dtype":                        ops.BitCast(bytes, graph.DType(99)),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "unique_test.go")
	}
	h := graph.New("run")
	x := h.Input("x", graph.Uint8, h.Dim("n"))
	prog, err := exec.Compile(h, exec.Outputs(ops.BitCast(x, graph.Int32)))
	require.NoError(t, err)
	_, err = prog.NewSession().Run(t.Context(), exec.Feed{x: make([]uint8, 6)})
	require.ErrorContains(t, err, "BitCast(x, graph.Int32)")
}
