package exec_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/clock"
	"github.com/broadloom/broadloom/ops"
)

// putBodies are steps that put slices into what they carry, two buffers of [9, 4], and what else they do with them.
var putBodies = map[string]func(i *graph.Node, c []*graph.Node) []*graph.Node{
	"puts": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{put(c[0], i, row(c[1], i)), c[1]}
	},
	"reads before": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{put(c[0], i, ops.Mul(row(c[0], ops.Sub(graph.Num(8), i)), ops.Mean(c[0]))), c[1]}
	},
	"reads after": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		next := put(c[0], i, ops.Neg(row(c[0], i)))
		return []*graph.Node{next, ops.Add(c[1], ops.Mul(c[0], ops.Sum(next)))}
	},
	"reads what is put": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		next := put(c[0], i, ops.Add(row(c[0], i), graph.Num(1)))
		return []*graph.Node{next, put(c[1], i, row(next, i))}
	},
	"swaps": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{put(c[1], i, row(c[0], i)), put(c[0], ops.Sub(graph.Num(8), i), row(c[1], i))}
	},
	"hands on the one before": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{put(c[0], i, row(c[1], i)), c[0]}
	},
	"hands on one twice": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		next := put(c[0], i, ops.Exp(ops.Neg(row(c[1], ops.Sub(graph.Num(8), i)))))
		return []*graph.Node{next, next}
	},
	"puts a part of itself": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{
			ops.IndexCopy(c[0], 0, ops.Add(ops.Iota(c[0].Graph(), 0, 3), graph.Num(1)), ops.Slice(c[0], 0, 0, 3, 1)),
			c[1]}
	},
	"puts columns": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		at := ops.Remainder(ops.Unsqueeze(i, 0), graph.Num(4))
		return []*graph.Node{ops.IndexCopy(c[0], 1, at, ops.Slice(c[1], 1, 1, 2, 1)),
			ops.IndexPut(c[1], []*graph.Node{ops.Unsqueeze(i, 0), at}, ops.Mean(c[0]))}
	},
	"adds": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		at := ops.Concat(0, ops.Unsqueeze(i, 0), ops.Unsqueeze(ops.Sub(graph.Num(8), i), 0), ops.Unsqueeze(i, 0))
		return []*graph.Node{ops.IndexAdd(c[0], 0, at, ops.Slice(c[1], 0, 2, 5, 1)), c[1]}
	},
	"adds a part of itself": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		at := ops.Unsqueeze(ops.Remainder(i, graph.Num(4)), 0)
		return []*graph.Node{ops.IndexAdd(c[0], 1, at, ops.Slice(c[0], 1, 0, 1, 1)), c[0]}
	},
	"adds elements": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		at := ops.Remainder(ops.Add(ops.Iota(c[0].Graph(), 0, 3, 4), i), graph.Num(9))
		return []*graph.Node{ops.ScatterAdd(c[0], 0, at, c[1]),
			ops.IndexPut(c[1], []*graph.Node{ops.Unsqueeze(i, 0)}, ops.Mean(c[0]), ops.Accumulate())}
	},
	"puts twice": func(i *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{put(put(c[0], i, row(c[1], i)), ops.Sub(graph.Num(8), i), row(c[0], i)), c[1]}
	},
}

func put(x, at, slice *graph.Node) *graph.Node {
	return ops.IndexCopy(x, 0, ops.Unsqueeze(at, 0), slice)
}

func row(x, at *graph.Node) *graph.Node { return ops.Take(x, 0, ops.Unsqueeze(at, 0)) }

// Slices that a loop puts into what it carries are put where it is, and the results are those of the unrolled steps,
// bit for bit: also where what was there before is used once more, and where all steps are kept for gradients.
func TestLoopsPutSlicesInPlace(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "0") // which looks whether functions write what they read
	for name, body := range putBodies {
		for _, steps := range []int{0, 1, 2, 7} {
			for _, gradients := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/%v", name, steps, gradients), func(t *testing.T) {
					requireUnrolledPuts(t, body, steps, gradients)
				})
			}
		}
	}
}

