package exec_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
	"github.com/broadloom/broadloom/internal/testkit/settings"
	"github.com/broadloom/broadloom/ops"
)

// nearNothing is numbers from the normal range down to the least denormal one.
func nearNothing(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(math.Ldexp(1+float64(i%97)/97, -110-i%45)) * float32(1-i%3)
	}
	return list
}

// computing are operations that compute with numbers near nothing: arithmetic, functions, sums,
// products of matrices and a loop.
func computing(x, y *graph.Node) []*graph.Node {
	half, large := graph.Num(0.5), graph.Num(0x1p60)
	final, _ := ops.Scan(
		ops.Loop{Carry: []*graph.Node{ops.Mul(x, half)}, Over: []*graph.Node{ops.MatMul(x, y)}, Axis: 1},
		func(carry, _ []*graph.Node) (next, out []*graph.Node) {
			return []*graph.Node{ops.Mul(carry[0], half)}, nil
		})
	return append(final,
		ops.Mul(x, half), ops.Add(x, ops.Mul(x, large)), ops.Sub(ops.Mul(x, half), x), ops.Div(x, graph.Num(3)),
		ops.Sqrt(ops.Abs(x)),
		ops.Exp(x), ops.Tanh(x), ops.Gelu(x), ops.Mul(ops.Exp(ops.Mul(x, large)), x), ops.Sum(x), ops.Sum(x, 0),
		ops.Mean(x, 1),
		ops.MatMul(x, ops.Mul(y, large)), ops.MatMul(x, y), ops.Softmax(ops.Mul(x, large), -1),
		ops.Mul(ops.Cast(x, graph.Float64), graph.Num(0x1p-920)))
}

// small makes a program of computing, and feeds it.
func small(t testing.TB) (prog *exec.Program, outputs []*graph.Node, feed exec.Feed) {
	g := graph.New("small")
	x, y := g.Input("x", graph.Float32, 96, 96), g.Input("y", graph.Float32, 96, 96)
	outputs = computing(x, y)
	prog, err := exec.Compile(g, exec.Outputs(outputs...))
	require.NoError(t, err)
	numbers := nearNothing(2 * 96 * 96)
	return prog, outputs,
		exec.Feed{x: exec.Array{Shape: []int{96, 96}, Data: numbers[:96*96]},
			y: exec.Array{Shape: []int{96, 96}, Data: numbers[96*96:]}}
}

// Operations that compute give the same bits on every instruction set, also where they flush.
func TestEverySettingFlushesTheSame(t *testing.T) {
	settings.Same(t, func() string {
		prog, outputs, feed := small(t)
		out, err := prog.NewSession(exec.FlushDenormals()).Run(context.Background(), feed)
		require.NoError(t, err)
		var text strings.Builder
		for i, n := range outputs {
			a, err := out.Array(n)
			require.NoError(t, err)
			h := fnv.New64a()
			require.NoError(t, binary.Write(h, binary.LittleEndian, a.Data))
			fmt.Fprintf(&text, "output %d (%s): %016x\n", i, n.Op().Name, h.Sum64())
		}
		return text.String()
	})
}

// isDenormal reports whether a number is one.
func isDenormal(v float32) bool { return v != 0 && math.Abs(float64(v)) < 0x1p-126 }

// With the option no result of arithmetic is denormal, on any number of threads; without it, many are.
// What the caller computes after a run follows IEEE 754 in both cases.
func TestFlushDenormals(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the option does nothing here")
	}
	prog, outputs, feed := small(t)
	for _, threads := range []int{1, 4} {
		for _, flush := range []bool{false, true} {
			opts := []exec.SessionOption{exec.Threads(threads)}
			if flush {
				opts = append(opts, exec.FlushDenormals())
			}
			out, err := prog.NewSession(opts...).Run(context.Background(), feed)
			require.NoError(t, err)
			found := map[string]int{}
			for i, n := range outputs[:len(outputs)-1] {
				a, err := out.Array(n)
				require.NoError(t, err)
				for _, v := range a.Data.([]float32) {
					if isDenormal(v) {
						found[fmt.Sprintf("output %d: %s", i, n.Op().Name)]++
					}
				}
			}
			require.Equal(t, flush, len(found) == 0, "denormal results: %v", found)
			tiny := math.Float32frombits(1)
			require.True(t, isDenormal(float32(threads)*tiny), "the caller's arithmetic")
		}
	}
}

// Normal numbers are computed alike with the option and without.
func TestFlushingChangesNothingElse(t *testing.T) {
	prog, outputs, feed := wide(t)
	require.Equal(t, run(t, prog.NewSession(), outputs, feed),
		run(t, prog.NewSession(exec.FlushDenormals()), outputs, feed))
}

// Runs that flush allocate nothing, and cost no more than others.
func TestFlushingIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	g := graph.New("decay")
	x := g.Input("x", graph.Float32, 1<<16)
	y := x
	for range 8 {
		y = ops.Mul(ops.Add(y, x), graph.Num(0.5))
	}
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	denormal := make([]float32, 1<<16)
	for i := range denormal {
		denormal[i] = math.Float32frombits(uint32(1 + i%1000))
	}
	feed := exec.Feed{x: exec.Array{Shape: []int{1 << 16}, Data: denormal}}
	time1 := func(opts ...exec.SessionOption) time.Duration {
		s := prog.NewSession(append(opts, exec.Threads(1))...)
		var times []time.Duration
		for range 50 {
			start := time.Now()
			_, err := s.Run(context.Background(), feed)
			require.NoError(t, err)
			times = append(times, time.Since(start))
		}
		allocs.RequireNone(t, 10, func() { s.Run(context.Background(), feed) })
		return slices.Min(times)
	}
	slow, fast := time1(), time1(exec.FlushDenormals())
	t.Logf("%v with denormal numbers, %v flushed", slow, fast)
	require.Less(t, float64(fast), 1.2*float64(slow))
}
