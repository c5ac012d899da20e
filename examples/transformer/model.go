package main

import (
	"math"

	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

const (
	tokens  = 10 // number of different tokens
	longest = 12 // maximum length of a sequence
	width   = 32
	heads   = 4
)

// model predicts, at each position of a sequence, which of its tokens is the largest.
type model struct {
	graph          *graph.Graph
	ids, target    *graph.Node // Int64 [batch, seq]
	logits         *graph.Node // [batch, seq, tokens]
	loss, accuracy *graph.Node
	step           []*graph.Node
}

func newModel() model {
	g := graph.New("transformer")
	batch, seq := g.Dim("batch"), g.Dim("seq", graph.AtMost(longest))
	m := model{graph: g, ids: g.Input("ids", graph.Int64, batch, seq),
		target: g.Input("target", graph.Int64, batch, seq)}
	x := embedding(g, m.ids)
	x = block(g, "block", x)
	m.logits = classifier(g, x)
	ops.Independent(m.logits, 0) // no sequence depends on another one
	m.loss = ops.CrossEntropy(ops.Reshape(m.logits, -1, tokens), ops.Reshape(m.target, -1)).Named("loss")
	right := ops.Equal(ops.ArgMax(m.logits, 2), m.target)
	m.accuracy = ops.Mean(ops.Cast(right, graph.Float32))
	m.step = optim.Adam(3e-3).Minimize(m.loss)
	return m
}

// checked is the model for `broadloom check ./examples/transformer`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }

// embedding adds a row of one table for each token and a row of another for each position.
func embedding(g *graph.Graph, ids *graph.Node) *graph.Node {
	c := contract.New(g, "embedding").Let("d", width)
	ids = c.Takes("ids", ids, "b t")
	rows := ops.Embedding(ids, g.ParamInit("tokens", graph.Float32, nn.Normal(1), tokens, width))
	places := g.ParamInit("places", graph.Float32, nn.Normal(0.1), longest, width)
	return c.Gives(ops.Add(rows, ops.Slice(places, 0, 0, c.Size("t"), 1)), "b t d")
}

// attention lets each position attend to all others of its sequence, with several heads.
func attention(g *graph.Graph, name string, x *graph.Node, heads int) *graph.Node {
	c := contract.New(g, "attention").Let("h", graph.Dim(heads))
	x = c.Takes("x", x, "b t h*dh")
	b, t, h, dh := c.Size("b"), c.Size("t"), c.Size("h"), c.Size("dh")
	split := func(part string) *graph.Node {
		rows := linear(g, name+"."+part, x, h.Times(dh), nn.NoBias())
		return ops.Transpose(ops.Reshape(rows, b, t, h, dh), 1, 2)
	}
	scores := ops.MatMul(split("query"), ops.Transpose(split("key"), 2, 3))
	weights := contract.Expect(ops.Softmax(ops.Mul(scores, graph.Num(1/math.Sqrt(width/float64(heads)))), -1),
		"_ _ seq seq")
	mixed := ops.Transpose(ops.MatMul(weights, split("value")), 1, 2)
	return c.Gives(linear(g, name+".out", ops.Flatten(mixed, 2, 3), h.Times(dh)), "b t h*dh")
}

// block is a transformer block, with normalization before each half.
func block(g *graph.Graph, name string, x *graph.Node) *graph.Node {
	c := contract.New(g, "block")
	x = c.Takes("x", x, "b t d")
	x = ops.Add(x, attention(g, name+".attention", normalized(g, name+".first", x), heads))
	x = ops.Add(x, feedForward(g, name+".forward", normalized(g, name+".second", x)))
	return c.Gives(x, "b t d")
}

// linear declares a linear layer for values of x's width and applies it.
func linear(g *graph.Graph, name string, x *graph.Node, out graph.Dim, opts ...nn.Option) *graph.Node {
	return nn.NewLinear(g, name, x.Shape()[x.Rank()-1], out, opts...).Apply(nn.Training(g), x)
}

func normalized(g *graph.Graph, name string, x *graph.Node) *graph.Node {
	gain := g.ParamInit(name+".gain", graph.Float32, nn.Ones(), width)
	return ops.LayerNorm(x, gain, g.Param(name+".bias", graph.Float32, width), 1e-5)
}

// feedForward processes each position separately; it accepts any axes before the last.
func feedForward(g *graph.Graph, name string, x *graph.Node) *graph.Node {
	c := contract.New(g, "feedForward")
	x = c.Takes("x", x, "... d")
	h := ops.Gelu(linear(g, name+".in", x, c.Size("d").Times(4)))
	return c.Gives(linear(g, name+".out", h, c.Size("d")), "... d")
}

// classifier returns, for each position, a number for each token.
func classifier(g *graph.Graph, x *graph.Node) *graph.Node {
	c := contract.New(g, "classifier").Let("classes", tokens)
	x = c.Takes("x", x, "b t d")
	return c.Gives(linear(g, "classifier", x, tokens), "b t classes")
}
