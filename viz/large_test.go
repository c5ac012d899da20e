package viz_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/awalterschulze/gographviz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/viz"
)

// transformer is a language model of the given depth with its loss and gradient.
func transformer(layers int) *graph.Graph {
	const width, heads, vocabulary = 512, 8, 32000
	g := graph.New(fmt.Sprintf("transformer of %d layers", layers))
	batch, seq := g.Dim("batch"), g.Dim("seq")
	tokens := g.Input("tokens", graph.Int64, batch, seq)
	target := g.Input("target", graph.Int64, batch, seq)
	var h *graph.Node
	g.Scope("embed", func() {
		h = ops.Embedding(tokens, g.Param("table", graph.Float32, vocabulary, width))
	})
	for i := range layers {
		g.Scope(fmt.Sprintf("block%d", i), func() {
			h = ops.Add(h, attention(g, layerNorm(g, "norm1", h, width), batch, seq, width, heads))
			h = ops.Add(h, feedForward(g, layerNorm(g, "norm2", h, width), width))
		})
	}
	h = layerNorm(g, "norm", h, width)
	var logits *graph.Node
	g.Scope("project", func() { logits = ops.MatMul(h, g.Param("w", graph.Float32, width, vocabulary)) })
	loss := ops.CrossEntropy(ops.Permute(logits, 0, 2, 1), target).Named("loss")
	autodiff.Grad(loss, g.Params())
	return g
}

func layerNorm(g *graph.Graph, name string, x *graph.Node, width graph.Dim) (y *graph.Node) {
	g.Scope(name, func() {
		centred := ops.Sub(x, ops.Mean(x, -1, ops.KeepDims()))
		variance := ops.Mean(ops.Square(centred), -1, ops.KeepDims())
		y = ops.Mul(centred, ops.Rsqrt(ops.Add(variance, graph.Num(1e-5))))
		y = ops.Add(ops.Mul(y, g.Param("gain", graph.Float32, width)), g.Param("shift", graph.Float32, width))
	})
	return y
}

func attention(g *graph.Graph, x *graph.Node, batch, seq graph.Dim, width, heads int) (y *graph.Node) {
	g.Scope("attention", func() {
		each := width / heads
		head := func(name string) *graph.Node {
			w := g.Param(name, graph.Float32, graph.Dim(width), graph.Dim(width))
			return ops.Transpose(ops.Reshape(ops.MatMul(x, w), batch, seq, graph.Dim(heads), graph.Dim(each)), 1, 2)
		}
		q, k, v := head("wq"), head("wk"), head("wv")
		scores := ops.Mul(ops.MatMul(q, ops.Transpose(k, 2, 3)), graph.Num(1/math.Sqrt(float64(each))))
		mixed := ops.MatMul(ops.Softmax(scores, 3), v)
		mixed = ops.Reshape(ops.Transpose(mixed, 1, 2), batch, seq, graph.Dim(width))
		y = ops.MatMul(mixed, g.Param("wo", graph.Float32, graph.Dim(width), graph.Dim(width)))
	})
	return y
}

func feedForward(g *graph.Graph, x *graph.Node, width int) (y *graph.Node) {
	g.Scope("mlp", func() {
		wide := ops.Add(ops.MatMul(x, g.Param("in", graph.Float32, graph.Dim(width), graph.Dim(4*width))),
			g.Param("b1", graph.Float32, graph.Dim(4*width)))
		y = ops.MatMul(ops.Gelu(wide), g.Param("out", graph.Float32, graph.Dim(4*width), graph.Dim(width)))
	})
	return y
}

func TestTransformerIsOnePage(t *testing.T) {
	g := transformer(12)
	require.NoError(t, g.Err())
	require.Greater(t, len(g.Nodes()), 1000)
	dot := dotOf(t, viz.Graph(g))
	assert.LessOrEqual(t, boxes(string(dot)), 100)
	assert.Contains(t, string(dot), "&#215;12")
	_, err := gographviz.Parse(dot)
	require.NoError(t, err)
	runDot(t, dot, "svg")
}

// TestNeverMoreThanTheLimit draws programs that nothing folds by itself: without scopes
// there is nothing to fold, so that the view of the first ones has to do.
func TestNeverMoreThanTheLimit(t *testing.T) {
	for name, g := range map[string]*graph.Graph{"scopes": transformer(3), "no scopes": ladder(2000)} {
		t.Run(name, func(t *testing.T) {
			dot := string(dotOf(t, viz.Graph(g), viz.Limit(100), viz.Stack(false)))
			assert.LessOrEqual(t, boxes(dot), 100)
		})
	}
	assert.Greater(t, boxes(drawn(t, ladder(2000), viz.Limit(0))), 2000, "unless asked")
}

// ladder is a program of n operations without scopes.
func ladder(n int) *graph.Graph {
	g := graph.New("ladder")
	x := g.Input("x", graph.Float32, 4, 8)
	b := g.Param("b", graph.Float32, 8)
	h := x
	for i := range n {
		switch i % 3 {
		case 0:
			h = ops.Tanh(h)
		case 1:
			h = ops.Add(h, b)
		default:
			h = ops.Mul(h, x)
		}
	}
	return g
}

func BenchmarkTransformerDOT(b *testing.B) {
	g := transformer(12)
	b.ReportMetric(float64(len(g.Nodes())), "nodes")
	for b.Loop() {
		if err := viz.DOT(io.Discard, viz.Graph(g)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTransformerSVG(b *testing.B) {
	g := transformer(12)
	var svg bytes.Buffer
	for b.Loop() {
		svg.Reset()
		if err := viz.SVG(context.Background(), &svg, viz.Graph(g)); err != nil {
			b.Skip(err)
		}
	}
	b.ReportMetric(float64(svg.Len()), "bytes")
}

func Benchmark30000NodesDOT(b *testing.B) {
	g := ladder(30000)
	for b.Loop() {
		if err := viz.DOT(io.Discard, viz.Graph(g), viz.Limit(0)); err != nil {
			b.Fatal(err)
		}
	}
}
