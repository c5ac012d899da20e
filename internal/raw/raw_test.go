package raw

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/half"
)

// TestAllTypes writes all types that files hold, reads them and reads them in the other order of bytes.
func TestAllTypes(t *testing.T) {
	for _, want := range []struct {
		dtype DType
		data  any
		bytes []byte
	}{
		{Bool, []bool{true, false}, []byte{1, 0}},
		{U8, []uint8{255, 1}, []byte{255, 1}},
		{I8, []int8{-1, 1}, []byte{255, 1}},
		{U16, []uint16{0xff01}, []byte{1, 0xff}},
		{I16, []int16{-2}, []byte{0xfe, 0xff}},
		{U32, []uint32{0xff000001}, []byte{1, 0, 0, 0xff}},
		{I32, []int32{-2}, []byte{0xfe, 0xff, 0xff, 0xff}},
		{U64, []uint64{1<<63 + 1}, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}},
		{I64, []int64{-2}, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{F8E4M3, []half.Float8E4M3FN{half.NewFloat8E4M3FN(-1.5)}, []byte{0xbc}},
		{F8E5M2, []half.Float8E5M2{half.NewFloat8E5M2(1.5)}, []byte{0x3e}},
		{F16, []half.Float16{half.NewFloat16(1.5)}, []byte{0, 0x3e}},
		{BF16, []half.BFloat16{half.NewBFloat16(1.5)}, []byte{0xc0, 0x3f}},
		{F32, []float32{1.5}, []byte{0, 0, 0xc0, 0x3f}},
		{F64, []float64{1.5}, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}},
	} {
		d, count, err := DTypeOf(want.data)
		require.NoError(t, err)
		assert.Equal(t, want.dtype, d)
		assert.Equal(t, len(want.bytes)*8/d.Bits(), count)
		var out bytes.Buffer
		require.NoError(t, Encode(&out, want.data))
		assert.Equal(t, want.bytes, out.Bytes(), d)
		data, err := Decode(d, binary.LittleEndian, want.bytes)
		require.NoError(t, err)
		assert.Equal(t, want.data, data, d)
		if count == 1 {
			slices.Reverse(want.bytes)
			data, err = Decode(d, binary.BigEndian, want.bytes)
			require.NoError(t, err)
			assert.Equal(t, want.data, data, d)
		}
	}
	d, count, err := DTypeOf([]int{-2})
	require.NoError(t, err)
	assert.Equal(t, I64, d)
	assert.Equal(t, 1, count)
}

// TestLongSlices writes more than is written at once.
func TestLongSlices(t *testing.T) {
	data := make([]half.Float16, chunk+3)
	for i := range data {
		data[i] = half.Float16(i)
	}
	var out bytes.Buffer
	require.NoError(t, Encode(&out, data))
	read, err := Decode(F16, binary.LittleEndian, out.Bytes())
	require.NoError(t, err)
	assert.Equal(t, data, read)
}

func TestDecodeRefusesWhatDoesNotFit(t *testing.T) {
	_, err := Decode(Bool, binary.LittleEndian, []byte{0, 1, 2})
	require.EqualError(t, err, "element 2 of booleans is 2, neither 0 nor 1")
	_, err = Decode(C64, binary.LittleEndian, make([]byte, 8))
	require.ErrorContains(t, err, "C64 cannot be read")
}
