package onnxrt

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/testkit/python"
	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// PythonVariable is the environment variable that names an interpreter of Python with onnx and onnxruntime.
const PythonVariable = "BROADLOOM_XLA_PYTHON"

//go:embed run.py
var script []byte

// Model is a model and the inputs of its runs.
type Model struct {
	Name string
	Data []byte // of the file; or
	Path string // where it is, with its data beside it
	Runs []Run
}

// Run has the inputs of a run by their names.
type Run map[string]Arg

// Arg is an input: a value or, if it has no elements, the output of that name of the previous run.
type Arg struct {
	Value reference.Value
	From  string
}

// Outcome is the result of a model: the outputs of each run by their names, or why there are none.
type Outcome struct {
	Results []map[string]reference.Value
	Order   []string // of the outputs
	Error   string
}

// of is a value, or the output of another run.
type of struct {
	python.Array
	From string `json:"from"`
}

type job struct {
	Path    string          `json:"path"`
	Runs    []map[string]of `json:"runs,omitempty"`
	Results []map[string]of `json:"results,omitempty"`
	Order   []string        `json:"order,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// Python returns the interpreter. It skips the test if none is named, or if that one lacks a package, before the test
// makes models that nothing could run.
func Python(t testing.TB) string {
	interpreter := os.Getenv(PythonVariable)
	if interpreter == "" {
		t.Skipf("%s names no Python with onnx and onnxruntime", PythonVariable)
	}
	python.Require(t, interpreter, "numpy", "onnx", "onnxruntime")
	return interpreter
}

// Do checks models with ONNX's own checker, and runs them in one process of Python, on a CPU. It skips the test if
// there is no interpreter.
func Do(t testing.TB, models []Model) []Outcome { return do(t, models) }

// Reference computes the first run of each model in the evaluator of ONNX's own package, which is written with NumPy
// from the text of the operators. It skips the test as Do does.
func Reference(t testing.TB, models []Model) []Outcome { return do(t, models, "reference") }

func do(t testing.TB, models []Model, words ...string) []Outcome {
	interpreter, folder := Python(t), python.NewFolder(t)
	jobs := make([]job, len(models))
	for i, m := range models {
		if jobs[i].Path = m.Path; m.Path == "" {
			jobs[i].Path = filepath.Join(folder.Path, fmt.Sprintf("%d.onnx", i))
			require.NoError(t, os.WriteFile(jobs[i].Path, m.Data, 0o666))
		}
		for _, run := range m.Runs {
			args := map[string]of{}
			for name, a := range run {
				if a.Value.Data == nil {
					args[name] = of{From: a.From}
				} else {
					args[name] = of{Array: folder.Put(t, a.Value)}
				}
			}
			jobs[i].Runs = append(jobs[i].Runs, args)
		}
	}
	outcomes := make([]Outcome, len(models))
	for i, j := range python.Do(t, folder, interpreter, script, jobs, words) {
		outcomes[i].Error, outcomes[i].Order = j.Error, j.Order
		for _, run := range j.Results {
			values := map[string]reference.Value{}
			for name, o := range run {
				values[name] = folder.Get(t, o.Array)
			}
			outcomes[i].Results = append(outcomes[i].Results, values)
		}
	}
	return outcomes
}
