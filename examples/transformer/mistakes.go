package main

import (
	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
)

// mistakes are functions that break their promises, or whose callers do.
var mistakes = []struct {
	title string
	build func() *graph.Graph
}{
	{"An attention that leaves the heads where they are", headsLeft},
	{"Heads that do not make up the width", unevenHeads},
	{"A classifier of each place behind a mean over all", pooledBefore},
}

// values is the graph of a mistake, and a value with a row for each position.
func values() (*graph.Graph, *graph.Node) {
	g := graph.New("mistake")
	return g, g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("seq"), width)
}

// headsLeft lacks a Transpose after the products, so Flatten merges positions and heads.
func headsLeft() *graph.Graph {
	g, x := values()
	c := contract.New(g, "attention").Let("h", heads)
	x = c.Takes("x", x, "b t h*dh")
	rows := ops.Transpose(ops.Reshape(x, c.Size("b"), c.Size("t"), heads, c.Size("dh")), 1, 2)
	weights := ops.Softmax(ops.MatMul(rows, ops.Transpose(rows, 2, 3)), -1)
	mixed := ops.MatMul(weights, rows)
	c.Gives(ops.Flatten(mixed, 2, 3), "b t h*dh")
	return g
}

func unevenHeads() *graph.Graph {
	g, x := values()
	attention(g, "attention", x, 5)
	return g
}

func pooledBefore() *graph.Graph {
	g, x := values()
	classifier(g, ops.Mean(nn.NewLinear(g, "hidden", width, width).Apply(nn.Training(g), x), 1))
	return g
}
