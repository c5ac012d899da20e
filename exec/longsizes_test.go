package exec_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// TestReshapeOfManySums flattens and folds values whose numbers of elements are products of
// many sums of names, and runs them at sizes of 1 and 2.
func TestReshapeOfManySums(t *testing.T) {
	for _, rank := range []int{4, 12, 16, 20} {
		t.Run(fmt.Sprint("rank ", rank), func(t *testing.T) {
			start := time.Now()
			g := graph.New("sums")
			var shape graph.Shape
			sizes := make([]int, rank)
			for i := range rank {
				least := int64(1)
				if sizes[i] = 2 + i%3/2; i >= 10 {
					least, sizes[i] = 0, 1
				}
				shape = append(shape, g.Dim(fmt.Sprint("n", i), graph.AtLeast(least)).Plus(1))
			}
			x := g.Input("x", graph.Float32, shape...)
			flat := ops.Reshape(x, -1)
			back := ops.Reshape(ops.Mul(flat, graph.Num(2)), shape...)
			tail := ops.Reshape(back, append(graph.Shape{-1}, shape[2:]...)...)
			head := ops.Reshape(tail, append(slices.Clone(shape[:rank-1]), -1)...)
			turned := slices.Clone(shape)
			slices.Reverse(turned)
			odd := ops.Reshape(back, turned...)
			require.NoError(t, g.Err())
			require.Equal(t, shape[0].Times(shape[1]), tail.Shape()[0])
			require.Equal(t, shape[rank-1], head.Shape()[rank-1])
			p, err := exec.Compile(g, exec.Outputs(flat, tail, head, odd), exec.OnWarning(nil))
			require.NoError(t, err)
			count := 1
			for _, n := range sizes {
				count *= n
			}
			data := make([]float32, count)
			for i := range data {
				data[i] = float32(i)
			}
			out, err := p.NewSession().Run(context.Background(), exec.Feed{x: exec.Array{Shape: sizes, Data: data}})
			require.NoError(t, err)
			flattened := exec.ArrayOf(t, out, flat)
			require.Equal(t, []int{count}, flattened.Shape)
			require.Equal(t, data, flattened.Data)
			require.Equal(t, sizes, exec.ArrayOf(t, out, head).Shape)
			require.Equal(t, sizes[0]*sizes[1], exec.ArrayOf(t, out, tail).Shape[0])
			for i, v := range exec.ArrayOf(t, out, odd).Data.([]float32) {
				require.Equal(t, 2*data[i], v)
			}
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}
