package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const promisingModel = `package models

import (
	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func scores(g *graph.Graph, q, k *graph.Node) *graph.Node {
	c := contract.New(g, "scores")
	c.Takes("q", q, "b t d")
	c.Takes("k", k, "b s d")
	s := ops.MatMul(q, ops.Transpose(k, 1, 2))
	return c.Gives(ops.Softmax(s, -1), "b t s")
}

//broadloom:model
func attention() *graph.Graph {
	g := graph.New("attention")
	b, t := g.Dim("batch"), g.Dim("seq")
	x := g.Input("x", graph.Float32, b, t, 64)
	scores(g, x, x)
	return g
}
`

func TestShapesTellEveryLine(t *testing.T) {
	userModule(t, map[string]string{"models.go": promisingModel})
	status, stdout, stderr := broadloom("shapes")
	require.Equal(t, exitOK, status, stderr)
	assert.Equal(t, `example.com/user.attention
  models.go
    11  c.Takes("q", q, "b t d")                      float32[batch, seq, 64]
    12  c.Takes("k", k, "b s d")                      float32[batch, seq, 64]
    13  s := ops.MatMul(q, ops.Transpose(k, 1, 2))    MatMul float32[batch, seq, seq], Transpose float32[batch, 64, seq]
    14  return c.Gives(ops.Softmax(s, -1), "b t s")   float32[batch, seq, seq]
    21  x := g.Input("x", graph.Float32, b, t, 64)    float32[batch, seq, 64]
    22  scores(g, x, x)                               float32[batch, seq, seq]

`, stdout)

	status, stdout, stderr = broadloom("shapes", "-markdown")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout,
		"### example.com/user.attention\n\n| models.go | source | shape |\n| ---: | --- | --- |\n")
	assert.Contains(t, stdout, "| 21 | `x := g.Input(\"x\", graph.Float32, b, t, 64)` | `float32[batch, seq, 64]` |\n")

	status, stdout, stderr = broadloom("shapes", "-json")
	require.Equal(t, exitOK, status, stderr)
	var got struct{ Models []shaped }
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.Len(t, got.Models, 1)
	require.Len(t, got.Models[0].Lines, 6)
	given := got.Models[0].Lines[3]
	assert.Equal(t, 14, given.Line)
	require.Len(t, given.Values, 2)
	assert.Equal(t, shapedValue{Call: "Gives", Column: 9, DType: "float32", Shape: "[batch, seq, seq]",
		Promised: "b t s", By: "scores"}, given.Values[0])
}

func TestShapesOfModelsWithMistakes(t *testing.T) {
	userModule(t, map[string]string{"models.go": badModel})
	status, stdout, stderr := broadloom("shapes")
	require.Equal(t, exitErrors, status, stderr)
	assert.Contains(t, stdout, "float32[batch, 4]")
	assert.Contains(t, stdout, "the model has mistakes: run broadloom check")

	status, _, stderr = broadloom("shapes", "-run", "nothing")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "no model has a name that matches; there are: Wide")
	status, _, stderr = broadloom("shapes", "-run", "(")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "-run")
}
