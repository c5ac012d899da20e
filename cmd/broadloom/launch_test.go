package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/reach/launch"
)

func TestLaunchTellsOfWhatIsWrong(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitOK, run([]string{"launch", "-print"}, &stdout, &stderr))
	require.Equal(t, launch.Script, stdout.Bytes())
	require.Equal(t, exitFailed, run([]string{"launch"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "launch needs one folder of an exported program, but got 0")
	stderr.Reset()
	require.Equal(t, exitErrors, run([]string{"launch", "-steps", "0", "folder"}, &stdout, &stderr))
	require.Equal(t, "broadloom: launch: 0 steps: there must be at least 1\n", stderr.String())
	t.Setenv(launch.PythonVariable, "/no/python")
	stderr.Reset()
	require.Equal(t, exitErrors, run([]string{"launch", "folder"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "folder is not a folder of an exported program")
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "module.mlir"), nil, 0o600))
	stderr.Reset()
	require.Equal(t, exitErrors, run([]string{"launch", "-data", "no.npz", folder}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "no.npz")
	stderr.Reset()
	require.Equal(t, exitErrors, run([]string{"launch", folder}, &stdout, &stderr))
	require.Contains(t, stderr.String(), launch.PythonVariable)
}

func TestStepText(t *testing.T) {
	require.Equal(t, "step 3/7  accuracy 0.5  loss 0.25  1.2 ms a step",
		stepText(launch.Step{Step: 3, Of: 7, Millis: 1.25, Outputs: map[string]float64{"loss": 0.25, "accuracy": 0.5}}))
}
