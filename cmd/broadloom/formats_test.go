package main

import (
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"
)

func TestCheckFormats(t *testing.T) {
	userModule(t, map[string]string{"good/good.go": goodModel, "bad/bad.go": badModel, "none/none.go": `package none
` + imports + `
//broadloom:model
func none() *graph.Graph { return ops.Exp(nil).Graph() }
`})
	t.Setenv("GITHUB_WORKSPACE", "")

	status, stdout, _ := broadloom("check", "-format", "github", "./bad", "./none")
	require.Equal(t, exitFailed, status)
	require.Regexp(
		t, `(?m)^::error file=bad/bad.go,line=14,.*title=BL101::Add\(x, b\): The size.*%0Ahelp: declare b as \[4\]`,
		stdout)
	require.Regexp(
		t,
		`(?m)^::error file=none/none.go,line=9,title=not-checked::none could not be checked: the function returned a nil graph`,
		stdout)

	status, stdout, _ = broadloom("check", "-format=sarif", "./bad")
	require.Equal(t, exitErrors, status)
	report, err := sarif.FromString(stdout)
	require.NoError(t, err)
	require.NoError(t, report.Validate())
	require.Len(t, report.Runs[0].Results, 1)
	require.True(t, *report.Runs[0].Invocations[0].ExecutionSuccessful)

	status, stdout, _ = broadloom("check", "-format=sarif", "./good", "./none")
	require.Equal(t, exitFailed, status)
	report, err = sarif.FromString(stdout)
	require.NoError(t, err)
	require.Contains(t, stdout, `"ruleId": "not-checked"`, "code scanning shows nothing but results")
	require.False(t, *report.Runs[0].Invocations[0].ExecutionSuccessful)

	_, asJSON, _ := broadloom("check", "-json", "./bad")
	_, stdout, _ = broadloom("check", "-format=json", "./bad")
	require.Equal(t, asJSON, stdout)

	status, _, stderr := broadloom("check", "-format=xml", "./bad")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "there are github, json, sarif and text")
}
