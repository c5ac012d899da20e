package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/internal/raw"
)

// file makes a file of a header of version 1 and data.
func file(dict string, data ...byte) []byte {
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dict)))
	return append(append(out, dict...), data...)
}

func read(content []byte) (raw.Tensor, error) {
	return Read(bytes.NewReader(content), int64(len(content)), "x")
}

func TestArraysOfHostilePeopleAreRefused(t *testing.T) {
	four := make([]byte, 4)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"nothing", nil, "not an .npy file"},
		{"other bytes", []byte("PK\x03\x04aaaaaaaa"), "not an .npy file"},
		{"version 4", []byte("\x93NUMPY\x04\x00\x01\x00\x00\x00x"), "version 4"},
		{"a header beyond the file", file("{")[:10], "truncated"},
		{"a header of 4 GB", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "the limit is 65536"},
		{"no dictionary", file("[]", four...), "instead of {"},
		{"text behind", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", four...),
			"follows the dictionary"},
		{"a field missing", file("{'descr': '<f4', 'shape': (1,)}", four...), "it must have"},
		{"a field twice", file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", four...),
			"stands twice"},
		{"another field", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", four...),
			`"x" is unknown`},
		{"objects", file("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", four...), "can run code"},
		{"records", file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four...), "records"},
		{"complex numbers", file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", four...),
			`"<c8" is not supported`},
		{"two orders", file("{'descr': '<>f4', 'fortran_order': False, 'shape': (1,)}", four...), "is not supported"},
		{"a negative size", file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", four...),
			"instead of a size"},
		{"a name for a size", file("{'descr': '<f4', 'fortran_order': False, 'shape': (n,)}", four...),
			"instead of a size"},
		{"2^40 elements", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}", four...),
			"4 bytes follow the header"},
		{"an overflow", file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
			"more elements than can be addressed"},
		{"2^63", file("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}"),
			"instead of a size"},
		{"truncated", file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", four...), "needs 8"},
		{"longer", file("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", make([]byte, 5)...), "needs 4"},
		{"many axes", file("{'descr': '<f4', 'fortran_order': False, 'shape': (" + strings.Repeat("1,", 65) + ")}"),
			"more than 64 axes"},
	} {
		_, err := read(c.content)
		if assert.Error(t, err, c.name) {
			assert.Contains(t, err.Error(), c.want, c.name)
		}
	}
}

func TestOrdersOfNumPy(t *testing.T) {
	x, err := read(file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n", 0, 1, 0, 4, 0, 2, 0, 5, 0, 3,
		0xff, 0xfa))
	require.NoError(t, err)
	assert.Equal(t, []int{2, 3}, x.Shape)
	data, err := x.Read()
	require.NoError(t, err)
	assert.Equal(t, []int16{1, 2, 3, 4, 5, -6}, data)

	x, err = read(file(`{"descr": "|b1", "fortran_order": False, "shape": (0L, 5L)}`))
	require.NoError(t, err)
	data, err = x.Read()
	require.NoError(t, err)
	assert.Equal(t, []bool{}, data)
}

func TestToRows(t *testing.T) {
	for _, shape := range [][]int{{2, 3, 4}, {1, 5}, {5, 1}, {3, 1, 2}, {2, 0, 3}} {
		count := 1
		for _, n := range shape {
			count *= n
		}
		data := make([]byte, count)
		want := make([]byte, count)
		for i := range count { // i counts rows last, so it is the place in row-major order
			rest, at, stride := i, 0, count
			column := 1
			for _, n := range shape {
				stride /= n
				at += rest / stride * column
				rest %= stride
				column *= n
			}
			data[at], want[i] = byte(i), byte(i)
		}
		assert.Equal(t, want, toRows(data, shape, 1), shape)
	}
}

