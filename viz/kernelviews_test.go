package viz_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// Views of a scope, such as transposes, belong to the kernels around them. A card of the scope would stand between all
// of its kernels, which would then be one row.
func TestViewsJoinTheCardsOfKernels(t *testing.T) {
	const layers, width = 6, 64
	g := graph.New("views")
	batch := g.Dim("batch")
	h := g.Input("x", graph.Float32, batch, 8, width)
	for i := range layers {
		wide := g.Param(fmt.Sprintf("wide%d", i), graph.Float32, 2*width, width)
		narrow := g.Param(fmt.Sprintf("narrow%d", i), graph.Float32, width, 2*width)
		g.Scope(fmt.Sprintf("layer%d", i), func() {
			y := ops.Gelu(ops.Linear(ops.RMSNorm(h, nil, 1e-6), wide, nil))
			y = ops.Softmax(ops.Transpose(ops.Unflatten(y, -1, 4, width/2), 1, 2), -1)
			h = ops.Add(h, ops.Linear(ops.Reshape(ops.Transpose(y, 1, 2), batch, 8, 2*width), narrow, nil))
		})
	}
	p, err := exec.Compile(g, exec.Outputs(ops.Sum(h)))
	require.NoError(t, err)
	dot := string(dotOf(t, viz.Program(p)))
	assert.Contains(t, dot, "<b>kernel 9</b>")
	assert.NotContains(t, dot, "<b>layer0", "no card of a scope stands between kernels")
	assert.NotContains(t, dot, "reads layer", "no kernel is cut off from what it reads")
	assert.Contains(t, dot, "one pass", "cards that begin with a view tell what their kernel costs")
}

// Parameters declared outside of the scope that alone reads them go into its card where they are many.
func TestParametersJoinTheCardThatReadsThem(t *testing.T) {
	g := graph.New("steps")
	h := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	shared := g.Param("shared", graph.Float32, 4)
	for i := range 12 {
		var ws []*graph.Node
		for k := range 5 {
			ws = append(ws, g.Param(fmt.Sprintf("w%d_%d", i, k), graph.Float32, 4))
		}
		g.Scope(fmt.Sprintf("step%d", i), func() {
			for _, w := range ws {
				h = ops.Tanh(ops.Add(ops.Mul(h, w), shared))
			}
		})
	}
	dot := drawn(t, g)
	assert.Contains(t, dot, "240 parameters in all")
	assert.NotContains(t, dot, "<b>w3_1</b>")
	assert.Contains(t, dot, "<b>shared</b>", "several steps read it")
	assert.Less(t, boxes(dot), 40)
}
