package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/weights"
)

func file(t *testing.T, name string, content []byte) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func zipped(t *testing.T, content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func batch(t *testing.T, c Column, rows ...int) exec.Array {
	a, err := c.Batch(t.Context(), rows)
	require.NoError(t, err)
	return a
}

func TestIDX(t *testing.T) {
	bytes2x3 := []byte{0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6}
	for _, content := range [][]byte{bytes2x3, zipped(t, bytes2x3)} {
		values, shape, err := IDX[uint8](file(t, "x", content))
		require.NoError(t, err)
		assert.Equal(t, []int{2, 3}, shape)
		assert.Equal(t, []uint8{1, 2, 3, 4, 5, 6}, values)
	}
	floats, shape, err := IDX[float32](file(t, "x", []byte{0, 0, 13, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0}))
	require.NoError(t, err)
	assert.Equal(t, []int{1}, shape)
	assert.Equal(t, []float32{1}, floats)

	huge := []byte{0, 0, 8, 3, 255, 255, 255, 255, 0, 255, 255, 255, 0, 0, 0, 1, 7}
	for want, content := range map[string][]byte{
		"this is not an IDX file": {1, 2, 3, 4},
		"not uint8":               {0, 0, 13, 1, 0, 0, 0, 0},
		"of kind 77":              {0, 0, 77, 1, 0, 0, 0, 0},
		"the header ends":         {0, 0, 8, 2, 0, 0, 0, 2},
		"but the file has 5":      bytes2x3[:17],
		"but the file has 7":      append(bytes2x3[:18:18], 7),
		"which is impossible":     {0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
		"but there are 5":         zipped(t, bytes2x3[:17]),
		"but there are more":      zipped(t, append(bytes2x3[:18:18], 7)),
		"unexpected EOF":          zipped(t, bytes2x3)[:25],
		"but the file has 1":      huge,
		"but there are 1":         zipped(t, huge),
		"gzip: invalid header":    {0x1f, 0x8b, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"does not start with two": {},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := IDX[uint8](file(t, "x", content))
		runtime.ReadMemStats(&after)
		assert.ErrorContains(t, err, want)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "no memory for what the header promises")
	}
	_, _, err = IDX[uint8](filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = IDX[uint8](t.TempDir())
	require.Error(t, err)
}

func TestCSV(t *testing.T) {
	text := "\ufeffsize, weight,kind\n1,2.5,\"cat, old\"\n 3,-1e3,dog\n5,NaN,\"cat, old\"\n"
	for _, content := range [][]byte{[]byte(text), zipped(t, []byte(text))} {
		table, err := CSV(file(t, "t.csv", content))
		require.NoError(t, err)
		assert.Equal(t, []string{"size", "weight", "kind"}, table.Names)
		x, err := table.Float32("weight", "size")
		require.NoError(t, err)
		assert.Equal(t, exec.Array{Shape: []int{2, 2}, Data: []float32{-1000, 3, 2.5, 1}}, batch(t, x, 1, 0))
		n, err := table.Int64("size")
		require.NoError(t, err)
		assert.Equal(t, exec.Array{Shape: []int{3, 1}, Data: []int64{1, 3, 5}}, batch(t, n, 0, 1, 2))
		y, classes, err := table.Classes("kind")
		require.NoError(t, err)
		assert.Equal(t, []string{"cat, old", "dog"}, classes)
		assert.Equal(t, exec.Array{Shape: []int{3}, Data: []int64{0, 1, 0}}, batch(t, y, 0, 1, 2))

		_, err = table.Float64("size", "kind")
		require.ErrorContains(t, err, `t.csv:2: column "kind"`)
		_, err = table.Float64("colour")
		require.ErrorContains(t, err, `no column "colour"`)
	}
	for want, content := range map[string]string{
		"the line of names: EOF": "", "wrong number of fields": "a,b\n1\n", `extraneous or missing "`: "a\n\"b\n",
	} {
		_, err := CSV(file(t, "t.csv", []byte(content)))
		assert.ErrorContains(t, err, want)
	}
	twice, err := CSV(file(t, "t.csv", []byte("a,a\n1,2\n")))
	require.NoError(t, err)
	_, err = twice.Float64("a")
	require.ErrorContains(t, err, "several columns")
}

func TestNumPy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	a := exec.Array{Shape: []int{3, 1, 2}, Data: []float64{1, 2, 3, 4, 5, 6}}
	require.NoError(t, weights.Write(path, []weights.Named{{Name: "x", Value: a}}))
	c, err := File(path, "")
	require.NoError(t, err)
	assert.Equal(t, exec.Array{Shape: []int{2, 1, 2}, Data: []float64{5, 6, 1, 2}}, batch(t, c, 2, 0))
	_, err = File(path, "y")
	require.Error(t, err)
	_, err = File(filepath.Join(t.TempDir(), "none.npy"), "")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestImageFolder(t *testing.T) {
	folder := t.TempDir()
	write := func(class, name string, encode func(*os.File) error) {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, class), 0o700))
		f, err := os.Create(filepath.Join(folder, class, name))
		require.NoError(t, err)
		require.NoError(t, encode(f))
		require.NoError(t, f.Close())
	}
	red := image.NewRGBA(image.Rect(0, 0, 4, 2))
	for i := range 8 {
		red.Set(i%4, i/4, color.RGBA{255, 51, 0, 255})
	}
	white := image.NewGray(image.Rect(0, 0, 2, 1))
	white.Pix = []uint8{255, 255}
	write("cat", "b.png", func(f *os.File) error { return png.Encode(f, red) })
	write("cat", "notes.txt", func(*os.File) error { return nil })
	write("dog", "a.JPG", func(f *os.File) error { return jpeg.Encode(f, white, nil) })

	m, err := ImageFolder(folder)
	require.NoError(t, err)
	assert.Equal(t, []string{"cat", "dog"}, m.Classes)
	assert.Equal(t, exec.Array{Shape: []int{2}, Data: []int64{1, 0}}, batch(t, m.Labels(), 1, 0))
	x, err := m.Pixels(1, 2, false)
	require.NoError(t, err)
	assert.Equal(t, exec.Array{Shape: []int{2, 3, 1, 2}, Data: []float32{1, 1, 0.2, 0.2, 0, 0, 1, 1, 1, 1, 1, 1}},
		batch(t, x, 0, 1))
	grey, err := m.Pixels(1, 1, true)
	require.NoError(t, err)
	assert.Equal(t, exec.Array{Shape: []int{1, 1, 1, 1}, Data: []float32{1}}, batch(t, grey, 1))

	raw, err := m.Bytes(1, 2, false)
	require.NoError(t, err)
	assert.Equal(t, exec.Array{Shape: []int{1, 3, 1, 2}, Data: []uint8{255, 255, 51, 51, 0, 0}}, batch(t, raw, 0))

	write("dog", "b.png", func(f *os.File) error {
		_, err := f.WriteString("\x89PNG\r\n\x1a\nand then nothing")
		return err
	})
	header := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x0f\x00\x00\x00\x0f\x00\x00\x08\x00\x00\x00\x00")
	header = binary.BigEndian.AppendUint32(header, crc32.ChecksumIEEE(header[12:]))
	write("dog", "c.png", func(f *os.File) error { _, err := f.Write(header); return err })
	m, err = ImageFolder(folder)
	require.NoError(t, err)
	x, err = m.Pixels(1, 1, false)
	require.NoError(t, err)
	_, err = x.Batch(t.Context(), []int{2})
	require.ErrorContains(t, err, filepath.Join("dog", "b.png"))
	_, err = x.Batch(t.Context(), []int{3})
	require.ErrorContains(t, err, "983040×983040 pixels are more than")

	_, err = ImageFolder(t.TempDir())
	require.ErrorContains(t, err, "no pictures")
	_, err = m.Pixels(0, 1, false)
	require.Error(t, err)
	_, err = m.Pixels(1<<30, 1<<30, false)
	require.Error(t, err)
}
