package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// goVet runs go vet with this test as its tool.
func goVet(t *testing.T, args ...string) (output string, err error) {
	tool, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"vet", "-vettool=" + tool}, args...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestVetTool(t *testing.T) {
	userModule(t, map[string]string{
		"good/good.go": goodModel, "good/good_test.go": "package models\n\nvar _ = regression\n",
		"bad/bad.go": badModel,
		"warned/warned.go": `package warned
` + imports + `
//broadloom:model
func warned() *graph.Graph {
	g := graph.New("warned")
	n := g.Dim("n")
	ops.Sub(g.Input("p", graph.Float32, n, 1), g.Input("t", graph.Float32, n))
	return g
}
`,
		"plain/plain.go": "package plain\n\n// F has nothing to do with models.\nfunc F() int { return 1 }\n",
		"go.sum":         sums(t),
	})
	out, err := goVet(t, "./good", "./plain")
	require.NoError(t, err, out)
	require.Empty(t, out)

	out, err = goVet(t, "./...")
	require.Error(t, err)
	require.Regexp(t, `(?m)^bad/bad.go:14:\d+: error BL101: Add\(x, b\): The size of tensor a \(4\) must match`, out)
	require.Regexp(t, `(?m)^\thelp: declare b as \[4\]`, out)
	require.Regexp(t, `(?m)^warned/warned.go:12:\d+: warning BL202: `, out)

	out, err = goVet(t, "-shapes.warnings=false", "./warned")
	require.NoError(t, err, out)

	out, err = goVet(t, "-json", "./bad")
	require.NoError(t, err, out)
	require.Contains(t, out, `"category": "BL101"`)
}