func requireUnrolledPuts(t *testing.T, body func(i *graph.Node, c []*graph.Node) []*graph.Node, steps int,
	gradients bool) {
	g := graph.New("puts")
	x, count := g.Input("x", graph.Float32, 2, 9, 4), g.Input("count", graph.Int64)
	begin := []*graph.Node{ops.Select(x, 0, 0), ops.Select(x, 0, 1)}
	while, _ := ops.While(9, append([]*graph.Node{g.Scalar(graph.Int64, 0)}, begin...),
		func(c []*graph.Node) *graph.Node { return ops.Less(c[0], count) },
		func(i *graph.Node, c []*graph.Node) []*graph.Node {
			return append([]*graph.Node{ops.Add(i, graph.Num(1))}, body(i, c[1:])...)
		})
	unrolled := begin
	for i := range steps {
		unrolled = body(g.Scalar(graph.Int64, float64(i)), unrolled)
	}
	outputs := slices.Concat(unrolled, ops.Fori(graph.Dim(steps), begin, body), while[1:])
	if gradients {
		for _, o := range slices.Clone(outputs) {
			outputs = append(outputs, autodiff.Grad(ops.Sum(ops.Sin(o)), []*graph.Node{x})[0])
		}
	}
	prog, err := exec.Compile(g, exec.Outputs(outputs...), exec.OnWarning(nil))
	require.NoError(t, err)
	data := make([]float32, 2*9*4)
	for i := range data {
		data[i] = float32(i%7) - 2.5
	}
	for i := 0; i < len(data); i += 5 {
		data[i] = float32(math.Copysign(0, -1))
	}
	for _, options := range [][]exec.SessionOption{{exec.Threads(1)}, {exec.Threads(3)}, {exec.GuardOperands()}} {
		s := prog.NewSession(options...)
		for range 2 {
			r, err := s.Run(t.Context(), exec.Feed{
				x: exec.Array{Shape: []int{2, 9, 4}, Data: data}, count: int64(steps)})
			require.NoError(t, err)
			var values [][]float32
			for _, o := range outputs {
				v, err := exec.Values[float32](r, o)
				require.NoError(t, err)
				values = append(values, slices.Clone(v))
			}
			require.Equal(t, bitsOfAll(values[:2]), bitsOfAll(values[2:4]))
			require.Equal(t, bitsOfAll(values[:2]), bitsOfAll(values[4:6]))
			if gradients {
				want := slices.Concat(values[6:8]...)
				require.InDeltaSlice(t, want, slices.Concat(values[8:10]...), 1e-4)
				require.InDeltaSlice(t, want, slices.Concat(values[10:]...), 1e-4)
			}
		}
	}
}

func bitsOfAll(values [][]float32) (bits []uint32) {
	for _, v := range slices.Concat(values...) {
		bits = append(bits, math.Float32bits(v))
	}
	return bits
}

// A step that puts a slice, or adds one, takes the time of the slice: what the loop carries may be as large as it
// wants.
func TestPutsInLoopsMoveSlicesAlone(t *testing.T) {
	t.Setenv(exec.VerifyVariable, "0")
	const rows = 40_000
	taken := func(steps graph.Dim, step func(x, at, slice *graph.Node) *graph.Node) time.Duration {
		g := graph.New("buffer")
		x := g.Input("x", graph.Float32, rows, 64)
		f := ops.Fori(steps, []*graph.Node{x}, func(i *graph.Node, c []*graph.Node) []*graph.Node {
			return []*graph.Node{step(c[0], ops.Unsqueeze(i, 0), ops.Neg(row(c[0], i)))}
		})
		prog, err := exec.Compile(g, exec.Outputs(f[0]))
		require.NoError(t, err)
		s := prog.NewSession(exec.Threads(1))
		feed, least := exec.Feed{x: exec.Array{Shape: []int{rows, 64}, Data: make([]float32, rows*64)}}, time.Hour
		for range 4 {
			began := clock.Now()
			_, err := s.Run(t.Context(), feed)
			require.NoError(t, err)
			least = min(least, clock.Now()-began)
		}
		return least
	}
	for name, step := range map[string]func(x, at, slice *graph.Node) *graph.Node{
		"put": func(x, at, slice *graph.Node) *graph.Node { return ops.IndexCopy(x, 0, at, slice) },
		"add": func(x, at, slice *graph.Node) *graph.Node { return ops.IndexAdd(x, 0, at, slice) },
		"add elements": func(x, at, slice *graph.Node) *graph.Node {
			return ops.ScatterAdd(x, 0, ops.Expand(ops.Unsqueeze(at, 1), 1, 64), slice)
		},
	} {
		few, many := taken(10, step), taken(1000, step)
		t.Logf("%s: %v and %v", name, few, many)
		require.Less(t, many, 30*few, "%s: where each step copies the whole, 100 times as many take 100 times as long",
			name)
	}
}
