package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/stablehlo"
	"github.com/broadloom/broadloom/weights"
)

// filesOf lists the files of a folder.
func filesOf(t *testing.T, dir string) (names []string) {
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

func signatureOf(t *testing.T, dir string) (s stablehlo.Signature) {
	text, err := os.ReadFile(filepath.Join(dir, stablehlo.SignatureFile))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

func TestExportOfAModel(t *testing.T) {
	userModule(t, map[string]string{"models.go": trainedModel})
	status, stdout, stderr := broadloom("export", "-size", "batch=16")
	require.Equal(t, exitOK, status, stderr)
	require.Equal(t, "classifier.export\n", stdout)
	require.Equal(t, []string{"classifier.export", "go.mod", "models.go"}, filesOf(t, "."))
	require.Equal(t, []string{stablehlo.ModuleFile, stablehlo.SignatureFile, stablehlo.WeightsFile},
		filesOf(t, "classifier.export"))
	s := signatureOf(t, "classifier.export")
	var roles []stablehlo.Role
	for _, r := range s.Results {
		roles = append(roles, r.Role)
	}
	require.Equal(t, []stablehlo.Role{stablehlo.RoleOutput, stablehlo.RoleParameter, stablehlo.RoleParameter,
		stablehlo.RoleCheck}, roles[:4])
	require.Equal(t, []int{16, 8}, s.Arguments[0].Shape)
	require.Equal(t, []string{"batch", "8"}, s.Arguments[0].Dims)

	w, err := weights.Open(filepath.Join("classifier.export", stablehlo.WeightsFile))
	require.NoError(t, err)
	first, err := w.Read("out.weight")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for i := range first.Data.([]float32) {
		first.Data.([]float32)[i] = float32(i)
	}
	bias := first
	bias.Shape, bias.Data = []int{10}, make([]float32, 10)
	require.NoError(t, weights.Write("trained.npz",
		[]weights.Named{{Name: "out.weight", Value: first}, {Name: "out.bias", Value: bias}}))
	folder := filepath.Join("new", "forward")
	status, stdout, stderr = broadloom("export", "-size", "batch=4", "-forward", "-params", "trained.npz", "-o", folder)
	require.Equal(t, exitOK, status, stderr)
	require.Equal(t, folder+"\n", stdout)
	require.Equal(t, []string{"forward"}, filesOf(t, "new"))
	require.Equal(t, stablehlo.RoleCheck, signatureOf(t, folder).Results[1].Role, "no parameter is written")
	w, err = weights.Open(filepath.Join(folder, stablehlo.WeightsFile))
	require.NoError(t, err)
	defer w.Close()
	loaded, err := w.Read("out.weight")
	require.NoError(t, err)
	require.Equal(t, first, loaded)
}

// A failed export reports why, and leaves no files behind.
func TestExportTrouble(t *testing.T) {
	userModule(t, map[string]string{"good/models.go": trainedModel, "bad/models.go": badModel,
		"other/keep.txt": "mine"})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"./good"}, "models.go:14:7: error: the program needs the size batch of Input(x)"},
		{[]string{"-size", "batch=4,bacth=3", "./good"},
			"-size bacth: no model has a size of that name; there are: batch"},
		{[]string{"-size", "batch=4", "-o", "other", "./good"}, "other holds keep.txt, which no export has written"},
		{[]string{"./bad"}, "run broadloom check"},
		{[]string{"-o", "one", "-size", "batch=4", "./..."}, "-o names one folder, but there are 2 models"},
	} {
		status, stdout, stderr := broadloom(append([]string{"export"}, c.args...)...)
		assert.Equal(t, exitFailed, status, c.args)
		assert.Contains(t, stderr, c.want)
		assert.Empty(t, stdout)
		assert.Equal(t, []string{"bad", "go.mod", "good", "other"}, filesOf(t, "."), c.args)
	}
}

// Of the sizes of models that could not be built nothing is known.
func TestNothingIsSaidOfSizesOfModelsThatDoNotCompile(t *testing.T) {
	userModule(t, map[string]string{"good/models.go": trainedModel,
		"broken/models.go": badModel + "\nvar _ int = wrong\n"})
	for _, command := range []string{"export", "check"} {
		for _, packages := range []string{"./broken", "./..."} {
			status, _, stderr := broadloom(command, "-size", "batch=4,b=3", packages)
			assert.Equal(t, exitFailed, status)
			assert.Contains(t, stderr, "example.com/user/broken does not compile")
			assert.NotContains(t, stderr, "-size")
		}
	}
}

// An export that is interrupted leaves no half folder.
func TestExportIsInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt another one there")
	}
	userModule(t, map[string]string{"models.go": `package models

import (
	"os"
	"time"

	"github.com/broadloom/broadloom/graph"
)

//broadloom:model
func slow() *graph.Graph {
	os.WriteFile("started", nil, 0o666)
	time.Sleep(time.Hour)
	return nil
}
`})
	binary, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), binary, "export")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { _, err := os.Stat("started"); return err == nil }, time.Minute,
		10*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.EqualError(t, cmd.Wait(), "exit status 2")
	require.Equal(t, []string{"go.mod", "models.go", "started"}, filesOf(t, "."))
}
