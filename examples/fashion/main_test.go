package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// TestLearns trains for one epoch on part of the images; six epochs on all of them give more than 91 %.
func TestLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	var stdout bytes.Buffer
	file := filepath.Join(t.TempDir(), "fashion.safetensors")
	err := run(t.Context(), []string{"-epochs", "1", "-images", "2560", "-save", file}, &stdout)
	if errors.Is(err, datasets.ErrNoFashionMNIST) {
		t.Skip(err)
	}
	require.NoError(t, err)
	found := regexp.MustCompile(`test accuracy (\S+) %`).FindStringSubmatch(stdout.String())
	require.NotEmpty(t, found, stdout.String())
	accuracy, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	assert.Greater(t, accuracy, 60.0)
	_, err = os.Stat(file)
	require.NoError(t, err)
}

func TestSaysWhereTheImagesAre(t *testing.T) {
	err := run(t.Context(), []string{"-data", t.TempDir()}, io.Discard)
	require.ErrorIs(t, err, datasets.ErrNoFashionMNIST)
	require.ErrorContains(t, err, "apt-get install dataset-fashion-mnist")
}
