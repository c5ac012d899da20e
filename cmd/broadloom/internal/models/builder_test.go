package models

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// userPackage makes a module with a package of layers and one of a model that uses it.
func userPackage(t *testing.T) (dir string) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	root, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	dir = t.TempDir()
	write(t, filepath.Join(dir, "go.mod"),
		"module example.com/user\n\ngo 1.26.0\n\nrequire github.com/broadloom/broadloom v0.0.0\n\nreplace github.com/broadloom/broadloom => "+
			root+"\n")
	write(t, filepath.Join(dir, "layers/layers.go"), "package layers\n\n// Width is a size.\nconst Width = 4\n")
	write(t, filepath.Join(dir, "net/net.go"), netText(3))
	return filepath.Join(dir, "net")
}

func netText(width int) string {
	return fmt.Sprintf(`package net

import (
	"example.com/user/layers"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

//broadloom:model
func net() *graph.Graph {
	g := graph.New("net")
	wide := ops.Exp(g.Input("x", graph.Float32, g.Dim("n"), layers.Width))
	ops.Add(wide, g.Param("b", graph.Float32, %d))
	return g
}
`, width)
}

func write(t *testing.T, file, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// A builder follows changes of a buffer, of a saved file, of another package and of imports, and its
// results are those of the present text.
func TestBuilderFollowsChanges(t *testing.T) {
	dir := userPackage(t)
	b, err := NewBuilder(
		dir, Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelcheck", Func: "Check"})
	require.NoError(t, err)
	defer b.Close()
	file := filepath.Join(dir, "net.go")
	check := func(o Overlay) string {
		t.Helper()
		_, outcomes, err := b.Run(t.Context(), o,
			Options{Args: map[string]any{"Dir": dir}, Match: func(string) bool { return true }, Timeout: time.Minute,
				Output: &tail{}})
		require.NoError(t, err)
		require.Len(t, outcomes, 1)
		require.Empty(t, outcomes[0].Failure)
		var r struct{ Text string }
		require.NoError(t, json.Unmarshal(outcomes[0].Result, &r))
		return r.Text
	}
	require.Contains(t, check(nil), "size of tensor a (4) must match the size of tensor b (3)")
	require.NotNil(t, b.warm)
	kept := b.warm
	require.Contains(t, check(Overlay{file: netText(5)}), "size of tensor b (5)")
	require.Contains(t, check(Overlay{file: strings.ReplaceAll(netText(7), "wide", "other")}),
		"net.go:13:2: error BL101: Add(other, b)", "names come from the buffer")
	require.Contains(t, check(nil), "size of tensor b (3)", "the buffer was closed")
	write(t, file, netText(6))
	require.Contains(t, check(nil), "size of tensor b (6)")
	require.Same(t, kept, b.warm, "only the compiler and the linker were needed")

	_, _, err = b.Run(t.Context(), Overlay{file: strings.Replace(netText(5), "return g", "return h", 1)}, Options{})
	var broken *BuildError
	require.ErrorAs(t, err, &broken)
	require.Contains(t, broken.Output, file+":14:9: undefined: h")
	require.Contains(t, check(nil), "size of tensor b (6)")
	require.Same(t, kept, b.warm)

	_, _, err = b.Run(t.Context(), Overlay{file: strings.Replace(netText(5), "return g", "return (", 1)}, Options{})
	require.ErrorAs(t, err, &broken)
	require.Contains(t, broken.Output, file+":15:1: ")

	called := strings.NewReplacer("//broadloom:model", "//broadloom:model net(8, layers.Width)", "net()",
		"net(width, in graph.Dim)", `"b", graph.Float32, 3`, `"b", graph.Float32, width`).Replace(netText(3))
	require.Contains(t, check(Overlay{file: called}), "size of tensor b (8)", "the mark has a call")
	require.Contains(t, check(Overlay{file: strings.Replace(called, "(8,", "(9,", 1)}), "size of tensor b (9)")
	_, _, err = b.Run(t.Context(), Overlay{file: strings.Replace(called, "(8,", "(eight,", 1)}, Options{})
	require.ErrorAs(t, err, &broken)
	require.Contains(t, broken.Output, file+":9:23: undefined: eight")
	require.Same(t, kept, b.warm)

	write(t, filepath.Join(dir, "../layers/layers.go"), "package layers\n\n// Width is a size.\nconst Width = 40\n")
	require.Contains(t, check(nil), "size of tensor a (40)", "another package has changed")
	require.Contains(
		t, check(
			Overlay{
				filepath.Join(
					dir, "../layers/layers.go"): "package layers\n\nconst Width = 41\n"}), "size of tensor a (41)")
	require.True(t, b.DependsOn(filepath.Join(dir, "../layers")) || b.warm == nil)
	require.Contains(
		t, check(Overlay{file: strings.Replace(netText(5), "import (", "import (\n\t\"fmt\"", 1) +
			"\nvar _ = fmt.Sprint\n"}), "size of tensor b (5)", "an import was added")
	write(t, filepath.Join(dir, "more.go"), "package net\n\nvar _ = net\n")
	require.Contains(t, check(nil), "size of tensor b (6)", "a file was added")
}

func TestBuilderIsCancelled(t *testing.T) {
	b, err := NewBuilder(
		userPackage(t), Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelcheck", Func: "Check"})
	require.NoError(t, err)
	defer b.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = b.Run(ctx, nil, Options{Match: func(string) bool { return true }})
	require.ErrorIs(t, err, context.Canceled)
}

// Flags that are for neither the compiler nor the linker keep builds warm.
func TestFlagsForToolsOnly(t *testing.T) {
	for flags, ignored := range map[string]bool{
		"": true, "-mod=mod -vet=off": true, "-race": false, "-v -gcflags=-N": false} {
		require.Equal(t, ignored, toolchain{flags: flags}.ignoresFlags(), flags)
	}
}

// What the user's flags have the linker do is done.
func TestFlagsForTheLinker(t *testing.T) {
	dir := userPackage(t)
	write(t, filepath.Join(dir, "net.go"),
		"package net\n\nimport (\n\t\"errors\"\n\n\t\"github.com/broadloom/broadloom/graph\"\n)\n\nvar label string\n\n"+
			"//broadloom:model\nfunc net() (*graph.Graph, error) { return nil, errors.New(\"label \" + label) }\n")
	t.Setenv("GOFLAGS", "-ldflags=-X=example.com/user/net.label=mine")
	packages, err := Find(t.Context(), dir, []string{"."})
	require.NoError(t, err)
	outcomes, err := Run(t.Context(), packages[0], Options{
		Action: Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelcheck", Func: "Check"},
		Match:  func(string) bool { return true }, Timeout: time.Minute, Output: &tail{},
	})
	require.NoError(t, err)
	require.Equal(t, "label mine", outcomes[0].Failure)
}
