package exec_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestFirstFaultIsNamed has two faults in a kernel of few long rows, which threads cut
// within the rows. The fault of the first row is further back in its row than that of the
// second: whatever the threads, it is the one to be named.
func TestFirstFaultIsNamed(t *testing.T) {
	const n = 300_000
	g := graph.New("faults")
	x := g.Input("x", graph.Int32, 2, n)
	y := g.Input("y", graph.Int32, 2, n)
	bias := g.Input("bias", graph.Int32, n) // is repeated, so that the rows do not become one
	first := ops.Remainder(bias, x)
	second := ops.Remainder(bias, y)
	sum := ops.Add(first, second)
	prog, err := exec.Compile(g, exec.Outputs(sum))
	require.NoError(t, err)
	fill := func(count int) []int32 {
		data := make([]int32, count)
		for i := range data {
			data[i] = 7
		}
		return data
	}
	xs, ys := fill(2*n), fill(2*n)
	feed := exec.Feed{x: exec.Array{Shape: []int{2, n}, Data: xs}, y: exec.Array{Shape: []int{2, n}, Data: ys},
		bias: exec.Array{Shape: []int{n}, Data: fill(n)}}
	for _, threads := range []int{1, 2, 4} {
		s := prog.NewSession(exec.Threads(threads))
		for _, c := range []struct {
			inFirstRow, inSecondRow []int32
			want                    *graph.Node
		}{{xs, ys, first}, {ys, xs, second}} {
			c.inFirstRow[n-1000], c.inSecondRow[n+10] = 0, 0
			for range 5 {
				_, err := s.Run(context.Background(), feed)
				var fault *exec.RunError
				require.ErrorAs(t, err, &fault)
				require.Same(t, c.want, fault.Node, "%d threads: %v", threads, err)
			}
			c.inFirstRow[n-1000], c.inSecondRow[n+10] = 7, 7
		}
	}
}

// TestFaultsTellElements has an element at fault in each operation that checks elements: the
// error tells its operand, place and value, whatever the threads.
func TestFaultsTellElements(t *testing.T) {
	const n, c = 400, 50
	large := func(shape ...int) exec.Array {
		data := make([]int64, shape[0]*shape[1])
		data[2*shape[1]+3], data[3*shape[1]+1] = 1005, -7
		return exec.Array{Shape: shape, Data: data}
	}
	g := graph.New("elements")
	scores, target := g.Input("scores", graph.Float32, n, c, 7), g.Input("target", graph.Int64, n, 7)
	x, index := g.Input("x", graph.Float32, n, 7), g.Input("index", graph.Int64, n, 7)
	p, whole := g.Input("p", graph.Float32, n), g.Input("whole", graph.Int32, 2, g.Dim("k"))
	ps, wholes := make([]float32, n), []int32{1, 2, 3, 4, 0, 5}
	ps[9] = 1.5
	feed := exec.Feed{scores: exec.Array{Shape: []int{n, c, 7}, Data: make([]float32, n*c*7)}, target: large(n, 7),
		index: large(n, 7),
		x:     exec.Array{Shape: []int{n, 7}, Data: make([]float32, n*7)}, p: vec(ps...),
		whole: exec.Array{Shape: []int{2, 3}, Data: wholes}}
	for _, v := range []struct {
		y    *graph.Node
		says string
	}{
		{ops.CrossEntropy(scores, target), "a target is out of bounds: target[2, 3] is 1005, not in 0..49"},
		{ops.CrossEntropy(scores, target, ops.IgnoreIndex(1005)),
			"a target is out of bounds: target[3, 1] is -7, not in 0..49"},
		{ops.NLL(scores, target, ops.EachLoss()), "a target is out of bounds: target[2, 3] is 1005, not in 0..49"},
		{ops.CrossEntropy(ops.Slice(scores, 0, 2, 4, 1), ops.Slice(target, 0, 2, 4, 1)),
			"target[2, 3] is 1005, not in 0..49"},
		{ops.Gather(x, 0, index), "index is out of bounds: index[2, 3] is 1005, not in 0..399"},
		{ops.Gather(ops.Transpose(x, 0, 1), 1, ops.Transpose(index, 0, 1)), "index is out of bounds: index["},
		{ops.Gather(x, 0, ops.Add(index, index)),
			"index is out of bounds: Add(index, index)[2, 3] is 2010, not in 0..399"},
		{ops.Gather(x, 0, ops.Cast(ops.Sub(graph.Num(3), ops.Cast(index, graph.Int32)), graph.Int64)),
			"[2, 3] is -1002, not in 0..399"},
		{ops.NLL(scores, ops.Add(target, target)),
			"a target is out of bounds: Add(target, target)[2, 3] is 2010, not in 0..49"},
		{ops.BCE(ops.Mul(p, graph.Num(-0.5)), ops.Zeros(g, graph.Float32, n)),
			"between 0 and 1: Mul(p, -0.5)[9] is -0.75"},
		{ops.BCE(ops.Log(ops.Sub(p, graph.Num(1))), ops.Zeros(g, graph.Float32, n)),
			"between 0 and 1: Log(Sub(…))[0] is NaN"},
		{ops.FloorDiv(ops.Add(whole, graph.Num(1)), ops.Sub(whole, graph.Num(4))),
			"ZeroDivisionError: Sub(whole, 4)[1, 0] is 0"},
		{ops.BCE(p, ops.Zeros(g, graph.Float32, n)), "all elements of input should be between 0 and 1: p[9] is 1.5"},
		{ops.FloorDiv(graph.Num(7), whole), "ZeroDivisionError: whole[1, 1] is 0"},
		{ops.Remainder(graph.Num(7), ops.Transpose(whole, 0, 1)), "ZeroDivisionError: whole[1, 1] is 0"},
		{ops.Fmod(whole, ops.Select(whole, 0, 1)), "ZeroDivisionError: whole[1, 1] is 0"},
		{ops.FloorDiv(whole, graph.Num(0)), "ZeroDivisionError"},
	} {
		prog, err := exec.Compile(g, exec.Outputs(v.y))
		require.NoError(t, err)
		for _, threads := range []int{1, 4} {
			_, err := prog.NewSession(exec.Threads(threads)).Run(context.Background(), feed)
			require.ErrorContains(t, err, v.says, "%d threads", threads)
		}
	}
}

