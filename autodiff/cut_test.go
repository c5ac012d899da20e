package autodiff_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// If all paths are cut, the message names the nodes that cut them, with the user's lines.
func TestCutWays(t *testing.T) {
	for name, c := range map[string]struct {
		build func(x *graph.Node) *graph.Node
		want  []string
	}{
		"a stopped gradient": {func(x *graph.Node) *graph.Node { return ops.Sum(ops.Square(ops.StopGradient(x))) },
			[]string{"StopGradient(x), made at cut_test.go:", "cuts the way"}},
		"a cast to integers and back": {func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Cast(ops.Cast(x, graph.Int32), graph.Float32))
		}, []string{"Cast(x, graph.Int32), made at cut_test.go:", "int32"}},
		"the place of the greatest": {func(x *graph.Node) *graph.Node {
			return ops.Mean(ops.Cast(ops.ArgMax(x, 0), graph.Float32))
		},
			[]string{"ArgMax(x, 0), made at cut_test.go:", "int64"}},
		"a comparison": {func(x *graph.Node) *graph.Node {
			return ops.Mean(ops.Cast(ops.Greater(x, graph.Num(0)), graph.Float32))
		},
			[]string{"Greater(x, 0), made at cut_test.go:", "bool"}},
		"a condition": {func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Where(ops.Greater(x, graph.Num(0)), graph.Num(1.0), graph.Num(2.0)))
		}, []string{"Greater(x, 0), made at cut_test.go:"}},
		"two ways": {func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Mul(ops.StopGradient(x), ops.Cast(ops.Sign(ops.Cast(x, graph.Int64)), graph.Float32)))
		}, []string{"StopGradient(x), made at", "Cast(x, graph.Int64), made at"}},
		"in a loop": {func(x *graph.Node) *graph.Node {
			return ops.Sum(ops.Fori(3, []*graph.Node{ops.ZerosLike(x)},
				func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					return []*graph.Node{ops.Add(c[0], ops.StopGradient(x))}
				})[0])
		}, []string{"StopGradient(x), made at cut_test.go:"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("g")
			x := g.Input("x", graph.Float32, 3)
			autodiff.Grad(c.build(x), []*graph.Node{x})
			require.Len(t, g.Mistakes(), 1)
			for _, want := range c.want {
				assert.ErrorContains(t, g.Err(), want)
			}
			assert.ErrorContains(t, g.Err(), "to x, on which it depends")

			g = graph.New("zeros")
			x = g.Input("x", graph.Float32, 3)
			dx := autodiff.Grad(c.build(x), []*graph.Node{x}, autodiff.ZeroForUnused())[0]
			require.NoError(t, g.Err())
			assert.Equal(t, x.Shape(), dx.Shape())
		})
	}
}

// A path next to one that is cut, and one of zeros, are paths.
func TestUncutWays(t *testing.T) {
	g := graph.New("g")
	x := g.Input("x", graph.Float32, 3)
	autodiff.Grad(ops.Sum(ops.Mul(x, ops.StopGradient(x))), []*graph.Node{x})
	autodiff.Grad(ops.Sum(ops.Round(x)), []*graph.Node{x})
	require.NoError(t, g.Err())
}
