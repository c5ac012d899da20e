package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block returns the block of code below a heading of docs/editors.md.
func block(t *testing.T, heading, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "editors.md"))
	require.NoError(t, err)
	_, below, found := strings.Cut(string(text), "\n## "+heading+"\n")
	require.True(t, found, "there is no heading %q", heading)
	_, code, found := strings.Cut(below, "\n```"+language+"\n")
	require.True(t, found)
	code, _, _ = strings.Cut(code, "\n```")
	return code
}

// entry is a line of the output that an editor is to list.
type entry struct{ file, line, severity, message string }

// realOutput returns what a check of models with mistakes of all kinds prints, and the entries
// that an editor has to find in it.
func realOutput(t *testing.T) (output string, want []entry) {
	userModule(t, map[string]string{"bad/bad.go": badModel, "fails/fails.go": `package fails
` + imports + `
//broadloom:model
func fails() *graph.Graph {
	ops.Exp(nil)
	panic("as fails do")
}

//broadloom:model
func warned() *graph.Graph {
	g := graph.New("warned")
	n := g.Dim("n")
	ops.Sub(g.Input("p", graph.Float32, n, 1), g.Input("t", graph.Float32, n))
	return g
}

//broadloom:model
func deferred() *graph.Graph {
	g := graph.New("deferred")
	ops.Reshape(g.Input("x", graph.Float32, g.Dim("n")), 2, -1)
	return g
}
`})
	_, output, _ = broadloom("check", "./...")
	want = []entry{
		{"bad/bad.go", "14", "error", "Add(x, b): The size of tensor a (4) must match"},
		{"fails/fails.go", "11", "error", "fails could not be checked: panic: as fails do"},
		{"fails/fails.go", "18", "warning", "Sub(p, t)"},
		{"fails/fails.go", "25", "note", "deferred to binding"},
	}
	return output, want
}

func TestProblemMatcher(t *testing.T) {
	var tasks struct {
		Tasks []struct {
			Command        string
			ProblemMatcher struct {
				Pattern struct {
					Regexp                                      string
					File, Line, Column, Severity, Code, Message int
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(block(t, "Visual Studio Code, as a task", "json")), &tasks))
	p := tasks.Tasks[0].ProblemMatcher.Pattern
	pattern := regexp.MustCompile(p.Regexp) // what it uses means the same in JavaScript
	output, want := realOutput(t)
	var found []entry
	for line := range strings.Lines(output) {
		if m := pattern.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			found = append(found, entry{m[p.File], m[p.Line], m[p.Severity], m[p.Message]})
			require.Equal(t, strings.Contains(line, "could not be checked"), m[p.Code] == "", line)
		}
	}
	requireEntries(t, want, found)
	require.NotNil(t, pattern.FindStringSubmatch(`C:\models\net.go:3:14: error BL101: Add(x, b): no`),
		"columns and drives")
}

func requireEntries(t *testing.T, want, found []entry) {
	t.Helper()
	require.Len(t, found, len(want), "%q", found)
	for i, w := range want {
		require.Contains(t, found[i].message, w.message)
		found[i].message = w.message
		require.Equal(t, w, found[i])
	}
}

func TestErrorFormat(t *testing.T) {
	vim, err := exec.LookPath("vim")
	if err != nil {
		t.Skip("vim is not installed")
	}
	errorformat := block(t, "Vim", "vim")
	output, want := realOutput(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	settings := write("settings.vim", errorformat)
	list := filepath.Join(dir, "list.json")
	script := write("script.vim", "source "+settings+"\ncgetfile "+write("output.txt", output)+"\n"+
		"call writefile([json_encode(map(getqflist(), {_, e -> [bufname(e.bufnr), e.lnum, e.type, e.text]}))], '"+list+
		"')\nqall!\n")
	out, err := exec.CommandContext(t.Context(), vim, "-u", "NONE", "-es", "-S", script).CombinedOutput()
	text, readErr := os.ReadFile(list)
	if readErr != nil {
		t.Skipf("this vim has no quickfix list: %v\n%s", err, out)
	}
	var items [][4]any
	require.NoError(t, json.Unmarshal(text, &items))
	severities := map[any]string{"E": "error", "e": "error", "W": "warning", "w": "warning", "I": "note"}
	var found []entry
	for _, item := range items {
		line, err := json.Marshal(item[1])
		require.NoError(t, err)
		found = append(found, entry{item[0].(string), string(line), severities[item[2]], item[3].(string)})
	}
	requireEntries(t, want, found)
	require.Contains(t, found[0].message+items[0][3].(string), "help: declare b as [4]",
		"what stands below belongs to the entry")
}
