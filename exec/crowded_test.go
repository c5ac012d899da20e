package exec

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// Buffers are crowded where a kernel works on many of them at once, not where it works on a few.
func TestCrowdedBuffers(t *testing.T) {
	for _, c := range []struct{ products, crowded int }{{14, 14}, {4, 0}} {
		g := graph.New("crowded")
		x := g.Input("x", graph.Float32, 300, 40)
		var sum *graph.Node
		for i := range c.products {
			y := ops.MatMul(x, g.Input(fmt.Sprintf("w%d", i), graph.Float32, 40, 50))
			if y = ops.Exp(y); sum != nil {
				y = ops.Mul(sum, y)
			}
			sum = y
		}
		p, err := Compile(g, Outputs(sum))
		require.NoError(t, err)
		crowded := 0
		for _, s := range p.code.Buffers {
			if s.Crowded {
				crowded++
			}
		}
		require.Equal(t, c.crowded, crowded, p)
	}
}
