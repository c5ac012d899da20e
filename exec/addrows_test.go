package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// rowWrites are writes of sums by index; rate is a number that is fed.
var rowWrites = []struct {
	name  string
	found bool // only the rows are written
	write func(w, sum, rate *graph.Node) *graph.Node
}{
	{"w -= s", true, func(w, s, _ *graph.Node) *graph.Node { return ops.SubInPlace(w, s) }},
	{"w -= 0.1s", true, func(w, s, _ *graph.Node) *graph.Node { return ops.SubInPlace(w, ops.Mul(s, graph.Num(0.1))) }},
	{"w += rate·s", true, func(w, s, rate *graph.Node) *graph.Node { return ops.AddInPlace(w, ops.Mul(rate, s)) }},
	{"w -= (s·rate)·0.3", true, func(w, s, rate *graph.Node) *graph.Node {
		return ops.SubInPlace(w, ops.Mul(ops.Mul(s, rate), graph.Num(0.3)))
	}},
	{"w = w - rate·s", true, func(w, s, rate *graph.Node) *graph.Node {
		return ops.CopyInPlace(w, ops.Sub(w, ops.Mul(rate, s)))
	}},
	{"w = s - w", false, func(w, s, _ *graph.Node) *graph.Node { return ops.CopyInPlace(w, ops.Sub(s, w)) }},
	{"w -= s + w", false, func(w, s, _ *graph.Node) *graph.Node { return ops.SubInPlace(w, ops.Add(s, w)) }},
	{"w -= s²", false, func(w, s, _ *graph.Node) *graph.Node { return ops.SubInPlace(w, ops.Mul(s, s)) }},
	{"w -= s·Σw", true, func(w, s, _ *graph.Node) *graph.Node {
		return ops.SubInPlace(w, ops.Mul(s, ops.Sum(w)))
	}},
}

// tableProgram is a program that writes a table.
type tableProgram struct {
	*exec.Program
	w, rate, rows, at *graph.Node
}

// writeRows compiles a write of w, a table, by a sum of rows. The sum is an output where it is to be
// stored whole.
func writeRows(t *testing.T, dt graph.DType, axis int, whole bool,
	write func(w, sum, rate *graph.Node) *graph.Node) tableProgram {
	t.Helper()
	g := graph.New("rows")
	n := g.Dim("n", graph.AtLeast(0))
	shape, rows := []graph.Dim{7, 5}, []graph.Dim{n, 2, 5}
	if axis == 1 {
		shape, rows = []graph.Dim{5, 7}, []graph.Dim{5, n, 2}
	}
	p := tableProgram{w: g.Param("w", dt, shape...), rate: g.Input("rate", dt), rows: g.Input("rows", dt, rows...),
		at: g.Input("at", graph.Int64, n, 2)}
	sum := ops.SegmentSum(p.rows, axis, p.at, 7)
	options := []exec.Option{exec.Updates(write(p.w, sum, p.rate))}
	if whole {
		options = append(options, exec.Outputs(sum))
	}
	var err error
	p.Program, err = exec.Compile(g, options...)
	require.NoError(t, err)
	return p
}

// written returns the bits of the table after a run.
func (p tableProgram) written(t *testing.T, s *exec.Session, w any, rows exec.Array, at []int64,
	rate float64) []uint64 {
	t.Helper()
	require.NoError(t, s.SetParam(p.w, w))
	feed := exec.Feed{p.rows: rows, p.at: at, p.rate: []float64{rate}}
	if p.rate.DType() == graph.Float32 {
		feed[p.rate] = []float32{float32(rate)}
	}
	_, err := s.Run(context.Background(), feed)
	require.NoError(t, err)
	values, err := s.Param(p.w)
	require.NoError(t, err)
	return bitsOf(values.Data)
}

func TestRowsThatIndicesNameAreWrittenAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1e-41}
	number := func() float64 {
		if rng.IntN(4) == 0 {
			return special[rng.IntN(len(special))]
		}
		return rng.NormFloat64()
	}
	numbers := func(dt graph.DType, n int) any {
		if dt == graph.Float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = number()
			}
			return x
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(number())
		}
		return x
	}
	for _, tt := range rowWrites {
		for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
			for axis := range 2 {
				whole, alone := writeRows(t, dt, axis, true, tt.write), writeRows(t, dt, axis, false, tt.write)
				require.Equal(t, tt.found, strings.Contains(alone.String(), "add_rows_"), "%s: %s", tt.name, alone)
				require.NotContains(t, whole.String(), "add_rows_")
				a, b := whole.NewSession(exec.Threads(1)), alone.NewSession(exec.Threads(2))
				for _, n := range []int{3, 0, 1, 40} {
					w, at := numbers(dt, 35), make([]int64, 2*n)
					for i := range at {
						at[i] = rng.Int64N(7)
					}
					shape := []int{n, 2, 5}
					if axis == 1 {
						shape = []int{5, n, 2}
					}
					rows, rate := numbers(dt, 10*n), number()
					got := alone.written(t, b, w, exec.Array{Shape: shape, Data: rows}, at, rate)
					require.Equal(t, whole.written(t, a, w, exec.Array{Shape: shape, Data: rows}, at, rate), got,
						"%s of %s, axis %d, %d indices", tt.name, dt, axis, n)
				}
			}
		}
	}
}

func TestIndicesOutsideLeaveTheTable(t *testing.T) {
	p := writeRows(t, graph.Float32, 0, false, rowWrites[1].write)
	s := p.NewSession()
	before := p.written(t, s, make([]float32, 35), exec.Array{Shape: []int{1, 2, 5}, Data: make([]float32, 10)},
		[]int64{0, 6}, 1)
	for _, bad := range []int64{7, -1} {
		_, err := s.Run(context.Background(),
			exec.Feed{p.rows: exec.Array{Shape: []int{1, 2, 5}, Data: []float32{9, 9, 9, 9, 9, 9, 9, 9, 9, 9}},
				p.at: []int64{3, bad}, p.rate: float32(1)})
		require.ErrorContains(t, err, fmt.Sprintf("at[0, 1] is %d, not in 0..6", bad))
		require.ErrorContains(t, err, "addrows_test.go")
	}
	after := p.written(t, s, make([]float32, 35), exec.Array{Shape: []int{1, 2, 5}, Data: make([]float32, 10)},
		[]int64{0, 6}, 1)
	require.Equal(t, before, after, "what the indices named before is forgotten")
}
