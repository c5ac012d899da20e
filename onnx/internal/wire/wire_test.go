package wire

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// everything is the model that testdata/wire.py writes.
func everything() *Model {
	sparse := &SparseTensor{
		Values:  &Tensor{Name: "sparse", Dims: []int64{1}, Type: Float, Floats: []float32{3}},
		Indices: &Tensor{Dims: []int64{1}, Type: Int64, Int64s: []int64{9}},
		Dims:    []int64{10},
	}
	return &Model{
		IRVersion: 10, Producer: "p", ProducerVersion: "1.5", Domain: "d", Version: 7, Doc: "doc",
		Opsets:   []Opset{{"", 20}, {"own", 1}},
		Metadata: []Pair{{"k", "v"}},
		Graph: &Graph{
			Name: "g", Doc: "of the graph",
			Initializers: []*Tensor{
				{Name: "f", Dims: []int64{2}, Type: Float, Floats: []float32{1.5, -2}},
				{Name: "i", Dims: []int64{3}, Type: Int8, Int32s: []int32{-1, 2, 127}},
				{Name: "l", Dims: []int64{2}, Type: Int64, Int64s: []int64{math.MinInt64, 5}},
				{Name: "d", Dims: []int64{1}, Type: Double, Doubles: []float64{0.1}},
				{Name: "u", Dims: []int64{1}, Type: Uint64, Uint64s: []uint64{math.MaxUint64}},
				{Name: "s", Dims: []int64{2}, Type: String, Strings: [][]byte{{}, {0xff}}},
				{Name: "r", Type: Float16, HasRaw: true, Raw: []byte{0, 0x3c}, Doc: "one"},
				{Name: "e", Dims: []int64{4}, Type: Float, IsExternal: true,
					External: []Pair{{"location", "w.bin"}, {"offset", "4096"}}},
			},
			Sparse: []*SparseTensor{sparse},
			Inputs: []*ValueInfo{
				{Name: "x", Doc: "fed", Type: &Type{
					Denotation: "IMAGE", Tensor: &TensorType{Elem: Float, HasShape: true,
						Dims: []Dimension{{Param: "batch"}, {Value: 3, IsKnown: true}, {}}}}},
				{Name: "any", Type: &Type{Tensor: &TensorType{Elem: BFloat16}}},
				{Name: "scalar", Type: &Type{Tensor: &TensorType{Elem: Int4, HasShape: true}}},
				{
					Name: "seq", Type: &Type{
						Sequence: &Type{Tensor: &TensorType{
							Elem: Int32, HasShape: true, Dims: []Dimension{{Value: 2, IsKnown: true}}}}}},
				{Name: "opt", Type: &Type{Optional: &Type{Tensor: &TensorType{Elem: Bool}}}},
			},
			Outputs: []*ValueInfo{
				{
					Name: "y", Type: &Type{
						Tensor: &TensorType{Elem: Float, HasShape: true, Dims: []Dimension{{IsKnown: true}}}}}},
			Values: []*ValueInfo{{Name: "mid", Type: &Type{Tensor: &TensorType{Elem: Float, HasShape: true,
				Dims: []Dimension{{Value: -1, IsKnown: true}}}}}},
			Nodes: []*Node{{
				Name: "n", Op: "Op", Domain: "own", Overload: "o", Doc: "of the node", Inputs: []string{"x", "", "f"},
				Outputs: []string{"y"},
				Attributes: []*Attribute{
					{Name: "f", Type: AttributeFloat},
					{Name: "i", Type: AttributeInt, Int: -3},
					{Name: "s", Type: AttributeString, String: []byte{}},
					{Name: "t", Type: AttributeTensor, Tensor: &Tensor{Dims: []int64{0}, Type: Float}},
					{Name: "g", Type: AttributeGraph,
						Graph: &Graph{Name: "inner", Nodes: []*Node{
							{Op: "Abs", Inputs: []string{"x"}, Outputs: []string{"z"}}}}},
					{Name: "floats", Type: AttributeFloats, Floats: []float32{1, 2.5}},
					{Name: "ints", Type: AttributeInts, Ints: []int64{1, -2}},
					{Name: "strings", Type: AttributeStrings, Strings: [][]byte{[]byte("a"), {}}},
					{Name: "tensors", Type: AttributeTensors,
						Tensors: []*Tensor{{Name: "in", Dims: []int64{0}, Type: Float}}},
					{Name: "graphs", Type: AttributeGraphs, Graphs: []*Graph{{Name: "g1"}, {Name: "g2"}}},
					{Name: "tp", Type: AttributeTypeProto,
						TypeProto: &Type{Tensor: &TensorType{Elem: Float, HasShape: true,
							Dims: []Dimension{{Value: 1, IsKnown: true}}}}},
					{Name: "sparse", Type: AttributeSparseTensor, Sparse: sparse},
					{Name: "ref", Ref: "alpha", Type: AttributeFloat, Doc: "d"},
					{Name: "old", Type: AttributeInt, Int: 4},
				},
			}},
		},
		Functions: []*Function{{
			Name: "Op", Domain: "own", Overload: "o", Doc: "of the function", Inputs: []string{"a", "b", "c"},
			Outputs:    []string{"r"},
			Attributes: []string{"alpha"}, Defaults: []*Attribute{{Name: "beta", Type: AttributeInt, Int: 2}},
			Nodes:  []*Node{{Op: "Add", Inputs: []string{"a", "c"}, Outputs: []string{"r"}}},
			Opsets: []Opset{{"", 20}},
			Values: []*ValueInfo{{Name: "r", Type: &Type{Tensor: &TensorType{Elem: Float}}}},
		}},
	}
}

