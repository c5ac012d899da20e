package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// TestLearns takes a few steps, after which frequent characters are known, and writes.
func TestLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	once := func() string {
		var stdout bytes.Buffer
		args := []string{"-steps", "40", "-batch", "8", "-length", "48", "-write", "100", "-prompt", "And the"}
		require.NoError(t, run(t.Context(), args, &stdout))
		return stdout.String()
	}
	text := once()
	losses := regexp.MustCompile(`test loss (\S+),`).FindAllStringSubmatch(text, -1)
	require.Len(t, losses, 10, text)
	last, err := strconv.ParseFloat(losses[9][1], 64)
	require.NoError(t, err)
	assert.Less(t, last, 2.95, "uniform guesses have 4.09")
	_, written, found := strings.Cut(text, "\n\n")
	require.True(t, found, text)
	assert.True(t, strings.HasPrefix(written, "And the"), written)
	_, again, _ := strings.Cut(once(), "\n\n")
	assert.Equal(t, written[:107], again[:107], "the same seed writes the same")
}

// TestWriterForgets writes more than the caches hold, twice.
func TestWriterForgets(t *testing.T) {
	text, err := readText()
	require.NoError(t, err)
	m := newModel(len(text.alphabet), 1, 16)
	train, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	require.NoError(t, err)
	w, err := newWriter(m, text, train.NewSession(exec.Seed(1)))
	require.NoError(t, err)
	for range 2 {
		written, err := w.write(t.Context(), "In the beginning was", 50, 1)
		require.NoError(t, err)
		assert.Len(t, written, 70)
		assert.LessOrEqual(t, w.held, 16)
	}
	_, err = w.write(t.Context(), "π", 1, 1)
	require.ErrorContains(t, err, `'π' stands nowhere in the text`)
	_, err = w.write(t.Context(), "", 1, 1)
	require.ErrorContains(t, err, "prompt")
	_, err = w.write(t.Context(), "And", 1, 0)
	require.ErrorContains(t, err, "temperature")
}

func TestText(t *testing.T) {
	text, err := readText()
	require.NoError(t, err)
	assert.Len(t, text.codes, 196_818)
	assert.Equal(t, "In the beginning God created", text.decode(text.codes[:28]))
}
