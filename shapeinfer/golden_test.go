package shapeinfer_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/testdata/mistakes"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with the file of the given name in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got+"\n"), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got+"\n")
}

// The text of a report is what a user sees of the whole pass: each mistake's place, its
// operands lined up, and what to do.
func TestTextsOfTypicalMistakes(t *testing.T) {
	for name, build := range map[string]func() *graph.Graph{
		"bias": mistakes.Bias, "turned": mistakes.Turned, "norm": mistakes.Norm, "loss": mistakes.Loss,
		"grow": mistakes.Grow, "repeated": mistakes.Repeated, "column": mistakes.Column, "saved": mistakes.Saved,
		"leaf": mistakes.Leaf, "count": mistakes.Count, "flat": mistakes.Flat, "channels": mistakes.Channels,
		"axis": mistakes.Axis, "joint": mistakes.Joint, "residual": mistakes.Residual, "halved": mistakes.Halved,
		"layers": mistakes.Layers,
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, shapeinfer.Check(build()).String())
		})
	}
}

func TestTextOfSizesThatDoNotFit(t *testing.T) {
	golden(t, "binding", mistakes.Binding().Error())
}

// The graph itself shows where it broke.
func TestMarkedGraph(t *testing.T) {
	golden(t, "bias.graph", shapeinfer.Check(mistakes.Bias()).MarkedGraph())
}

// Machines read the same as JSON; the fields are documented at ReportJSON.
func TestReportAsJSON(t *testing.T) {
	data, err := json.MarshalIndent(shapeinfer.Check(mistakes.Bias()), "", "  ")
	require.NoError(t, err)
	dir, err := filepath.Abs(".")
	require.NoError(t, err)
	golden(t, "bias.json", strings.ReplaceAll(string(data), dir+"/", ""))
	var j shapeinfer.ReportJSON
	require.NoError(t, json.Unmarshal(data, &j))
	require.Equal(t, []int{1}, j.Errors[0].Operands[0].Bad)
}

// Where the text tells a value by the calls that led to its line, machines get them too.
func TestReportAsJSONTellsCalls(t *testing.T) {
	j := shapeinfer.Check(mistakes.Layers()).JSON()
	require.Len(t, j.Errors, 1)
	m := j.Errors[0]
	require.Equal(t, 11, m.Line)
	require.Len(t, m.CalledAt, 1)
	require.Equal(t, "deep.go", filepath.Base(m.CalledAt[0].File))
	require.Equal(t, 22, m.CalledAt[0].Line)
	h, w := m.Operands[0], m.Operands[1]
	require.Equal(t, 21, h.CalledAt[0].Line, "the operand was made by the call before")
	require.Equal(t, 22, w.CalledAt[0].Line)
	require.Empty(t, shapeinfer.Check(mistakes.Bias()).JSON().Errors[0].CalledAt, "one way leads there")
}

// Whoever gets a report as an error can ask for the single mistakes.
func TestReportIsAnError(t *testing.T) {
	err := shapeinfer.Check(mistakes.Turned()).Err()
	var m *graph.Mistake
	require.ErrorAs(t, err, &m)
	require.Equal(t, graph.CodeMatMul, m.Code)
	require.True(t, shapeinfer.IsMistake(err, graph.CodeMatMul))
	require.False(t, shapeinfer.IsMistake(err, graph.CodeBroadcast))
	require.NoError(t, shapeinfer.Check(mistakes.Loss()).Err(), "a warning is no error")
}
