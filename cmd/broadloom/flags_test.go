package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Help that was requested is written in full. A wrong flag is reported in two lines, which the help would hide.
func TestHelpAndWrongFlags(t *testing.T) {
	for _, c := range commands {
		for _, args := range [][]string{{"help", c.name}, {c.name, "-h"}, {c.name, "--help"}} {
			var stdout, stderr bytes.Buffer
			assert.Equal(t, exitOK, run(args, &stdout, &stderr))
			assert.Contains(t, stdout.String(), "usage: broadloom "+c.name)
			assert.Empty(t, stderr.String())
		}
		var stdout, stderr bytes.Buffer
		assert.Equal(t, exitFailed, run([]string{c.name, "-nosuch"}, &stdout, &stderr))
		assert.Equal(t, "broadloom: flag provided but not defined: -nosuch\nbroadloom help "+c.name+
			" lists the flags\n", stderr.String())
		assert.Empty(t, stdout.String())
		stderr.Reset()
		assert.Equal(t, exitFailed, run([]string{c.name, "./models", "-run", "x"}, &stdout, &stderr))
		assert.Contains(t, stderr.String(), "-run follows ./models: flags must come first")
	}
	var stdout, stderr bytes.Buffer
	assert.Equal(t, exitFailed, run([]string{"lsp", "models"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "lsp takes no arguments")
	assert.Equal(t, exitOK, run([]string{"help", "help"}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "usage: broadloom command")
}

// Wrong flags of a drawing are reported before a model is built.
func TestWrongFlagsOfADrawing(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("folder", 0o755))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-limit", "-3"}, "-limit is -3 and -radius 2: both must be at least 0"},
		{[]string{"-radius", "-1", "-around", "x"}, "-radius -1"},
		{[]string{"-radius", "3"}, "-radius needs -around"},
		{[]string{"-kernels"}, "-kernels needs -compiled"},
		{[]string{"-fold", "[z"}, "-fold [z: syntax error in pattern"},
		{[]string{"-o", "no/such/m.svg"}, "-o no/such/m.svg: there is no folder no/such"},
		{[]string{"-o", "folder"}, "-o folder is a folder"},
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, exitFailed, run(append([]string{"draw"}, c.args...), &stdout, &stderr))
		assert.Contains(t, stderr.String(), c.want)
	}
}

// A misspelt size or pattern is reported, and so are sizes that are missing.
func TestDrawTellsOfSizesAndPatterns(t *testing.T) {
	userModule(t, map[string]string{"models.go": trainedModel})
	status, stdout, stderr := broadloom("draw", "-size", "bach=3")
	assert.Equal(t, exitFailed, status)
	assert.Empty(t, stdout)
	assert.Equal(t, "broadloom: -size bach: no model has a size of that name; there are: batch\n", stderr)
	assert.NoFileExists(t, "classifier.svg")
	status, _, stderr = broadloom("export", "-size", "bach=3")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr, `the model has no size "bach"; it has: batch`)

	status, _, stderr = broadloom("draw", "-fold", "zz*,out")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, stderr, `Fold("zz*") folds nothing: no scope matches; there are out`)
	assert.NotContains(t, stderr, `Fold("out")`)

	status, _, stderr = broadloom("draw", "-compiled", "-size", "batch=0")
	assert.Equal(t, exitFailed, status)
	assert.Contains(t, stderr,
		"it could not be drawn: error BL501: the sizes given do not meet what the model requires: batch = 0")
	assert.NotContains(t, stderr, ".go:24")
}

// Some sizes are enough for a picture of a compiled program.
func TestDrawsWithSomeSizes(t *testing.T) {
	userModule(t, map[string]string{"models.go": `package models

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

//broadloom:model
func reader() *graph.Graph {
	g := graph.New("reader")
	x := g.Input("x", graph.Float32, g.Dim("batch"), g.Dim("time"), 4)
	optim.Adam(0.1).Minimize(ops.Mean(nn.NewLSTM(g, "lstm", 4, 8).Apply(nn.Training(g), x)))
	return g
}
`})
	status, _, stderr := broadloom("draw", "-compiled", "-size", "batch=3", "-format", "dot", "-o", "m.dot")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stderr, "no -size gives time = 32")
	dot, err := os.ReadFile("m.dot")
	require.NoError(t, err)
	assert.Contains(t, string(dot), "moved")
}

// A report that could not be written is no success.
func TestOutputThatIsCutOff(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	binary, err := os.Executable()
	require.NoError(t, err)
	for _, args := range [][]string{{"ops"}, {"explain", "BL101"}, {"help", "check"}} {
		cmd := exec.CommandContext(t.Context(), binary, args...)
		var stderr bytes.Buffer
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asCommand+"=1"), full, &stderr
		require.Error(t, cmd.Run())
		assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode())
		assert.Contains(t, stderr.String(), "no space left on device")
	}
	require.NoError(t, full.Close())
}

// Files are distinguished from packages: go list takes them for a package that no program can import.
func TestFilesAreNoPackages(t *testing.T) {
	for _, c := range []string{"check", "draw", "profile", "shapes", "export"} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, exitFailed, run([]string{c, "models/net.go"}, &stdout, &stderr))
		assert.Contains(t, stderr.String(), "models/net.go is a file: name its package, ./models")
	}
}

// An export whose reader has gone away leaves nothing but the folder.
func TestExportIntoAClosedPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes differ there")
	}
	userModule(t, map[string]string{"models.go": trainedModel})
	binary, err := os.Executable()
	require.NoError(t, err)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	cmd := exec.CommandContext(t.Context(), binary, "export", "-size", "batch=3")
	cmd.Env, cmd.Stdout = append(os.Environ(), asCommand+"=1"), w
	_ = cmd.Run()
	require.NoError(t, w.Close())
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	names := []string{}
	for _, f := range left {
		names = append(names, f.Name())
	}
	assert.Equal(t, []string{"classifier.export", "go.mod", "models.go"}, names)
}

// A command that is asked to end ends the programs that it started, and leaves no temporary files.
func TestCommandsAreStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt another one there")
	}
	binary, err := os.Executable()
	require.NoError(t, err)
	userModule(t, map[string]string{"models.go": `package models

import (
	"os"
	"time"

	"github.com/broadloom/broadloom/graph"
)

//broadloom:model
func slow() *graph.Graph {
	_ = os.WriteFile("runs", nil, 0o600)
	time.Sleep(time.Hour)
	return nil
}
`})
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, command := range []string{"check", "draw", "shapes"} {
		os.Remove("runs")
		cmd := exec.CommandContext(t.Context(), binary, command, "-timeout", "1h")
		cmd.Env = append(os.Environ(), asCommand+"=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { _, err := os.Stat("runs"); return err == nil }, time.Minute,
			10*time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		require.Error(t, cmd.Wait())
		assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), command)
		assert.Equal(t, "broadloom: interrupted\n", stderr.String())
		left, err := os.ReadDir(temporary)
		require.NoError(t, err)
		for _, f := range left {
			assert.NotContains(t, f.Name(), "broadloom-", command)
		}
	}
}
