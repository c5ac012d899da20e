package shapeinfer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// independent are models as people write them, whose rows are independent. y has batch rows.
var independent = map[string]func(g *graph.Graph, b graph.Dim) *graph.Node{
	"mlp": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 20)
		return testmodel.Linear(g, "out", ops.Relu(testmodel.Linear(g, "hidden", x, 64)), 10)
	},
	"cnn": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 3, 32, 32)
		h := ops.Conv2D(x, g.Param("k1", f32, 8, 3, 3, 3), g.Param("b1", f32, 8), ops.Padding(1))
		h = ops.MaxPool2D(ops.Relu(h), 2, 2)
		h = ops.Conv2D(h, g.Param("k2", f32, 16, 4, 3, 3), nil, ops.Padding(1), ops.Groups(2), ops.Stride(2))
		h = ops.GroupNorm(h, 4, g.Param("gain", f32, 16), g.Param("shift", f32, 16), 1e-5)
		h = ops.AvgPool2D(ops.Gelu(h), 2, 2, ops.Padding(1))
		return testmodel.Linear(g, "out", ops.Flatten(h, 1, -1), 10)
	},
	"upsampling": func(g *graph.Graph, b graph.Dim) *graph.Node {
		h := g.Dim("h", graph.MultipleOf(4))
		x := g.Input("x", f32, b, 1, h, h)
		d := ops.MaxPool2D(x, 2, 2)
		u := ops.ConvTranspose2D(d, g.Param("k", f32, 1, 4, 2, 2), nil, ops.Stride(2))
		return ops.Conv2D(ops.Concat(1, u, x), g.Param("k2", f32, 2, 5, 1, 1), nil)
	},
	"attention": attentionRows,
	"attention by einsum": func(g *graph.Graph, b graph.Dim) *graph.Node {
		t := g.Dim("seq")
		x := g.Input("x", f32, b, t, 64)
		heads := func(name string) *graph.Node { return ops.Reshape(testmodel.Linear(g, name, x, 64), b, t, 8, 8) }
		a := ops.Softmax(ops.Einsum("bqhd,bkhd->bhqk", heads("q"), heads("k")), -1)
		return ops.Reshape(ops.Einsum("bhqk,bkhd->bqhd", a, heads("v")), b, t, 64)
	},
	"heads in the batch": func(g *graph.Graph, b graph.Dim) *graph.Node {
		t := g.Dim("seq")
		x := g.Input("x", f32, b, t, 64)
		split := func(n *graph.Node) *graph.Node {
			return ops.Reshape(ops.Transpose(ops.Reshape(n, b, t, 8, 8), 1, 2), b.Times(8), t, 8)
		}
		q := split(x)
		a := ops.Softmax(ops.MatMul(q, ops.Transpose(q, 1, 2)), -1)
		y := ops.Reshape(ops.MatMul(a, q), b, 8, t, 8)
		return ops.Reshape(ops.Transpose(y, 1, 2), b, t, 64)
	},
	"embedding and masked mean": func(g *graph.Graph, b graph.Dim) *graph.Node {
		t := g.Dim("seq", graph.AtMost(128))
		ids := g.Input("ids", graph.Int64, b, t)
		mask := g.Input("mask", f32, b, t)
		h := ops.Embedding(ids, g.Param("table", f32, 1000, 32), 0)
		h = ops.Add(h, ops.Slice(g.Param("pe", f32, 128, 32), 0, 0, t, 1))
		h = ops.LayerNorm(h, g.Param("gain", f32, 32), nil, 1e-5)
		m := ops.Unsqueeze(mask, -1)
		return ops.Div(ops.Sum(ops.Mul(h, m), 1), ops.ClampMin(ops.Sum(m, 1), 1e-6))
	},
	"losses of examples": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x, y := g.Input("x", f32, b, 20), g.Input("y", graph.Int64, b)
		logits := testmodel.Linear(g, "out", x, 10)
		return ops.CrossEntropy(logits, y, ops.EachLoss())
	},
	"chosen actions": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x, actions := g.Input("x", f32, b, 4), g.Input("actions", graph.Int64, b)
		q := testmodel.Linear(g, "q", x, 2)
		return ops.Squeeze(ops.Gather(q, 1, ops.Unsqueeze(actions, 1)), 1)
	},
	"chosen actions by vectors": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x, actions := g.Input("x", f32, b, 4, 2), g.Input("actions", graph.Int64, b, 1)
		return ops.GatherND(x, actions, 1)
	},
	"frames of a video": func(g *graph.Graph, b graph.Dim) *graph.Node {
		t := g.Dim("time")
		x := g.Input("x", f32, b, t, 3, 16, 16)
		h := ops.Conv2D(ops.Reshape(x, b.Times(t), 3, 16, 16), g.Param("k", f32, 4, 3, 3, 3), nil)
		h = ops.Reshape(ops.Mean(h, 2, 3), b, t, 4)
		return ops.Max(h, 1)
	},
	"two views in one batch": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x1, x2 := g.Input("x1", f32, b, 20), g.Input("x2", f32, b, 20)
		h := testmodel.Linear(g, "enc", ops.Concat(0, x1, x2), 8)
		return ops.Sub(ops.Slice(h, 0, 0, b, 1), ops.Slice(h, 0, b, ops.End, 1))
	},
	"bilinear": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x, y := g.Input("x", f32, b, 8), g.Input("y", f32, b, 8)
		return ops.Sum(ops.Mul(ops.MatMul(x, g.Param("w", f32, 8, 8)), y), 1)
	},
	"dropout": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 8)
		return ops.Dropout(x, 0.1, g.Input("seed", graph.Int64))
	},
	"recurrent": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 5, 8)
		h := g.Input("h", f32, b, 16)
		w, u := g.Param("w", f32, 8, 16), g.Param("u", f32, 16, 16)
		var steps []*graph.Node
		for _, step := range ops.Unbind(x, 1) {
			h = ops.Tanh(ops.Add(ops.MatMul(step, w), ops.MatMul(h, u)))
			steps = append(steps, h)
		}
		return ops.Stack(1, steps...)
	},
	"a loop": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x, keep := g.Input("x", f32, b, g.Dim("time"), 8), g.Input("keep", graph.Bool, b, g.Dim("time"))
		w, u := g.Param("w", f32, 8, 16), g.Param("u", f32, 16, 16)
		h := ops.Zeros(g, f32, b, 16)
		last, all := ops.Scan(ops.Loop{Carry: []*graph.Node{h, h}, Over: []*graph.Node{x, keep}, Axis: 1},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				h := ops.Tanh(ops.Add(ops.MatMul(x[0], w), ops.MatMul(c[0], u)))
				h = ops.Where(ops.Unsqueeze(x[1], 1), h, c[0])
				return []*graph.Node{h, ops.Maximum(c[0], c[1])}, []*graph.Node{ops.Softmax(h, -1)}
			})
		return ops.Concat(1, last[0], last[1], ops.Sum(all[0], 1))
	},
	"loops in loops": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, g.Dim("time"), 8)
		last, _ := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, f32, 8, b)}, Over: []*graph.Node{x}, Axis: 1},
			func(c, x []*graph.Node) (next, out []*graph.Node) {
				return ops.Fori(3, c, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					return []*graph.Node{ops.Add(ops.Transpose(x[0], 0, 1), ops.Sin(c[0]))}
				}), nil
			})
		return ops.Transpose(last[0], 0, 1)
	},
	"values that change places": func(g *graph.Graph, b graph.Dim) *graph.Node {
		c := []*graph.Node{g.Input("x", f32, b, 8)}
		for range 12 {
			c = append(c, ops.Zeros(g, f32, b, 8))
		}
		return ops.Fori(20, c, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
			return append(c[1:len(c):len(c)], ops.Exp(c[0]))
		})[5]
	},
	"running statistics": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 8, 4, 4)
		return ops.BatchNormInference(x, g.Param("mean", f32, 8), g.Param("var", f32, 8), g.Param("gain", f32, 8),
			g.Param("bias", f32, 8), 1e-5)
	},
	"a sum along time": func(g *graph.Graph, b graph.Dim) *graph.Node {
		return ops.CumSum(ops.Flip(g.Input("x", f32, b, g.Dim("t"), 2), 1), 1)
	},
	"a recurrence along time": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, g.Dim("t"), 2)
		return ops.LinearRecurrence(ops.Sigmoid(x), x, 1)
	},
	"halves on their own": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := g.Input("x", f32, b, 8)
		k := b.FloorDiv(2)
		return ops.Concat(0, ops.Exp(ops.Slice(x, 0, 0, k, 1)), ops.Exp(ops.Slice(x, 0, k, ops.End, 1)))
	},
	"written in place": func(g *graph.Graph, b graph.Dim) *graph.Node {
		x := ops.Exp(g.Input("x", f32, b, 8))
		column := ops.Slice(x, 1, 2, 3, 1)
		return ops.After(x, ops.AddInPlace(column, ops.Sum(g.Input("y", f32, b, 3), 1, ops.KeepDims())))
	},
}

