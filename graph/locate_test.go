package graph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// columnOfWord returns the column of a word on the line of this file where a node was made.
func columnOfWord(t *testing.T, n *graph.Node, word string) int {
	t.Helper()
	f, ok := n.Pos().Frame()
	require.True(t, ok)
	text, err := os.ReadFile(f.File)
	require.NoError(t, err)
	return strings.Index(strings.Split(string(text), "\n")[f.Line-1], word) + 1
}

// A place has the column of the call, also where a line calls one function several times.
func TestColumnsOfCalls(t *testing.T) {
	g := graph.New("g")
	x, y := g.Input("x", f32, 3), g.Input("y", f32, 3)
	inner := ops.Exp(x)
	outer := ops.Add(ops.Add(inner, y), ops.Neg(x))
	long := ops.
		Mul(x,
			y)
	constant := graph.Constant(g, []float32{1, 2, 3}, 3)
	for name, c := range map[string]struct {
		node *graph.Node
		word string
	}{
		"first input": {x, `g.Input("x"`}, "second input": {y, `g.Input("y"`}, "a call": {inner, "ops.Exp"},
		"outer of two": {outer, "ops.Add(ops"}, "inner of two": {outer.In(0), "ops.Add(inner"},
		"operand": {outer.In(1), "ops.Neg"},
		"generic": {constant, "graph.Constant"}, "on several lines": {long, "Mul"},
	} {
		f, ok := g.Locate(c.node.Pos())
		require.True(t, ok)
		require.Equal(t, columnOfWord(t, c.node, c.word), f.Column, name)
	}
}

// Places are relative to the working directory, so that they can be followed from there.
func TestPlacesAreRelativeToTheWorkingDirectory(t *testing.T) {
	g := graph.New("g")
	wrong := ops.Add(g.Input("x", f32, 3), g.Input("y", f32, 4))
	require.Regexp(t, `^locate_test.go:\d+:11: error `, wrong.Err().Error())
	here, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(filepath.Dir(here))
	text := wrong.Err().Error()
	require.Regexp(t, `^graph/locate_test.go:\d+:11: error `, text)
	require.Equal(t, strings.Count(text, "locate_test.go"), strings.Count(text, "graph/locate_test.go"),
		"all places have one form")
}

// A message of a program whose source is gone has a line and no column.
func TestPlacesWithoutSource(t *testing.T) {
	require.Equal(t, "gone.go:7", graph.Frame{File: "gone.go", Line: 7}.In(""))
	require.Equal(t, "gone.go:7:3", graph.Frame{File: "gone.go", Line: 7, Column: 3}.In(""))
}
