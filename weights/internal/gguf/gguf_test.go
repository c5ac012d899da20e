package gguf

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/half"
	"github.com/broadloom/broadloom/internal/raw"
	"github.com/broadloom/broadloom/weights/internal/npy"
)

// file is the file that testdata/formats.py wrote.
func file(t testing.TB) []byte {
	data, err := os.ReadFile("testdata/formats.gguf")
	require.NoError(t, err)
	return data
}

func read(data []byte) ([]raw.Tensor, map[string]any, error) {
	return Read(bytes.NewReader(data), int64(len(data)))
}

// bits are those of numbers: NaN is not equal to itself.
func bits(t *testing.T, data any) (list []uint64) {
	switch data := data.(type) {
	case []float32:
		for _, v := range data {
			list = append(list, uint64(math.Float32bits(v)))
		}
	case []half.BFloat16:
		return bits(t, half.ToFloat32(data))
	case []half.Float16:
		return bits(t, half.ToFloat32(data))
	case []float64:
		for _, v := range data {
			list = append(list, math.Float64bits(v))
		}
	case []int8:
		return integers(data)
	case []int16:
		return integers(data)
	case []int32:
		return integers(data)
	case []int64:
		return integers(data)
	default:
		require.Failf(t, "unexpected data", "%T", data)
	}
	return list
}

func integers[T int8 | int16 | int32 | int64](data []T) (list []uint64) {
	for _, v := range data {
		list = append(list, uint64(v))
	}
	return list
}

// All formats decode to the bits that ggml's Python package decodes.
func TestFormats(t *testing.T) {
	tensors, _, err := read(file(t))
	require.NoError(t, err)
	archive, err := os.ReadFile("testdata/formats.npz")
	require.NoError(t, err)
	want, err := npy.ReadZip(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	compared := 0
	for _, x := range tensors {
		i := slices.IndexFunc(want, func(w raw.Tensor) bool { return w.Name == x.Name })
		got, err := x.Read()
		if i < 0 {
			require.Equal(t, "IQ2_XS", x.Name)
			require.EqualError(t, err, "IQ2_XS cannot be read: convert it to Q8_0 or F16 before")
			continue
		}
		require.NoError(t, err, x.Name)
		expected, err := want[i].Read()
		require.NoError(t, err)
		require.Equal(t, want[i].Shape, x.Shape, x.Name)
		require.Equal(t, bits(t, expected), bits(t, got), x.Name)
		compared++
	}
	require.Equal(t, len(want), compared)

	described := map[string]raw.Info{}
	for _, x := range tensors {
		described[x.Name] = x.Info
	}
	require.Equal(t, raw.Info{Name: "Q4_K", DType: raw.F32, Shape: []int{2, 256}, Blocks: "Q4_K", ScaleBlock: 32,
		LevelBits: 4, HasMinima: true}, described["Q4_K"])
	require.Equal(t, raw.Info{Name: "int16", DType: raw.I16, Shape: []int{2, 3, 5}}, described["int16"])
	require.Equal(t, "IQ2_XS", described["IQ2_XS"].Stored())
}

func TestMetadata(t *testing.T) {
	for version := byte(2); version <= 3; version++ {
		data := file(t)
		data[4] = version
		_, fields, err := read(data)
		require.NoError(t, err)
		require.Equal(t, map[string]any{
			"general.architecture": "llama", "test.uint32": uint32(7), "test.int16": int16(-3),
			"test.float32": float32(0.5), "test.float64": 1e-300, "test.bool": true, "test.string": "grüße",
			"test.uint64": uint64(1 << 40), "test.texts": []string{"<s>", "", "the"},
			"test.numbers": []int32{1, -2, 3}, "test.reals": []float32{0.5, 2.5},
			"test.nested": []any{[]int32{1, 2}, []int32{3}},
		}, fields)
	}
}

// written is a header with its data, for files that no program writes.
type written struct{ bytes.Buffer }

func (w *written) put(values ...any) *written {
	for _, v := range values {
		if text, is := v.(string); is {
			w.put(uint64(len(text)))
			w.WriteString(text)
			continue
		}
		_ = binary.Write(w, binary.LittleEndian, v)
	}
	return w
}

// begun is a file with so many tensors and metadata values.
func begun(tensors, fields uint64) *written {
	w := &written{}
	w.WriteString("GGUF")
	return w.put(uint32(3), tensors, fields)
}

// with adds bytes up to the alignment, and data.
func (w *written) with(data []byte) []byte {
	w.Write(make([]byte, (defaultAlignment-w.Len()%defaultAlignment)%defaultAlignment))
	return append(w.Bytes(), data...)
}

// tensor adds the description of a tensor.
func (w *written) tensor(name string, format uint32, begin uint64, sizes ...uint64) *written {
	return w.put(name, uint32(len(sizes)), sizes, format, begin)
}

func TestRefused(t *testing.T) {
	const f32, q40, huge = 0, 2, uint64(1) << 62
	data := make([]byte, 64)
	field := func(values ...any) []byte { return begun(0, 1).put("a").put(values...).put(data).Bytes() }
	for want, file := range map[string][]byte{
		`does not start with "GGUF"`:               {},
		`start with "GGUF"`:                        []byte("GGML\x03\x00\x00\x00"),
		"version 1 of GGUF cannot be read":         append([]byte("GGUF\x01\x00\x00\x00"), data...),
		"the file is big-endian":                   append([]byte("GGUF\x00\x00\x00\x03"), data...),
		"the header ends too early":                []byte("GGUF\x03\x00"),
		"claims 4611686018427387904 tensors":       begun(huge, 0).Bytes(),
		"claims 4611686018427387904 metadata":      begun(0, huge).Bytes(),
		"claims 4611686018427387904 bytes of text": begun(0, 1).put(huge, data).Bytes(),
		"claims 4611686018427387904 values":        field(uint32(typeArray), uint32(typeString), huge),
		"claims 1000 values":                       field(uint32(typeArray), uint32(typeUint64), uint64(1000)),
		"the type 13 of a value is unknown":        field(uint32(13)),
		"arrays are nested more than 4 deep":       field(uint32(typeArray), nested(6)),
		`two metadata values are called "a"`: begun(0, 2).put("a", uint32(typeBool), true).
			put("a", uint32(typeBool), true).put(data).Bytes(),
		"general.alignment is 12": begun(0, 1).put(alignmentKey, uint32(typeUint32),
			uint32(12)).Bytes(),
		"general.alignment is x":                    begun(0, 1).put(alignmentKey, uint32(typeString), "x").Bytes(),
		"it has 5 axes, but at most 4 are allowed":  begun(1, 0).tensor("w", f32, 0, 1, 1, 1, 1, 1).with(data),
		"axis 0 has size 18446744073709551615":      begun(1, 0).tensor("w", f32, 0, math.MaxUint64).with(data),
		"more elements than can be addressed":       begun(1, 0).tensor("w", f32, 0, huge, huge).with(data),
		"its format 99 is unknown":                  begun(1, 0).tensor("w", 99, 0, 1).with(data),
		"does not consist of blocks of 32 elements": begun(1, 0).tensor("w", q40, 0, 16, 2).with(data),
		"starts at byte 4, which is no multiple":    begun(1, 0).tensor("w", f32, 4, 1).with(data),
		"starts at byte 18446744073709551615":       begun(1, 0).tensor("w", f32, math.MaxUint64, 1).with(data),
		"needs 4 bytes from 64 on":                  begun(1, 0).tensor("w", f32, 64, 1).with(data),
		"needs 400 bytes from 0 on":                 begun(1, 0).tensor("w", f32, 0, 100).with(data),
		`two tensors are called "w"`: begun(2, 0).tensor("w", f32, 0, 1).
			tensor("w", f32, 32, 1).with(data),
		`tensor "v" starts at byte 32, inside the one before it`: begun(2, 0).tensor("w", f32, 0, 10).
			tensor("v", f32, 32, 1).with(data),
	} {
		_, _, err := read(file)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "gguf: ")
	}
}

