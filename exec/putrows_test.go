package exec_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// Slices that are put into a state in place are nearly all that a run moves, whatever the axis, the dtype and the
// threads, and the last of several for one place stays. What reads the state after the write has them, and an index
// outside leaves it as it was.
func TestSlicesPutInPlace(t *testing.T) {
	dtypes := []graph.DType{graph.Float32, graph.Bool, graph.Float64, graph.Float16, graph.Int64, graph.Uint8}
	if testing.Short() {
		dtypes = dtypes[:2]
	}
	for _, dtype := range dtypes {
		for axis := range 3 {
			for _, threads := range []int{1, 3} {
				shape := []int{3, 200, 300}
				shape[0], shape[axis] = shape[axis], shape[0]
				if axis == 0 {
					shape[0], shape[1] = shape[1], shape[0]
				}
				moved, got := putIntoState(t, dtype, axis, threads, shape)
				restore := exec.WithoutPass("add-rows")
				most, want := putIntoState(t, dtype, axis, threads, shape)
				restore()
				require.True(t, slices.Equal(want, got), "%s, axis %d of %v", dtype, axis, shape) // too long to be told
				if shape[axis] > 3 {
					require.Less(t, 4*moved, most)
				}
			}
		}
	}
}

// putIntoState puts three slices into a state and reads one of them, and returns the bytes that a run moves, and the
// bits of what was read and of the state.
func putIntoState(t *testing.T, dtype graph.DType, axis, threads int, sizes []int) (moved int, after []uint64) {
	t.Helper()
	g := graph.New("put")
	shape := graph.MakeShape(sizes...)
	state := g.State("state", dtype, nn.Ones(), shape...)
	shape[axis] = 3
	index, x := g.Input("index", graph.Int64, 3), g.Input("x", graph.Float32, shape...)
	written := ops.CopyInPlace(state, ops.IndexCopy(state, axis, index, ops.Cast(x, dtype)))
	read := ops.Copy(ops.Select(written, axis, 1))
	prog, err := exec.Compile(g, exec.Updates(written), exec.Outputs(read))
	require.NoError(t, err)
	stats, err := prog.Stats(nil)
	require.NoError(t, err)
	s := prog.NewSession(exec.Threads(threads))
	data := make([]float32, sizes[0]*sizes[1]*sizes[2]/sizes[axis]*3)
	for i := range data {
		data[i] = float32(i % 5)
	}
	last := int64(sizes[axis] - 1)
	ints, _ := shape.Ints()
	_, err = s.Run(t.Context(), exec.Feed{index: []int64{1, last, 1}, x: exec.Array{Shape: ints, Data: data}})
	require.NoError(t, err)
	r, err := s.Run(t.Context(), exec.Feed{index: []int64{last, 1, 1}, x: exec.Array{Shape: ints, Data: data}})
	require.NoError(t, err)
	part, err := r.Array(read)
	require.NoError(t, err)
	after = bitsOf(part.Data)
	_, err = s.Run(t.Context(), exec.Feed{index: []int64{0, last + 1, 1}, x: exec.Array{Shape: ints, Data: data}})
	require.ErrorContains(t, err, "index out of range in self: index[1] is")
	whole, err := s.Param(state)
	require.NoError(t, err)
	return stats.Moved, append(after, bitsOf(whole.Data)...)
}

// A decoder that keeps keys and values writes those of the new place alone: a cache ten times as long is read, and not
// written.
func TestCachesAreWrittenWhereTheyGrow(t *testing.T) {
	const width, longest = 64, 4096
	g := graph.New("decode")
	x := g.Input("x", graph.Float32, 1, 1, width)
	l := nn.NewMultiHeadAttention(g, "attention", width, 4, nn.Causal())
	cache, pass := l.NewCache("cache", 1, longest), nn.Evaluation(g)
	y := l.Attend(pass, x, x, x, nn.Cached(cache))
	prog, err := exec.Compile(g, exec.Outputs(y), exec.Updates(pass.Updates()...))
	require.NoError(t, err)
	stats, err := prog.Stats(nil)
	require.NoError(t, err)
	const keysAndValues = 2 * longest * width * 4
	require.Less(t, stats.Moved, keysAndValues*3/2)
}
