package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/shapeinfer/shapetest"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// TestDraws learns a little and checks the picture: there is more ink in the middle than in the corners.
func TestDraws(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "digits.png")
	var stdout bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-epochs", "10", "-out", file}, &stdout))
	var epoch int
	var loss float64
	lines := bytes.Split(stdout.Bytes(), []byte("\n"))
	_, err := fmt.Sscanf(string(lines[9]), "epoch %d: loss %g", &epoch, &loss)
	require.NoError(t, err, stdout.String())
	assert.Less(t, loss, 30.0, "images of one grey have 44")

	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	picture, err := png.Decode(f)
	require.NoError(t, err)
	size := picture.Bounds().Size()
	cell := size.X / columns
	var ink [2]uint32 // of corners, of middles
	for n := range rows * columns {
		for i, at := range []int{3, cell / 2} {
			grey, _, _, _ := picture.At(n%columns*cell+at, n/columns*cell+at).RGBA()
			ink[i] += grey >> 8
		}
	}
	assert.Greater(t, ink[1], 4*ink[0])
}
