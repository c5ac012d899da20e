package modelvalues

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func tell(t *testing.T, g *graph.Graph) map[string][]string {
	r, err := Tell(g, nil)
	require.NoError(t, err)
	found := map[string][]string{}
	for _, v := range r.(Result).Values {
		assert.NotZero(t, v.Line)
		found[v.Function] = append(found[v.Function], strings.TrimPrefix(v.Type, "float32"))
	}
	return found
}

func block(x *graph.Node) *graph.Node { return ops.Relu(ops.Exp(x)) }

func two(x *graph.Node) (a, b *graph.Node) { return ops.Sum(x, 0), ops.Sum(x, 1) }

// A call has the shapes of what it returned: none of those that it made on the way.
func TestValuesOfCalls(t *testing.T) {
	g := graph.New("values")
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 6)
	h := ops.LayerNorm(x, g.Param("gain", graph.Float32, 6), nil, 1e-5)
	for range 3 {
		h = ops.Softmax(h, 1)
	}
	h = block(block(h))
	for _, part := range ops.Chunk(h, 1, 3) {
		ops.Neg(part)
	}
	two(h)
	ops.Transpose(g.Input("empty", graph.Float32, 0, 1), 0, 1)
	ops.Mul(h, graph.Num(2))
	found := tell(t, g)
	assert.Equal(t, []string{"[n, 6]"}, found["LayerNorm"])
	assert.Equal(t, []string{"[n, 6]"}, found["Softmax"])
	assert.Equal(t, []string{"[n, 6]"}, found["block"], "two calls on one line")
	assert.Equal(t, []string{"[n, 2]"}, found["Chunk"])
	assert.Equal(t, []string{"[n, 2]"}, found["Neg"])
	assert.Empty(t, found["two"], "which of its values is meant cannot be told")
	assert.Equal(t, []string{"[6]", "[n]"}, found["Sum"])
	assert.Equal(t, []string{"[1, 0]"}, found["Transpose"])
	assert.Equal(t, []string{"[n, 6]", "[0, 1]"}, found["Input"])
}

// The values of gradients stand at no line of their own.
func TestValuesThatAreLeftOut(t *testing.T) {
	g := graph.New("left out")
	w := g.Param("w", graph.Float32, 3)
	loss := ops.Sum(ops.Exp(w))
	autodiff.Grad(loss, []*graph.Node{w})
	found := tell(t, g)
	assert.Equal(t, []string{"[]"}, found["Sum"])
	assert.Equal(t, []string{"[3]"}, found["Exp"])
	assert.Len(t, found, 3, "and the parameter")

	r, err := Tell(graph.New("empty"), nil)
	require.NoError(t, err)
	assert.Empty(t, r.(Result).Values)
}
