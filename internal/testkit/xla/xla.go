package xla

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/reach/launch"
)

//go:embed run.py
var script []byte

// Program is a module and what it is run with.
type Program struct {
	Name string
	Text string
	Runs []Run
}

// Run lists the arguments of a run, in the module's order.
type Run []Arg

// Arg is an argument: a value, or where it has no elements given, result From of the run before.
type Arg struct {
	Value reference.Value
	From  int
}

// Outcome is what became of a program: the results of each run, or why there are none.
type Outcome struct {
	Results [][]reference.Value
	Error   string
}

// of is a value, or the result of another run, in the manifest. Its elements stand at an offset of a file of raw numbers.
type of struct {
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	Offset int    `json:"offset"`
	From   int    `json:"from"`
}

type job struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Runs    [][]of `json:"runs,omitempty"`
	Results [][]of `json:"results,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Do runs programs in one process of Python, on a CPU. It skips the test where there is no jaxlib of the version
// that is wanted.
func Do(t testing.TB, programs []Program) []Outcome {
	python, err := launch.FindPython(t.Context())
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	var raw bytes.Buffer
	jobs := make([]job, len(programs))
	for i, p := range programs {
		jobs[i] = job{Name: p.Name, Text: p.Text}
		for _, run := range p.Runs {
			args := make([]of, len(run))
			for k, a := range run {
				if a.Value.Data == nil {
					args[k] = of{From: a.From}
					continue
				}
				args[k] = of{a.Value.DType.String(), a.Value.Shape, raw.Len(), -1}
				require.NoError(t, binary.Write(&raw, binary.LittleEndian, a.Value.Data))
			}
			jobs[i].Runs = append(jobs[i].Runs, args)
		}
	}
	manifest, err := json.Marshal(jobs)
	require.NoError(t, err)
	for name, data := range map[string][]byte{"run.py": script, "jobs.json": manifest, "arguments.bin": raw.Bytes()} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o666))
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join(folder, "run.py"), folder)
	cmd.Env = append(os.Environ(), "JAX_PLATFORMS=cpu")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return read(t, folder, len(programs))
}

// read takes what the process has written.
func read(t testing.TB, folder string, count int) []Outcome {
	text, err := os.ReadFile(filepath.Join(folder, "results.json"))
	require.NoError(t, err)
	raw, err := os.ReadFile(filepath.Join(folder, "results.bin"))
	require.NoError(t, err)
	var done []job
	require.NoError(t, json.Unmarshal(text, &done))
	require.Len(t, done, count)
	outcomes := make([]Outcome, count)
	for i, j := range done {
		outcomes[i].Error = j.Error
		for _, run := range j.Results {
			values := make([]reference.Value, len(run))
			for k, o := range run {
				values[k], err = reference.FromBytes(o.DType, raw[o.Offset:], o.Shape...)
				require.NoError(t, err, fmt.Sprintf("%s: result %d", j.Name, k))
			}
			outcomes[i].Results = append(outcomes[i].Results, values)
		}
	}
	return outcomes
}
