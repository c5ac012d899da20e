package xla

import (
	_ "embed"
	"testing"

	"github.com/broadloom/broadloom/internal/testkit/python"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/reach/launch"
)

//go:embed run.py
var script []byte

// Program is a module and the arguments of its runs.
type Program struct {
	Name string
	Text string
	Runs []Run
}

// Run lists the arguments of a run, in the module's order.
type Run []Arg

// Arg is an argument: a value or, if it has no elements, result From of the previous run.
type Arg struct {
	Value reference.Value
	From  int
}

// Outcome is the result of a program: the results of each run, or why there are none.
type Outcome struct {
	Results [][]reference.Value
	Error   string
}

// of is a value, or the result of another run.
type of struct {
	python.Array
	From int `json:"from"`
}

type job struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Runs    [][]of `json:"runs,omitempty"`
	Results [][]of `json:"results,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Do runs programs in one process of Python, on a CPU. It skips the test if there is no jaxlib of the required version.
func Do(t testing.TB, programs []Program) []Outcome {
	interpreter, err := launch.FindPython(t.Context())
	if err != nil {
		t.Skip(err)
	}
	folder := python.NewFolder(t)
	jobs := make([]job, len(programs))
	for i, p := range programs {
		jobs[i] = job{Name: p.Name, Text: p.Text}
		for _, run := range p.Runs {
			args := make([]of, len(run))
			for k, a := range run {
				if a.Value.Data == nil {
					args[k] = of{From: a.From}
				} else {
					args[k] = of{folder.Put(t, a.Value), -1}
				}
			}
			jobs[i].Runs = append(jobs[i].Runs, args)
		}
	}
	outcomes := make([]Outcome, len(programs))
	for i, j := range python.Do(t, folder, interpreter, script, jobs, nil, "JAX_PLATFORMS=cpu") {
		outcomes[i].Error = j.Error
		for _, run := range j.Results {
			values := make([]reference.Value, len(run))
			for k, o := range run {
				values[k] = folder.Get(t, o.Array)
			}
			outcomes[i].Results = append(outcomes[i].Results, values)
		}
	}
	return outcomes
}
