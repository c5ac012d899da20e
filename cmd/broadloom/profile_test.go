package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const trainedModel = `package models

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

//broadloom:model
func classifier() *graph.Graph {
	g := graph.New("classifier")
	batch := g.Dim("batch")
	x := g.Input("x", graph.Float32, batch, 8)
	labels := g.Input("labels", graph.Int64, batch)
	loss := ops.CrossEntropy(nn.NewLinear(g, "out", 8, 10).Apply(nn.Training(g), x), labels)
	optim.SGD(0.1).Minimize(loss, g.Params()...)
	return g
}
`

func TestProfileOfAModel(t *testing.T) {
	userModule(t, map[string]string{"models.go": trainedModel})
	status, stdout, stderr := broadloom("profile", "-size", "batch=16", "-runs", "3", "-threads", "2", "-trace",
		"trace.json")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, `classifier: graph "classifier" with batch = 16`)
	assert.Contains(t, stdout, "the shortest times of 3")
	assert.Contains(t, stdout, "of peak")
	assert.Regexp(t, `models.go:\d+.*loss := ops.CrossEntropy`, stdout)
	assert.NotContains(t, stdout, "no -size gives")
	text, err := os.ReadFile("trace.json")
	require.NoError(t, err)
	var trace struct{ TraceEvents []map[string]any }
	require.NoError(t, json.Unmarshal(text, &trace))
	assert.NotEmpty(t, trace.TraceEvents)

	status, stdout, stderr = broadloom("profile", "-runs", "1")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "no -size gives batch = 32")
}

func TestProfileTrouble(t *testing.T) {
	userModule(t, map[string]string{"models.go": trainedModel})
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"-runs", "0"}, "-runs is 0"},
		{[]string{"-threads", "-1"}, "-threads -1"},
		{[]string{"-run", "("}, "-run"},
		{[]string{"-run", "nothing"}, "-run nothing: no model has a name that matches; there are: classifier"},
		{[]string{"-size", "batch=9223372036854775807"}, "batch"},
		{[]string{"-trace", "no/such/folder.json"}, "-trace no/such/folder.json: there is no folder no/such"},
		{[]string{"-size", "bach=3"}, "-size bach: no model has a size of that name; there are: batch"},
		{[]string{"-size", "batch=0"},
			"classifier: it could not be profiled: error BL501: the sizes given do not meet what the model requires: batch = 0"},
	} {
		status, _, stderr := broadloom(append([]string{"profile"}, c.flags...)...)
		assert.Equal(t, exitFailed, status, c.flags)
		assert.Contains(t, stderr, c.want)
	}
}

func TestProfileOfAModelWithMistakes(t *testing.T) {
	userModule(t, map[string]string{"models.go": badModel})
	status, _, stderr := broadloom("profile")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, "run broadloom check")
}

// A model without operations is reported by name when profiled, and can be drawn.
func TestModelsThatComputeNothing(t *testing.T) {
	userModule(t, map[string]string{"models.go": `package models

import "github.com/broadloom/broadloom/graph"

//broadloom:model
func inputs() *graph.Graph {
	g := graph.New("inputs")
	g.Input("x", graph.Float32, 3)
	return g
}
`})
	for _, command := range [][]string{{"profile"}, {"draw", "-compiled", "-format", "text", "-o", "-"}, {"export"}} {
		status, _, stderr := broadloom(command...)
		assert.NotEqual(t, exitOK, status)
		assert.Contains(t, stderr, `graph "inputs" has no operations`)
		assert.NotContains(t, stderr, "main.go")
	}
	status, stdout, stderr := broadloom("draw", "-format", "html", "-o", "-")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "inputs")
}
