package shapeinfer_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/testdata/mistakes"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with the file of the given name in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got+"\n"), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got+"\n")
}

// The text of a report is what a user sees of the whole pass: each mistake's place, its
// operands lined up, and what to do.
func TestTextsOfTypicalMistakes(t *testing.T) {
	for name, build := range map[string]func() *graph.Graph{
		"bias": mistakes.Bias, "turned": mistakes.Turned, "norm": mistakes.Norm, "loss": mistakes.Loss,
		"grow": mistakes.Grow, "repeated": mistakes.Repeated, "column": mistakes.Column, "saved": mistakes.Saved,
		"leaf": mistakes.Leaf, "count": mistakes.Count, "flat": mistakes.Flat, "channels": mistakes.Channels,
		"axis": mistakes.Axis, "joint": mistakes.Joint,
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, shapeinfer.Check(build()).String())
		})
	}
}
