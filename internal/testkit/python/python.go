// Package python runs the jobs of a test with a Python script in one process, for tests that compare another
// engine with Broadloom.
//
// The script gets a folder. It reads jobs.json there, whose arrays are in arguments.bin, and writes results.json
// and results.bin, which have the same form.
package python

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/testkit/reference"
)

// lacking is the exit status of a script that lacks a package.
const lacking = 77

// asked has, for each interpreter and its packages, a function that asks it once.
var asked sync.Map

// Require skips a test if an interpreter lacks one of the packages, before the test makes anything for it.
func Require(t testing.TB, interpreter string, packages ...string) {
	t.Helper()
	names := strings.Join(packages, ", ")
	ask, _ := asked.LoadOrStore(interpreter+" "+names, sync.OnceValues(func() (lack string, err error) {
		probe := fmt.Sprintf("import sys\ntry:\n\timport %s\nexcept ImportError as e:\n\tprint(e)\n\tsys.exit(%d)\n",
			names, lacking)
		out, err := exec.Command(interpreter, "-c", probe).CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == lacking {
			return string(out), nil
		}
		return "", err
	}))
	lack, err := ask.(func() (string, error))()
	require.NoError(t, err, "%s was asked for %s", interpreter, names)
	if lack != "" {
		t.Skipf("%s lacks a package: %s", interpreter, lack)
	}
}

// Array is a value in jobs and results: its elements are at an offset of the file of raw numbers.
type Array struct {
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	Offset int    `json:"offset"`
}

// Folder is the folder in which a script and a test exchange data.
type Folder struct {
	Path    string
	numbers bytes.Buffer // in and, after [Do], out
}

// NewFolder returns an empty folder that the end of the test removes.
func NewFolder(t testing.TB) *Folder { return &Folder{Path: t.TempDir()} }

// Put adds a value to those the script reads.
func (f *Folder) Put(t testing.TB, v reference.Value) Array {
	a := Array{v.DType.String(), append([]int{}, v.Shape...), f.numbers.Len()}
	require.NoError(t, binary.Write(&f.numbers, binary.LittleEndian, v.Data))
	return a
}

// Get returns a value that the script has written.
func (f *Folder) Get(t testing.TB, a Array) reference.Value {
	v, err := reference.FromBytes(a.DType, f.numbers.Bytes()[a.Offset:], a.Shape...)
	require.NoError(t, err)
	return v
}

// Do runs a script with an interpreter, with words after the folder's path and additional environment variables, and
// returns the jobs as the script has written them. It skips the test if the script ends with status 77, which says that
// a package is missing.
func Do[Job any](t testing.TB, f *Folder, interpreter string, script []byte, jobs []Job, words []string,
	variables ...string) []Job {
	manifest, err := json.Marshal(jobs)
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"run.py": script, "jobs.json": manifest, "arguments.bin": f.numbers.Bytes()} {
		require.NoError(t, os.WriteFile(filepath.Join(f.Path, name), data, 0o666))
	}
	args := append([]string{filepath.Join(f.Path, "run.py"), f.Path}, words...)
	cmd := exec.CommandContext(t.Context(), interpreter, args...)
	cmd.Env = append(os.Environ(), variables...)
	out, err := cmd.CombinedOutput()
	if exit, is := err.(*exec.ExitError); is && exit.ExitCode() == lacking {
		t.Skip(string(out))
	}
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(filepath.Join(f.Path, "results.json"))
	require.NoError(t, err)
	raw, err := os.ReadFile(filepath.Join(f.Path, "results.bin"))
	require.NoError(t, err)
	f.numbers = *bytes.NewBuffer(raw)
	var done []Job
	require.NoError(t, json.Unmarshal(text, &done))
	require.Len(t, done, len(jobs))
	return done
}
