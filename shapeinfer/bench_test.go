package shapeinfer_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/shapeinfer"
)

// residualMLP builds a residual network of the given number of layers over a batch of
// unknown size, its loss, and the gradients of all parameters; with step, also the update
// of the parameters in place.
func residualMLP(layers int, step bool) *graph.Graph {
	const width = 64
	g := graph.New("residual")
	batch := g.Dim("batch")
	h := g.Input("x", graph.Float32, batch, width)
	var params []*graph.Node
	for i := range layers {
		w := g.Param("w"+strconv.Itoa(i), graph.Float32, width, width)
		b := g.Param("b"+strconv.Itoa(i), graph.Float32, width)
		params = append(params, w, b)
		h = ops.Add(h, ops.Relu(ops.Add(ops.MatMul(h, w), b)))
	}
	grads := autodiff.Grad(ops.Mean(ops.Mul(h, h)), params)
	if step {
		for i, w := range params {
			ops.SubInPlace(w, ops.Mul(grads[i], graph.Num(0.01)))
		}
	}
	return g
}

// BenchmarkBuildAndCheck shows the cost of a node from the user's call to the end of the
// check, gradients included, for graphs of about 100 to 100,000 nodes.
func BenchmarkBuildAndCheck(b *testing.B) {
	for _, nodes := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dnodes", nodes), func(b *testing.B) {
			count := 0
			for b.Loop() {
				g := residualMLP(nodes/17, false)
				require.NoError(b, shapeinfer.Check(g).Err())
				count = len(g.Nodes())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/node")
			b.ReportMetric(float64(count), "nodes")
		})
	}
}

// BenchmarkDeepBroadcast shows the cost of a node where two names meet in every layer, and
// the same requirement is left to binding again and again.
func BenchmarkDeepBroadcast(b *testing.B) {
	const layers = 10_000
	for b.Loop() {
		g := graph.New("deep", graph.WithPolicy(graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
		n, m := g.Dim("n"), g.Dim("m")
		h, y := g.Input("x", graph.Float32, n, 8), g.Input("y", graph.Float32, m, 8)
		for range layers {
			h = ops.Relu(ops.Add(h, y))
		}
		require.Len(b, shapeinfer.Check(g).Notes, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2*layers), "ns/node")
}

// BenchmarkCheckInPlace shows the cost of a node of the check alone, with a write of every
// parameter after all that reads it.
func BenchmarkCheckInPlace(b *testing.B) {
	for _, nodes := range []int{100, 1_000, 10_000, 100_000} {
		g := residualMLP(nodes/21, true)
		b.Run(fmt.Sprintf("%dnodes", nodes), func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, shapeinfer.Check(g).Err())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(g.Nodes())), "ns/node")
		})
	}
}

// transformer builds a decoder of the given number of layers with its loss, gradients and a step of
// Adam.
func transformer(layers int) *graph.Graph {
	const width, heads, words = 64, 4, 100
	g := graph.New("transformer")
	b, t := g.Dim("batch"), g.Dim("seq", graph.AtMost(128))
	ids, next := g.Input("ids", graph.Int64, b, t), g.Input("next", graph.Int64, b, t)
	var h *graph.Node
	layer := func(name string, build func()) { g.Scope(name, build) }
	norm := func(name string, x *graph.Node) *graph.Node {
		return ops.LayerNorm(x, g.Param(name+"/gain", graph.Float32, width),
			g.Param(name+"/bias", graph.Float32, width), 1e-5)
	}
	split := func(x *graph.Node) *graph.Node {
		return ops.Transpose(ops.Reshape(x, b, t, heads, width/heads), 1, 2)
	}
	h = ops.Embedding(ids, g.Param("words", graph.Float32, words, width))
	h = ops.Add(h, ops.Slice(g.Param("places", graph.Float32, 128, width), 0, 0, t, 1))
	future := ops.Triu(ops.Full(g, graph.Float32, -1e9, t, t), 1)
	for i := range layers {
		layer("layer"+strconv.Itoa(i), func() {
			x := norm("before", h)
			q, k, v := split(testmodel.Linear(g, "q", x, width)), split(testmodel.Linear(g, "k", x, width)),
				split(testmodel.Linear(g, "v", x, width))
			a := ops.Softmax(ops.Add(ops.Mul(ops.MatMul(q, ops.Transpose(k, -1, -2)), graph.Num(0.25)), future), -1)
			h = ops.Add(h, testmodel.Linear(g, "o", ops.Reshape(ops.Transpose(ops.MatMul(a, v), 1, 2), b, t, width),
				width))
			h = ops.Add(h, testmodel.Linear(g, "down", ops.Gelu(testmodel.Linear(g, "up", norm("behind", h), 4*width)),
				width))
		})
	}
	logits := testmodel.Linear(g, "out", norm("last", h), words)
	optim.Adam(1e-3).Minimize(ops.CrossEntropy(ops.Transpose(logits, 1, 2), next))
	return g
}

// BenchmarkCheckTransformer shows the time of a check of a deep model with its update, everything on.
func BenchmarkCheckTransformer(b *testing.B) {
	g := transformer(48)
	for b.Loop() {
		r := shapeinfer.Check(g)
		require.NoError(b, r.Err())
		require.Empty(b, r.Warnings)
	}
	b.ReportMetric(float64(len(g.Nodes())), "nodes")
}

// BenchmarkBind shows the cost of binding sizes to a graph, for each of its nodes.
func BenchmarkBind(b *testing.B) {
	for _, nodes := range []int{1_000, 100_000} {
		g := residualMLP(nodes/17, false)
		needs := shapeinfer.Check(g).Requirements
		x := g.ByName("x")
		b.Run(fmt.Sprintf("%dnodes", nodes), func(b *testing.B) {
			for b.Loop() {
				_, err := shapeinfer.Bind(g, []shapeinfer.Bound{{Node: x, Shape: []int{32, 64}}}, needs)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(g.Nodes())), "ns/node")
		})
	}
}

// BenchmarkCheckManyRequirements shows the cost of a requirement where each is between
// names of its own, which are all linked: what is solved together must stay bounded.
func BenchmarkCheckManyRequirements(b *testing.B) {
	for _, names := range []int{10, 100, 1_000, 10_000} {
		g := graph.New("many", graph.WithPolicy(graph.Policy{Names: graph.Numpy, MutualExpand: graph.AllowSilently}))
		h := g.Input("x", graph.Float32, g.Dim("n"))
		for i := range names {
			name := strconv.Itoa(i)
			h = ops.Add(h, g.Input("x"+name, graph.Float32, g.Dim("n"+name)))
			h = ops.Slice(h, 0, 0, g.Dim("m"+name), 1)
		}
		b.Run(fmt.Sprintf("%dnames", names), func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, shapeinfer.Check(g).Err())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*names), "ns/name")
		})
	}
}
