package datasets

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTables(t *testing.T) {
	d, err := Digits()
	require.NoError(t, err)
	assert.Equal(t, 1797, d.Len())
	assert.Len(t, d.Pixels, 1797*64)
	x, y := d.Slice(10, 20).Batch([]int{3, 0})
	assert.Len(t, x, 2*64)
	assert.Equal(t, []int64{int64(d.Labels[13]), int64(d.Labels[10])}, y)
	assert.Equal(t, float32(d.Pixels[13*64+20])/16, x[20])

	rows, benign, err := BreastCancer()
	require.NoError(t, err)
	assert.Len(t, rows, 569*30)
	sum := float32(0)
	for _, v := range benign {
		sum += v
	}
	assert.Equal(t, float32(357), sum)
}

// write creates a compressed file of bytes.
func write(t *testing.T, folder, name string, data ...byte) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), packed.Bytes(), 0o600))
}

func TestFilesOfImages(t *testing.T) {
	folder := t.TempDir()
	const images, labels = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
	write(t, folder, images, 0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4)
	write(t, folder, labels, 0, 0, 8, 1, 0, 0, 0, 2, 7, 9)
	d, err := readImages(folder, "train")
	require.NoError(t, err)
	assert.Equal(t, &Images{Height: 1, Width: 2, Pixels: []uint8{1, 2, 3, 4}, White: 255, Labels: []uint8{7, 9}}, d)

	for want, data := range map[string][]byte{
		"images of shape [2 1 2] and 1 labels": {0, 0, 8, 1, 0, 0, 0, 1, 7},
		"elements":                             {0, 0, 8, 1, 0, 0, 0, 2, 7},
	} {
		write(t, folder, labels, data...)
		_, err := readImages(folder, "train")
		require.ErrorContains(t, err, want)
	}
	_, _, err = FashionMNIST(t.TempDir())
	require.ErrorIs(t, err, ErrNoFashionMNIST)
}