func attentionRows(g *graph.Graph, b graph.Dim) *graph.Node {
	t, d := g.Dim("seq"), g.Dim("d", graph.MultipleOf(8))
	x, keep := g.Input("x", f32, b, t, d), g.Input("keep", graph.Bool, b, t)
	q := ops.Transpose(ops.Reshape(x, b, t, 8, d.FloorDiv(8)), 1, 2)
	scores := ops.MatMul(q, ops.Transpose(q, -1, -2))
	scores = ops.MaskedFill(scores, ops.Not(ops.Unsqueeze(ops.Unsqueeze(keep, 1), 1)), graph.Num(-1e9))
	scores = ops.Add(scores, ops.Triu(ops.Full(g, f32, -1e9, t, t), 1))
	h := ops.Transpose(ops.MatMul(ops.Softmax(scores, -1), q), 1, 2)
	return ops.Add(x, ops.Reshape(h, b, t, d))
}

func TestIndependentModelsAreProved(t *testing.T) {
	for name, build := range independent {
		t.Run(name, func(t *testing.T) {
			g := graph.New("rows")
			y := build(g, g.Dim("batch"))
			require.NoError(t, g.Err())
			require.NoError(t, shapeinfer.Independent(y, 0))
		})
	}
}

// mixing are models that mix rows, and the operation that does.
func TestWhatMixesExamplesIsNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g *graph.Graph, b graph.Dim) *graph.Node
		want  []string
	}{
		{"batch normalization", func(g *graph.Graph, b graph.Dim) *graph.Node {
			x := testmodel.Linear(g, "hidden", g.Input("x", f32, b, 20), 8)
			y, _, _ := ops.BatchNorm(x, g.Param("gain", f32, 8), nil, 1e-5)
			return ops.Relu(y)
		}, []string{"BatchNorm", "batch normalization does in training mode", "BatchNormInference"}},
		{"attention over the batch", func(g *graph.Graph, b graph.Dim) *graph.Node {
			x := ops.Transpose(g.Input("x", f32, b, g.Dim("seq"), 8), 0, 1)
			a := ops.Softmax(ops.MatMul(x, ops.Transpose(x, 1, 2)), -1)
			return ops.Transpose(ops.MatMul(a, x), 0, 1)
		}, []string{"MatMul"}},
		{"softmax over the batch", func(g *graph.Graph, b graph.Dim) *graph.Node {
			return ops.Softmax(g.Input("x", f32, b, 8), 0)
		}, []string{"Softmax(x, 0)"}},
		{"the first row for all", func(g *graph.Graph, b graph.Dim) *graph.Node {
			x := g.Input("x", f32, b, 8)
			return ops.Sub(x, ops.Select(x, 0, 0))
		}, []string{"Select(x, 0, 0)"}},
		{"the next row", func(g *graph.Graph, b graph.Dim) *graph.Node {
			return ops.Roll(g.Input("x", f32, b, 8), 0, 1)
		}, []string{"Roll"}},
		{"rows in reverse", func(g *graph.Graph, b graph.Dim) *graph.Node {
			return ops.Flip(g.Input("x", f32, b, 8), 0)
		}, []string{"Flip(x, 0)"}},
		{"rows picked", func(g *graph.Graph, b graph.Dim) *graph.Node {
			return ops.Take(g.Input("x", f32, b, 8), 0, g.Input("i", graph.Int64, b))
		}, []string{"Take(x, 0, i)"}},
		{"scrambled by a reshape", func(g *graph.Graph, b graph.Dim) *graph.Node {
			x := g.Input("x", f32, g.Dim("seq"), b, 8)
			return ops.Reshape(x, b, g.Dim("seq"), 8)
		}, []string{"Reshape(x, batch, seq, 8)"}},
		{"a mean over the batch in a loop", func(g *graph.Graph, b graph.Dim) *graph.Node {
			last, _ := ops.Scan(
				ops.Loop{Carry: []*graph.Node{ops.Zeros(g, f32, b, 8)}, Over: []*graph.Node{g.Input("x", f32, b, 5, 8)},
					Axis: 1},
				func(c, x []*graph.Node) (next, out []*graph.Node) {
					return []*graph.Node{ops.Add(x[0], ops.Mean(c[0], 0))}, nil
				})
			return last[0]
		}, []string{"Mean(", "independence_test.go:"}},
		{"a loop over the batch", func(g *graph.Graph, b graph.Dim) *graph.Node {
			_, all := ops.Scan(ops.Loop{Carry: []*graph.Node{ops.Zeros(g, f32, 8)},
				Over: []*graph.Node{g.Input("x", f32, b, 8)}},
				func(c, x []*graph.Node) (next, out []*graph.Node) {
					y := ops.Add(c[0], x[0])
					return []*graph.Node{y}, []*graph.Node{y}
				})
			return all[0]
		}, []string{"carry[0]", "mixes examples", "independence_test.go:"}},
		{"steps until all are done", func(g *graph.Graph, b graph.Dim) *graph.Node {
			last, _ := ops.While(9, []*graph.Node{g.Input("x", f32, b, 8)},
				func(c []*graph.Node) *graph.Node { return ops.Less(ops.Sum(c[0]), graph.Num(10)) },
				func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					return []*graph.Node{ops.Mul(c[0], graph.Num(2))}
				})
			return last[0]
		}, []string{"Sum("}},
		{"a case for all", func(g *graph.Graph, b graph.Dim) *graph.Node {
			x := g.Input("x", f32, b, 8)
			return ops.Cond(ops.Less(ops.Sum(x), graph.Num(10)), func() []*graph.Node {
				return []*graph.Node{ops.Sin(x)}
			}, func() []*graph.Node { return []*graph.Node{x} })[0]
		}, []string{"Sum("}},
		{"rows that move on in each step", func(g *graph.Graph, b graph.Dim) *graph.Node {
			return ops.Fori(3, []*graph.Node{g.Input("x", f32, b, 8)},
				func(_ *graph.Node, c []*graph.Node) []*graph.Node {
					return []*graph.Node{ops.Roll(c[0], 0, 1)}
				})[0]
		}, []string{"Roll("}},
		{"along another axis", func(g *graph.Graph, b graph.Dim) *graph.Node {
			x := g.Input("x", f32, b, b, 8)
			return ops.Transpose(x, 0, 1)
		}, []string{"are along axis 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New("rows")
			y := c.build(g, g.Dim("batch"))
			require.NoError(t, g.Err())
			ops.Independent(y, 0)
			r := shapeinfer.Check(g)
			require.Len(t, r.Errors, 1, r)
			text := r.Errors[0].Error()
			assert.True(t, shapeinfer.IsMistake(r.Err(), graph.CodeIndependence))
			for _, part := range c.want {
				assert.Contains(t, text, part)
			}
		})
	}
}
