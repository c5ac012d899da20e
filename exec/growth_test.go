//go:build unix

package exec_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// growing are families of graphs whose compilation takes time in proportion to n.
var growing = map[string]func(x *graph.Node, n int) *graph.Node{
	"operations": func(x *graph.Node, n int) *graph.Node { return times(n, x, ops.Tanh) },
	"views": func(x *graph.Node, n int) *graph.Node {
		x = ops.Reshape(x, 2, 2, 2)
		for i := range n {
			x = ops.Transpose(x, i%2, 2)
		}
		return x
	},
	"operations on views": func(x *graph.Node, n int) *graph.Node {
		return times(n, x, func(x *graph.Node) *graph.Node { return ops.Tanh(ops.Flip(x, 0)) })
	},
	"writes": func(x *graph.Node, n int) *graph.Node {
		return times(n, ops.Copy(x), func(y *graph.Node) *graph.Node { return ops.AddInPlace(y, x) })
	},
	"writes of parts": func(x *graph.Node, n int) *graph.Node {
		return times(n/4, ops.Copy(x), func(x *graph.Node) *graph.Node {
			return ops.After(x, ops.AddInPlace(ops.Slice(x, 0, 1, 3, 1), graph.Num(1)))
		})
	},
	"sums": func(x *graph.Node, n int) *graph.Node {
		return times(n/4, x, func(x *graph.Node) *graph.Node { return ops.Sub(x, ops.Sum(x)) })
	},
	"products": func(x *graph.Node, n int) *graph.Node {
		w := ops.Copy(ops.Expand(x, 8, 8))
		return times(n/4, ops.Reshape(x, 1, 8), func(x *graph.Node) *graph.Node { return ops.Tanh(ops.MatMul(x, w)) })
	},
	"terms": func(x *graph.Node, n int) *graph.Node {
		sum := x
		for i := range n {
			sum = ops.Add(sum, ops.Mul(x, graph.Num(float32(i))))
		}
		return sum
	},
	"parts": func(x *graph.Node, n int) *graph.Node { // and the gradient, a sum of paddings
		x = ops.Copy(ops.Expand(x, graph.Dim(n/4), 8))
		sum := ops.Tanh(ops.Select(x, 0, 0))
		for _, part := range ops.Unbind(x, 0)[1:] {
			sum = ops.Add(sum, ops.Tanh(part))
		}
		return autodiff.Grad(ops.Sum(sum), []*graph.Node{x})[0]
	},
	"operands": func(x *graph.Node, n int) *graph.Node {
		var parts []*graph.Node
		for i := range n {
			parts = append(parts, ops.Mul(x, graph.Num(float32(i))))
		}
		return ops.Concat(0, parts...)
	},
}

// manyResults are products one behind the other, and a step along the gradient for the matrix of each: as many results
// as a deep network has parameters.
func manyResults(x *graph.Node, n int) []*graph.Node {
	square := ops.Expand(x, 8, 8)
	x = ops.Copy(ops.Expand(x, 64, 8))
	var list []*graph.Node
	for range n / 4 {
		list = append(list, ops.Copy(square))
		x = ops.Relu(ops.MatMul(x, list[len(list)-1]))
	}
	for i, dw := range autodiff.Grad(ops.Mean(ops.Square(x)), list) {
		list[i] = ops.Sub(list[i], ops.Mul(dw, graph.Num(0.1)))
	}
	return list
}

func times(n int, x *graph.Node, f func(*graph.Node) *graph.Node) *graph.Node {
	for range n {
		x = f(x)
	}
	return x
}

// TestTimeGrowsWithTheGraph compares graphs of which one is eight times as large as the
// other: time that grows with the square would be 64 times as long.
func TestTimeGrowsWithTheGraph(t *testing.T) {
	const small, factor, most = 300, 8, 26
	cases := map[string]func(x *graph.Node, n int) []*graph.Node{"results": manyResults}
	for name, build := range growing {
		cases[name] = func(x *graph.Node, n int) []*graph.Node { return []*graph.Node{build(x, n)} }
	}
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			ratio := 0.0
			for range 3 { // the machine may be busy
				one := min(timeOf(t, build, small), timeOf(t, build, small), timeOf(t, build, small))
				if ratio = float64(timeOf(t, build, factor*small)) / float64(one); ratio < most {
					return
				}
			}
			t.Errorf("%d times as many nodes take %.0f times as long", factor, ratio)
		})
	}
}

// timeOf returns the time that processors work for building a graph, compiling it and running
// it once: what else the machine does has no part in it.
func timeOf(t *testing.T, build func(*graph.Node, int) []*graph.Node, n int) time.Duration {
	start := processorTime(t)
	g := graph.New("growing")
	x := g.Input("x", graph.Float32, 8)
	p, err := exec.Compile(g, exec.Outputs(build(x, n)...))
	require.NoError(t, err)
	_, err = p.NewSession().Run(context.Background(),
		exec.Feed{x: exec.Array{Shape: []int{8}, Data: make([]float32, 8)}})
	require.NoError(t, err)
	return processorTime(t) - start
}

// processorTime returns the time that processors have worked for the process.
func processorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
