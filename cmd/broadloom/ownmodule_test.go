package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goCommand runs go in the working directory, without a network.
func goCommand(t *testing.T, args ...string) (output string, err error) {
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The command of docs/editors.md works in a user's module.
func TestOwnModuleTool(t *testing.T) {
	userModule(t, map[string]string{"bad/bad.go": badModel, "go.sum": sums(t)})
	out, err := goCommand(t, "get", "-tool", "github.com/broadloom/broadloom/cmd/broadloom")
	if strings.Contains(out, "module lookup disabled by GOPROXY=off") {
		t.Skip("the module cache does not have all that go get reads, and tests do not use the network")
	}
	require.NoError(t, err, out)
	out, err = goCommand(t, "tool", "broadloom", "check", "./...")
	require.Error(t, err)
	require.Contains(t, out, "error BL101: Add(x, b)")
}

// A tidied go.mod requires only what the user's packages import, and less than the commands do.
func TestCommandsInATidiedModule(t *testing.T) {
	userModule(t, map[string]string{"models.go": trainedModel, "go.sum": sums(t)})
	before, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	for _, command := range [][]string{{"profile", "-runs", "1"}, {"draw", "-o", "a.svg"},
		{"export", "-size", "batch=3"}} {
		status, _, stderr := broadloom(command...)
		require.Equal(t, exitOK, status, "%s: %s", command[0], stderr)
	}
	after, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "the user's files stay as they are")
}

// A vendor directory holds only what the user's packages import.
func TestCheckWithVendorDirectory(t *testing.T) {
	before := sums(t)
	userModule(t, map[string]string{"bad/bad.go": badModel, "go.sum": before})
	out, err := goCommand(t, "mod", "vendor")
	require.NoError(t, err, out)
	require.NoDirExists(t, "vendor/github.com/broadloom/broadloom/cmd")
	requireChecked(t)
	after, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	require.Equal(t, before, string(after), "the user's files stay as they are")
}

func TestCheckInWorkspace(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for name, work := range map[string]string{
		"replaced by the module":    "use .\n",
		"replaced by the workspace": "use .\n\nreplace github.com/broadloom/broadloom => " + root + "\n",
		"used":                      "use (\n\t.\n\t" + root + "\n)\n",
	} {
		t.Run(name, func(t *testing.T) {
			userModule(t, map[string]string{"bad/bad.go": badModel, "go.work": "go 1.26.0\n\n" + work})
			requireChecked(t)
		})
	}
}

func TestCheckInWorkspaceWithVendorDirectory(t *testing.T) {
	userModule(t, map[string]string{"bad/bad.go": badModel, "go.work": "go 1.26.0\n\nuse .\n"})
	out, err := goCommand(t, "work", "vendor")
	require.NoError(t, err, out)
	requireChecked(t)
}

// requireChecked expects that the model of bad is checked.
func requireChecked(t *testing.T) {
	t.Helper()
	status, stdout, stderr := broadloom("check", "./...")
	require.Equal(t, exitErrors, status, stderr)
	require.Contains(t, stdout, "error BL101: Add(x, b)")
}
