package shapetest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

// recorder is a test that notes what fails it.
type recorder struct {
	testing.TB
	failed []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

// checked returns the report of a check.
func checked(g *graph.Graph, opts ...shapetest.Option) []string {
	var r recorder
	shapetest.Check(&r, g, opts...)
	return r.failed
}

func right() *graph.Graph {
	g := graph.New("right")
	ops.Exp(g.Input("x", graph.Float32, g.Dim("n"), 3))
	return g
}

// warned has a column that meets a row.
func warned() *graph.Graph {
	g := graph.New("warned")
	n := g.Dim("n")
	ops.Sub(g.Input("x", graph.Float32, n, 1), g.Input("y", graph.Float32, n))
	return g
}

func wrong() *graph.Graph {
	g := graph.New("wrong")
	ops.Add(g.Input("x", graph.Float32, 2), g.Input("y", graph.Float32, 3))
	return g
}

// halved has a requirement that even sizes meet.
func halved() *graph.Graph {
	g := graph.New("halved")
	ops.Reshape(g.Input("x", graph.Float32, g.Dim("n")), -1, 2)
	return g
}

func TestCheckFailsOnMistakesAndWarnings(t *testing.T) {
	shapetest.Check(t, right(), nil)
	require.Empty(t, checked(right(), shapetest.AllProved()))

	failed := checked(warned())
	require.Len(t, failed, 1)
	require.Contains(t, failed[0], "shapetest_test.go:44:2: warning BL202: Sub(x, y)")
	require.Contains(t, failed[0], "help: ")
	require.Empty(t, checked(warned(), shapetest.AllowWarnings(graph.CodeMutualExpand)))
	require.Empty(t, checked(warned(), shapetest.AllowWarnings()))
	require.Len(t, checked(warned(), shapetest.AllowWarnings(graph.CodeAxisMixing)), 1)

	require.Len(t, checked(wrong(), shapetest.AllowWarnings()), 1)
	require.Len(t, checked(nil, shapetest.Program()), 1)
}

func TestCheckOfSizes(t *testing.T) {
	require.Empty(t, checked(halved(), shapetest.Sizes(shapeinfer.Sizes{"n": 4})))
	require.Len(t, checked(halved(), shapetest.AllProved()), 1)
	failed := checked(halved(), shapetest.Sizes(shapeinfer.Sizes{"n": 4}), shapetest.Sizes(shapeinfer.Sizes{"n": 5}))
	require.Len(t, failed, 1)
	require.Contains(t, failed[0], "sizes map[n:5]")
	require.Contains(t, failed[0], "n is a multiple of 2 fails: 5 against 2")
}

// Two writes of one parameter are no mistake in a graph, but in a program they are.
func TestCheckOfAProgram(t *testing.T) {
	g := graph.New("twice")
	w := g.Param("w", graph.Float32, 3)
	a, b := ops.AddInPlace(w, graph.Num(1)), ops.MulInPlace(w, graph.Num(2))
	require.Len(t, checked(g, shapetest.Program(a, b)), 1)
	require.Empty(t, checked(g, shapetest.Program(a), shapetest.AllowWarnings(graph.CodeWriters)))
}