// nested are the bytes of so many arrays in each other.
func nested(depth int) []byte {
	w := &written{}
	for range depth {
		w.put(uint32(typeArray), uint64(1))
	}
	return w.put(make([]byte, 16)).Bytes()
}

// Every prefix of a file is refused, but for one that only lacks what fills up the last tensor's alignment.
func TestTruncated(t *testing.T) {
	whole := file(t)
	for n := 0; n < len(whole)-defaultAlignment; n += 1 + n/256 {
		_, _, err := read(whole[:n])
		require.Error(t, err, "%d bytes", n)
	}
}

// A scalar, and values without elements.
func TestWithoutAxesOrElements(t *testing.T) {
	one := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1))
	tensors, fields, err := read(begun(2, 0).tensor("one", 0, 0).tensor("none", 2, 32, 0, 3).
		with(append(one, make([]byte, 28)...)))
	require.NoError(t, err)
	require.Empty(t, fields)
	got, err := tensors[0].Read()
	require.NoError(t, err)
	require.Equal(t, []float32{1}, got)
	require.Empty(t, tensors[0].Shape)
	got, err = tensors[1].Read()
	require.NoError(t, err)
	require.Equal(t, []float32{}, got)
	require.Equal(t, []int{3, 0}, tensors[1].Shape)
}

func FuzzRead(f *testing.F) {
	f.Add(file(f))
	f.Add(begun(1, 1).put(alignmentKey, uint32(typeUint32), uint32(8)).tensor("w", 0, 0, 1).with(make([]byte, 4)))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, _, err := read(data)
		if err != nil {
			return
		}
		for _, x := range tensors {
			_, _ = x.Read()
		}
	})
}
