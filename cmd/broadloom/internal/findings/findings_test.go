package findings

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// mistakes is the report of a graph with two errors, a warning and a note.
func mistakes(t *testing.T) shapeinfer.ReportJSON {
	g := graph.New("mistakes")
	n := g.Dim("n")
	x := g.Input("x", graph.Float32, n, 4)
	ops.Add(x, g.Param("b", graph.Float32, 3))
	ops.MatMul(x, g.Param("w", graph.Float32, 5, 6))
	ops.Sub(g.Input("p", graph.Float32, n, 1), g.Input("t", graph.Float32, n))
	ops.Reshape(g.Input("even", graph.Float32, g.Dim("m")), 2, -1)
	r := shapeinfer.Check(g).JSON()
	require.NotEmpty(t, r.Errors)
	require.NotEmpty(t, r.Warnings)
	require.NotEmpty(t, r.Notes)
	return r
}

func TestOfReport(t *testing.T) {
	r := mistakes(t)
	list := Merge(OfReport(r))
	require.Len(t, list, len(r.Errors)+len(r.Warnings)+len(r.Notes))
	first := list[0]
	assert.Equal(t, graph.Error, first.Severity)
	assert.Equal(t, "BL101", first.Code)
	assert.Equal(t, "findings_test.go", filepath.Base(first.At.File))
	assert.Equal(t, r.Errors[0].Line, first.At.Line)
	assert.True(t, strings.HasPrefix(first.Message, "Add(x, b): The size of tensor a (4) must match"), first.Message)
	assert.Contains(t, first.Detail, "\nhelp: declare b as [4]")
	assert.True(t, strings.HasPrefix(first.Detail, "x "), "the table begins at the margin: %q", first.Detail)
	require.NotEmpty(t, first.Related)
	assert.Equal(t, "x [n, 4]", first.Related[0].Text)
	for i := range list[1:] {
		assert.LessOrEqual(t, list[i].At.compare(list[i+1].At), 0, "sorted by place")
	}
	assert.Equal(t, list, Merge(append(OfReport(r), OfReport(r)...)), "two models have the same mistakes")
	assert.Empty(t, Merge(nil))
}

func TestOfProblem(t *testing.T) {
	dir := filepath.FromSlash("/home/user")
	for _, c := range []struct {
		text string
		want []Finding
	}{
		{"no models were found", []Finding{{Code: NotChecked, Message: "no models were found"}}},
		{"first\nsecond\n", []Finding{{Code: NotChecked, Message: "first", Detail: "second"}}},
		{"a/net.go:12: not a function", []Finding{
			{Code: NotChecked, At: Place{filepath.Join(dir, "a/net.go"), 12, 0}, Message: "not a function"}}},
		{"p does not compile: exit status 1\n# p\n./a.go:3:9: undefined: x\n./b.go:4:1: syntax error: y", []Finding{
			{Code: NotChecked, At: Place{filepath.Join(dir, "a.go"), 3, 9}, Message: "undefined: x"},
			{Code: NotChecked, At: Place{filepath.Join(dir, "b.go"), 4, 1}, Message: "syntax error: y"}}},
	} {
		assert.Equal(t, c.want, OfProblem(dir, c.text), c.text)
	}
}

// The report is valid by the schema of SARIF, and one whose level is no level is not.
func TestSARIF(t *testing.T) {
	dir, err := os.Getwd()
	require.NoError(t, err)
	list := Merge(append(OfReport(mistakes(t)), OfProblem(dir, "no place: 100%")...))
	report := SARIF(dir, "v1.2.3", list, true)
	require.NoError(t, report.Validate())

	var out bytes.Buffer
	require.NoError(t, WriteSARIF(&out, dir, "v1.2.3", list, true))
	read, err := sarif.FromBytes(out.Bytes())
	require.NoError(t, err)
	run := read.Runs[0]
	require.Len(t, run.Results, len(list))
	levels := map[string]int{}
	for i, result := range run.Results {
		levels[result.Level]++
		assert.Equal(t, list[i].Code, *run.Tool.Driver.Rules[result.RuleIndex].ID)
		assert.Equal(t, list[i].Text(), *result.Message.Text)
		if list[i].At.File == "" {
			assert.Empty(t, result.Locations)
			continue
		}
		place := result.Locations[0].PhysicalLocation
		assert.Equal(t, "findings_test.go", *place.ArtifactLocation.URI)
		assert.Equal(t, list[i].At.Line, *place.Region.StartLine)
	}
	assert.Equal(t, 3, len(levels), "errors, warnings and notes: %v", levels)

	require.NoError(t, SARIF(dir, "v1", nil, false).Validate())
	list[0].Severity = 77
	require.Error(t, SARIF(dir, "v1", list, true).Validate())
}

func TestSARIFPlaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "größe 1.go")
	require.NoError(t, os.WriteFile(file, []byte("package p\n\nvar größe = f(x)\n"), 0o644))
	list := []Finding{{Code: "BL101", At: Place{file, 3, 15}, Message: "a"},
		{Code: "BL101", At: Place{filepath.Join(filepath.Dir(dir), "b.go"), 1, 0}, Message: "b"}}
	var out bytes.Buffer
	require.NoError(t, WriteSARIF(&out, dir, "v1", list, true))
	require.True(t, json.Valid(out.Bytes()))
	assert.Contains(t, out.String(), `"uri": "gr%C3%B6%C3%9Fe%201.go"`)
	assert.Contains(t, out.String(), `"startColumn": 13`, "columns are counted in characters")
	assert.Contains(t, out.String(), `"uri": "file:///`, "a file outside of the root has its whole name")
}

func TestWriteGitHub(t *testing.T) {
	root := filepath.FromSlash("/repo")
	var out bytes.Buffer
	require.NoError(t, WriteGitHub(&out, root, []Finding{
		{Severity: graph.Error, Code: "BL101", At: Place{filepath.FromSlash("/repo/a,b/net.go"), 12, 3},
			Message: "Add(x, b): 100%", Detail: "x  [4]\nb  [3]"},
		{Severity: graph.Warning, Code: "BL202", At: Place{filepath.FromSlash("/else/net.go"), 1, 0},
			Message: "larger"},
		{Severity: graph.Note, Code: "BL401", Message: "deferred"},
	}))
	assert.Equal(t, "::error file=a%2Cb/net.go,line=12,col=3,title=BL101::Add(x, b): 100%25%0Ax  [4]%0Ab  [3]\n"+
		"::warning file=/else/net.go,line=1,title=BL202::larger\n"+
		"::notice title=BL401::deferred\n", out.String())
}
