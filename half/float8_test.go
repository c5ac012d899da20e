package half

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFloat8AsPyTorch compares all elements, and the numbers around each and around the middle between two, with
// PyTorch.
func TestFloat8AsPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/float8.json")
	require.NoError(t, err)
	var answers map[string]struct{ Every, Numbers, Elements string }
	require.NoError(t, json.Unmarshal(text, &answers))
	for name, of := range map[string]struct {
		encode func(float32) uint8
		decode func(uint8) float32
	}{
		"float8_e4m3fn": {func(v float32) uint8 { return uint8(NewFloat8E4M3FN(v)) }, func(b uint8) float32 {
			return Float8E4M3FN(b).Float32()
		}},
		"float8_e5m2": {func(v float32) uint8 { return uint8(NewFloat8E5M2(v)) }, func(b uint8) float32 {
			return Float8E5M2(b).Float32()
		}},
	} {
		answer := answers[name]
		require.Len(t, answer.Every, 256*8)
		for b := range 256 {
			want, got := bitsAt(t, answer.Every, b, 8), of.decode(uint8(b))
			if got != got {
				require.Equal(t, uint64(0x7fc00000), want, "%s %#x", name, b)
				require.Equal(t, b>>7 == 1, math.Signbit(float64(got)), "%s %#x", name, b)
				require.NotZero(t, math.Float32bits(got)&0x400000, "quiet")
				require.Equal(t, uint8(b)|0x7f, of.encode(got), "%s %#x", name, b)
				continue
			}
			require.Equal(t, uint32(want), math.Float32bits(got), "%s %#x", name, b)
			require.Equal(t, uint8(b), of.encode(got), "%s %#x", name, b)
		}
		count := len(answer.Elements) / 2
		require.Greater(t, count, 1000)
		for i := range count {
			v := math.Float32frombits(uint32(bitsAt(t, answer.Numbers, i, 8)))
			want, got := uint8(bitsAt(t, answer.Elements, i, 2)), of.encode(v)
			if v != v {
				want, got = want&0x7f, got&0x7f
			}
			require.Equal(t, want, got, "%s of %v", name, v)
		}
	}
	assert.Equal(t, "0.438", NewFloat8E4M3FN(0.43).String())
	assert.Equal(t, "-Inf", NewFloat8E5M2(-1e6).String())
	assert.Equal(t, []float32{1.5, 448}, ToFloat32(ToFloat8E4M3FN([]float32{1.5, 450})))
	assert.Equal(t, []float32{1.5, 448}, ToFloat32(ToFloat8E5M2([]float32{1.5, 450})))
}

func bitsAt(t *testing.T, digits string, i, each int) uint64 {
	v, err := strconv.ParseUint(digits[i*each:(i+1)*each], 16, 64)
	require.NoError(t, err)
	return v
}
