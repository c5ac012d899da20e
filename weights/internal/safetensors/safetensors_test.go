package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
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

// file makes a file of a header and data.
func file(header string, data int) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), make([]byte, data)...)
}

func read(content []byte) ([]raw.Tensor, map[string]string, error) {
	return Read(bytes.NewReader(content), int64(len(content)))
}

func TestFilesOfHostilePeopleAreRefused(t *testing.T) {
	const good = `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	_, _, err := read(file(good, 8))
	require.NoError(t, err)
	deep := strings.Repeat("[", 1_000_000)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"nothing", nil, "fewer than 8 bytes"},
		{"seven bytes", make([]byte, 7), "fewer than 8 bytes"},
		{"no header", make([]byte, 8), "does not start with {"},
		{"a header beyond the file", binary.LittleEndian.AppendUint64(nil, 9),
			"truncated: its header has 9 bytes, but only 0 follow"},
		{"a header of 2^62 bytes", binary.LittleEndian.AppendUint64(nil, 1<<62), "the limit is 100000000"},
		{"a header of 2^63 bytes", binary.LittleEndian.AppendUint64(nil, 1<<63), "the limit is 100000000"},
		{"a space before it", file(" "+good, 8), "does not start with {"},
		{"a mark of order before it", file("\ufeff"+good, 8), "does not start with {"},
		{"text behind it", file(good+"x", 8), `there is data after the end of the header: "x"`},
		{"no end", file(good[:len(good)-1], 8), "ends too early"},
		{"no UTF-8", file("{\"\xff\":{}}", 8), "not UTF-8"},
		{"a list", file(`[]`, 0), "does not start with {"},
		{"deep lists", file(`{"a":`+deep, 0), "instead of {"},
		{"deep lists in a later field", file(`{"a":{"later":`+deep, 0), "exceeded max depth"},
		{
			"two of a name", file(
				`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
				8), `two tensors are called "a"`},
		{"two names that JSON writes differently",
			file(
				`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\u0061":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
				8), `two tensors are called "a"`},
		{"two shapes", file(`{"a":{"dtype":"F32","shape":[1],"shape":[2],"data_offsets":[0,8]}}`, 8),
			`"shape" stands twice`},
		{"cut off data", file(good, 7), "truncated: tensors need 8 bytes, but it has 7"},
		{"more data", file(good, 9), "tensors need 8 bytes, but the file has 9"},
		{
			"a hole",
			file(
				`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`,
				12), "bytes from 4 on belong to no tensor"},
		{"a hole before all", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8),
			"bytes from 0 on belong to no tensor"},
		{
			"an overlap",
			file(
				`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`,
				12), "inside the one before it"},
		{"the same bytes twice",
			file(
				`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`,
				8), "inside the one before it"},
		{"from the end to the begin", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8),
			"do not match F32 [2]"},
		{"another size", file(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8), "which needs 12"},
		{"an overflow", file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0),
			"more elements than can be addressed"},
		{"a negative size", file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}}`, 8),
			"found -1 instead of a size"},
		{"half a size", file(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,8]}}`, 8),
			"found 1.5 instead of a size"},
		{"a size with an exponent", file(`{"a":{"dtype":"F32","shape":[2e0],"data_offsets":[0,8]}}`, 8),
			"found 2e0 instead of a size"},
		{"a size of 2^64", file(`{"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,8]}}`, 8),
			"instead of a size"},
		{"a size as text", file(`{"a":{"dtype":"F32","shape":["2"],"data_offsets":[0,8]}}`, 8),
			"found 2 instead of a size"},
		{"three offsets", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}`, 8),
			"data_offsets has 3 numbers"},
		{"many axes", file(`{"a":{"dtype":"F32","shape":[`+strings.Repeat("1,", 100)+`2],"data_offsets":[0,8]}}`, 8),
			"more than 64 numbers"},
		{"no dtype", file(`{"a":{"shape":[2],"data_offsets":[0,8]}}`, 8),
			"one of dtype, shape and data_offsets is missing"},
		{"an unknown dtype", file(`{"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}}`, 8),
			`dtype "F31" is not known`},
		{"a dtype that is a number", file(`{"a":{"dtype":32,"shape":[2],"data_offsets":[0,8]}}`, 8),
			"found 32 instead of a string"},
		{"half a byte", file(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}}`, 1), "takes no whole bytes"},
		{"metadata with a number", file(`{"__metadata__":{"step":3}}`, 0), "found 3 instead of a string"},
		{"metadata twice", file(`{"__metadata__":{"a":"1","a":"2"}}`, 0), `metadata has "a" twice`},
	} {
		_, _, err := read(c.content)
		if assert.Error(t, err, c.name) {
			assert.Contains(t, err.Error(), c.want, c.name)
			assert.Contains(t, err.Error(), "safetensors: ", c.name)
			assert.Less(t, len(err.Error()), 300, c.name)
		}
	}
}

func TestWhatIsAllowedIsRead(t *testing.T) {
	tensors, metadata, err := read(
		file(`{"__metadata__":{"format":"pt"},"s":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},`+
			`"../e":{"dtype":"F32","shape":[0,1000000],"data_offsets":[2,2]},"odd":{"dtype":"F64","shape":[1],"data_offsets":[2,10],"new":{"x":[1]}},`+
			`"f8":{"dtype":"F8_E8M0","shape":[3],"data_offsets":[10,13]}}   `, 13))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"format": "pt"}, metadata)
	require.Len(t, tensors, 4)
	for _, tensor := range tensors {
		data, err := tensor.Read()
		if tensor.Name == "f8" {
			require.EqualError(t, err, "F8_E8M0 cannot be read: convert it to F32 before")
			continue
		}
		require.NoError(t, err)
		switch tensor.Name {
		case "s":
			assert.Equal(t, []half.BFloat16{0}, data)
			assert.Empty(t, tensor.Shape)
		case "odd":
			assert.Equal(t, []float64{0}, data)
		default:
			assert.Equal(t, []float32{}, data)
		}
	}
}

var samples = []Tensor{
	{"a/w", []int{2, 3}, []float32{1, float32(math.Inf(-1)), float32(math.NaN()), -0.5, 1e-45, 6}},
	{"b", []int{}, []float64{math.Pi}},
	{"c", []int{2}, []int32{math.MinInt32, math.MaxInt32}},
	{"d", []int{2, 1}, []int64{math.MinInt64, math.MaxInt64}},
	{"e", []int{3}, []bool{true, false, true}},
	{"f", []int{3, 0}, []float32{}},
	{"g", []int{2}, []half.Float16{half.NewFloat16(-0.1), half.NewFloat16(6e-8)}},
	{"h", []int{2}, []half.BFloat16{half.NewBFloat16(-0.1), half.NewBFloat16(1e38)}},
	{"i", []int{3}, []uint8{0, 7, 255}},
	{"k", []int{2}, []half.Float8E4M3FN{0x7e, 0xff}},
	{"l", []int{2}, []half.Float8E5M2{0x7c, 1}},
	{"j", []int{1}, []uint64{1 << 63}},
	{"<&>\u2028", []int{1}, []int64{7}},
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, samples, map[string]string{"step": "3"}))
	length := binary.LittleEndian.Uint64(out.Bytes())
	assert.Zero(t, length%8, "data begin at a multiple of 8")
	assert.True(t, json.Valid(out.Bytes()[8:8+length]))
	tensors, metadata, err := read(out.Bytes())
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"step": "3"}, metadata)
	found := map[string]raw.Tensor{}
	for _, tensor := range tensors {
		found[tensor.Name] = tensor
	}
	for _, s := range samples {
		data, err := found[s.Name].Read()
		require.NoError(t, err, s.Name)
		assert.Equal(t, s.Shape, found[s.Name].Shape, s.Name)
		if want, isFloat := s.Data.([]float32); isFloat {
			for i, v := range data.([]float32) {
				assert.Equal(t, math.Float32bits(want[i]), math.Float32bits(v), s.Name)
			}
			continue
		}
		assert.Equal(t, s.Data, data, s.Name)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	one := []float32{1}
	for _, c := range []struct {
		tensors []Tensor
		want    string
	}{
		{[]Tensor{{"a", []int{2}, one}}, `tensor "a": 1 elements, and shape [2]`},
		{[]Tensor{{"a", []int{-1, -1}, one}}, `tensor "a": shape [-1 -1] has the size -1`},
		{[]Tensor{{"a", []int{math.MaxInt, math.MaxInt}, []float32{}}}, "more elements than can be addressed"},
		{[]Tensor{{"a", nil, one}, {"a", nil, one}}, `two tensors are called "a"`},
		{[]Tensor{{"__metadata__", nil, one}}, `"__metadata__" is not a valid name of a tensor`},
		{[]Tensor{{"\xff", nil, one}}, `"\xff" is not a valid name of a tensor`},
		{[]Tensor{{"a", nil, "text"}}, "data of type string cannot be written"},
	} {
		require.ErrorContains(t, Write(&bytes.Buffer{}, c.tensors, nil), c.want)
	}
}

// TestPython compares with the format's own package, both ways.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(t.Context(), python, "-c", "import numpy, safetensors").Run() != nil {
		t.Skip("python3 with numpy and safetensors is absent (pip install numpy safetensors)")
	}
	folder := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, Write(&out, samples, map[string]string{"step": "3"}))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "ours.safetensors"), out.Bytes(), 0o600))
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
with safe_open("ours.safetensors", "np") as f: ours = {k: f.get_tensor(k) for k in f.keys() if k not in "hkl"} # NumPy has no bfloat16 and no float8
assert len(ours) == 10, list(ours)
assert ours["a/w"].dtype == np.float32 and ours["a/w"].shape == (2, 3) and ours["a/w"][0, 1] == -np.inf
assert ours["b"].shape == () and ours["b"] == np.pi
assert ours["d"].tolist() == [[-2**63], [2**63-1]]
assert ours["e"].tolist() == [True, False, True]
assert ours["f"].shape == (3, 0)
assert ours["g"].dtype == np.float16 and ours["g"].tolist() == np.array([-0.1, 6e-8], np.float16).tolist()
assert ours["i"].dtype == np.uint8 and ours["j"].dtype == np.uint64 and ours["j"][0] == 2**63
with safe_open("ours.safetensors", "np") as f: assert f.metadata() == {"step": "3"}
save_file({"h": np.arange(6, dtype=np.float16).reshape(2, 3) - 2.5, "u8": np.array([0, 255], np.uint8), "i16": np.array([-7], np.int16),
  "f64": np.array(0.1), "bool": np.array([True, False]), "u64": np.array([1], np.uint64), "none": np.zeros((0, 2), np.float32)}, "theirs.safetensors", {"a": "b"})
`)
	cmd.Dir = folder
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	theirs, err := os.ReadFile(filepath.Join(folder, "theirs.safetensors"))
	require.NoError(t, err)
	tensors, metadata, err := read(theirs)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "b"}, metadata)
	want := map[string]any{"h": half.ToFloat16([]float32{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}), "u8": []uint8{0, 255},
		"i16": []int16{-7}, "f64": []float64{0.1},
		"bool": []bool{true, false}, "u64": []uint64{1}, "none": []float32{}}
	assert.Len(t, tensors, len(want))
	for _, tensor := range tensors {
		data, err := tensor.Read()
		require.NoError(t, err)
		assert.Equal(t, want[tensor.Name], data, tensor.Name)
	}
}

// FuzzRead reads anything; what it reads, it can write and read again.
func FuzzRead(f *testing.F) {
	var out bytes.Buffer
	require.NoError(f, Write(&out, samples, map[string]string{"step": "3"}))
	f.Add(out.Bytes())
	f.Add(
		file(
			`{"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]},"b":{"dtype":"U64","shape":[],"data_offsets":[1,9]}}`, 9))
	f.Fuzz(func(t *testing.T, content []byte) {
		tensors, metadata, err := read(content)
		if err != nil {
			return
		}
		var again []Tensor
		for _, tensor := range tensors {
			data, err := tensor.Read()
			if err != nil {
				return
			}
			again = append(again, Tensor{tensor.Name, tensor.Shape, data})
		}
		var out bytes.Buffer
		require.NoError(t, Write(&out, again, metadata))
		back, _, err := read(out.Bytes())
		require.NoError(t, err)
		require.Len(t, back, len(tensors))
	})
}
