package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer"
)

func TestGradientDescentFindsTheLeastSquares(t *testing.T) {
	for seed := range uint64(3) {
		xs, ts := noisyPoints(seed)
		learned, err := newModel().fit(t.Context(), xs, ts)
		require.NoError(t, err)
		exact, err := leastSquares(xs, ts)
		require.NoError(t, err)
		for i := range truth {
			assert.InDelta(t, exact[i], learned[i], 1e-5)
			assert.InDelta(t, truth[i], exact[i], 0.03, "six standard errors")
			assert.NotEqual(t, truth[i], exact[i])
		}
	}
}

func TestRun(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "graph.svg")
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-picture", picture}, &stdout))
	assert.Regexp(t, `^truth .*\n.*\[\+3\.0\d+ -[12]\.\d+ \+0\.[45]\d+\]\nleast squares .*\n$`, stdout.String())
	drawn, err := os.ReadFile(picture)
	require.NoError(t, err)
	assert.Contains(t, string(drawn), "</svg>")
}

func TestShapes(t *testing.T) {
	require.NoError(t, shapeinfer.Check(checked()).Err())
}
