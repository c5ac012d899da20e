package main

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asCommand is the variable by which tests have their own binary be the command, where another
// program is to start it.
const asCommand = "BROADLOOM_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// The version that users mention when they report a fault.
func TestVersion(t *testing.T) {
	var stdout, stderr strings.Builder
	for _, word := range []string{"version", "-version", "--version"} {
		stdout.Reset()
		require.Equal(t, exitOK, run([]string{word}, &stdout, &stderr))
		require.Regexp(t, `^broadloom \S+, go\S+ `+runtime.GOOS+"/"+runtime.GOARCH+`, \w+\n$`, stdout.String())
	}
	require.Equal(t, exitFailed, run([]string{"version", "-v"}, &stdout, &stderr))
	require.Equal(t, exitFailed, run([]string{"version", "now"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "version takes no arguments, but got now")
}