// valid is a model that ONNX's checker accepts.
func valid() *Model {
	of := func(name string) *ValueInfo {
		return &ValueInfo{Name: name, Type: &Type{
			Tensor: &TensorType{Elem: Float, HasShape: true,
				Dims: []Dimension{{Param: "n"}, {Value: 2, IsKnown: true}}}}}
	}
	return &Model{IRVersion: 10, Opsets: []Opset{{"", 20}}, Graph: &Graph{
		Name: "g", Inputs: []*ValueInfo{of("x")}, Outputs: []*ValueInfo{of("y")},
		Initializers: []*Tensor{
			{Name: "w", Type: Float, Dims: []int64{2}, HasRaw: true, Raw: []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}}},
		Nodes: []*Node{
			{Op: "Add", Inputs: []string{"x", "w"}, Outputs: []string{"s"}},
			{Op: "Softmax", Inputs: []string{"s"}, Outputs: []string{"y"},
				Attributes: []*Attribute{{Name: "axis", Type: AttributeInt, Int: 1}}},
		},
	}}
}

func TestRoundTrip(t *testing.T) {
	for _, m := range []*Model{everything(), valid(), {}} {
		data, err := m.Encode()
		require.NoError(t, err)
		back, err := Decode(data)
		require.NoError(t, err)
		assert.Equal(t, m, back)
	}
}

// TestPython has a model read that Python's onnx has written, and has Python judge what is written here.
func TestPython(t *testing.T) {
	python := os.Getenv("BROADLOOM_XLA_PYTHON")
	if python == "" {
		t.Skip("BROADLOOM_XLA_PYTHON names no Python that has onnx")
	}
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import onnx").CombinedOutput(); err != nil {
		t.Skip(python, " has no onnx: ", string(out))
	}
	run := func(args ...string) {
		out, err := exec.CommandContext(t.Context(), python,
			append([]string{filepath.Join("testdata", "wire.py")}, args...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	folder := t.TempDir()
	theirs, same, ours := filepath.Join(folder, "theirs.onnx"), filepath.Join(folder, "same.onnx"),
		filepath.Join(folder, "ours.onnx")
	run("write", theirs)
	data, err := os.ReadFile(theirs)
	require.NoError(t, err)
	m, err := Decode(data)
	require.NoError(t, err)
	last := len(m.Graph.Inputs) - 1
	assert.Equal(t, &ValueInfo{Name: "map", Type: &Type{IsOther: true}}, m.Graph.Inputs[last])
	_, err = m.Encode()
	require.ErrorContains(t, err, "which cannot be written")
	m.Graph.Inputs = m.Graph.Inputs[:last]
	assert.Equal(t, everything(), m)
	for path, model := range map[string]*Model{same: m, ours: valid()} {
		data, err := model.Encode()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
	run("check", same, ours)
}

// TestPacking reads numbers packed, and each for itself.
func TestPacking(t *testing.T) {
	var each, packed []byte
	for i, v := range []uint64{7, 300, math.MaxUint64} {
		for num, at := range map[protowire.Number]uint64{5: 0, 7: 0, 11: 0} {
			each = protowire.AppendVarint(protowire.AppendTag(each, num, protowire.VarintType), v+at)
		}
		each = protowire.AppendFixed32(protowire.AppendTag(each, 4, protowire.Fixed32Type),
			math.Float32bits(float32(i)))
		each = protowire.AppendFixed64(protowire.AppendTag(each, 10, protowire.Fixed64Type),
			math.Float64bits(float64(i)))
		each = protowire.AppendVarint(protowire.AppendTag(each, 1, protowire.VarintType), v)
	}
	var varints, fours, eights []byte
	for i, v := range []uint64{7, 300, math.MaxUint64} {
		varints = protowire.AppendVarint(varints, v)
		fours = protowire.AppendFixed32(fours, math.Float32bits(float32(i)))
		eights = protowire.AppendFixed64(eights, math.Float64bits(float64(i)))
	}
	for num, b := range map[protowire.Number][]byte{
		1: varints, 4: fours, 5: varints, 7: varints, 10: eights, 11: varints} {
		packed = protowire.AppendBytes(protowire.AppendTag(packed, num, protowire.BytesType), b)
	}
	want := &Tensor{
		Dims: []int64{7, 300, -1}, Floats: []float32{0, 1, 2}, Int32s: []int32{7, 300, -1}, Int64s: []int64{7, 300, -1},
		Doubles: []float64{0, 1, 2}, Uint64s: []uint64{7, 300, math.MaxUint64},
	}
	for _, data := range [][]byte{each, packed} {
		got, err := DecodeTensor(data)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// TestNothingIsCopied expects raw data to be a part of what was read.
func TestNothingIsCopied(t *testing.T) {
	data, err := valid().Encode()
	require.NoError(t, err)
	m, err := Decode(data)
	require.NoError(t, err)
	raw := m.Graph.Initializers[0].Raw
	at := bytes.Index(data, raw)
	data[at]++
	assert.Equal(t, data[at], raw[0])
	assert.Equal(t, len(raw), cap(raw), "what is appended would overwrite the file")
}

func TestMistakes(t *testing.T) {
	deep := func() []byte { // graphs within nodes within graphs
		var data []byte
		for range 60 {
			data = protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), data)
			data = protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), data)
			data = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), data)
		}
		return protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), data)
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"a cut field", []byte{0x12, 5, 'a'}, "byte 1: field 2 of ModelProto: unexpected EOF"},
		{"a cut tag", []byte{0x80}, "byte 0: ModelProto: the tag of a field: unexpected EOF"},
		{"another kind", []byte{0x08, 1, 0x10, 1},
			"byte 3: field producer_name of ModelProto: it is a varint, but must be a string of bytes"},
		{"within", []byte{0x3a, 4, 0x0a, 2, 0x08, 1},
			"byte 5: field input of NodeProto: it is a varint, but must be a string of bytes"},
		{"a number for a message", []byte{0x38, 1}, "byte 1: field graph of ModelProto: it is a varint"},
		{"cut numbers", []byte{0x3a, 6, 0x2a, 4, 0x22, 2, 0, 0},
			"byte 6: field float_data of TensorProto: its 2 bytes are not a multiple of 4"},
		{"a cut number", []byte{0x3a, 5, 0x2a, 3, 0x0a, 1, 0x80},
			"byte 6: field dims of TensorProto: number 0: unexpected EOF"},
		{"no end", deep(), "messages are nested more than 100 deep"},
		{"many", append([]byte{0x3a, 0xc0, 0x9a, 0x0c}, bytes.Repeat([]byte{0x0a, 0}, 100000)...),
			"more messages than a file of this length can have"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Decode(c.data)
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, m)
		})
	}
}