// TestFaultsOfRowsWithoutElements has zero divide the sums of rows that have no elements.
func TestFaultsOfRowsWithoutElements(t *testing.T) {
	g := graph.New("rows")
	x, y := g.Input("x", graph.Int64, 3, g.Dim("n", graph.AtLeast(0))), g.Input("y", graph.Int64, 3, 1)
	_, err := compute(t, ops.FloorDiv(ops.Sum(x, 1, ops.KeepDims()), y), exec.Feed{
		x: exec.Array{Shape: []int{3, 0}, Data: []int64{}}, y: exec.Array{Shape: []int{3, 1}, Data: make([]int64, 3)}})
	require.ErrorContains(t, err, "ZeroDivisionError")
}

// TestFaultsTellOverwrittenElements has elements at fault in memory over which the kernel writes.
func TestFaultsTellOverwrittenElements(t *testing.T) {
	for _, n := range []int{1, 7, 40, 1000} {
		g := graph.New("over")
		x, y := g.Param("x", graph.Int32, graph.Dim(n)), g.Input("y", graph.Int32, graph.Dim(n))
		w := ops.InPlace(ops.Lookup("remainder"), nil, x, ops.Sub(y, graph.Num(5)))
		probability := g.Param("p", graph.Float32, graph.Dim(n))
		log := ops.CopyInPlace(probability, ops.BCE(probability, graph.Num(1), ops.EachLoss()))
		for _, c := range []struct {
			update *graph.Node
			says   string
		}{{w, fmt.Sprintf("ZeroDivisionError: Sub(y, 5)[%d] is 0", n-1)}, {log, fmt.Sprintf("p[%d] is 3", n-1)}} {
			prog, err := exec.Compile(g, exec.Outputs(c.update))
			require.NoError(t, err)
			s := prog.NewSession()
			ys, ps := make([]int32, n), make([]float32, n)
			ys[n-1], ps[n-1] = 5, 3
			require.NoError(t, s.SetParam(x, exec.Array{Shape: []int{n}, Data: make([]int32, n)}))
			require.NoError(t, s.SetParam(probability, exec.Array{Shape: []int{n}, Data: ps}))
			_, err = s.Run(context.Background(), exec.Feed{y: exec.Array{Shape: []int{n}, Data: ys}})
			require.ErrorContains(t, err, c.says, "%d elements", n)
		}
	}
}
