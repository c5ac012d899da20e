package shapeinfer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
)

func TestEveryCodeIsExplained(t *testing.T) {
	list := graph.Explanations()
	require.True(t, slices.IsSortedFunc(list, func(a, b graph.Explanation) int {
		return strings.Compare(string(a.Code), string(b.Code))
	}))
	for _, e := range list {
		require.Regexp(t, `^BL\d{3}$`, e.Code)
		require.NotEmpty(t, e.Meaning, e.Code)
		require.NotEmpty(t, e.Example, e.Code)
		require.NotEmpty(t, e.Cure, e.Code)
	}
	require.Contains(t, list[5].Example, "ops.Add(x, y)")
	require.EqualValues(t, "BL101", list[5].Code)
}

func TestDocumentsListEveryCode(t *testing.T) {
	text, err := os.ReadFile("../docs/shapes.md")
	require.NoError(t, err)
	for _, e := range graph.Explanations() {
		require.Contains(t, string(text), fmt.Sprintf("| `%s` | ", e.Code))
	}
}

// Each example is compiled and must draw the code under which it stands.
func TestExamplesDrawTheirCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	var program strings.Builder
	program.WriteString(examplesHead)
	for _, e := range graph.Explanations() {
		example := e.Example
		if !strings.Contains(example, "g := ") {
			example = "g := graph.New(\"example\")\n" + example
		}
		fmt.Fprintf(&program, "examples[%q] = func() (*graph.Graph, error) {\nvar err error\n%s\nreturn g, err\n}\n",
			e.Code, example)
	}
	program.WriteString("}\n")
	file, binary := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "examples.exe")
	require.NoError(t, os.WriteFile(file, []byte(program.String()), 0o644))
	build, err := exec.Command("go", "build", "-o", binary, file).CombinedOutput()
	require.NoError(t, err, string(build))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary).Output()
	require.NoError(t, err)
	drawn := map[string][]string{}
	require.NoError(t, json.Unmarshal(out, &drawn))
	for _, e := range graph.Explanations() {
		assert.Contains(t, drawn[string(e.Code)], string(e.Code), "the example of %s", e.Code)
	}
}

const examplesHead = `package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/contract"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/reach"
	"github.com/broadloom/broadloom/shapeinfer"
)

var examples = map[string]func() (*graph.Graph, error){}

var _ = autodiff.Grad

func main() {
	fill()
	drawn := map[string][]string{}
	for code, build := range examples {
		g, err := build()
		if err != nil && strings.Contains(err.Error(), code) {
			drawn[code] = append(drawn[code], code)
		}
		r := shapeinfer.Check(g)
		for _, list := range [][]*graph.Mistake{r.Errors, r.Warnings, r.Notes} {
			for _, m := range list {
				drawn[code] = append(drawn[code], string(m.Code))
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(drawn)
}

var _ = ops.Add

func fill() {
`
