package main

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the expected report anew")

func TestReport(t *testing.T) {
	dir, err := os.Getwd()
	require.NoError(t, err)
	var got bytes.Buffer
	report(&got, dir)
	const golden = "testdata/report.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String(), "go test ./examples/shapes -update writes it anew")
}
