package shapeinfer_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// picking are models that pick elements of each example by index.
var picking = map[string]func(g *graph.Graph, b graph.Dim) *graph.Node{
	"elements along the middle": func(g *graph.Graph, b graph.Dim) *graph.Node {
		return ops.Gather(g.Input("x", f32, b, g.Dim("n"), 8), 1, g.Input("i", graph.Int64, b, g.Dim("k"), 8))
	},
	"elements along the end": func(g *graph.Graph, b graph.Dim) *graph.Node {
		n := g.Dim("n")
		return ops.Gather(g.Input("x", f32, b, n, g.Dim("d")), 2, g.Input("i", graph.Int64, b, n, 3))
	},
	"one element": func(g *graph.Graph, b graph.Dim) *graph.Node {
		return ops.Gather(g.Input("x", f32, b, 1), 1, g.Input("i", graph.Int64, b, 1))
	},
	"rows that all share": func(g *graph.Graph, b graph.Dim) *graph.Node {
		return ops.Take(g.Input("x", f32, b, 5, 8), 1, g.Input("i", graph.Int64, g.Dim("m"), 3))
	},
	"rows of a table, and a factor": func(g *graph.Graph, b graph.Dim) *graph.Node {
		rows := ops.Embedding(g.Input("i", graph.Int64, b, 3), g.Param("table", f32, 10, 4))
		return ops.Mul(rows, g.Input("x", f32, b, 3, 4))
	},
	"places that are computed": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 8)
		at := ops.Add(ops.Mul(ops.Iota(g, 0, b, 4), graph.Num(8)), ops.Iota(g, 1, b, 4))
		return ops.Take(ops.Reshape(x, -1), 0, at)
	},
	"places that are computed, added to": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 4)
		at := ops.Add(ops.Mul(ops.Iota(g, 0, b, 4), graph.Num(8)), ops.Iota(g, 1, b, 4))
		return ops.Reshape(ops.SegmentSum(x, 0, at, b.Times(8)), b, 8)
	},
}

// TestGradientsOfIndependentModelsAreProved takes the gradient of a sum over examples with respect to
// the inputs of models that are proved: it treats them independently too.
func TestGradientsOfIndependentModelsAreProved(t *testing.T) {
	models := maps.Clone(independent)
	maps.Copy(models, picking)
	delete(models, "written in place")       // has no gradient
	delete(models, "two views in one batch") // the gradient of each is 0 in the other's half, which is not followed
	for name, build := range models {
		t.Run(name, func(t *testing.T) {
			g := graph.New("rows")
			y := build(g, g.Dim("batch"))
			require.NoError(t, shapeinfer.Independent(y, 0))
			var inputs []*graph.Node
			for _, x := range g.Inputs() {
				if x.DType().IsFloat() && x.Rank() > 0 {
					inputs = append(inputs, x)
				}
			}
			if !y.DType().IsFloat() || len(inputs) == 0 {
				return
			}
			for _, d := range autodiff.Grad(ops.Sum(ops.Square(y)), inputs, autodiff.ZeroForUnused()) {
				require.NoError(t, g.Err())
				assert.NoError(t, shapeinfer.Independent(d, 0))
			}
		})
	}
}

// TestPlacesThatExamplesShareAreNamed has indices by which elements of one example come to another.
func TestPlacesThatExamplesShareAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, want string
		build      func(g *graph.Graph, b graph.Dim) *graph.Node
	}{
		{"rows that overlap", "SegmentSum", func(g *graph.Graph, b graph.Dim) *graph.Node {
			at := ops.Add(ops.Mul(ops.Iota(g, 0, b, 8), graph.Num(4)), ops.Iota(g, 1, b, 8))
			all := ops.SegmentSum(g.Input("x", f32, b, 8), 0, at, b.Times(4).Plus(4))
			return ops.Reshape(ops.Slice(all, 0, 0, b.Times(4), 1), b, 4)
		}},
		{"columns that nobody checks", "Take", func(g *graph.Graph, b graph.Dim) *graph.Node {
			at := ops.Add(ops.Mul(ops.Iota(g, 0, b, 3), graph.Num(8)), g.Input("column", graph.Int64, b, 3))
			return ops.Take(ops.Reshape(g.Input("x", f32, b, 8), -1), 0, at)
		}},
		{"columns that nobody checks, added to", "SegmentSum", func(g *graph.Graph, b graph.Dim) *graph.Node {
			at := ops.Add(ops.Mul(ops.Iota(g, 0, b, 3), graph.Num(8)), g.Input("column", graph.Int64, b, 3))
			return ops.Reshape(ops.SegmentSum(g.Input("x", f32, b, 3), 0, at, b.Times(8)), b, 8)
		}},
		{"columns beyond the end", "Take", func(g *graph.Graph, b graph.Dim) *graph.Node {
			at := ops.Add(ops.Mul(ops.Iota(g, 0, b, 4), graph.Num(8)), ops.Add(ops.Iota(g, 1, b, 4), graph.Num(6)))
			return ops.Take(ops.Reshape(g.Input("x", f32, b, 8), -1), 0, at)
		}},
		{"rows that others pick", "the gradient of Gather(x, 0, i)", func(g *graph.Graph, b graph.Dim) *graph.Node {
			y := ops.Gather(g.Input("x", f32, b, 8), 0, g.Input("i", graph.Int64, b, 8))
			return autodiff.Grad(ops.Sum(y), g.Inputs()[:1])[0]
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New("rows")
			y := c.build(g, g.Dim("batch"))
			require.NoError(t, g.Err())
			assert.ErrorContains(t, shapeinfer.Independent(y, 0), c.want)
		})
	}
}