// An array that cannot be read does not keep the others of an archive from being read.
func TestUnreadableArraysStandBesideOthers(t *testing.T) {
	four := []byte{0, 0, 128, 63}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range []struct {
		name    string
		content []byte
	}{
		{"x", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", four...)},
		{"complex", file("{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", make([]byte, 16)...)},
		{"text", file("{'descr': '<U5', 'fortran_order': False, 'shape': ()}", make([]byte, 20)...)},
		{"object", file("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", four...)},
		{"records", file("{'descr': [('a]', '<f4'), ('b', [('c', '<i4')])], 'fortran_order': False, 'shape': (3,)}",
			make([]byte, 24)...)},
	} {
		out, err := w.Create(e.name + ".npy")
		require.NoError(t, err)
		_, err = out.Write(e.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	tensors, err := ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	require.Len(t, tensors, 5)
	data, err := tensors[0].Read()
	require.NoError(t, err)
	assert.Equal(t, []float32{1}, data)
	for i, want := range []string{`"<c8" is not supported`, `"<U5" is not supported`, "can run code",
		"save each field as a separate array"} {
		_, err := tensors[i+1].Read()
		assert.ErrorContains(t, err, want)
	}
	assert.Equal(t, []int{2}, tensors[1].Shape)
	assert.Equal(t, []int{3}, tensors[4].Shape)
}

func TestArchivesOfHostilePeopleAreRefused(t *testing.T) {
	array := file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 0, 0, 0, 0)
	zeros := file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", make([]byte, 4<<20)...)
	for _, c := range []struct {
		name  string
		write func(z *zip.Writer)
		want  string
	}{
		{"a name that leads elsewhere", func(z *zip.Writer) { add(t, z, "../a.npy", array) },
			"not a valid name of an array"},
		{"an absolute name", func(z *zip.Writer) { add(t, z, "/a.npy", array) }, "not a valid name of an array"},
		{"two of a name", func(z *zip.Writer) { add(t, z, "a.npy", array); add(t, z, "a.npy", array) }, "two arrays"},
		{"something else", func(z *zip.Writer) { add(t, z, "a.txt", array) }, "not an array"},
		{"more than the header says", func(z *zip.Writer) { add(t, z, "a.npy", zeros) }, "needs"},
		{"less than the header says", func(z *zip.Writer) { add(t, z, "a.npy", array[:len(array)-1]) }, "needs"},
	} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		c.write(z)
		require.NoError(t, z.Close())
		_, err := ReadZip(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if assert.Error(t, err, c.name) {
			assert.Contains(t, err.Error(), c.want, c.name)
		}
	}
}

func add(t *testing.T, z *zip.Writer, name string, content []byte) {
	w, err := z.Create(name)
	require.NoError(t, err)
	_, err = w.Write(content)
	require.NoError(t, err)
}

func TestFlippedBitsInArchivesAreFound(t *testing.T) {
	var out bytes.Buffer
	z := NewZip(&out)
	require.NoError(t, z.Add("a", []int{64}, make([]float32, 64)))
	require.NoError(t, z.Close())
	content := out.Bytes()
	content[bytes.Index(content, []byte("\n"))+17] ^= 4
	tensors, err := ReadZip(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	_, err = tensors[0].Read()
	require.ErrorIs(t, err, zip.ErrChecksum)
}

// TestPython compares with NumPy, both ways.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(t.Context(), python, "-c", "import numpy").Run() != nil {
		t.Skip("python3 with numpy is absent (pip install numpy)")
	}
	folder := t.TempDir()
	var one, many bytes.Buffer
	require.NoError(t, Write(&one, []int{2, 2}, []float64{1, 2, math.Pi, -0.5}))
	z := NewZip(&many)
	require.NoError(t, z.Add("layer/w", []int{3}, []float32{1, 2, 3}))
	require.NoError(t, z.Add("n", nil, []int64{-5}))
	require.NoError(t, z.Add("none", []int{0, 4}, []bool{}))
	require.NoError(t, z.Add("f2", []int{2}, half.ToFloat16([]float32{0.1, -2})))
	require.NoError(t, z.Add("u2", []int{1}, []uint16{40000}))
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "one.npy"), one.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "many.npz"), many.Bytes(), 0o600))
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import numpy as np
one = np.load("one.npy")
assert one.dtype == np.float64 and one.tolist() == [[1, 2], [np.pi, -0.5]]
many = np.load("many.npz")
assert sorted(many.files) == ["f2", "layer/w", "n", "none", "u2"], many.files
assert many["f2"].dtype == np.float16 and many["f2"].tolist() == np.array([0.1, -2], np.float16).tolist()
assert many["u2"].dtype == np.uint16 and many["u2"] == 40000
assert many["layer/w"].dtype == np.float32 and many["layer/w"].tolist() == [1, 2, 3]
assert many["n"].shape == () and many["n"] == -5
assert many["none"].shape == (0, 4) and many["none"].dtype == np.bool_
x = {"f2": np.arange(6, dtype=np.float16).reshape(2, 3), "big": np.arange(6, dtype=">f4").reshape(2, 3), "fortran": np.asfortranarray(np.arange(24, dtype=np.int64).reshape(2, 3, 4)),
  "u1": np.array([255], np.uint8), "scalar": np.float32(1.5), "bool": np.array([True, False])}
np.savez("stored.npz", **x)
np.savez_compressed("deflated.npz", **x)
`)
	cmd.Dir = folder
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	count := make([]int64, 24)
	for i := range count {
		count[i] = int64(i)
	}
	want := map[string]any{"f2": half.ToFloat16([]float32{0, 1, 2, 3, 4, 5}), "big": []float32{0, 1, 2, 3, 4, 5},
		"fortran": count, "u1": []uint8{255}, "scalar": []float32{1.5},
		"bool": []bool{true, false}}
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		tensors, err := ReadZip(bytes.NewReader(content), int64(len(content)))
		require.NoError(t, err)
		assert.Len(t, tensors, len(want))
		for _, tensor := range tensors {
			data, err := tensor.Read()
			require.NoError(t, err)
			assert.Equal(t, want[tensor.Name], data, fmt.Sprint(name, tensor.Name))
		}
	}
}

// FuzzRead reads anything; what it reads, it can write and read again.
func FuzzRead(f *testing.F) {
	var out bytes.Buffer
	require.NoError(f, Write(&out, []int{2, 1}, []float32{1, 2}))
	f.Add(out.Bytes())
	f.Add(file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n", 0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0xff,
		0xfa))
	f.Fuzz(func(t *testing.T, content []byte) {
		x, err := read(content)
		if err != nil {
			return
		}
		data, err := x.Read()
		if err != nil {
			return
		}
		var out bytes.Buffer
		require.NoError(t, Write(&out, x.Shape, data))
		again, err := read(out.Bytes())
		require.NoError(t, err)
		require.Len(t, again.Shape, len(x.Shape))
	})
}