// TestMemory reads files that are nothing but empty messages, which take the most memory by the byte. What is counted
// was not all held at once.
func TestMemory(t *testing.T) {
	field := func(num protowire.Number, data []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), data)
	}
	const count = 1 << 20
	for name, data := range map[string][]byte{
		"nodes":      field(7, bytes.Repeat(field(1, nil), count)),
		"attributes": field(7, field(1, bytes.Repeat(field(5, nil), count))),
		"tensors":    field(7, bytes.Repeat(field(5, nil), count)),
		"sizes":      field(7, field(11, field(2, field(1, field(2, bytes.Repeat(field(1, nil), count)))))),
		"names":      field(7, field(1, bytes.Repeat(field(1, nil), count))),
		"numbers":    field(7, field(5, field(7, bytes.Repeat([]byte{1}, 2*count)))),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = Decode(data)
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(160*len(data)), name)
	}
}

func TestTooLarge(t *testing.T) {
	if testing.Short() || math.MaxInt == math.MaxInt32 {
		t.Skip("2 GiB of addresses")
	}
	half := make([]byte, 1<<30) // never touched, so it takes no memory
	g := &Graph{Initializers: []*Tensor{{HasRaw: true, Raw: half}, {HasRaw: true, Raw: half}}}
	_, err := (&Model{Graph: g}).Encode()
	require.ErrorContains(t, err, "put its tensors into separate files")
}

func TestNames(t *testing.T) {
	assert.Equal(t, "float16", Float16.String())
	assert.Equal(t, "float6e3m2", Float6E3M2.String())
	assert.Equal(t, "int2", Int2.String())
	assert.Equal(t, "type 99", DataType(99).String())
	assert.Equal(t, "type -1", AttributeType(-1).String())
	assert.Equal(t, "type_protos", AttributeTypeProtos.String())
}

// FuzzDecode reads anything without a panic and with little memory, and what it has read twice is the same.
func FuzzDecode(f *testing.F) {
	for _, m := range []*Model{everything(), valid()} {
		data, err := m.Encode()
		require.NoError(f, err)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte{0x3a, 2, 0x0a, 0})
	f.Add([]byte(strings.Repeat("\x0b", 50)))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = DecodeTensor(data)
		m, err := Decode(data)
		if err != nil {
			return
		}
		again, err := m.Encode()
		if err != nil {
			require.ErrorContains(t, err, "cannot be written")
			return
		}
		back, err := Decode(again)
		require.NoError(t, err)
		last, err := back.Encode()
		require.NoError(t, err)
		require.Equal(t, again, last)
	})
}
